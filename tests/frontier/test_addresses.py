"""Hosts that share an address are together asked no more often than a single host."""

from dataclasses import replace
from threading import Thread

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import Settlement
from newsspider.core.model import PageType, Reason, State
from newsspider.frontier.sql_frontier import claim
from newsspider.store import ledger
from newsspider.store.engine.integrity import integrity_problems
from newsspider.store.url_history import forget_url
from tests.support.samples import NOW, POLLED_AGAIN, STORED, allow, claimed, offer, urls_of

ADDRESS = "192.0.2.7"


def visited(at, address=ADDRESS, delay=5.0, **more):
    return replace(STORED, fetched_at=at, host_next_at=at + delay, address=address, address_next_at=at + delay, **more)


@pytest.fixture
def neighbours(conn):
    """Two hosts that are known to share an address, with two pages each, free from NOW + 5 on."""
    allow(conn, "a.cn", "b.cn")
    ledger.offer(conn, [offer(f"http://{host}/{page}") for host in ("a.cn", "b.cn") for page in (0, 1, 2)], NOW)
    for lease in claimed(conn, 2):
        assert ledger.settle(conn, lease, visited(NOW))
    return conn


def test_only_one_of_two_hosts_at_one_address_is_asked_and_the_other_after_its_delay(neighbours):
    first = claimed(neighbours, 5, now=NOW + 5)
    assert len(first) == 1
    assert first[0].address == ADDRESS
    assert claimed(neighbours, 5, now=NOW + 6.5) == []  # the address is being asked
    assert ledger.settle(neighbours, first[0], visited(NOW + 7))
    assert claimed(neighbours, 5, now=NOW + 11.9) == []
    assert ledger.remaining(neighbours, "").due_at <= NOW + 12
    (second,) = claimed(neighbours, 5, now=NOW + 12)
    assert second.host != first[0].host


def test_a_pause_of_one_host_is_not_one_of_its_neighbours(neighbours):
    (lease,) = claimed(neighbours, 5, now=NOW + 5)
    pause = Settlement(State.WAITING, Reason.RATE_LIMITED, NOW + 100, status=429, host_pause=True)
    ledger.settle(neighbours, lease, replace(pause, host_next_at=NOW + 100, address=ADDRESS, address_next_at=NOW + 10))
    (other,) = claimed(neighbours, 5, now=NOW + 10)
    assert other.host != lease.host


def test_a_released_or_expired_lease_frees_the_address(neighbours):
    (lease,) = claimed(neighbours, 5, now=NOW + 5)
    assert ledger.release(neighbours, lease)
    (lease,) = claimed(neighbours, 5, now=NOW + 5)
    assert lease.ends_at == NOW + 65
    assert len(claimed(neighbours, 5, now=NOW + 65)) == 1  # its end is noticed by the claim itself


def test_a_page_that_is_forgotten_while_it_is_asked_for_frees_the_address_when_its_lease_would_have_ended(neighbours):
    (lease,) = claimed(neighbours, 5, now=NOW + 5)
    assert forget_url(neighbours, lease.key)
    assert not ledger.settle(neighbours, lease, visited(NOW + 7))
    assert claimed(neighbours, 5, now=lease.ends_at - 1) == []  # the worker may be asking the address still
    assert len(claimed(neighbours, 5, now=lease.ends_at)) == 1
    assert list(integrity_problems(neighbours)) == []


def test_a_host_seen_for_the_first_time_waits_for_its_neighbours_turn(conn):
    allow(conn, "a.cn", "b.cn")
    ledger.offer(conn, [offer("http://a.cn/1"), offer("http://b.cn/1")], NOW)
    first, second = claimed(conn, 2)
    assert ledger.place(conn, first, ADDRESS, NOW) == 0.0
    until = ledger.place(conn, second, ADDRESS, NOW)
    assert NOW < until <= NOW + ledger.LOOK_SECONDS
    ledger.settle(conn, second, Settlement(State.WAITING, Reason.RATE_LIMITED, until))
    ledger.settle(conn, first, visited(NOW))
    assert claimed(conn, 2, now=NOW + 4.9) == []
    assert urls_of(claimed(conn, 2, now=NOW + 5)) == [second.url]


