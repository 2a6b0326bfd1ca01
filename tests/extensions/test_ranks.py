"""The ranks of the pages, made anew while a crawl goes on."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from scrapy.exceptions import NotConfigured
from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import PageType
from newsspider.crawl.crawl import Crawl
from newsspider.extensions import ranks as extension_module
from newsspider.extensions.ranks import PROGRAM, RankingFailed, Ranks
from newsspider.store import pages
from newsspider.store.exploring.ranking import PARENT_ENDED
from tests.clocks import NOW as BEGAN
from tests.clocks import HeldClock
from tests.crawler import crawler_of
from tests.servers import new_file
from tests.store.samples import NOW, POLLED, lease_on, links, offer


def a_list(crawl: Crawl, url: str, shown: list[str]) -> None:
    with crawl.storage.engine.begin() as conn:
        lease = lease_on(conn, url, kind=PageType.LIST)
        pages.save(conn, PageResult(lease, POLLED, links=links(shown), offers=tuple(map(offer, shown))), NOW)


def moments(crawl: Crawl) -> list[float]:
    with crawl.storage.engine.begin() as conn:
        return list(conn.execute(text("SELECT ranked_at FROM ranks ORDER BY key")).scalars())


@pytest.mark.parametrize("few", [extension_module.FEW_URLS, 0], ids=["in a thread", "in a process of their own"])
def test_they_are_made_when_there_are_none_or_old_ones_and_not_before(
    few: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extension_module, "FEW_URLS", few)

    async def run() -> list[list[float]]:
        crawl = Crawl.of(crawler, clock)
        extension = Ranks.from_crawler(crawler)
        a_list(crawl, "http://a.cn/", [f"http://x.cn/{n}" for n in range(4)])
        seen = []
        for seconds in (0.0, 0.0, 3599.0, 2.0):
            clock.advance(seconds)
            await extension.step()
            seen.append(moments(crawl))
        await crawl.close("finished")
        assert (extension.process is None) is (few > 0)
        return seen

    crawler, clock = crawler_of(tmp_path, RANK_HOURS=1), HeldClock()
    first, second, third, last = asyncio.run(run())
    assert len(first) == len(second) == len(last) == 5
    assert set(first) == {BEGAN}
    assert first == second == third
    assert set(last) == {BEGAN + 3601}
    assert crawler.stats is not None
    assert crawler.stats.get_value("graph/ranked") == 2


def test_a_crawl_that_ends_does_not_wait_for_them_for_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extension_module, "END_SECONDS", 0.01)
    monkeypatch.setattr(extension_module, "FEW_URLS", 0)

    async def run() -> list[float]:
        crawl = Crawl.of(crawler)
        a_list(crawl, "http://a.cn/", ["http://x.cn/1"])
        extension = Ranks.from_crawler(crawler)
        with closing(sqlite3.connect(tmp_path / "news.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")  # nobody else can store ranks
            step = asyncio.ensure_future(extension.step())
            async with asyncio.timeout(60):
                while extension.process is None:
                    await asyncio.sleep(0.01)
            extension.spider_closed()
            with pytest.raises(RankingFailed, match="exit code -9"):
                await step
        await crawl.close("finished")
        return moments(crawl)

    crawler = crawler_of(tmp_path)
    assert asyncio.run(run()) == []


def test_what_keeps_them_from_being_stored_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extension_module, "FEW_URLS", 0)

    async def run() -> None:
        crawl = Crawl.of(crawler)
        a_list(crawl, "http://a.cn/", ["http://x.cn/1"])
        with crawl.storage.engine.begin() as conn:
            conn.execute(text("DROP TABLE batch_jobs"))
            conn.execute(text("CREATE TABLE batch_jobs (kind TEXT, began_at FLOAT)"))
        with pytest.raises(RankingFailed, match="no such column"):
            await Ranks.from_crawler(crawler).step()
        await crawl.close("finished")

    crawler = crawler_of(tmp_path)
    asyncio.run(run())


def test_they_end_with_a_crawl_that_is_killed(tmp_path: Path) -> None:
    url = new_file(tmp_path / "news.db")
    with closing(sqlite3.connect(tmp_path / "news.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # which it waits for
        with subprocess.Popen([sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin is not None
            process.stdin.write(json.dumps((url, NOW)).encode() + b"\n")
            process.stdin.close()  # as the system does
            assert process.wait(60) == PARENT_ENDED


def test_a_store_without_links_waits_for_some(tmp_path: Path) -> None:
    async def run() -> list[list[float]]:
        crawl = Crawl.of(crawler)
        extension = Ranks.from_crawler(crawler)
        seen = []
        for shown in ([], ["http://x.cn/1"]):
            if shown:
                a_list(crawl, "http://a.cn/", shown)
            await extension.step()
            seen.append(moments(crawl))
        await crawl.close("finished")
        return seen

    crawler = crawler_of(tmp_path)
    without, found = asyncio.run(run())
    assert (len(without), len(found)) == (0, 2)


def test_a_crawl_that_is_told_so_makes_none(tmp_path: Path) -> None:
    with pytest.raises(NotConfigured):
        Ranks.from_crawler(crawler_of(tmp_path, RANK_HOURS=0))
