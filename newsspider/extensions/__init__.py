"""Extensions: run for as long as a crawl (store, heartbeat, progress line, limits)."""
