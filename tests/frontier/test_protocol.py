"""The contract of the protocol: what every backend of the frontier does for a fleet of workers."""

import asyncio
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest

from newsspider.core.crawling.visit import Settlement
from newsspider.core.model import Reason, State
from newsspider.frontier.sql_frontier import SqlFrontier
from newsspider.store import ledger
from newsspider.store.engine.batch import GroupedJob
from newsspider.store.engine.writer import Writer
from newsspider.store.workers import BEAT_SECONDS
from tests.frontier.conftest import on_each_frontier
from tests.support.samples import NOW, STORED, allow, offer, urls_of

pytestmark = on_each_frontier
HOSTS = tuple(f"h{n}.cn" for n in range(6))


@pytest.fixture
def fleet(store, worker):
    """Two workers, and hosts whose robots.txt is known."""
    with store.begin() as conn:
        allow(conn, *HOSTS)
    return worker("one"), worker("two")


def pages(*hosts, **values):
    return [offer(f"http://{host}/1", **values) for host in hosts]


def test_a_page_that_several_workers_offer_is_known_once(fleet):
    worker, other = fleet
    assert worker.offer(pages(*HOSTS)) == len(HOSTS)
    assert other.offer(pages(*HOSTS)) == 0
    assert other.counts() == {State.WAITING: len(HOSTS), State.PROCESSING: 0, State.ERROR: 0, State.DONE: 0}


def test_no_page_and_no_host_is_leased_to_two(fleet):
    worker, other = fleet
    worker.offer([offer(f"http://{host}/{n}") for host in HOSTS for n in range(3)])
    first, second = worker.claim(4, NOW), other.claim(9, NOW)
    assert (len(first), len(second)) == (4, 2)
    assert {lease.host for lease in first + second} == set(HOSTS)
    assert worker.claim(9, NOW) == []


def test_the_best_priority_goes_first(fleet):
    worker, _ = fleet
    worker.offer([offer(f"http://{host}/1", priority=n) for n, host in enumerate(HOSTS)])
    assert urls_of(worker.claim(2, NOW)) == ["http://h5.cn/1", "http://h4.cn/1"]


def test_a_settled_lease_frees_its_host_after_its_delay_for_everybody(fleet):
    worker, other = fleet
    worker.offer([offer("http://h0.cn/1"), offer("http://h0.cn/2")])
    (lease,) = worker.claim(5, NOW)
    assert other.left(0.0).due_at == lease.ends_at
    assert worker.settle(lease, replace(STORED, host_next_at=NOW + 7))
    assert not worker.settle(lease, STORED)
    assert other.claim(5, NOW + 6.9) == []
    assert other.left(0.0).due_at == NOW + 7
    assert urls_of(other.claim(5, NOW + 7)) == ["http://h0.cn/2"]


def test_a_released_page_can_be_claimed_by_another_worker_at_once(fleet):
    worker, other = fleet
    worker.offer(pages("h0.cn"))
    (lease,) = worker.claim(5, NOW)
    assert worker.release(lease)
    assert not worker.release(lease)
    (again,) = other.claim(5, NOW)
    assert (again.url, again.token > lease.token) == (lease.url, True)


def test_a_worker_that_stops_gives_all_back_and_leaves_the_others_theirs(fleet):
    worker, other = fleet
    worker.offer(pages(*HOSTS))
    worker.claim(2, NOW)
    others = other.claim(2, NOW)
    assert worker.release_worker() == 2
    assert worker.release_worker() == 0
    assert all(other.settle(lease, STORED) for lease in others)
    assert worker.counts()[State.WAITING] == len(HOSTS) - 2


def test_the_leases_of_a_dead_worker_come_back_and_its_answers_are_refused(fleet):
    dead, alive = fleet
    dead.offer(pages(*HOSTS))
    late = dead.claim(9, NOW)
    assert alive.claim(9, NOW + 59.9) == []
    assert {lease.url for lease in alive.claim(9, NOW + 60)} == set(urls_of(late))
    assert not any(dead.settle(lease, STORED) for lease in late)
    assert not any(dead.release(lease) for lease in late)
    assert dead.extend(late) == []


def test_only_leases_that_are_not_over_are_extended(fleet):
    worker, other = fleet
    worker.offer(pages("h0.cn", "h1.cn", "h2.cn"))
    leases = worker.claim(3, NOW)
    assert worker.settle(leases[1], STORED)
    extended = worker.extend(replace(lease, ends_at=NOW + 1) for lease in leases)
    assert [(lease.key, lease.ends_at) for lease in extended] == [(lease.key, NOW + 60) for lease in (leases[0], leases[2])]
    assert other.claim(1, NOW + 59) == []
    assert all(worker.settle(lease, STORED) for lease in extended)


