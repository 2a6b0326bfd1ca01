"""Workers share the hosts: each host belongs to one worker and is unassigned for a moment at most; where assignment is
not firm, any worker may take a host that its owner leaves waiting."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from sqlalchemy import Engine, text

from newsspider.core.model import PageType
from newsspider.features.fleet.redis_frontier import LAG_SECONDS
from newsspider.frontier.sql_frontier import LEFT_SECONDS, SqlFrontier, claim
from newsspider.store import ledger
from newsspider.store.engine.writer import Writer
from newsspider.store.workers import BEAT_SECONDS, LAPSE_SECONDS, Members
from tests.frontier.conftest import LEASE_SECONDS, Worker
from tests.support.samples import NOW, allow, offer, urls_of

HOSTS = [f"h{n}.cn" for n in range(12)]
LOOKS = 200  # how often the remaining work is read
Made = Callable[..., Worker]

pytestmark = pytest.mark.parametrize("backend", ["sqlite", "postgresql", "redis"])


class Clock:
    """The clock of the workers' process; it stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def fleet(backend: str, writer: Writer, clock: Clock, request: pytest.FixtureRequest) -> Iterator[Made]:
    """Makes workers that keep to their assigned hosts, or that may take hosts which others leave."""
    with asyncio.Runner() as runner:
        workers: list[Worker] = []

        def new(name: str, assigned: bool = True) -> Worker:
            frontier: Any = (
                request.getfixturevalue("redis_fleet")(writer, name, clock=lambda: NOW, assigned=assigned)
                if backend == "redis"
                else SqlFrontier(writer, name, LEASE_SECONDS, clock=lambda: NOW, assigned=assigned)
            )
            frontier.members = Members(name, clock, firm=assigned)
            workers.append(Worker(frontier, runner))
            return workers[-1]

        yield new
        for worker in workers:
            worker.close()


@pytest.fixture
def pages(store: Engine) -> Engine:
    """Two pages on each host."""
    with store.begin() as conn:
        allow(conn, *HOSTS)
        ledger.offer(conn, [offer(f"http://{host}/{n}") for host in HOSTS for n in (1, 2)], NOW)
    return store


def together(*workers: Worker) -> None:
    for worker in workers:
        worker.beat(NOW)


def hosts_of(leases: list[Any]) -> set[str]:
    return {lease.host for lease in leases}


def test_workers_share_the_hosts_evenly_and_claim_only_their_own(fleet: Made, pages: Engine, clock: Clock) -> None:
    workers = [fleet(f"w{n}") for n in range(3)]
    together(*workers)
    clock.now += 1
    together(*workers)
    first = [worker.claim(3, NOW) for worker in workers]
    assert [len(leases) for leases in first] == [3, 3, 3]
    more = [worker.claim(10, NOW) for worker in workers]
    assert [len(leases) for leases in more] == [1, 1, 1]
    assert len({lease.host for leases in first + more for lease in leases}) == 12


def test_a_worker_that_comes_gets_its_share_with_its_first_claim(fleet: Made, pages: Engine, clock: Clock) -> None:
    worker = fleet("w1")
    worker.beat(NOW)
    clock.now += 1
    assert len(fleet("w2").claim(20, NOW)) == 6
    assert len(worker.claim(20, NOW)) == 6


def test_the_hosts_of_a_worker_that_leaves_are_claimed_by_the_others(fleet: Made, pages: Engine, clock: Clock) -> None:
    first, second = fleet("w1"), fleet("w2")
    together(first, second)
    leases = second.claim(2, NOW)
    second.frontier.leave()
    clock.now += 1
    assert len(first.claim(20, NOW)) == 10
    assert second.release_worker() == 2
    assert hosts_of(first.claim(20, NOW)) == hosts_of(leases)


def test_a_worker_without_a_heartbeat_is_taken_out(fleet: Made, pages: Engine, clock: Clock) -> None:
    second, first = fleet("w2"), fleet("w1")
    together(second, first)
    clock.now += BEAT_SECONDS
    assert len(first.claim(20, NOW)) == 6
    clock.now = 1000 + LAPSE_SECONDS - 1
    assert first.claim(20, NOW) == []
    clock.now = 1000 + LAPSE_SECONDS + 1
    assert len(first.claim(20, NOW)) == 6
    clock.now += 1
    second.beat(NOW)  # it was only slow
    with pages.connect() as conn:
        assert conn.execute(text("SELECT count(*) FROM workers")).scalar() == 2


def test_a_process_that_stood_still_takes_no_other_worker_for_dead(fleet: Made, pages: Engine, clock: Clock) -> None:
    second, first = fleet("w2"), fleet("w1")
    together(second, first)
    clock.now += 10 * LAPSE_SECONDS
    assert len(first.claim(20, NOW)) == 6


