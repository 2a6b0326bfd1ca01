"""A worker that begins takes the dead ones of its machine out of the fleet, and says that it lives."""

import asyncio
import socket
import subprocess
import sys
import time

from scrapy.crawler import Crawler

from newsspider.crawl.crawl import Crawl
from newsspider.store import workers
from tests.support.crawler import crawler

__all__ = ["crawler"]


def test_dead_workers_of_this_machine_leave_when_a_crawl_begins(crawler: Crawler) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    dead, elsewhere = f"{socket.gethostname()}:{ended.pid}:1", "another.example:1:1"
    crawl = Crawl.of(crawler)
    with crawl.storage.engine.begin() as conn:
        for worker in (dead, elsewhere):
            workers.beat(conn, worker, "", time.time())

    async def begin() -> None:
        await crawl.open("education", {})
        await crawl.pool.beat()

    asyncio.run(begin())
    with crawl.storage.engine.connect() as conn:
        assert sorted(workers.names(conn)) == sorted([elsewhere, crawl.storage.frontier.worker])
