"""The claim loop at its ends."""

import asyncio
import threading
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from sqlalchemy import Connection, create_engine, text

from newsspider.core.crawling.finish_reasons import Finish
from newsspider.core.crawling.visit import Offer, PageResult, Settlement
from newsspider.core.model import PageType, Reason, State
from newsspider.core.text.regions import codes_by_name
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.lease_pool import prepare_reading
from newsspider.extensions.periodic import RefusedPages
from newsspider.extensions.sites_watch import SitesWatch
from newsspider.sites.model import from_home
from newsspider.store import ledger
from newsspider.store import sites as registry
from newsspider.store.ledger import Remaining, config_changes
from newsspider.topics.loader import load_topic
from tests.support.crawler import crawler as crawler  # noqa: PLC0414 - a fixture
from tests.support.crawler import crawler_of, lease_of_kind, request_of, response_of
from tests.support.samples import STORED, lease_on

SITE = from_home("http://a.example/")


def test_the_names_of_places_are_loaded_before_the_first_page_is_read() -> None:
    codes_by_name.cache_clear()
    prepare_reading(load_topic("any"), None, datetime.now(UTC))
    assert codes_by_name.cache_info().currsize == 1


async def requests(spider: Any) -> list[Any]:
    return [request async for request in spider.start()]


def test_a_loop_that_goes_on_behind_the_end_of_its_crawl_closes_no_spider_again(tmp_path: Path) -> None:
    crawler = crawler_of(tmp_path)
    asyncio.run(Crawl.of(crawler).close("shutdown"))
    assert asyncio.run(requests(crawler.spider)) == []


def test_a_loop_whose_store_failed_closes_its_spider_with_that_reason(tmp_path: Path) -> None:
    crawler = crawler_of(tmp_path)
    crawl = Crawl.of(crawler)
    crawl.storage.writer.close()
    crawl.storage.writer.failed = "the disk is full"
    with pytest.raises(CloseSpider) as closed:
        asyncio.run(requests(crawler.spider))
    assert closed.value.reason == Finish.STORE_FAILED
    crawl.storage.engine.dispose()


def test_a_loop_that_fails_behind_a_claim_closes_its_spider_and_holds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crawler = crawler_of(tmp_path)
    crawl = Crawl.of(crawler)

    async def failed(*_: object) -> None:
        raise ValueError("a hiccup")

    async def run() -> None:
        monkeypatch.setattr(crawl.claims.trap_budgets, "equivalents", failed)
        await crawl.open("education", {})
        with pytest.raises(CloseSpider) as closed:
            await requests(crawler.spider)
        assert closed.value.reason == Finish.START_ERROR
        assert crawl.pool.held
        assert crawl.ending.counters.stats.get_value("spider/start_failed") == 1
        await crawl.pool.release_all()  # as the scheduler does when a spider closes
        await crawl.close(Finish.START_ERROR)

    asyncio.run(run())
    engine = create_engine(crawler.settings["DATABASE_URL"])
    with engine.begin() as conn:
        assert conn.execute(text("SELECT count(*) FROM urls WHERE state = 'processing'")).scalar() == 0
        assert conn.execute(text("SELECT count(*) FROM urls WHERE state = 'waiting'")).scalar() > 0
    engine.dispose()


@pytest.mark.parametrize(
    ("kind", "items", "aside"),
    [("list", 10, False), ("list", 5000, True), ("sitemap", 1, True), ("article", 10, False), ("article", 5000, True)],
)
def test_a_long_page_is_read_in_a_thread(crawler: Crawler, kind: str, items: int, *, aside: bool) -> None:
    spider, threads = crawler.spider, []
    spider.reader = spider.build_reader()
    read = spider.reader.result

    def noted(response: Response) -> PageResult:
        threads.append(threading.current_thread())
        return read(response)

    spider.reader.result = noted
    body = "".join(f'<li><a href="/2024/{n}.html">某校举行第{n}届校园科技节活动</a></li>' for n in range(10, 10 + items))
    response = response_of(request_of(lease_of_kind(PageType(kind))), f"<ul>{body}</ul>".encode(), Content_Type="text/html")

    result = asyncio.run(spider.read(response))
    assert (threads != [threading.main_thread()]) == aside
    assert kind != "list" or len(result.links) == items


