"""Workers with a copy of the queues between them, at work at once."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from newsspider.store.engine.writer import Writer
from tests.frontier.conftest import HOSTS, offered
from tests.support.samples import STORED

pytestmark = pytest.mark.usefixtures("robots_are_known")


@pytest.mark.parametrize("wiped", [False, True])
def test_workers_that_claim_and_settle_at_once_fetch_everything_exactly_once_and_keep_the_delay(store, redis_fleet, redis, wiped):
    """Two workers with writers of their own on real clocks, the copy wiped again and again."""
    delay, pages, sent = 0.05, 8, []
    offered(store, *HOSTS, pages=pages, due_at=1.0)
    over = threading.Event()

    async def crawl(frontier):
        now = time.time
        while (due := (await frontier.left(0.0)).due_at) is not None:
            leases = await frontier.claim(2, now())
            sent.extend((lease.host, now(), lease.url, "sent") for lease in leases)
            await asyncio.sleep(0.01)
            for lease in leases:
                sent.append((lease.host, now(), lease.url, "answered"))
                assert await frontier.settle(lease, replace(STORED, fetched_at=now(), host_next_at=now() + delay))
            if not leases:
                await asyncio.sleep(min(max(due - now(), 0.005), 0.05))
        await frontier.close()

    def work(name):
        writer = Writer(store, 64, 60.0)
        try:
            asyncio.run(crawl(redis_fleet(writer, name)))
        finally:
            writer.close()

    def wipe(prefix):
        while wiped and not over.wait(0.1):
            keys = redis.keys(f"{{{prefix}}}:*")
            if keys:
                redis.delete(*keys)

    prefix = redis_fleet(None, "prefix").prefix
    with ThreadPoolExecutor(3) as pool:
        wiping = pool.submit(wipe, prefix)
        list(pool.map(work, "ab"))
        over.set()
        wiping.result()
    sent_urls = [url for _, _, url, what in sent if what == "sent"]
    assert len(sent_urls) == len(set(sent_urls)) == len(HOSTS) * pages
    for host in HOSTS:
        events = sorted((moment, what) for name, moment, _, what in sent if name == host)
        assert [what for _, what in events] == ["sent", "answered"] * pages
        for (answered, _), (again, _) in zip(events[1::2], events[2::2], strict=False):
            assert again - answered >= delay * 0.95
