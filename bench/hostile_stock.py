"""Stock Scrapy on the hostile hosts, as a project has it that adds nothing of its own: the peer of ``bench.hostile``."""

from pathlib import Path

import scrapy
from scrapy.linkextractors import LinkExtractor

SPIDER_MODULES = ["bench.hostile_stock"]
ROBOTSTXT_OBEY = True
EXTENSIONS = {"tests.hostile.lateness.Lateness": 0}
TELNETCONSOLE_ENABLED = False
# The waits and the concurrency of tests.hostile.settings, so that both have the same job.
CONCURRENT_REQUESTS = 48
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 0
DOWNLOAD_TIMEOUT = 8
DOWNLOAD_MAXSIZE = 8 * 1024 * 1024
RETRY_TIMES = 1


class HostileSpider(scrapy.Spider):
    name = "hostile"

    def __init__(self, starts: str) -> None:
        super().__init__()
        self.start_urls = Path(starts).read_text("utf-8").split()
        self.links = LinkExtractor(allow=r"/2024/")

    def parse(self, response):
        yield from response.follow_all(self.links.extract_links(response), self.article)

    def article(self, response):
        yield {
            "url": response.url,
            "title": "".join(response.css("h1 ::text").getall()),
            "text": "\n".join(response.css("p::text").getall()),
        }
