"""The ranks of the pages, made anew while a crawl goes on."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import NotConfigured
from sqlalchemy import Engine, text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import PageType
from newsspider.crawl.crawl import Crawl
from newsspider.extensions import ranks as extension_module
from newsspider.extensions.ranks import PROGRAM, RankingError, Ranks
from newsspider.store import pages
from newsspider.store.engine.database import open_store
from newsspider.store.exploring.ranking import PARENT_ENDED
from tests.support.clocks import NOW as BEGAN
from tests.support.clocks import HeldClock
from tests.support.crawler import crawler_of
from tests.support.process import ROOT
from tests.support.samples import NOW, POLLED, lease_on, links, offer
from tests.support.servers import migrated, new_file, shared_postgres

__all__ = ["migrated", "shared_postgres"]

ENDLESS = "import sys; sys.stdin.read()"  # it reads till its parent ends
WORKER = f"from {__name__} import worker; worker()"


def a_list(engine: Engine, url: str, urls: list[str]) -> None:
    with engine.begin() as conn:
        lease = lease_on(conn, url, kind=PageType.LIST)
        pages.save(conn, PageResult(lease, POLLED, links=links(urls), offers=tuple(map(offer, urls))), NOW)


def moments(crawl: Crawl) -> list[float]:
    with crawl.storage.engine.begin() as conn:
        return list(conn.execute(text("SELECT ranked_at FROM ranks ORDER BY key")).scalars())


async def begun(extension: Ranks) -> asyncio.Task[None]:
    """A step whose process has been started."""
    step = asyncio.ensure_future(extension.step())
    async with asyncio.timeout(60):
        while extension.process is None:
            await asyncio.sleep(0.01)
    return step


def worker() -> None:
    """In a process of its own: compute the ranks as a crawl does, or never come to an end; print how often."""

    async def run() -> None:
        crawl = Crawl.of(crawler)
        extension = Ranks.from_crawler(crawler)
        if program:
            extension_module.PROGRAM, extension_module.FEW_URLS = program, 0
            await begun(extension)
            sys.stdout.write("begun\n")
            sys.stdout.flush()
            sys.stdin.read()
        await extension.step()
        assert crawler.stats is not None
        sys.stdout.write(str(crawler.stats.get_value("graph/ranked", 0)))
        await crawl.close("finished")

    folder, url, program = sys.argv[1:]
    crawler = crawler_of(Path(folder), DATABASE_URL=url)
    asyncio.run(run())


@contextmanager
def started(folder: Path, url: str, program: str = "") -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", WORKER, str(folder), url, program]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as process:
        yield process


def test_of_several_workers_one_makes_them_and_another_when_that_one_has_died(tmp_path: Path, url: str) -> None:
    def ranked() -> int:
        """By a process that begins now and comes to its end."""
        with started(tmp_path, url) as process:
            return int(process.communicate(timeout=120)[0])

    engine = open_store(url)
    a_list(engine, "http://a.cn/", ["http://x.cn/1"])
    with started(tmp_path, url, ENDLESS) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "begun\n"
        assert ranked() == 0
        first.kill()
    assert [ranked(), ranked()] == [1, 0]
    engine.dispose()


@pytest.mark.parametrize("few", [extension_module.FEW_URLS, 0], ids=["in a thread", "in a process of their own"])
def test_they_are_made_when_there_are_none_or_old_ones_and_not_before(
    few: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extension_module, "FEW_URLS", few)

    async def run() -> list[list[float]]:
        crawl = Crawl.of(crawler, clock)
        extension = Ranks.from_crawler(crawler)
        a_list(crawl.storage.engine, "http://a.cn/", [f"http://x.cn/{n}" for n in range(4)])
        rank_times = []
        for seconds in (0.0, 0.0, 3599.0, 2.0):
            clock.advance(seconds)
            await extension.step()
            rank_times.append(moments(crawl))
        await crawl.close("finished")
        assert (extension.process is None) is (few > 0)
        return rank_times

    crawler, clock = crawler_of(tmp_path, RANK_HOURS=1), HeldClock()
    assert asyncio.run(run()) == [[BEGAN] * 5] * 3 + [[BEGAN + 3601] * 5]
    assert crawler.stats is not None
    assert crawler.stats.get_value("graph/ranked") == 2


def test_a_crawl_that_ends_does_not_wait_for_them_for_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extension_module, "END_SECONDS", 0.01)
    monkeypatch.setattr(extension_module, "FEW_URLS", 0)
    monkeypatch.setattr(extension_module, "PROGRAM", ENDLESS)

    async def run() -> list[float]:
        crawl = Crawl.of(crawler)
        a_list(crawl.storage.engine, "http://a.cn/", ["http://x.cn/1"])
        extension = Ranks.from_crawler(crawler)
        step = await begun(extension)
        extension.spider_closed()
        with pytest.raises(RankingError, match="exit code -9"):
            await step
        await crawl.close("finished")
        return moments(crawl)

    crawler = crawler_of(tmp_path)
    assert asyncio.run(run()) == []


def test_a_failure_to_store_the_ranks_names_its_cause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extension_module, "FEW_URLS", 0)

    async def run() -> None:
        crawl = Crawl.of(crawler)
        a_list(crawl.storage.engine, "http://a.cn/", ["http://x.cn/1"])
        with crawl.storage.engine.begin() as conn:
            conn.execute(text("DROP TABLE ranks"))
        with pytest.raises(RankingError, match="no such table"):
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
        rank_times = []
        for urls in ([], ["http://x.cn/1"]):
            if urls:
                a_list(crawl.storage.engine, "http://a.cn/", urls)
            await extension.step()
            rank_times.append(moments(crawl))
        await crawl.close("finished")
        return rank_times

    crawler = crawler_of(tmp_path)
    without_links, with_link = asyncio.run(run())
    assert (len(without_links), len(with_link)) == (0, 2)


def test_a_crawl_with_ranks_disabled_makes_none(tmp_path: Path) -> None:
    with pytest.raises(NotConfigured):
        Ranks.from_crawler(crawler_of(tmp_path, RANK_HOURS=0))
