"""A crawl whose job another run has taken ends."""

import asyncio
from functools import partial

from scrapy.crawler import Crawler

from newsspider.core.crawling.finish_reasons import Finish
from newsspider.crawl.crawl import Crawl
from newsspider.extensions.named_job import NamedJob
from newsspider.store import jobs
from tests.support.crawler import crawler

__all__ = ["crawler"]


def test_a_run_that_has_lost_its_name_ends_as_the_second_one(crawler: Crawler) -> None:
    async def steps() -> list[Finish | None]:
        crawl = Crawl.of(crawler)
        job = NamedJob("daily", crawl, crawler.stats)
        assert await job.take()
        await job.step()
        first_reason = crawl.ending.reason
        later = crawl.clock.now() + jobs.LEASE_SECONDS + 1
        assert await crawl.storage.writer.run(partial(jobs.take, name="daily", holder="another", now=later))
        await job.step()
        return [first_reason, crawl.ending.reason]

    assert asyncio.run(steps()) == [None, Finish.ALREADY_RUNS]
