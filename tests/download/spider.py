"""A bare spider behind the resolver, in a process of its own."""

import json
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.settings import Settings, default_settings

from tests.support.process import answered

COMPONENTS = "SPIDER_MIDDLEWARES_BASE", "ITEM_PIPELINES_BASE", "EXTENSIONS_BASE", "DOWNLOADER_MIDDLEWARES_BASE"
# Scrapy's own wiring, but for what is tested.
BARE: dict[str, Any] = {
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    **{name: getattr(default_settings, name) for name in COMPONENTS},
    "MEMUSAGE_ENABLED": False,  # Scrapy's own, which counts the memory of the process that started this one
    "ROBOTSTXT_OBEY": False, "RETRY_ENABLED": False, "LOG_LEVEL": "ERROR", "DOWNLOAD_TIMEOUT": 8,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "STATS_DUMP": False, "REDIRECT_ENABLED": True,
}  # fmt: skip


class AskingSpider(Spider):
    """Asks for URLs, one after the other if so told, and notes what became of each."""

    name = "asking"
    urls: Sequence[str]
    told: dict[str, Any]

    async def start(self) -> AsyncIterator[Request]:
        for url in self.urls:
            try:
                yield Request(url, self.parse, errback=self.failed, dont_filter=True, meta={"asked": url})
            except ValueError as error:  # no URL for Scrapy
                self.told[url] = str(error)

    def parse(self, response: Any) -> None:
        self.told[response.meta["asked"]] = response.status

    def failed(self, failure: Any) -> None:
        self.told[failure.request.meta["asked"]] = f"{failure.type.__name__}: {failure.value}"


def ask(urls: Sequence[str], settings: Mapping[str, Any], **environment: str) -> dict[str, Any]:
    """What became of each URL: its status, or the failure; beside it, under ``stats``, what was counted."""
    inherited = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    task = json.dumps({"urls": list(urls), "settings": dict(settings)}).encode()
    done = answered((), inherited | environment, 120, task, _crawl_and_print)
    assert done.returncode == 0, done.stderr[-3000:]
    outcomes: dict[str, Any] = json.loads(done.stdout)
    return outcomes


def _crawl_and_print(_: Sequence[str]) -> None:
    task = json.load(sys.stdin)
    settings = Settings()
    settings.setmodule("newsspider.settings", priority="project")
    settings.setdict(BARE | task["settings"], priority="cmdline")
    outcomes: dict[str, Any] = {}
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(AskingSpider)
    process.crawl(crawler, urls=task["urls"], told=outcomes)
    process.start()
    assert crawler.stats is not None
    outcomes["stats"] = {name: value for name, value in crawler.stats.get_stats().items() if "/" in name and type(value) is int}
    sys.stdout.write(json.dumps(outcomes))
