"""The claim loop at its ends."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import CloseSpider

from newsspider.core.crawling.finish import Finish
from newsspider.runtime import Runtime
from tests.crawler import crawler_of


async def requests(spider: Any) -> list[Any]:
    return [request async for request in spider.start()]


def test_a_loop_that_goes_on_behind_the_end_of_its_crawl_closes_no_spider_again(tmp_path: Path) -> None:
    crawler = crawler_of(tmp_path)
    asyncio.run(Runtime.of(crawler).close("shutdown"))
    assert asyncio.run(requests(crawler.spider)) == []


def test_a_loop_whose_store_failed_closes_its_spider_with_that_reason(tmp_path: Path) -> None:
    crawler = crawler_of(tmp_path)
    runtime = Runtime.of(crawler)
    runtime.writer.close()
    runtime.writer.failed = "the disk is full"
    with pytest.raises(CloseSpider) as closed:
        asyncio.run(requests(crawler.spider))
    assert closed.value.reason == Finish.STORE_FAILED
    runtime.engine.dispose()
