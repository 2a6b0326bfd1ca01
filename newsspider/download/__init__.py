"""The download of pages: what stands between aiohttp and the handler that Scrapy calls."""
