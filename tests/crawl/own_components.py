"""Components as users write them, one for each setting that names some; each leaves a trace in the stats or in a file."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, IgnoreRequest
from scrapy.exporters import JsonLinesItemExporter
from scrapy.http import Request, Response
from scrapy.settings import BaseSettings


class Counting:
    """Counts itself in the stats."""

    def __init__(self, crawler: Crawler) -> None:
        self.stats = crawler.stats
        self.count("built")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def count(self, what: str) -> None:
        """One more."""
        assert self.stats is not None
        self.stats.inc_value(f"own/{type(self).__name__}/{what}")


class Extension(Counting):
    """Also what ``print`` says goes to the log, if so set."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        sys.stdout.write("said by an extension\n")
        if isinstance(asyncio.get_event_loop(), Loop):
            self.stats.set_value("own/Loop/built", 1)  # type: ignore[union-attr]


class Loop(asyncio.SelectorEventLoop):
    """An event loop."""


class Downloading(Counting):
    """A downloader middleware."""

    def process_request(self, request: Request) -> None:
        self.count("requests")


class Ignoring:
    """A downloader middleware that ignores one page."""

    def process_request(self, request: Request) -> None:
        if request.url.endswith("/c"):
            raise IgnoreRequest("not this one")


class Spiding(Counting):
    """A spider middleware."""

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for entry in result:
            self.count("items")
            yield entry


class Failing:
    """A spider middleware that fails over every article."""

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for _ in result:
            raise ValueError("an own middleware fails")
        return
        yield


class Dropping(Counting):
    """A pipeline that drops one article."""

    def process_item(self, item: Any) -> Any:
        if "第2场" in item.title:
            raise DropItem("the second")
        self.count("items")
        return item


class Shouting(JsonLinesItemExporter):
    """A feed exporter."""

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        return str(value).upper()


class AddOn:
    """Puts a pipeline behind the store's."""

    def update_settings(self, settings: BaseSettings) -> None:
        settings["ITEM_PIPELINES"].set("tests.crawl.own_components.Last", 950, priority="addon")


class Last(Counting):
    """A pipeline."""

    def process_item(self, item: Any) -> Any:
        self.count("items")
        return item


def folder_of(params: dict[str, Any], spider: Any) -> dict[str, Any]:
    """``FEED_URI_PARAMS``."""
    return {**params, "folder": Path("own").name}
