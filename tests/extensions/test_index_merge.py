"""The parts of the search index, joined at night while a crawl goes on."""

import asyncio
from datetime import datetime
from functools import partial
from pathlib import Path

from sqlalchemy import text

from newsspider.core.query.query_dates import ZONE
from newsspider.crawl.crawl import Crawl
from newsspider.extensions.store_upkeep import IndexMerge
from tests.support.crawler import crawler_of
from tests.support.indexes import index_of
from tests.support.samples import save_article

PARTS = "SELECT count(DISTINCT segid) FROM search_index_idx"


class Clock:
    """Stands still."""

    def __init__(self, hour: int) -> None:
        self.moment = datetime(2026, 11, 25, hour, 30, tzinfo=ZONE).timestamp()

    def now(self) -> float:
        return self.moment


def test_the_parts_are_joined_once_a_night(tmp_path: Path) -> None:
    async def run() -> None:
        crawl = Crawl.of(crawler)
        engine, writer = crawl.storage.engine, crawl.storage.writer

        async def grow(first: int) -> None:
            for number in range(first, first + 3):
                url, body = f"http://a.cn/{number}", f"高考第{number}号方案"
                await writer.run(partial(save_article, url=url, body=body))

        def parts() -> int:
            with engine.connect() as conn:
                return int(conn.execute(text(PARTS)).scalar_one())

        await grow(0)
        with engine.connect() as conn:
            old_index = index_of(conn)
        for hour, expected in ((12, 3), (3, 1)):
            extension = IndexMerge(writer, crawler.stats, Clock(hour))
            await extension.attempt()
            assert parts() == expected
        with engine.connect() as conn:
            assert index_of(conn) == old_index
        await grow(3)
        await extension.attempt()
        assert parts() == 4
        await crawl.close("finished")

    crawler = crawler_of(tmp_path)
    asyncio.run(run())
    assert crawler.stats is not None
    assert crawler.stats.get_value("search/merged") == 1
    assert not crawler.stats.get_value("search/merge_failed")


def test_parts_that_could_not_be_joined_are_joined_the_same_night(tmp_path: Path) -> None:
    async def run() -> None:
        crawl = Crawl.of(crawler)
        engine, writer = crawl.storage.engine, crawl.storage.writer

        def call(old: str, new: str) -> None:
            with engine.begin() as conn:
                conn.execute(text(f"ALTER TABLE {old} RENAME TO {new}"))

        extension = IndexMerge(writer, crawler.stats, Clock(3))
        call("search_index", "elsewhere")
        await extension.attempt()
        call("elsewhere", "search_index")
        for _ in range(2):
            await extension.attempt()
        await crawl.close("finished")

    crawler = crawler_of(tmp_path)
    asyncio.run(run())
    assert crawler.stats is not None
    assert (crawler.stats.get_value("search/merge_failed"), crawler.stats.get_value("search/merged")) == (1, 1)
