"""The position of a channel's list is learned, kept, learned again, lost and found again; real crawler, real store."""

import asyncio
import json
import logging
from dataclasses import replace
from functools import partial

import pytest
from scrapy.crawler import Crawler
from sqlalchemy import Connection, insert

from newsspider.core.crawling.visit import ListObservation, PageResult
from newsspider.core.model import Layout, LinkKind, PageType, Standing
from newsspider.core.url import url_key
from newsspider.crawl.crawl import Crawl
from newsspider.features.explore.tables import ranks
from newsspider.features.health.rules.states import Health
from newsspider.features.health.rules.visit_diagnosis import VisitHealth, visit_health
from newsspider.pages.router import page_reader
from newsspider.sites.model import Channel, ChannelKind, from_home
from newsspider.store import sites as registry
from newsspider.store.ledger.site_knowledge import known_list_positions, list_positions_of, note_list_position
from tests.support.crawler import crawler, lease_of_kind, request_of, response_of

__all__ = ["crawler"]

SITE = from_home("http://a.example/")
URL = SITE.channels[0].url
ROWS = "".join(f'<{{0}}><a href="/202405/t{n}.html">教育部部署春季学期中小学工作第{n}号</a></{{0}}>' for n in range(4000, 4008))
OLD = f'<ul class="list">{ROWS.format("li")}</ul>'
NEW = f'<dl id="stream">{ROWS.format("dd")}</dl>'
STOOD = ('//ul[contains(concat(" ", normalize-space(@class), " "), " list ")]/li/a',)
STANDS = ('//dl[@id="stream"]/dd/a',)


@pytest.fixture
def crawl(crawler: Crawler) -> Crawl:
    crawl = Crawl.of(crawler)
    asyncio.run(crawl.storage.writer.run(partial(registry.put, site=SITE, now=1.0)))
    crawl.sites.replace({SITE.name: SITE})
    return crawl


def read(crawler: Crawler, body: str, hops: int = 0) -> PageResult:
    lease = lease_of_kind(PageType.LIST, URL, update_cycle=60.0, hops=hops)
    lease = replace(lease, site=SITE.name, channel=SITE.channels[0].name, key=url_key(URL))
    page = f"<html><head><title>x</title></head><body><div class=nav><a href=/>首页</a></div>{body}</body></html>".encode()
    return page_reader(crawler).result(response_of(request_of(lease), page, Content_Type="text/html; charset=utf-8"))


def stored(crawl: Crawl, *results: PageResult) -> list[dict[str, object]]:
    async def step() -> list[dict[str, object]]:
        for moment, result in enumerate(results):
            if (layout := result.effect(Layout)) is not None:
                await crawl.storage.writer.run(partial(note_list_position, lease=result.lease, layout=layout, now=float(moment)))
        return await crawl.storage.writer.run(partial(list_positions_of, site=SITE.name))

    return asyncio.run(step())


def test_the_list_of_a_channel_is_learned_once_and_remembered_by_the_next_crawl(crawl: Crawl, crawler: Crawler) -> None:
    first, second = read(crawler, OLD), read(crawler, OLD)
    assert (first.effect(Layout), second.effect(Layout)) == (Layout(Standing.LEARNED, STOOD), None)
    (row,) = stored(crawl, first)
    assert (row["list_paths"], row["list_moves"], row["list_lost_at"]) == ([*STOOD], 0, None)
    assert asyncio.run(crawl.storage.writer.run(known_list_positions)) == {(SITE.name, SITE.channels[0].name): Layout(Standing.KEPT, STOOD)}
    assert crawl.ending.counters.stats.get_value("lists/learned") == 1


def test_a_redesign_is_learned_from_the_same_page_counted_warned_of_and_written_down(
    crawl: Crawl, crawler: Crawler, caplog: pytest.LogCaptureFixture
) -> None:
    first, moved, after = read(crawler, OLD), read(crawler, NEW), read(crawler, NEW)
    assert (moved.effect(Layout), after.effect(Layout)) == (Layout(Standing.MOVED, STANDS), None)
    assert sum(link.kind is LinkKind.ARTICLE for link in moved.links) == 8
    assert [record.levelno for record in caplog.records if URL in record.getMessage()] == [logging.WARNING]
    assert crawl.ending.counters.stats.get_value("lists/moved") == 1
    (row,) = stored(crawl, first, moved, moved)  # a second worker that saw the same change does not count as a second change
    assert (row["list_paths"], row["list_moves"], row["list_learned_at"]) == ([*STANDS], 1, 1.0)


