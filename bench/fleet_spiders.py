"""``python -m bench.fleet_spiders stock|ours``: the same crawl with scrapy-redis as it is shipped, and on newsspider's frontier.

Neither reads an article: what differs is where requests wait, and who remembers which URLs are known. Each page that was
processed is a line of the report: when, after how many seconds of CPU of this process, and which.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import scrapy
from scrapy import signals
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from scrapy.settings import Settings
from sqlalchemy import Connection

from bench.fleet_server import HOSTS
from newsspider.core.crawling import outcome
from newsspider.core.crawling.visit import Lease, Offer, PageResult, Settlement
from newsspider.core.fetching.robots import RobotsText
from newsspider.core.model import PageType, Reason, State
from newsspider.core.url import canonical, host_of, url_key
from newsspider.crawl.fetch_notes import lease_of
from newsspider.crawl.storage import frontier_of
from newsspider.pages.router import Answer
from newsspider.spiders.education import EducationSpider
from newsspider.store import ledger
from newsspider.store.engine.batch import GroupedJob
from newsspider.store.engine.database import open_store
from newsspider.store.engine.writer import Writer
from newsspider.store.ledger import queues

CONCURRENCY = 16
AHEAD = 2  # leases for each request at once, as in a crawl of ours

_LINK = re.compile(r'<a href="([^"]+)"')


class StockSpider(scrapy.Spider):
    """scrapy-redis as it is shipped: scheduler, priority queue and dupefilter in Redis."""

    name = "stock"
    custom_settings = {  # noqa: RUF012 -- Scrapy's own way
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "SCHEDULER_PERSIST": True,
    }

    def __init__(self, first: list[str], report: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.first = first
        self.report = Path(report).open("a", buffering=1, encoding="utf-8")  # noqa: SIM115 -- closed with the process

    async def start(self) -> AsyncIterator[scrapy.Request]:
        if self.settings["DOWNLOAD_SLOTS"]:  # one of several workers: what the others read brings new pages
            self.crawler.signals.connect(self.stay, signals.spider_idle)
        for url in self.first:
            yield scrapy.Request(url)

    def stay(self) -> None:
        raise DontCloseSpider

    def parse(self, response: Response) -> Any:
        for url in _LINK.findall(response.text):
            yield response.follow(url)
        print(f"{time.time():.4f} {time.process_time():.4f} {response.url}", file=self.report)


class OurSpider(scrapy.Spider):
    """newsspider's frontier: leases from the ledger, settled in the transaction that knows the links."""

    name = "ours"

    def __init__(self, first: list[str], report: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.first = first[0]
        self.report = Path(report).open("a", buffering=1, encoding="utf-8")  # noqa: SIM115 -- closed with the process
        self.held = 0
        self.settling: list[str] = []
        self.drained = False
        self.changed = asyncio.Event()

    async def start(self) -> AsyncIterator[scrapy.Request]:
        engine = open_store(self.settings["DATABASE_URL"])
        writer = Writer(engine, 64, 60.0, 0.005)
        self.frontier = frontier_of(self.settings, writer, f"bench:{os.getpid()}", time.time)
        port = self.first.split(":")[2].split("/")[0]
        await self.frontier.run(partial(_allow, hosts=[f"{host}:{port}" for host in HOSTS]))
        await self.frontier.offer([_offer(self.first)])
        while True:
            self.changed.clear()
            room = AHEAD * CONCURRENCY - self.held
            settling, self.settling = self.settling, []
            leases = await self.frontier.claim(room, time.time(), settling=settling) if room > 0 else []
            self.held += len(leases)
            self.drained = len(leases) < room
            for lease in leases:
                yield scrapy.Request(lease.url, cb_kwargs={"lease": lease}, dont_filter=True)
            if (leases and not self.drained) or self.changed.is_set():
                continue
            if not self.held and (await self.frontier.left()).due_at is None:
                break
            with suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait(), 0.2)
        await self.frontier.close()
        await asyncio.to_thread(writer.close)

    async def parse(self, response: Response, lease: Lease) -> None:
        offers = [_offer(url) for link in _LINK.findall(response.text) if (url := canonical(link)) is not None]
        if self.drained:  # as newsspider.crawl.lease_pool.LeasePool.follow has it
            self.settling.append(lease.host)
            self.changed.set()
        await self.frontier.run(GroupedJob(_save, (lease, offers)))
        print(f"{time.time():.4f} {time.process_time():.4f} {response.url}", file=self.report)
        self.held -= 1
        self.changed.set()


