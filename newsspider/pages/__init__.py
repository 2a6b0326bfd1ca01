"""From a response to what its page means for the crawl: the result that is committed."""
