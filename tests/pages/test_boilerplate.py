"""What a site puts around its articles: learned from its pages, left out, kept in the store, unlearned; real crawler, real store."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial

import pytest
from scrapy.crawler import Crawler

from newsspider.core.crawling.visit import PageResult
from newsspider.core.extraction.article import Rules
from newsspider.core.extraction.body.learned_boilerplate import ARTICLES
from newsspider.core.url import url_key
from newsspider.crawl.crawl import Runtime
from newsspider.pages.router import PageReader
from newsspider.sites.model import Site, from_home
from newsspider.store import sites as registry
from newsspider.store.articles import boilerplate_lines
from tests.crawl.serving import article
from tests.crawler import crawler, lease_of_kind, request_of, response_of

__all__ = ["crawler"]

SITE = from_home("http://a.example/")
FOOT = "扫描二维码，关注本报微信公众号，更多教育新闻等你来读。"


def watched(crawler: Crawler, site: Site = SITE) -> Runtime:
    runtime = Runtime.of(crawler)
    asyncio.run(runtime.writer.run(partial(registry.put, site=site, now=1.0)))
    runtime.sites = {site.name: site}
    return runtime


def read(runtime: Runtime, number: int) -> PageResult:
    url = f"http://a.example/2024/{number}.html"
    lease = replace(lease_of_kind(url=url), site=SITE.name, channel=SITE.channels[0].name, key=url_key(url))
    page = str(article(number)[1]).replace("</body>", f"<p>{FOOT}</p></body>").encode()
    return PageReader(runtime).result(response_of(request_of(lease), page, Content_Type="text/html; charset=utf-8"))


def last_lines(runtime: Runtime, *numbers: int) -> list[str]:
    found = [read(runtime, number).article for number in numbers]
    return [one.text.split("\n")[-1] for one in found if one is not None]


def test_a_line_under_every_article_is_left_out_once_it_is_known(crawler: Crawler) -> None:
    runtime = watched(crawler)
    lines = last_lines(runtime, *range(ARTICLES + 2))
    assert lines[: ARTICLES - 1] == [FOOT] * (ARTICLES - 1)
    assert FOOT not in lines[ARTICLES - 1 :]
    assert len(lines) == ARTICLES + 2
    assert runtime.stats.get_value("boilerplate/learned") == 1
    assert runtime.stats.get_value("boilerplate/left_out") == 3


def test_the_next_crawl_knows_it_until_it_is_unlearned(crawler: Crawler) -> None:
    runtime = watched(crawler)
    results = [read(runtime, number) for number in range(ARTICLES)]
    assert [result.boilerplate for result in results] == [()] * (ARTICLES - 1) + [(FOOT,)]
    run = runtime.writer.run

    async def next_crawl() -> None:
        await run(partial(boilerplate_lines.note, site=SITE.name, lines=results[-1].boilerplate, now=2.0))
        runtime.boilerplate = {}
        await runtime.open("education", {})

    asyncio.run(next_crawl())
    assert runtime.boilerplate[SITE.name].known == {FOOT}

    async def unlearned() -> bool:
        await run(partial(boilerplate_lines.forget, site=SITE.name))
        await run(partial(registry.put, site=SITE, now=3.0))
        await runtime.reload_sites()
        return bool(runtime.boilerplate[SITE.name].known)

    assert not asyncio.run(unlearned())


@pytest.mark.parametrize("why", ["the setting", "an XPath"])
def test_nothing_is_learned_where_it_is_not_wanted(crawler: Crawler, why: str) -> None:
    site = SITE if why == "the setting" else replace(SITE, rules=Rules(body="//body/p"))
    runtime = watched(crawler, site)
    runtime.learns_boilerplate = why != "the setting"
    assert last_lines(runtime, *range(ARTICLES + 2)) == [FOOT] * (ARTICLES + 2)
    assert runtime.boilerplate == {}
