"""What the ledger makes of offers and settlements."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import text

from newsspider.core.model import Kind, Reason, Settlement, State
from newsspider.core.url import url_key
from newsspider.sites.model import Channel, MediaClass, Site
from newsspider.store import ledger, sites
from tests.store.samples import NOW, STORED, allow, claimed, lease_on, offer

URL = "http://a.cn/1"


def row(conn, url=URL):
    return conn.execute(text("SELECT * FROM urls WHERE key = :key"), {"key": url_key(url)}).one()


def host(conn, name="a.cn"):
    return conn.execute(text("SELECT * FROM hosts WHERE host = :host"), {"host": name}).one()


def test_an_offer_is_new_once(conn):
    offers = [offer(URL), offer("http://a.cn/2"), offer(URL)]
    assert ledger.offer(conn, offers, NOW) == 2
    assert ledger.offer(conn, iter(offers), NOW + 1) == 0
    assert ledger.offer(conn, [], NOW) == 0
    assert ledger.counts(conn) == {State.WAITING: 2, State.PROCESSING: 0, State.ERROR: 0, State.DONE: 0}


def test_a_sitemap_of_thousands_of_urls_is_offered_at_once(conn):
    offers = [offer(f"http://a.cn/{n}") for n in range(3000)]
    assert ledger.offer(conn, offers[:1500], NOW) == 1500
    assert ledger.offer(conn, offers, NOW) == 1500


def test_a_new_row_holds_all_that_the_offer_says(conn):
    wanted = offer(URL, kind=Kind.LIST, site="站", channel="要闻", depth=1, parent=7, anchor="锚", priority=3, due_at=NOW + 9, hops=2)
    ledger.offer(conn, [wanted], NOW)
    found = row(conn)
    assert (found.url, found.host, found.kind, found.site, found.channel) == (URL, "a.cn", "list", "站", "要闻")
    assert (found.depth, found.parent, found.anchor, found.priority, found.hops) == (1, 7, "锚", 3, 2)
    assert (found.state, found.reason, found.due_at, found.found_at) == ("waiting", "found", NOW + 9, NOW)


def test_a_known_url_is_left_alone_by_a_plain_offer(conn):
    ledger.settle(conn, lease_on(conn, URL), STORED)
    before = row(conn)
    assert ledger.offer(conn, [offer(URL, site="other", anchor="other", due_at=NOW)], NOW + 1) == 0
    assert row(conn) == before


@pytest.mark.parametrize(
    ("due_at", "again_before", "becomes"),
    [
        (None, NOW + 1, NOW + 5),  # fetched before that moment
        (None, NOW, None),  # fetched at that moment, so in this round already
        (NOW + 99, NOW + 1, NOW + 5),  # due, but later
        (NOW + 2, NOW + 1, NOW + 2),  # due earlier anyway
    ],
)
def test_a_done_url_is_due_again_if_it_was_fetched_before_the_moment_given(conn, due_at, again_before, becomes):
    ledger.settle(conn, lease_on(conn, URL), replace(STORED, due_at=due_at))
    ledger.offer(conn, [offer(URL, due_at=NOW + 5, again_before=again_before)], NOW)
    assert (row(conn).state, row(conn).due_at) == ("done", becomes)
    assert len(claimed(conn, now=NOW + 6)) == (1 if becomes is not None else 0)


def test_an_url_that_was_never_fetched_is_due_again_whatever_the_moment(conn):
    ledger.settle(conn, lease_on(conn, URL), Settlement(State.DONE, Reason.ROBOTS))
    ledger.offer(conn, [offer(URL, due_at=NOW + 5, again_before=1.0)], NOW)
    assert row(conn).due_at == NOW + 5


def test_waiting_and_leased_urls_keep_their_moment(conn):
    ledger.offer(conn, [offer(URL, due_at=NOW + 50)], NOW)
    ledger.offer(conn, [offer(URL, due_at=NOW, again_before=NOW)], NOW)
    assert (row(conn).state, row(conn).due_at) == ("waiting", NOW + 50)
    allow(conn, "a.cn")
    (lease,) = claimed(conn, now=NOW + 50)
    ledger.offer(conn, [offer(URL, due_at=NOW + 60, again_before=NOW + 60)], NOW)
    assert ledger.settle(conn, lease, STORED)
    assert row(conn).due_at is None


def test_a_channel_owns_its_row(conn):
    ledger.offer(conn, [offer(URL, site="old", channel="found", priority=1)], NOW)
    channel = offer(URL, kind=Kind.FEED, site="new", channel="要闻", depth=1, priority=9, update_cycle=60.0, again_before=NOW)
    assert ledger.offer(conn, [channel], NOW) == 0
    found = row(conn)
    assert (found.kind, found.site, found.channel, found.depth, found.priority, found.update_cycle) == (
        "feed", "new", "要闻", 1, 9, 60.0,
    )  # fmt: skip
    allow(conn, "a.cn")
    assert [lease.site for lease in claimed(conn, sites={"new"})] == ["new"]


def test_a_settled_lease_is_written_as_it_stands(conn):
    lease = lease_on(conn, URL)
    done = replace(STORED, due_at=NOW + 60, kind=Kind.BLOG, etag="e", last_modified="m", body_hash="b", detail="d", topic="t")
    assert ledger.settle(conn, lease, done)
    found = row(conn)
    assert (found.state, found.reason, found.detail, found.due_at, found.kind) == ("done", "stored", "d", NOW + 60, "blog")
    assert (found.etag, found.last_modified, found.body_hash, found.topic) == ("e", "m", "b", "t")
    assert (found.last_status, found.last_fetched_at, found.fetch_count, found.change_count) == (200, NOW, 1, 0)
    assert (found.lease_worker, found.lease_ends_at, found.lease_state) == (None, None, None)


def test_a_failure_counts_no_fetch_and_keeps_the_validators(conn):
    ledger.settle(conn, lease_on(conn, URL), replace(STORED, etag="e", body_hash="b"))
    failed = Settlement(State.DONE, Reason.RETRY, NOW + 60, failures=1, status=500, fetched_at=NOW + 9)
    ledger.settle(conn, lease_on(conn, URL, NOW + 9), failed)
    found = row(conn)
    assert (found.fetch_count, found.failures, found.last_status, found.last_fetched_at) == (1, 1, 500, NOW + 9)
    assert (found.etag, found.body_hash) == ("e", "b")


def test_a_change_is_counted_when_the_body_is_another(conn):
    for number, body in enumerate(("one", "one", "two", "two", "one")):
        now = NOW + number
        ledger.settle(conn, lease_on(conn, URL, now), replace(STORED, fetched_at=now, body_hash=body))
    assert (row(conn).fetch_count, row(conn).change_count) == (5, 2)


def test_the_host_learns_from_every_visit(conn):
    visit = replace(
        STORED, host_next_at=NOW + 3, host_delay=3.0, host_delay_reason="crawl_delay", host_latency=0.2, address="10.0.0.1"
    )
    ledger.settle(conn, lease_on(conn, URL), visit)
    ledger.settle(conn, lease_on(conn, "http://a.cn/2", NOW + 3), replace(visit, fetched_at=NOW + 3, address="10.0.0.12"))
    ledger.settle(conn, lease_on(conn, "http://a.cn/3", NOW + 6), replace(visit, fetched_at=NOW + 6, address="10.0.0.1"))
    found = host(conn)
    assert (found.pages, found.last_visit_at, found.next_at) == (3, NOW + 6, NOW + 3)
    assert (found.delay, found.delay_reason, found.latency) == (3.0, "crawl_delay", 0.2)
    assert found.addresses == "10.0.0.1 10.0.0.12"


def test_the_pauses_of_a_host_are_counted_until_it_answers(conn):
    down = Settlement(State.WAITING, Reason.TIMEOUT, NOW + 60, fetched_at=NOW, host_next_at=NOW + 60, host_pause=True)
    for number in range(3):
        ledger.settle(conn, lease_on(conn, f"http://a.cn/{number}", NOW), down)
        assert (host(conn).failures, host(conn).paused_until) == (number + 1, NOW + 60)
    ledger.settle(conn, lease_on(conn, "http://a.cn/well"), STORED)
    assert host(conn).failures == 0


def test_pages_that_another_topic_refused_are_read_again(conn):
    refused = Settlement(State.DONE, Reason.OFF_TOPIC, status=200, fetched_at=NOW)
    ledger.settle(conn, lease_on(conn, URL), replace(refused, topic="education"))
    ledger.settle(conn, lease_on(conn, "http://b.cn/1"), replace(refused, topic="sports"))
    assert ledger.refused_by_other_topic(conn, "sports", NOW + 1) == 1
    assert (row(conn).state, row(conn).due_at) == ("waiting", NOW + 1)
    assert [lease.url for lease in claimed(conn, now=NOW + 1)] == [URL]
    assert ledger.refused_by_other_topic(conn, "any", NOW + 2) == 1


def test_nothing_is_due_in_an_empty_ledger_and_a_lease_may_come_back(conn):
    assert ledger.next_due(conn) is None
    lease = lease_on(conn, URL)
    assert ledger.next_due(conn, revisit_before=0.0) == lease.ends_at
    ledger.settle(conn, lease, STORED)
    assert ledger.next_due(conn) is None


def test_the_robots_txt_of_an_unknown_host_is_unknown(conn):
    assert ledger.robots_text(conn, "nobody.cn") is None
    ledger.offer(conn, [offer(URL)], NOW)
    assert ledger.robots_text(conn, "a.cn") is None


SITE = Site("站", "http://a.cn/", 5, MediaClass.TRADE, channels=(Channel("一", "http://a.cn/l1", 5), Channel("二", "http://a.cn/l2", 5)))
FIRST, SECOND = (offer(channel.url, kind=Kind.LIST, site="站", channel=channel.name, update_cycle=60.0) for channel in SITE.channels)


def polled(conn, wanted, now=NOW, **values):
    settlement = replace(STORED, reason=Reason.POLLED, fetched_at=now, due_at=now + 60)
    ledger.settle(conn, lease_on(conn, wanted.url, now, kind=Kind.LIST, site="站", update_cycle=60.0), replace(settlement, **values))


def test_only_the_channels_of_the_registry_are_polled_on(conn):
    sites.put(conn, SITE, NOW)
    polled(conn, FIRST)
    polled(conn, SECOND)
    assert ledger.retire_channels(conn, NOW + 1) == 0
    sites.put(conn, replace(SITE, channels=SITE.channels[:1]), NOW + 2)
    assert ledger.retire_channels(conn, NOW + 2) == 1
    assert (row(conn, FIRST.url).update_cycle, row(conn, FIRST.url).due_at) == (60.0, NOW + 60)
    found = row(conn, SECOND.url)
    assert (found.state, found.reason, found.update_cycle, found.due_at) == ("done", "polled", None, None)
    sites.remove(conn, SITE.name, NOW + 3)
    assert ledger.retire_channels(conn, NOW + 3) == 1
    assert ledger.retire_channels(conn, NOW + 3) == 0
    assert ledger.next_due(conn) is None
    assert claimed(conn, now=NOW + 999) == []


@pytest.mark.parametrize("again_before", [None, NOW + 9], ids=["while a crawl runs", "at its start"])
def test_a_channel_that_comes_back_is_polled_again(conn, again_before):
    polled(conn, FIRST)
    ledger.retire_channels(conn, NOW + 1)
    ledger.offer(conn, [replace(FIRST, due_at=NOW + 9, again_before=again_before)], NOW + 9)
    assert (row(conn, FIRST.url).update_cycle, row(conn, FIRST.url).due_at) == (60.0, NOW + 9)
    assert [lease.url for lease in claimed(conn, now=NOW + 9, revisit_before=NOW + 9)] == [FIRST.url]


def test_a_channel_that_was_never_read_is_set_aside_and_back_when_it_is_offered_again(conn):
    ledger.offer(conn, [FIRST], NOW)
    assert ledger.retire_channels(conn, NOW) == 1
    found = row(conn, FIRST.url)
    assert (found.state, found.reason, found.detail, found.due_at) == ("done", "dropped", "channel removed", None)
    assert ledger.next_due(conn) is None
    ledger.offer(conn, [FIRST], NOW + 9)
    allow(conn, "a.cn")
    assert [lease.url for lease in claimed(conn, now=NOW + 9)] == [FIRST.url]


def test_a_channel_that_is_removed_while_it_is_read_is_not_read_for_ever(conn):
    lease = lease_on(conn, FIRST.url, kind=Kind.LIST, site="站", update_cycle=60.0)
    assert ledger.retire_channels(conn, NOW) == 1
    ledger.settle(conn, lease, replace(STORED, due_at=NOW + 60))
    (last,) = claimed(conn, now=NOW + 60)
    assert last.update_cycle is None


def test_a_page_that_becomes_a_channel_is_polled_at_once(conn):
    ledger.settle(conn, lease_on(conn, FIRST.url), STORED)
    ledger.offer(conn, [FIRST], NOW + 9)
    assert row(conn, FIRST.url).due_at == NOW + 9