def test_a_site_that_alternates_between_two_layouts_is_reported_once(crawl: Crawl, crawler: Crawler) -> None:
    results = [read(crawler, body) for body in (OLD, NEW, OLD, NEW, OLD)]
    assert [result.effect(Layout) is not None for result in results] == [True, True, False, False, False]
    assert stored(crawl, *results)[0]["list_paths"] == [*STANDS]


def test_a_list_that_is_lost_is_said_once_and_so_is_its_return(
    crawl: Crawl, crawler: Crawler, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    results = [read(crawler, body) for body in (OLD, "<p>维护</p>", "<p>维护</p>", OLD, OLD)]
    standings = [layout.standing if (layout := result.effect(Layout)) else None for result in results]
    assert standings == [Standing.LEARNED, Standing.LOST, None, Standing.KEPT, None]
    assert [record.levelname for record in caplog.records if URL in record.getMessage()] == ["WARNING", "INFO"]
    assert (crawl.ending.counters.stats.get_value("lists/lost"), crawl.ending.counters.stats.get_value("lists/back")) == (1, 1)
    (lost,) = stored(crawl, *results[:2])
    assert (lost["list_lost_at"], lost["list_paths"], lost["list_learned_at"]) == (1.0, [*STOOD], 0.0)
    assert stored(crawl, *results[3:4])[0]["list_lost_at"] is None


def test_the_answer_of_a_list_api_is_read_by_its_jmespath(crawl: Crawl, crawler: Crawler) -> None:
    api = replace(SITE.channels[0], kind=ChannelKind.JSON, items="d[].{title: t, url: u}")
    crawl.sites.replace({SITE.name: replace(SITE, channels=(api,))})
    rows = [{"t": f"教育部部署春季学期中小学工作第{n}号", "u": f"/202405/t{n}.html"} for n in range(4000, 4004)]
    lease = replace(lease_of_kind(PageType.LIST, URL, update_cycle=60.0), site=SITE.name, channel=api.name, key=url_key(URL))
    body = f"cb({json.dumps({'d': rows})})".encode()
    result = page_reader(crawler).result(response_of(request_of(lease), body, Content_Type="application/json"))
    assert [offer.url for offer in result.offers] == [f"http://a.example{row['u']}" for row in rows]
    assert result.effect(Layout) is None


@pytest.mark.parametrize("body", ["<sitemapindex><sitemap><loc>/s1.xml</loc></sitemap></sitemapindex>", "<urlset></urlset>"])
def test_a_sitemap_that_lists_no_page_is_healthy(crawl: Crawl, crawler: Crawler, body: str) -> None:
    lease = lease_of_kind(PageType.SITEMAP, "http://a.example/sitemap.xml", update_cycle=60.0)
    result = page_reader(crawler).result(response_of(request_of(lease), body.encode(), Content_Type="text/xml"))
    visit = visit_health(result.settlement, result.effect(ListObservation))
    assert visit == VisitHealth(Health.LIVE)


def test_the_further_pages_of_a_list_teach_nothing(crawl: Crawl, crawler: Crawler) -> None:
    assert read(crawler, OLD, hops=1).effect(Layout) is None
    assert crawl.sites.knowledge.layout(SITE.name, SITE.channels[0].name) is None


def test_a_channel_with_a_new_url_is_learned_again(crawl: Crawl, crawler: Crawler) -> None:
    assert stored(crawl, read(crawler, OLD))
    elsewhere = replace(SITE, channels=(replace(SITE.channels[0], url="http://a.example/jyxw/"),))
    asyncio.run(crawl.storage.writer.run(partial(registry.put, site=elsewhere, now=2.0)))
    assert stored(crawl) == []


def test_what_a_better_hub_shows_goes_first_within_its_weight(crawl: Crawl, crawler: Crawler) -> None:
    old_priorities = {offer.priority for offer in read(crawler, OLD).offers}
    other = Channel("外站", "http://b.example/", 5, ChannelKind.LIST)

    def rank(conn: Connection) -> None:
        registry.put(conn, replace(SITE, channels=(*SITE.channels, other)), 2.0)
        row = {"pagerank": 0.0, "authority": 0.0, "weight": 0.0, "indegree": 0, "parent_indegree": 0, "mirrors": 0, "ranked_at": 2.0}
        for url, score in ((URL, 0.7), (other.url, 0.3)):
            conn.execute(insert(ranks).values(key=url_key(url), hub=score, **row))

    async def think() -> None:
        await crawl.storage.writer.run(rank)
        await crawl.poll_planner.replan()

    asyncio.run(think())
    assert {offer.priority for offer in read(crawler, OLD).offers} == {priority + 1 for priority in old_priorities}