def test_a_change_of_the_sites_that_could_not_be_taken_up_is_taken_up_at_the_next_look(
    crawler: Crawler, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = Crawl.of(crawler)
    offered: list[str] = []
    offer = crawl.storage.frontier.offer

    async def failing(_: Iterable[Offer]) -> int:
        raise ValueError("a hiccup")

    async def noting(offers: Iterable[Offer]) -> int:
        batch = tuple(offers)
        offered.extend(entry.url for entry in batch)
        return await offer(batch)

    async def run() -> None:
        await crawl.open("education", {})
        await crawl.storage.writer.run(partial(registry.put, site=SITE, now=2.0))
        monkeypatch.setattr(crawl.storage.frontier, "offer", failing)
        with pytest.raises(ValueError, match="hiccup"):
            await SitesWatch(crawl, crawl.ending.counters.stats, 1.0).reload()
        monkeypatch.setattr(crawl.storage.frontier, "offer", noting)
        assert SITE.name in await SitesWatch(crawl, crawl.ending.counters.stats, 1.0).reload()
        assert await crawl.storage.writer.run(crawl.sites.scope.changed) is None

    asyncio.run(run())
    assert offered == [SITE.channels[0].url]


def test_pages_that_another_topic_refused_wait_a_few_at_a_time_and_no_crawl_ends_before(
    crawler: Crawler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config_changes, "CHANGED_AT_ONCE", 2)
    crawl = Crawl.of(crawler)
    refused = Settlement(State.DONE, Reason.OFF_TOPIC, status=200, fetched_at=1.0, topic="sports")

    def fill(conn: Connection) -> None:
        for number in range(7):
            ledger.settle(conn, lease_on(conn, f"http://{number}.cn/", 1.0, site="of another crawl"), refused)

    async def waiting() -> int:
        return int((await crawl.storage.writer.run(ledger.counts))[State.WAITING])

    async def run() -> list[int]:
        await crawl.storage.writer.run(fill)
        await crawl.open("education", {})
        counts = [await waiting()]
        await RefusedPages(crawl, crawl.ending.counters.stats).step()
        counts.append(await waiting())
        crawl.sites.replace({})
        with pytest.raises(CloseSpider):
            await requests(crawler.spider)
        return [*counts, await waiting()]

    assert asyncio.run(run()) == [2, 4, 7]
    assert crawl.sites.is_adapted


def test_the_last_good_version_of_a_site_that_became_unusable_stays_in_use(crawler: Crawler, caplog: pytest.LogCaptureFixture) -> None:
    crawl = Crawl.of(crawler)
    stats = crawl.ending.counters.stats
    watch, writer = SitesWatch(crawl, stats, 1.0), crawl.storage.writer
    other = from_home("http://other.example/")

    def spoil(conn: Connection) -> None:
        registry.put(conn, from_home("http://new.example/"), 2.0)
        registry.put(conn, replace(SITE, weight=9), 2.0)
        conn.execute(text("UPDATE sites SET toml = 'x' WHERE name IN (:name, 'new.example')"), {"name": SITE.name})

    async def run() -> None:
        await writer.run(partial(registry.put, site=SITE, now=1.0))
        await crawl.open("education", {})
        await writer.run(spoil)
        assert await watch.reload() == set()
        assert crawl.sites.by_name[SITE.name] == SITE
        assert "new.example" not in crawl.sites
        await writer.run(partial(registry.put, site=other, now=3.0))
        assert await watch.reload() == {other.name}, "changes of the others are taken up"
        assert stats.get_value("sites/broken") == 2
        await writer.run(partial(registry.put, site=replace(SITE, weight=8), now=4.0))
        assert await watch.reload() == {SITE.name}
        assert stats.get_value("sites/broken") == 1

    asyncio.run(run())
    logged = [record.getMessage() for record in caplog.records if "cannot be used: TOML: " in record.getMessage()]
    assert [SITE.name in line for line in logged].count(True) == 1, "once, though it was looked at twice"
    assert len(logged) == 2


def test_the_loop_wakes_before_a_page_is_stored_whose_host_may_be_asked_again_at_once(tmp_path: Path) -> None:
    crawl = Crawl.of(crawler_of(tmp_path))
    pool, lease, now = crawl.pool, lease_of_kind(), crawl.clock.now()
    for host_next_at, wakes in ((None, False), (now + 60, False), (now, True)):
        pool.changed.clear()
        assert pool.follow(lease, replace(STORED, host_next_at=host_next_at)) is wakes
        assert pool.changed.is_set() is wakes
    asyncio.run(crawl.close("shutdown"))


def test_a_settlement_that_was_claimed_behind_wakes_the_loop_no_more_until_nothing_is_held(tmp_path: Path) -> None:
    crawl = Crawl.of(crawler_of(tmp_path))
    pool, leases = crawl.pool, [replace(lease_of_kind(), key=key) for key in range(2)]
    pool.hold(leases)
    woken = []
    for lease in leases:
        pool.drop(lease, followed=True)
        woken.append(pool.changed.is_set())
    assert woken == [False, True]
    asyncio.run(crawl.close("shutdown"))


def test_a_settlement_wakes_the_loop_when_its_host_may_be_asked_again(tmp_path: Path) -> None:
    async def woken() -> list[bool]:
        pool, leases, now = crawl.pool, [replace(lease_of_kind(), key=key) for key in range(4)], crawl.clock.now()
        pool.hold(leases)
        seen = []
        for lease, opens_at in zip(leases, (now + 3600, now - 1, None), strict=False):
            pool.changed.clear()
            pool.drop(lease, opens_at=opens_at)
            seen.append(pool.changed.is_set())
        pool.hold(leases[:1])
        pool.changed.clear()
        pool.drop(leases[0], opens_at=crawl.clock.now() + 0.05)
        seen.append(pool.changed.is_set())
        await asyncio.wait_for(pool.changed.wait(), 60)
        await crawl.close("shutdown")
        return seen

    crawl = Crawl.of(crawler_of(tmp_path))
    assert asyncio.run(woken()) == [False, True, True, False]


def test_what_the_last_claim_saw_as_left_holds_until_a_page_is_settled(tmp_path: Path) -> None:
    async def due() -> list[float | None]:
        await crawl.open("education", {})
        crawl.storage.frontier.rest = Remaining(7.0, others_hold=False)
        due_times = [(await crawl.pool.left(None)).due_at]
        crawl.storage.frontier.rest = Remaining(7.0, others_hold=False)
        crawl.pool.drop(lease_of_kind())
        due_times.append((await crawl.pool.left(None)).due_at)
        await crawl.close("shutdown")
        return due_times

    crawl = Crawl.of(crawler_of(tmp_path))
    assert asyncio.run(due()) == [7.0, None]