def test_hosts_at_one_address_belong_to_one_worker_and_count_as_one(fleet: Made, pages: Engine, clock: Clock) -> None:
    with pages.begin() as conn:
        conn.execute(text("INSERT INTO addresses (address) VALUES ('192.0.2.1')"))
        conn.execute(text("UPDATE hosts SET address = '192.0.2.1' WHERE host < 'h4'"))
        shared = {row.host for row in conn.execute(text("SELECT host FROM hosts WHERE host < 'h4'"))}
    together(fleet("w1"), fleet("w2"))
    clock.now += 1
    together(fleet("w1"))
    with pages.connect() as conn:
        owners = {row.host: row.worker for row in conn.execute(text("SELECT host, worker FROM assigned_hosts"))}
    assert len({owners[host] for host in shared}) == 1
    alone = Counter(worker for host, worker in owners.items() if host not in shared)
    assert abs(alone[owners["h0.cn"]] + 1 - (12 - len(shared) - alone[owners["h0.cn"]])) <= 1


def test_a_worker_waits_for_its_own_hosts_and_knows_that_others_have_work(fleet: Made, store: Engine, clock: Clock) -> None:
    with store.begin() as conn:
        allow(conn, "a.cn", "b.cn")
        ledger.offer(conn, [offer("http://a.cn/1"), offer("http://b.cn/1", due_at=NOW + 50)], NOW)
    first, second = fleet("w1"), fleet("w2")
    together(first, second)
    clock.now += 1
    together(first, second)
    due = sorted(worker.left().due_at for worker in (first, second))
    assert due[0] == NOW
    assert NOW < due[1] < NOW + 1
    (lease,) = first.claim(5, NOW) + second.claim(5, NOW)
    assert lease.host == "a.cn"


def test_workers_of_other_sites_take_no_part(fleet: Made, store: Engine, clock: Clock) -> None:
    with store.begin() as conn:
        allow(conn, *HOSTS)
        ledger.offer(conn, [offer(f"http://{host}/", site="s" if host < "h5" else "t", kind=PageType.LIST) for host in HOSTS], NOW)
    first, second = fleet("w1"), fleet("w2")
    first.beat(NOW, sites=frozenset("s"))
    second.beat(NOW, sites=frozenset("t"))
    clock.now += 1
    assert len(first.claim(20, NOW, sites=frozenset("s"))) == sum(host < "h5" for host in HOSTS)
    assert len(second.claim(20, NOW, sites=frozenset("t"))) == sum(host >= "h5" for host in HOSTS)


def test_only_the_owner_of_a_host_retries_a_page_that_killed_its_workers(fleet: Made, store: Engine, clock: Clock) -> None:
    with store.begin() as conn:
        allow(conn, "a.cn")
        ledger.offer(conn, [offer("http://a.cn/1")], NOW)
        conn.execute(text("UPDATE urls SET deaths = 3"))
        conn.execute(text("DELETE FROM queues"))
    first, second = fleet("w1"), fleet("w2")
    together(first, second)
    clock.now += 1
    together(first)
    with store.connect() as conn:
        (owner,) = conn.execute(text("SELECT worker FROM assigned_hosts")).one()
    its, not_its = (first, second) if owner == "w1" else (second, first)
    assert not_its.claim(5, NOW) == []
    assert len(its.claim(5, NOW)) == 1


def test_hosts_that_have_nothing_left_are_assigned_to_nobody(fleet: Made, pages: Engine, clock: Clock) -> None:
    worker = fleet("w1")
    worker.beat(NOW)
    with pages.begin() as conn:
        conn.execute(text("UPDATE queues SET due_at = NULL WHERE host <> 'h0.cn'"))
    clock.now += 1
    worker.beat(NOW)
    assert urls_of(worker.claim(5, NOW)) == ["http://h0.cn/1"]
    with pages.connect() as conn:
        assert conn.execute(text("SELECT host FROM assigned_hosts")).all() == [("h0.cn",)]


def free_workers(fleet: Made, clock: Clock) -> tuple[Worker, Worker]:
    """Two workers that share the hosts but may take what the other leaves; both have claimed before."""
    first, second = fleet("w1", assigned=False), fleet("w2", assigned=False)
    for worker in (first, second):
        worker.claim(1, NOW - 1)
    for _ in range(2):
        together(first, second)
        clock.now += BEAT_SECONDS
    return first, second


def test_any_worker_may_claim_a_host_that_its_owner_leaves_waiting_for_a_moment(fleet: Made, pages: Engine, clock: Clock) -> None:
    first, _ = free_workers(fleet, clock)
    assert len(first.claim(20, NOW)) == 6
    assert first.claim(20, NOW + LEFT_SECONDS - 0.1) == []
    assert len(first.claim(20, NOW + LEFT_SECONDS)) == 6