def test_a_claim_of_some_sites_looks_at_no_other(fleet):
    worker, _ = fleet
    worker.offer([*pages("h0.cn", "h1.cn", site="on"), *pages("h2.cn", site="off", priority=9)])
    assert {lease.site for lease in worker.claim(9, NOW, sites={"on"})} == {"on"}
    assert worker.left(0.0, sites={"other"}).due_at is None


def test_what_becomes_due_while_a_round_runs_waits_for_the_next(fleet):
    worker, _ = fleet
    worker.offer(pages("h0.cn"))
    worker.settle(*worker.claim(1, NOW), Settlement(State.DONE, Reason.POLLED, due_at=NOW + 5, status=200, fetched_at=NOW))
    assert worker.claim(1, NOW + 9, revisit_before=NOW) == []
    assert worker.left(NOW).due_at is None
    assert len(worker.claim(1, NOW + 9)) == 1


def test_nothing_is_due_when_everything_is_done(fleet):
    worker, _ = fleet
    assert worker.left().due_at is None
    worker.offer(pages(*HOSTS))
    for lease in worker.claim(9, NOW):
        worker.settle(lease, STORED)
    assert worker.left().due_at is None
    assert worker.counts()[State.DONE] == len(HOSTS)


def test_workers_that_claim_and_settle_at_once_fetch_everything_exactly_once(store):
    """Each worker has a writer of its own; what a page offers is committed with it, so they meet in each other's way."""
    with store.begin() as conn:
        allow(conn, *HOSTS)
        ledger.offer(conn, [offer(f"http://{host}/{n}") for host in HOSTS for n in range(20)], NOW)

    def save(conn, lease):
        links = [offer(f"http://{host}/{lease.url[-1]}/new") for host in random.sample(HOSTS, len(HOSTS))]
        ledger.offer(conn, links, NOW)
        return ledger.settle(conn, lease, STORED)

    async def crawl(frontier):
        fetched = []
        while (await frontier.left(0.0)).due_at is not None:
            leases = await frontier.claim(2, NOW)
            assert all(await asyncio.gather(*(frontier.run(partial(save, lease=lease)) for lease in leases)))
            fetched += urls_of(leases)
        return fetched

    def work(name):
        writer = Writer(store, 64, 60.0)
        try:
            return asyncio.run(crawl(SqlFrontier(writer, name, 60.0, clock=lambda: NOW)))
        finally:
            writer.close()

    with ThreadPoolExecutor(4) as pool:
        fetched = [url for urls in pool.map(work, "abcd") for url in urls]
    with store.begin() as conn:
        assert ledger.counts(conn) == dict.fromkeys(State, 0) | {State.DONE: len(fetched)}
    assert len(fetched) == len(set(fetched)) == len(HOSTS) * 31


def test_a_claim_right_behind_a_settlement_gets_the_next_page_of_its_host_in_the_same_transaction(fleet, writer):
    worker, _ = fleet
    worker.offer([offer(f"http://h0.cn/{n}") for n in range(2)])
    [first] = worker.claim(1, NOW)
    begun, free, transactions_before = threading.Event(), threading.Event(), writer.figures.transactions

    async def settle_and_claim():
        writer.submit(lambda _conn: begun.set() or free.wait())
        begun.wait()
        settled = asyncio.ensure_future(worker.frontier.settle(first, replace(STORED, host_next_at=NOW)))
        claimed = asyncio.ensure_future(worker.frontier.claim(9, NOW, settling=["h0.cn"]))
        await asyncio.sleep(0)
        free.set()
        return await settled, await claimed

    settled, claimed = worker.runner.run(settle_and_claim())
    assert settled
    assert [lease.url for lease in claimed] == ["http://h0.cn/1"]
    assert writer.figures.transactions - transactions_before == 2  # with the job that kept the writer busy


def test_a_worker_claims_from_no_host_of_another_when_it_settles_its_lease(fleet):
    first, second = fleet
    first.offer([offer(f"http://{host}/{n}") for host in HOSTS for n in range(2)])
    leases = second.claim(9, NOW)  # it knows of no other
    assert len(leases) == len(HOSTS)
    second.frontier.members.clock = lambda: time.monotonic() + BEAT_SECONDS
    for worker in (first, second):
        worker.beat(NOW)
    for lease in leases:
        assert second.settle(lease, replace(STORED, host_next_at=NOW))
    own = {lease.host for lease in second.claim(9, NOW, settling=HOSTS)}
    assert {lease.host for lease in first.claim(9, NOW)} == set(HOSTS) - own
    assert len(own) == len(HOSTS) / 2


def test_pages_go_on_waiting_for_others_while_is_asked_what_is_left(worker):
    a = worker("a")
    page = a.frontier.writer.submit(GroupedJob(lambda conn, pages: pages, 1, 60.0))
    assert a.left().due_at is None
    assert not page.done()
