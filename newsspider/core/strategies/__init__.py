"""In which order a crawl asks for what it knows: one module a strategy."""
