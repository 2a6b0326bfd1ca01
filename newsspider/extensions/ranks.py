"""Recomputes the link ranks of pages (PageRank, hubs and authorities) while a crawl runs."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import NotConfigured

from newsspider.crawl.crawl import Crawl
from newsspider.extensions.periodic import Repeated
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import open_store, reading, writing
from newsspider.store.exploring import ranks
from newsspider.store.exploring.graph import has_links

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsspider.crawl.storage import Storage

logger = logging.getLogger(__name__)

LOOK_SECONDS = 600.0
AT_ONCE = 2000  # rows of a transaction
HOUR = 3600.0


class RankingFailed(Exception):  # noqa: N818 -- reads as what it says
    """The process ended without ranks; it printed why."""


class Ranks(Repeated):
    """Checks at the start of a crawl and every ten minutes whether the ranks are older than ``RANK_HOURS``, whoever
    computed them.

    A round that ends earlier leaves it to the next one, and so does a store without links. A process of its own
    computes and stores them: it holds all links, and a crawl that ends does not wait for it. Setting: ``RANK_HOURS``.
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

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        hours = crawler.settings.getfloat("RANK_HOURS")
        if not hours:
            raise NotConfigured
        crawl = Crawl.of(crawler)
        return cls(crawl.storage, crawler.stats, crawl.clock, hours).connect(crawler)

    def spider_closed(self) -> None:
        super().spider_closed()
        if self.process is not None:
            self.process.kill()

    async def step(self) -> None:
        """Recompute the ranks if they are too old."""
        now = self.clock.now()
        if not await asyncio.to_thread(self._are_due, now):
            return
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # with the egg of scrapyd
        self.process = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import main; main()"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
        )  # fmt: skip
        figures = await asyncio.to_thread(self._answer, self.process, now)
        self.stats.inc_value("graph/ranked")  # stat: ranks computed
        logger.info("ranks of %d pages by %d links computed in %.1f s", *figures, self.clock.now() - now)

    def _are_due(self, now: float) -> bool:
        with reading(self.storage.engine) as conn:
            made = ranks.ranked_at(conn)
            return (made is None or now - made >= self.age_seconds) and has_links(conn)

    def _answer(self, process: subprocess.Popen[bytes], now: float) -> Any:
        """The numbers of pages and of links, when the ranks are stored."""
        url = self.storage.engine.url.render_as_string(hide_password=False)
        answer = b""
        with suppress(BrokenPipeError), process:  # it was killed just now
            assert process.stdin is not None
            assert process.stdout is not None
            pickle.dump((url, now), process.stdin)
            process.stdin.flush()
            answer = process.stdout.read()
        if process.returncode:
            raise RankingFailed(f"its process ended with exit code {process.returncode}")
        return json.loads(answer)


def main() -> None:
    """In the process of its own: compute the ranks and store them, a few at a time; it ends with the crawl."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches both; the crawl says when it is over
    url, now = pickle.load(sys.stdin.buffer)  # of our own parent
    threading.Thread(target=_end_with_the_crawl, daemon=True).start()
    engine = open_store(url)
    ranked = ranks.rank(engine)
    for step in ranks.writing(ranked, now, AT_ONCE, Clock()):
        began = time.monotonic()
        with writing(engine) as conn:
            step(conn)
        time.sleep(time.monotonic() - began)  # SQLite's lock knows no turns
    json.dump((len(ranked.keys), ranked.links), sys.stdout)


def _end_with_the_crawl() -> None:
    os.read(sys.stdin.fileno(), 1)  # not the buffer: its lock would be missed when the process ends
    os._exit(1)
