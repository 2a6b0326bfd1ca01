"""Whose turn it is: priorities, hosts that rest, pages that are due again."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from newsspider.core.crawling.visit import Settlement
from newsspider.core.model import PageType, Reason, State
from newsspider.store import ledger
from tests.support.samples import NOW, POLLED_AGAIN, STORED, allow, claimed, offer, urls_of


def test_one_lease_a_host_the_best_priority_first(conn):
    allow(conn, "a.cn", "b.cn", "c.cn")
    ledger.offer(
        conn,
        [offer("http://a.cn/1", priority=1), offer("http://a.cn/9", priority=9), offer("http://b.cn/5", priority=5),
         offer("http://c.cn/7", priority=7)],
        NOW,
    )  # fmt: skip
    assert urls_of(claimed(conn, 2)) == ["http://a.cn/9", "http://c.cn/7"]
    assert urls_of(claimed(conn, 5)) == ["http://b.cn/5"]
    assert claimed(conn, 5) == []


def test_links_of_one_page_are_fetched_in_the_order_of_the_page(conn):
    allow(conn, "a.cn")
    urls = [f"http://a.cn/{name}" for name in "zmaqb"]
    ledger.offer(conn, [offer(url) for url in urls], NOW)
    claimed_urls = []
    for _ in urls:
        (lease,) = claimed(conn)
        claimed_urls.append(lease.url)
        ledger.settle(conn, lease, STORED)
    assert claimed_urls == urls


def test_a_lease_tells_what_is_known_of_page_and_host(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/l", kind=PageType.LIST, site="站", channel="要闻", depth=1, anchor="锚", update_cycle=60)], NOW)
    (lease,) = claimed(conn)
    assert (lease.kind, lease.site, lease.channel, lease.depth, lease.anchor) == (PageType.LIST, "站", "要闻", 1, "锚")
    assert (lease.ends_at, lease.due_at, lease.update_cycle, lease.had_article) == (NOW + 60, NOW, 60, False)
    ledger.settle(conn, lease, replace(POLLED_AGAIN, etag="e", body_hash="b", host_latency=0.5, host_next_at=NOW + 9, host_pause=True))
    (again,) = claimed(conn, now=NOW + 61)
    assert (again.known.etag, again.known.content, again.fetch_count, again.due_at) == ("e", "b", 1, NOW + 60)
    assert (again.host_latency, again.host_failures) == (0.5, 1)
    assert again.token > lease.token


def test_a_host_rests_until_its_next_moment_and_through_its_pause(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/1"), offer("http://a.cn/2"), offer("http://a.cn/3")], NOW)
    (lease,) = claimed(conn)
    ledger.settle(conn, lease, replace(STORED, host_next_at=NOW + 5))
    assert claimed(conn, now=NOW + 4.9) == []
    assert ledger.remaining(conn, "").due_at == NOW + 5
    (lease,) = claimed(conn, now=NOW + 5)
    waiting = Settlement(State.WAITING, Reason.RATE_LIMITED, NOW + 100, host_next_at=NOW + 100, host_pause=True, status=429)
    ledger.settle(conn, lease, waiting)
    assert claimed(conn, now=NOW + 99) == []
    assert len(claimed(conn, now=NOW + 100)) == 1


def test_a_page_that_is_not_due_lets_the_next_one_go_first(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/late", priority=9, due_at=NOW + 50), offer("http://a.cn/now", priority=1)], NOW)
    assert urls_of(claimed(conn)) == ["http://a.cn/now"]


def test_done_pages_are_claimed_when_they_are_due_again(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/l", kind=PageType.LIST)], NOW)
    ledger.settle(conn, *claimed(conn), POLLED_AGAIN)
    assert claimed(conn, now=NOW + 59) == []
    assert urls_of(claimed(conn, now=NOW + 60)) == ["http://a.cn/l"]


def test_a_round_leaves_alone_what_becomes_due_while_it_runs(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/l", kind=PageType.LIST)], NOW)
    ledger.settle(conn, *claimed(conn), POLLED_AGAIN)
    assert claimed(conn, now=NOW + 61, revisit_before=NOW) == []
    assert ledger.remaining(conn, "", revisit_before=NOW).due_at is None
    assert ledger.remaining(conn, "", revisit_before=0.0).due_at is None
    assert ledger.remaining(conn, "").due_at == NOW + 60
    assert len(claimed(conn, now=NOW + 61)) == 1


def test_only_the_sites_asked_for_are_claimed(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/1", site="off", priority=9), offer("http://a.cn/2", site="on")], NOW)
    assert claimed(conn, sites=frozenset()) == []
    assert urls_of(claimed(conn, sites={"on", "other"})) == ["http://a.cn/2"]
    assert ledger.remaining(conn, "", sites={"other"}).due_at is None


@pytest.mark.parametrize("reason", [Reason.RETRY, Reason.RATE_LIMITED, Reason.NO_ROBOTS])
def test_a_round_waits_for_the_next_try_of_a_known_page(conn, reason):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/l", kind=PageType.LIST)], NOW)
    ledger.settle(conn, *claimed(conn), POLLED_AGAIN)
    began = NOW + 60
    (lease,) = claimed(conn, now=began, revisit_before=began)
    ledger.settle(conn, lease, Settlement(State.DONE, reason, began + 30, failures=1, status=500, fetched_at=began))
    assert claimed(conn, now=began + 29, revisit_before=began) == []
    assert ledger.remaining(conn, "", revisit_before=began).due_at == began + 30
    assert urls_of(claimed(conn, now=began + 30, revisit_before=began)) == ["http://a.cn/l"]


def test_a_known_page_that_is_put_off_is_found_by_the_offer_of_a_new_round(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/l", kind=PageType.LIST)], NOW)
    ledger.settle(conn, *claimed(conn), POLLED_AGAIN)
    ledger.settle(conn, *claimed(conn, now=NOW + 60), Settlement(State.DONE, Reason.RETRY, NOW + 900, failures=1))
    ledger.offer(conn, [offer("http://a.cn/l", site="new", update_cycle=60.0, again_before=NOW + 70, due_at=NOW + 70)], NOW + 70)
    assert ledger.remaining(conn, "", revisit_before=0.0, sites={"new"}).due_at == NOW + 70
    assert len(claimed(conn, now=NOW + 70, revisit_before=0.0, sites={"new"})) == 1


def test_lists_that_are_always_due_starve_neither_lighter_ones_nor_articles(conn):
    allow(conn, "a.cn")
    heavy = [f"http://a.cn/heavy{n}" for n in range(4)]
    lists = [
        *(offer(url, kind=PageType.LIST, priority=1100) for url in heavy),
        offer("http://a.cn/light", kind=PageType.LIST, priority=1010),
    ]
    ledger.offer(conn, lists, NOW)
    chance, visits, now = random.Random(5), Counter(), NOW
    for turn in range(400):
        now += 1
        if turn == 20:
            ledger.offer(conn, [offer("http://a.cn/article", priority=100)], now)
        (lease,) = claimed(conn, 1, now, random_number=chance.random())
        visits[lease.url] += 1
        ledger.settle(conn, lease, STORED if lease.kind is PageType.ARTICLE else replace(POLLED_AGAIN, due_at=now))
        if turn == 150:
            assert visits["http://a.cn/article"] == 1
    assert visits["http://a.cn/light"] >= 20
    assert min(visits[url] for url in heavy) > visits["http://a.cn/light"]