def test_any_worker_may_claim_an_unassigned_host_at_once(fleet: Made, store: Engine, clock: Clock) -> None:
    first, second = free_workers(fleet, clock)
    with store.begin() as conn:
        allow(conn, "a.cn", "b.cn")
    first.offer([offer("http://a.cn/1"), offer("http://b.cn/1")])
    assert NOW <= second.left().due_at <= NOW + LAG_SECONDS
    assert len(second.claim(20, NOW)) == 2


def test_a_worker_wakes_for_its_own_hosts_and_later_for_what_is_left(fleet: Made, pages: Engine, clock: Clock) -> None:
    first, second = free_workers(fleet, clock)
    assert NOW <= first.left().due_at <= NOW + LAG_SECONDS
    assert len(first.claim(20, NOW)) == 6
    assert first.left().due_at == NOW + LEFT_SECONDS
    assert len(second.claim(20, NOW)) == 6
    assert first.left().due_at > NOW + LEFT_SECONDS  # all are leased


def test_where_hosts_are_not_firmly_assigned_a_worker_that_is_alone_assigns_none(fleet: Made, pages: Engine, clock: Clock) -> None:
    worker = fleet("w1", assigned=False)
    worker.beat(NOW)
    with pages.connect() as conn:
        assert conn.execute(text("SELECT count(*) FROM assigned_hosts")).scalar() == 0
    assert len(worker.claim(20, NOW)) == 12


def test_a_worker_that_is_alone_waits_for_nobody(fleet: Made, pages: Engine, clock: Clock) -> None:
    first, second = free_workers(fleet, clock)
    second.frontier.leave()
    first.beat(NOW)
    assert len(first.claim(20, NOW)) == 12


def test_pages_that_other_workers_hold_are_waited_for_while_they_live(fleet: Made, pages: Engine, clock: Clock) -> None:
    first, second = free_workers(fleet, clock)
    assert not first.left().others_hold
    leases = second.claim(1, NOW)
    assert first.left().others_hold
    assert not second.left().others_hold
    assert first.left(0.0).others_hold  # it was never read
    assert not first.left(sites={"elsewhere"}).others_hold
    clock.now += LAPSE_SECONDS
    first.beat(NOW)
    clock.now += LAPSE_SECONDS / 2
    first.beat(NOW)
    assert first.left().others_hold  # it may be this process that stood still
    clock.now += LAPSE_SECONDS / 2
    first.beat(NOW)
    assert len(leases) == 1
    assert not first.left().others_hold


def test_a_known_page_that_another_worker_holds_counts_as_remaining_if_it_was_due(fleet: Made, pages: Engine, clock: Clock) -> None:
    first, second = free_workers(fleet, clock)
    second.claim(12, NOW)
    with pages.begin() as conn:  # as if they had been read before
        conn.execute(text("UPDATE urls SET lease_state = 'done', due_at = :due WHERE state = 'processing'"), {"due": NOW})
        conn.execute(text("DELETE FROM urls WHERE state <> 'processing'"))
        conn.execute(text("DELETE FROM queues"))
    remaining = first.left(NOW)
    assert remaining.others_hold
    assert remaining.due_at is not None
    assert first.left(NOW - 1) == (None, False), "whoever claimed it asked for later ones than this worker may"


def test_remaining_work_is_read_as_of_one_moment_while_a_page_changes_hands(
    fleet: Made, store: Engine, clock: Clock
) -> None:
    with store.begin() as conn:
        allow(conn, "a.cn")
        ledger.offer(conn, [offer("http://a.cn/1")], NOW)
    first, _ = free_workers(fleet, clock)
    over = Event()
    with ThreadPoolExecutor(1) as pool:
        going = pool.submit(hand_to_hand, store, over)
        try:
            answers = {first.left() for _ in range(LOOKS)}
            until = time.monotonic() + 60
            while len({answer.others_hold for answer in answers}) < 2 and time.monotonic() < until:
                answers.add(first.left())
        finally:
            over.set()
        going.result()
    assert {answer.others_hold for answer in answers} == {False, True}
    assert [answer for answer in answers if answer.due_at is None or (answer.due_at > NOW + LEFT_SECONDS and not answer.others_hold)] == []


def hand_to_hand(store: Engine, over: Event) -> None:
    """Let the other worker claim the page and give it back, again and again, by a connection of its own."""
    while not over.is_set():
        with store.begin() as conn:
            leases = claim(conn, "w2", 1, NOW, LEASE_SECONDS)
        time.sleep(0.001)  # others want to write, too
        with store.begin() as conn:
            assert [ledger.release(conn, lease) for lease in leases] == [True]
        time.sleep(0.001)
