"""The clock of a crawl, thought over while it runs: what is kept of it for the next crawl."""

import asyncio
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from scrapy.crawler import Crawler
from sqlalchemy import text

from newsspider.crawl.crawl import Crawl
from newsspider.extensions.periodic import PollPlannerExtension
from newsspider.sites.model import from_home
from newsspider.store import sites
from newsspider.store.ledger import polls
from tests.support.crawler import crawler_of

SITE = from_home("http://a.cn/")
THOUGHTS = 5


def begun(crawler: Crawler, *, forever: bool) -> Crawl:
    spider: Any = crawler.spider
    spider.forever = forever

    async def begin() -> None:
        await crawl.storage.writer.run(partial(sites.put, site=SITE, now=1.0))
        await spider.begin(crawl, time.time())

    crawl = Crawl.of(crawler)
    crawl.sites.replace({SITE.name: SITE})
    asyncio.run(begin())
    return crawl


@pytest.mark.parametrize(("forever", "policy", "keeps"), [(True, "index", True), (False, "index", False), (True, "fixed", False)])
def test_a_crawl_around_the_clock_begins_with_the_price_that_the_one_before_found(
    tmp_path: Path, *, forever: bool, policy: str, keeps: bool
) -> None:
    first = crawler_of(tmp_path, REVISIT_POLICY=policy)
    crawl = begun(first, forever=forever)
    now = time.time()
    with crawl.storage.engine.begin() as conn:  # all lists are asked once a minute, which is more than the budget allows
        statement = text("UPDATE urls SET state = 'done', reason = 'polled', last_fetched_at = :then, due_at = :soon")
        conn.execute(statement, {"then": now - 30, "soon": now + 30})

    async def think() -> dict[str, float]:
        extension = PollPlannerExtension.from_crawler(first)
        for _ in range(THOUGHTS):
            await extension.step()
        prices = await crawl.storage.writer.run(partial(polls.multipliers, topic=crawl.claims.link_filter.topic.name))
        await crawl.close("finished")
        return prices

    prices = asyncio.run(think())
    price = crawl.poll_planner.policy.plan.gain
    assert price > 1.4
    assert prices.get("") == (price if keeps else None)
    crawl = begun(crawler_of(tmp_path, DATABASE_URL=first.settings["DATABASE_URL"]), forever=True)
    assert (crawl.poll_planner.policy.plan.gain >= price) is keeps
    asyncio.run(crawl.close("finished"))
