"""The line that a crawl logs every minute: pages, articles, queue, failures, slowest hosts."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from heapq import nlargest
from typing import TYPE_CHECKING, Self

from scrapy.exceptions import NotConfigured

from newsspider.core.model import State
from newsspider.crawl.crawl import Crawl
from newsspider.extensions.periodic import Repeated
from newsspider.extensions.progress import QueueCounts

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

SLOWEST_HOSTS = 3  # hosts in a line
SLOW_SECONDS = 1.0  # from request to last byte; faster hosts are not mentioned

logger = logging.getLogger(__name__)


class LogLine(Repeated):
    """Logs a line every ``LOGSTATS_INTERVAL`` seconds (0: never), in a crawl around the clock as well.

    It begins like the line of Scrapy's ``LogStats``, which it replaces in crawls with leases: programs that read the
    logs of Scrapy, such as logparser of ScrapydWeb, find their figures in it.
    """

    work = "log the figures of the crawl"
    failure = "progress/log_failed"  # stat: log lines that could not be made
    ended_by = ()

    def __init__(self, crawl: Crawl, stats: StatsCollector | None, seconds: float) -> None:
        super().__init__(seconds, stats)
        self.queue = QueueCounts(crawl.storage.frontier)
        self.pool = crawl.pool
        self.counters = crawl.ending.counters
        self.pages = self.articles = 0  # as logged last

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        seconds = crawler.settings.getfloat("LOGSTATS_INTERVAL")
        if seconds <= 0:
            raise NotConfigured
        return cls(Crawl.of(crawler), crawler.stats, seconds).connect(crawler)

    async def step(self) -> None:
        try:
            await self.queue.renew()
        finally:
            pages, articles = self.counters.pages, self.counters.articles
            minutes = self.seconds / 60
            rates = (pages - self.pages) / minutes, (articles - self.articles) / minutes
            self.pages, self.articles = pages, articles
            failures = self.counters.failures
            queue = queue_text(self.queue.counts, len(self.pool.held))
            details = "; ".join([queue, failure_text(failures.recent), *slowest_text(failures.latencies)])
            logger.info(
                "Crawled %d pages (at %d pages/min), scraped %d items (at %d items/min); %s",
                pages,
                round(rates[0]),
                articles,
                round(rates[1]),
                details,
            )
            failures.start_again()


def queue_text(counts: Mapping[State, int], in_flight: int) -> str:
    """The queue by state.

    >>> queue_text({State.WAITING: 7, State.ERROR: 1, State.DONE: 4, State.PROCESSING: 3}, 2)
    'queue: 7 waiting, 2 in flight, 1 given up'
    """
    return f"queue: {counts[State.WAITING]} waiting, {in_flight} in flight, {counts[State.ERROR]} given up"


def failure_text(recent: Mapping[str, int]) -> str:
    """The failures by reason, most frequent first.

    >>> failure_text({"dns": 2, "timeout": 5}), failure_text({})
    ('failed: 5 timeout, 2 dns', 'failed: none')
    """
    ordered = sorted(recent.items(), key=lambda item: (-item[1], item[0]))
    return f"failed: {', '.join(f'{times} {reason}' for reason, times in ordered) or 'none'}"


def slowest_text(latencies: Mapping[str, float]) -> list[str]:
    """The slowest hosts with their seconds, if any is slow.

    >>> slowest_text({"a.cn": 0.3, "b.cn": 2.25, "c.cn": 4.0}), slowest_text({"a.cn": 0.3})
    (['slowest: c.cn 4.0 s, b.cn 2.2 s'], [])
    """
    slow = nlargest(SLOWEST_HOSTS, ((seconds, host) for host, seconds in latencies.items() if seconds >= SLOW_SECONDS))
    return [f"slowest: {', '.join(f'{host} {seconds:.1f} s' for seconds, host in slow)}"] if slow else []