def test_a_host_that_waits_for_its_neighbour_goes_as_soon_as_the_address_is_free(conn):
    allow(conn, "a.cn", "b.cn")
    ledger.offer(conn, [offer("http://a.cn/1"), offer("http://b.cn/1")], NOW)
    first, second = claimed(conn, 2)
    assert ledger.place(conn, first, ADDRESS, NOW) == 0.0
    until = ledger.place(conn, second, ADDRESS, NOW)
    ledger.settle(conn, second, Settlement(State.WAITING, Reason.RATE_LIMITED, until))
    assert claimed(conn, 2, now=NOW + 0.01) == []  # and from now on it waits to be told
    assert ledger.remaining(conn, "").due_at > NOW + 0.5
    ledger.settle(conn, first, visited(NOW, delay=0.02))
    assert ledger.remaining(conn, "").due_at == NOW + 0.02
    assert urls_of(claimed(conn, 2, now=NOW + 0.02)) == [second.url]


def test_hosts_at_addresses_of_their_own_do_not_wait_for_each_other(conn):
    allow(conn, "a.cn", "b.cn")
    ledger.offer(conn, [offer(f"http://{host}/{page}") for host in ("a.cn", "b.cn") for page in (1, 2)], NOW)
    for lease in claimed(conn, 2):
        ledger.settle(conn, lease, visited(NOW, address=f"192.0.2.{ord(lease.host[0])}"))
    assert len(claimed(conn, 5, now=NOW + 5)) == 2


def test_one_host_in_eight_is_the_one_that_waited_longest(conn):
    allow(conn, *(f"h{n}.cn" for n in range(9)))
    ledger.offer(conn, [offer("http://h0.cn/1", priority=1)], NOW - 100)
    ledger.offer(conn, [offer(f"http://h{n}.cn/1", priority=100 - n) for n in range(1, 9)], NOW)
    assert [lease.host for lease in claim(conn, "w", 1, NOW, 60, random_number=0.87)] == ["h1.cn"]
    assert [lease.host for lease in claim(conn, "w", 1, NOW, 60, random_number=0.88)] == ["h0.cn"]


def test_the_lowest_priority_is_drawn_among_eight(conn):
    allow(conn, *(f"h{n}.cn" for n in range(20)))
    ledger.offer(conn, [offer("http://h0.cn/1", priority=1)], NOW - 100)
    ledger.offer(conn, [offer(f"http://h{n}.cn/1", priority=100) for n in range(1, 20)], NOW)
    assert "h0.cn" in {lease.host for lease in claim(conn, "w", 8, NOW, 60)}


def test_articles_of_a_host_whose_lists_are_always_due_have_one_turn_in_eight(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer(f"http://a.cn/l{n}", kind=PageType.LIST, priority=1000, update_cycle=1.0) for n in range(3)], NOW - 10)
    for _ in range(3):
        (lease,) = claim(conn, "w", 5, NOW, 60)
        ledger.settle(conn, lease, replace(POLLED_AGAIN, due_at=NOW))
    ledger.offer(conn, [offer("http://a.cn/1")], NOW - 5)
    leases = (lease for n in range(16) for lease in claim(conn, "w", 5, NOW, 60, random_number=n / 16))
    shares = {lease.url for lease in leases if ledger.release(conn, lease)}
    assert "http://a.cn/1" in shares
    assert len(shares) > 1


def test_a_page_that_is_claimed_alone_waits_for_its_address_too(neighbours):
    neighbours.execute(text("UPDATE urls SET deaths = 3 WHERE url = 'http://b.cn/1'"))
    (lease,) = [lease for lease in claimed(neighbours, 1, now=NOW + 5) if lease.host == "b.cn"]
    assert lease.url == "http://b.cn/1"
    assert ledger.settle(neighbours, lease, visited(NOW + 5))
    neighbours.execute(text("UPDATE urls SET deaths = 3 WHERE url = 'http://a.cn/1'"))
    assert claimed(neighbours, 5, now=NOW + 9.9) == []
    assert urls_of(claimed(neighbours, 5, now=NOW + 10)) == ["http://a.cn/1"]


def test_only_one_of_two_hosts_placed_at_one_address_at_once_is_asked(store):
    with store.begin() as conn:
        allow(conn, "a.cn", "b.cn")
        ledger.offer(conn, [offer("http://a.cn/1"), offer("http://b.cn/1")], NOW)
        first, second = claimed(conn, 2)
    moments: list[float] = []

    def place() -> None:
        with store.begin() as conn:
            moments.append(ledger.place(conn, second, ADDRESS, NOW))

    with store.begin() as conn:
        assert ledger.place(conn, first, ADDRESS, NOW) == 0.0
        thread = Thread(target=place)
        thread.start()
        thread.join(0.3)
        assert moments == []  # it waits
    thread.join(60)
    assert moments[0] > NOW
