"""What lives as long as a crawl: the writer, the progress line, the limits."""
