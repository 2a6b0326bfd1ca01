"""The console: what the crawl collected, as pages in a browser (``scrapy web``), as JSON and as feeds."""
