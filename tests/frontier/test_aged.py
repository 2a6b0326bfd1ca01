"""Revisits of stored articles get the turns that lists and new articles leave."""

from dataclasses import replace

import pytest

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import PageType
from newsspider.store import ledger, pages
from tests.frontier.conftest import on_each_frontier
from tests.support.samples import NOW, POLLED, POLLED_AGAIN, STORED, allow, claimed, lease_on, links, offer, urls_of

HOST = "h0.cn"


def aged(conn, *urls, due_at=NOW + 10, **values):
    """Articles that were read and are due again."""
    ledger.offer(conn, [offer(url, **values) for url in urls], NOW)
    for _ in urls:
        (lease,) = claimed(conn, 1)
        ledger.settle(conn, lease, replace(STORED, due_at=due_at))


@pytest.mark.parametrize("random_number", [0.0, 0.05, 0.3, 0.6, 0.95])
def test_articles_that_are_long_overdue_wait_behind_a_list_and_a_new_article(conn, random_number):
    allow(conn, HOST)
    aged(conn, *(f"http://{HOST}/old{n}" for n in range(40)), priority=100)
    ledger.offer(conn, [offer(f"http://{HOST}/list", kind=PageType.LIST, update_cycle=60, priority=1000)], NOW)
    (lease,) = claimed(conn, 1)
    ledger.settle(conn, lease, replace(POLLED_AGAIN, due_at=NOW + 5000))
    ledger.offer(conn, [offer(f"http://{HOST}/new", priority=10)], NOW + 5000)
    order = []
    for _ in range(4):
        (lease,) = claimed(conn, 1, NOW + 5001, random_number=random_number)
        order.append(lease)
        ledger.settle(conn, lease, STORED)
    assert {lease.url.rpartition("/")[2] for lease in order[:2]} == {"list", "new"}
    assert [lease.revisit for lease in order] == [False, False, True, True]


def test_hosts_with_lists_and_new_articles_go_first(conn):
    hosts = [f"h{n}.cn" for n in range(12)]
    allow(conn, *hosts)
    for host in hosts[:10]:
        aged(conn, f"http://{host}/old", due_at=NOW + 1)
    ledger.offer(conn, [offer(f"http://{host}/new") for host in hosts[10:]], NOW + 100)
    for random_number in (0.0, 0.5, 0.99):
        leases = claimed(conn, 2, NOW + 101, random_number=random_number)
        assert urls_of(sorted(leases, key=lambda lease: lease.url)) == ["http://h10.cn/new", "http://h11.cn/new"]
        for lease in leases:
            ledger.release(conn, lease)


def test_a_round_makes_the_visits_that_were_due_when_it_began_and_waits_for_no_others(conn):
    allow(conn, HOST)
    aged(conn, f"http://{HOST}/due", due_at=NOW + 10)
    aged(conn, f"http://{HOST}/later", due_at=NOW + 20)
    (lease,) = claimed(conn, 9, NOW + 15, revisit_before=NOW + 15)
    assert lease.url == f"http://{HOST}/due"
    ledger.settle(conn, lease, replace(STORED, due_at=NOW + 900))
    assert claimed(conn, 9, NOW + 30, revisit_before=NOW + 15) == []
    assert ledger.remaining(conn, "w", revisit_before=NOW + 15).due_at is None
    assert ledger.remaining(conn, "w").due_at == NOW + 20


def test_an_article_that_somebody_asks_for_again_is_due_at_once(conn):
    allow(conn, HOST)
    aged(conn, f"http://{HOST}/1", due_at=NOW + 900)
    ledger.offer(conn, [offer(f"http://{HOST}/1", again_before=NOW + 1)], NOW + 1)
    assert urls_of(claimed(conn, 9, NOW + 2)) == [f"http://{HOST}/1"]


@on_each_frontier
def test_every_frontier_hands_out_revisits_when_nothing_else_is_left(store, worker):
    with store.begin() as conn:
        allow(conn, HOST)
    frontier = worker("one")
    frontier.offer([offer(f"http://{HOST}/old")])
    (lease,) = frontier.claim(9, NOW)
    assert frontier.settle(lease, replace(STORED, due_at=NOW + 10))
    frontier.offer([offer(f"http://{HOST}/new", due_at=NOW + 20)])
    (first,) = frontier.claim(9, NOW + 30)
    assert first.url == f"http://{HOST}/new"
    assert frontier.settle(first, STORED)
    (second,) = frontier.claim(9, NOW + 30)
    assert (second.url, second.revisit) == (f"http://{HOST}/old", True)


@on_each_frontier
def test_many_hosts_of_overdue_visits_hide_neither_a_list_nor_a_new_article(store, worker):
    hosts = [f"h{n}.cn" for n in range(600)]
    with store.begin() as conn:
        allow(conn, "list.cn", "new.cn", *hosts)
        ledger.offer(conn, [offer(f"http://{host}/old", priority=900) for host in hosts], NOW)
        ledger.settle_all(conn, [(lease, replace(STORED, due_at=NOW + 10)) for lease in claimed(conn, len(hosts))])
        ledger.offer(conn, [offer("http://list.cn/", kind=PageType.LIST, update_cycle=60, priority=500)], NOW)
        ledger.settle_all(conn, [(lease, replace(POLLED_AGAIN, due_at=NOW + 5000)) for lease in claimed(conn)])
        ledger.offer(conn, [offer("http://new.cn/1", priority=5)], NOW + 5001)
    frontier = worker("one")
    first = frontier.claim(10, NOW + 5002)
    assert {lease.url for lease in first if not lease.revisit} == {"http://list.cn/", "http://new.cn/1"}
    assert len(first) == 10
    rest = [lease for _ in range(3) for lease in frontier.claim(200, NOW + 5002)]
    assert {lease.host for lease in first + rest} == {"list.cn", "new.cn", *hosts}


@pytest.mark.parametrize("random_number", [0.3, 0.95])
def test_what_most_lists_show_is_revisited_first_among_stored_articles_of_equal_priority(conn, random_number):
    allow(conn, HOST)
    names = ["plain", "poor", "good", "heavy"]
    for name in names:
        aged(conn, f"http://{HOST}/{name}", due_at=NOW + 10 + names.index(name), priority=60 if name == "heavy" else 59)
    for name, lists in (("poor", 1), ("good", 2)):
        shown(conn, f"http://{HOST}/{name}", lists)
    order = []
    for _ in names:
        (lease,) = claimed(conn, 1, NOW + 100, random_number=random_number)
        order.append(lease.url.rpartition("/")[2])
        ledger.settle(conn, lease, STORED)
    assert order == ["heavy", "good", "poor", "plain"]


def test_the_article_that_is_longest_overdue_has_its_turn_however_many_lists_show_others(conn):
    allow(conn, HOST)
    aged(conn, f"http://{HOST}/old", due_at=NOW + 10)
    aged(conn, f"http://{HOST}/good", due_at=NOW + 20)
    shown(conn, f"http://{HOST}/good", 2)
    assert urls_of(claimed(conn, 1, NOW + 100, random_number=0.12)) == [f"http://{HOST}/old"]


def shown(conn, url, lists):
    """Let this many lists show the page."""
    for number in range(lists):
        lease = lease_on(conn, f"http://list{number}.cn/", kind=PageType.LIST, site="站", channel="要闻")
        pages.save(conn, PageResult(lease, POLLED, links=links([url])), NOW)
