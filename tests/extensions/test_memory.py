"""The memory limit alone, over a real store."""

from __future__ import annotations

import asyncio
from pathlib import Path

from newsspider.core.crawling.finish import Finish
from newsspider.crawl.crawl import Crawl
from newsspider.extensions.memory import MemoryLimit
from tests.support.crawler import crawler_of


def test_a_crawl_that_ends_at_its_limit_of_pages_does_not_end_for_its_memory(tmp_path: Path) -> None:
    async def ended_for() -> Finish | None:
        crawl, limit = Crawl.of(crawler), MemoryLimit(crawler)
        crawl.ending.stop(Finish.PAGES)
        await limit.step()
        assert limit.closing is None
        await crawl.close("finished")
        return crawl.ending.reason

    crawler = crawler_of(tmp_path, MEMUSAGE_LIMIT_MB=1)
    assert asyncio.run(ended_for()) is Finish.PAGES
    assert crawler.stats is not None
    assert crawler.stats.get_value("memusage/limit_reached") is None
