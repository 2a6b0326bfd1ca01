"""Boilerplate of a site is learned from its pages, left out of articles, stored and unlearned; real crawler, real store."""

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from scrapy.crawler import Crawler

from newsspider.core.crawling.visit import NewBoilerplate, PageResult
from newsspider.core.extraction.lines.boilerplate_lines import FEWEST_ARTICLES
from newsspider.core.model import ArticleRules
from newsspider.core.url import url_key
from newsspider.crawl.crawl import Crawl
from newsspider.extensions.sites_watch import SitesWatch
from newsspider.pages.router import page_reader
from newsspider.sites.model import Site, from_home
from newsspider.store import sites as registry
from newsspider.store.ledger import site_knowledge
from tests.support.crawler import crawler, crawler_of, lease_of_kind, request_of, response_of
from tests.support.serving import article

__all__ = ["crawler"]

SITE = from_home("http://a.example/")
FOOT = "扫描二维码，关注本报微信公众号，更多教育新闻等你来读。"


def watched(crawler: Crawler, site: Site = SITE) -> Crawl:
    crawl = Crawl.of(crawler)
    asyncio.run(crawl.storage.writer.run(partial(registry.put, site=site, now=1.0)))
    crawl.sites.replace({site.name: site})
    return crawl


def read(crawler: Crawler, number: int) -> PageResult:
    url = f"http://a.example/2024/{number}.html"
    lease = replace(lease_of_kind(url=url), site=SITE.name, channel=SITE.channels[0].name, key=url_key(url))
    page = str(article(number)[1]).replace("</body>", f"<p>{FOOT}</p></body>").encode()
    return page_reader(crawler).result(response_of(request_of(lease), page, Content_Type="text/html; charset=utf-8"))


def last_lines(crawler: Crawler, *numbers: int) -> list[str]:
    articles = [read(crawler, number).article for number in numbers]
    return [item.text.split("\n")[-1] for item in articles if item is not None]


def test_a_line_under_every_article_is_left_out_once_it_is_known(crawler: Crawler) -> None:
    crawl = watched(crawler)
    lines = last_lines(crawler, *range(FEWEST_ARTICLES + 2))
    assert lines[: FEWEST_ARTICLES - 1] == [FOOT] * (FEWEST_ARTICLES - 1)
    assert FOOT not in lines[FEWEST_ARTICLES - 1 :]
    assert len(lines) == FEWEST_ARTICLES + 2
    assert crawl.ending.counters.stats.get_value("boilerplate/learned") == 1
    assert crawl.ending.counters.stats.get_value("boilerplate/left_out") == 3


def test_the_next_crawl_knows_it_until_it_is_unlearned(crawler: Crawler, tmp_path: Path) -> None:
    crawl = watched(crawler)
    results = [read(crawler, number) for number in range(FEWEST_ARTICLES)]
    assert [result.effect(NewBoilerplate) for result in results] == [None] * (FEWEST_ARTICLES - 1) + [NewBoilerplate((FOOT,))]
    run = crawl.storage.writer.run

    async def next_crawl() -> None:
        await run(partial(site_knowledge.note_boilerplate, site=SITE.name, lines=results[-1].effect(NewBoilerplate).lines, now=2.0))
        await next_one.open("education", {})
        await next_one.close("finished")

    next_one = Crawl.of(crawler_of(tmp_path / "next", DATABASE_URL=crawler.settings["DATABASE_URL"]))
    asyncio.run(next_crawl())
    assert next_one.sites.knowledge.boilerplate_lines(SITE.name) == {FOOT}

    async def unlearned() -> bool:
        await run(partial(site_knowledge.forget_boilerplate, site=SITE.name))
        await run(partial(registry.put, site=SITE, now=3.0))
        await SitesWatch(crawl, crawl.ending.counters.stats, 1.0).reload()
        return bool(crawl.sites.knowledge.boilerplate_lines(SITE.name))

    assert not asyncio.run(unlearned())


@pytest.mark.parametrize("switched_off_by", ["the setting", "an XPath"])
def test_nothing_is_learned_where_it_is_not_wanted(crawler: Crawler, switched_off_by: str) -> None:
    site = SITE if switched_off_by == "the setting" else replace(SITE, rules=ArticleRules(body="//body/p"))
    crawl = watched(crawler, site)
    crawl.sites.knowledge.learns_boilerplate = switched_off_by != "the setting"
    assert last_lines(crawler, *range(FEWEST_ARTICLES + 2)) == [FOOT] * (FEWEST_ARTICLES + 2)
    assert crawl.sites.knowledge.boilerplate_lines(site.name) == frozenset()
