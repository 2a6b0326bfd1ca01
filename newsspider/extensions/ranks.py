"""Recomputes the link ranks of pages (PageRank, hubs and authorities) while a crawl runs."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import NotConfigured

from newsspider.crawl.crawl import Crawl
from newsspider.crawl.worker_names import died_here
from newsspider.extensions.periodic import Repeated
from newsspider.store import jobs
from newsspider.store.engine.database import reading
from newsspider.store.engine.threads import start_thread
from newsspider.store.exploring import ranks
from newsspider.store.exploring.graph import has_more_urls

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsspider.crawl.storage import Storage
    from newsspider.store.engine.clock import Clock

logger = logging.getLogger(__name__)

LOOK_SECONDS = 600.0
FEW_URLS = 2000  # a thread computes their ranks in .2 s at most; a process would take .5 s to start
END_SECONDS = 2.0  # that the end of a crawl waits at most
HOUR = 3600.0
# A service manager may send its signals to all processes: the end of stdin, or of the crawl, ends this one.
PROGRAM = """
import signal
for name in ("SIGINT", "SIGTERM"):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
from newsspider.store.exploring.ranking import main
main()
"""


class RankingError(Exception):
    """No ranks were stored; the message says why."""


class Ranks(Repeated):
    """Checks at the start of a crawl and every ten minutes whether the ranks are older than ``RANK_HOURS``, whoever
    computed them.

    Of several workers one computes them; another may do so when that one has died, or after ten minutes. A round that
    ends earlier leaves it to the next one. A process of its own computes and stores them: it holds all links, and the
    end of a crawl waits for it two seconds at most. A store with few URLs needs only a thread. Setting: ``RANK_HOURS``.
    """

    work = "compute the ranks of the pages"
    failure = "graph/rank_failed"  # stat: failures to compute them
    at_once = True

    def __init__(self, storage: Storage, stats: StatsCollector | None, clock: Clock, hours: float) -> None:
        super().__init__(LOOK_SECONDS, stats)
        self.storage = storage
        self.clock = clock
        self.age_seconds = hours * HOUR
        self.process: subprocess.Popen[bytes] | None = None
        self.stopping = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        hours = crawler.settings.getfloat("RANK_HOURS")
        if not hours:
            raise NotConfigured
        crawl = Crawl.of(crawler)
        return cls(crawl.storage, crawler.stats, crawl.clock, hours).connect(crawler)

    def spider_closed(self) -> None:
        super().spider_closed()
        self.stopping = True
        if self.process is not None:
            self._end(self.process)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Give it a moment: of a small store it is done soon."""
        start_thread("newsspider-ranks-end", partial(_end_soon, process))

    async def step(self) -> None:
        """Recompute the ranks if they are too old and no other worker does so."""
        now = self.clock.now()
        are_due, are_many = await asyncio.to_thread(self._are_due, now)
        if not are_due or not await self._takes_it(now):
            return
        figures = await asyncio.to_thread(self._renew_apart if are_many else self._renew, now)
        self.stats.inc_value("graph/ranked")  # stat: ranks computed
        seconds = self.clock.now() - now
        logger.info("ranks of %d pages by %d links computed in %.1f s", figures["pages"], figures["links"], seconds)

    def _are_due(self, now: float) -> tuple[bool, bool]:
        """Whether the ranks are due, and whether there are more than :data:`FEW_URLS`."""
        with reading(self.storage.engine) as conn:
            are_due = ranks.are_due(conn, now - self.age_seconds)
            return are_due, are_due and has_more_urls(conn, FEW_URLS)

    async def _takes_it(self, now: float) -> bool:
        """Whether this worker is the one; it does not let go, for the ranks may be ready by the time others ask."""
        seconds, holder = min(LOOK_SECONDS, self.age_seconds), self.storage.frontier.worker
        taking = partial(jobs.take, name=jobs.RANKS, holder=holder, now=now, died=died_here, seconds=seconds)
        return await self.storage.writer.run(taking)

    def _renew(self, now: float) -> dict[str, int]:
        return ranks.renew(self.storage.engine, now, self.clock)

    def _renew_apart(self, now: float) -> dict[str, int]:
        """The numbers of pages and links, when a process of its own has stored their ranks."""
        answer, url = b"", self.storage.engine.url.render_as_string(hide_password=False)
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # with the egg of scrapyd
        self.process = process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        if self.stopping:
            self._end(process)
        with suppress(OSError), process:  # it was killed just now
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps((url, now)).encode() + b"\n")
            process.stdin.flush()
            answer = process.stdout.read()
        if process.returncode:
            raise RankingError(f"its process ended with exit code {process.returncode}")
        figures: dict[str, Any] = json.loads(answer)
        if error := figures.get("error"):
            raise RankingError(error)
        return figures


def _end_soon(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