class LinksSpider(EducationSpider):
    """A crawl of ours that does with articles what the stock one does: it follows their links and reads nothing."""

    name = "links"

    async def read(self, response: Response) -> PageResult:
        request = response.request
        assert request is not None
        answer = Answer(lease_of(request), request, response)
        if answer.lease.kind is not PageType.ARTICLE or response.status != 200:
            return await super().read(response)
        lease, urls = answer.lease, map(canonical, map(response.urljoin, _LINK.findall(response.text)))
        offers = tuple(replace(_offer(url), site=lease.site, channel=lease.channel) for url in urls if url is not None)
        done = outcome.read(lease, Reason.NOT_AN_ARTICLE, time.time())
        return answer.settled(self.reader.host_policy, done, offers=offers)


def _offer(url: str) -> Offer:
    return Offer(url_key(url), url, host_of(url))


def _allow(conn: Any, hosts: list[str]) -> None:
    ledger.offer(conn, [_offer(f"http://{host}/") for host in hosts], time.time() + 1e6)  # makes the hosts known
    for host in hosts:
        ledger.keep_robots(conn, host, RobotsText(404, b"", time.time()))


def _save(conn: Connection, pages: Sequence[tuple[Lease, list[Offer]]]) -> list[bool]:
    """As :func:`newsspider.store.pages.save_all` does, without articles."""
    now = time.time()
    done = Settlement(State.DONE, Reason.STORED, status=200, fetched_at=now, host_next_at=now)
    with queues.gathered(conn):
        settled = ledger.settle_all(conn, [(lease, done) for lease, _ in pages])
        ledger.offer_all(
            conn, [(offers, now) for (_, offers), is_settled in zip(pages, settled, strict=True) if is_settled]
        )
    return settled


def main(arguments: Sequence[str] | None = None) -> None:
    """Crawl with one of them."""
    parser = argparse.ArgumentParser(prog="python -m bench.fleet_spiders", fromfile_prefix_chars="@")
    parser.add_argument("spider", choices=["stock", "ours"])
    parser.add_argument("--first", nargs="+", required=True)
    parser.add_argument("--report", required=True)
    parser.add_argument("--redis", required=True)
    parser.add_argument("--database", default="")
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--pages", type=int, default=0)
    parser.add_argument("--delays", type=Path, help="a file of JSON: the seconds between two requests to each host")
    parser.add_argument("--agent", default="bench")
    options = parser.parse_args(arguments)
    stock = options.spider == "stock"
    settings = {
        "REDIS_URL": options.redis,
        "REDIS_PREFIX": "bench",
        "DATABASE_URL": options.database,
        "LEASE_SECONDS": 5.0,
        "CONCURRENT_REQUESTS": CONCURRENCY,
        "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
        "CLOSESPIDER_TIMEOUT": options.seconds,
        "CLOSESPIDER_PAGECOUNT": options.pages,
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
        "RETRY_ENABLED": False,
        "CONCURRENT_ITEMS": 100 if stock else 1,  # as they are shipped
    }
    if options.delays:
        delays = json.loads(options.delays.read_text("utf-8"))
        slot = {"concurrency": 1, "jitter": 0}
        settings |= {
            "DOWNLOAD_SLOTS": {host: {**slot, "delay": seconds} for host, seconds in delays.items()},
            "CONCURRENT_REQUESTS": len(delays),
            "ROBOTSTXT_OBEY": True,
            "USER_AGENT": options.agent,
        }
    process = CrawlerProcess(Settings(settings))
    process.crawl(StockSpider if stock else OurSpider, first=options.first, report=options.report)
    process.start()


if __name__ == "__main__":
    main()
