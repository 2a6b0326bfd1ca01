"""What another topic or other sites change for the URLs that are known."""

from dataclasses import replace

import pytest

from newsspider.core.crawling.visit import Settlement
from newsspider.core.model import PageType, Reason, State
from newsspider.sites.model import Channel, MediaClass, Site
from newsspider.store import ledger, sites
from newsspider.store.ledger import config_changes
from tests.support.samples import NOW, STORED, URL, allow, claimed, lease_on, offer, row

SITE = Site("站", "http://a.cn/", 5, MediaClass.TRADE, channels=(Channel("一", "http://a.cn/l1", 5), Channel("二", "http://a.cn/l2", 5)))
FIRST, SECOND = (offer(channel.url, kind=PageType.LIST, site="站", channel=channel.name, update_cycle=60.0) for channel in SITE.channels)


def polled(conn, channel, now=NOW, **values):
    settlement = replace(STORED, reason=Reason.POLLED, fetched_at=now, due_at=now + 60)
    ledger.settle(conn, lease_on(conn, channel.url, now, kind=PageType.LIST, site="站", update_cycle=60.0), replace(settlement, **values))


def test_pages_that_another_topic_refused_are_read_again(conn):
    refused = Settlement(State.DONE, Reason.OFF_TOPIC, status=200, fetched_at=NOW)
    ledger.settle(conn, lease_on(conn, URL), replace(refused, topic="education"))
    ledger.settle(conn, lease_on(conn, "http://b.cn/1"), replace(refused, topic="sports"))
    assert ledger.refused_by_other_topic(conn, "sports", NOW + 1) == 1
    assert (row(conn).state, row(conn).due_at) == ("waiting", NOW + 1)
    assert [lease.url for lease in claimed(conn, now=NOW + 1)] == [URL]
    assert ledger.refused_by_other_topic(conn, "any", NOW + 2) == 1


def test_they_are_changed_a_few_at_once(conn, monkeypatch):
    monkeypatch.setattr(config_changes, "CHANGED_AT_ONCE", 2)
    refused = Settlement(State.DONE, Reason.OFF_TOPIC, status=200, fetched_at=NOW)
    for number, topic in enumerate(("a", "a", "b", "b", "b", "own")):
        ledger.settle(conn, lease_on(conn, f"http://{number}.cn/"), replace(refused, topic=topic))
    assert [ledger.refused_by_other_topic(conn, "own", NOW + 1) for _ in range(4)] == [2, 2, 1, 0]


def test_a_page_is_not_read_again_for_what_is_refused_by_this_crawl_or_since_its_start(conn):
    links = "education, links below 0.1"
    ledger.settle(conn, lease_on(conn, URL), Settlement(State.WAITING, Reason.TIMEOUT, NOW, fetched_at=NOW))
    ledger.settle(conn, *claimed(conn, now=NOW + 1), Settlement(State.DONE, Reason.OFF_TOPIC, topic=links))
    assert ledger.refused_by_other_topic(conn, "education", NOW, links=links) == 0
    assert [ledger.refused_by_other_topic(conn, "sports", started, links="") for started in (NOW - 1, NOW)] == [0, 1]


def test_only_the_channels_of_the_registry_are_polled_on(conn):
    sites.put(conn, SITE, NOW)
    polled(conn, FIRST)
    polled(conn, SECOND)
    assert ledger.retire_channels(conn, NOW + 1) == 0
    sites.put(conn, replace(SITE, channels=SITE.channels[:1]), NOW + 2)
    assert ledger.retire_channels(conn, NOW + 2) == 1
    assert (row(conn, FIRST.url).update_cycle, row(conn, FIRST.url).due_at) == (60.0, NOW + 60)
    entry = row(conn, SECOND.url)
    assert (entry.state, entry.reason, entry.update_cycle, entry.due_at) == ("done", "polled", None, None)
    sites.remove(conn, SITE.name, NOW + 3)
    assert ledger.retire_channels(conn, NOW + 3) == 1
    assert ledger.retire_channels(conn, NOW + 3) == 0
    assert ledger.remaining(conn, "").due_at is None
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
    entry = row(conn, FIRST.url)
    assert (entry.state, entry.reason, entry.detail, entry.due_at) == ("done", "dropped", "channel removed", None)
    assert ledger.remaining(conn, "").due_at is None
    ledger.offer(conn, [FIRST], NOW + 9)
    allow(conn, "a.cn")
    assert [lease.url for lease in claimed(conn, now=NOW + 9)] == [FIRST.url]


def test_a_channel_that_is_removed_while_it_is_read_is_not_read_for_ever(conn):
    lease = lease_on(conn, FIRST.url, kind=PageType.LIST, site="站", update_cycle=60.0)
    assert ledger.retire_channels(conn, NOW) == 1
    ledger.settle(conn, lease, replace(STORED, due_at=NOW + 60))
    (last,) = claimed(conn, now=NOW + 60)
    assert last.update_cycle is None


def test_no_host_waits_longer_than_its_delay_once_the_system_clock_was_set_back(conn, monkeypatch):
    year = 365 * 86_400.0
    allow(conn, "a.cn", "b.cn", "down.cn", now=NOW - year)
    ledger.offer(conn, [offer(f"http://{host}/{n}", due_at=NOW - year) for host in ("a.cn", "b.cn", "down.cn") for n in (1, 2)], NOW - year)
    visited = replace(STORED, fetched_at=NOW, host_next_at=NOW + 5, host_delay=5.0, address="192.0.2.7", address_next_at=NOW + 5)
    for lease in claimed(conn, 3):
        down = Settlement(State.WAITING, Reason.TIMEOUT, NOW + 600, host_next_at=NOW + 600, host_delay=600.0, host_pause=True)
        ledger.settle(conn, lease, down if lease.host == "down.cn" else visited)
    assert ledger.bound_waits(conn, NOW) == 0
    assert ledger.bound_waits(conn, NOW - 1800) == 0  # the clock of another machine
    now = NOW - year + 1
    assert claimed(conn, now=now + 9) == []
    monkeypatch.setattr(config_changes, "CHANGED_AT_ONCE", 1)
    assert [ledger.bound_pages(conn, now) for _ in range(2)] == [1, 0]
    assert ledger.bound_waits(conn, now) == 3
    assert claimed(conn, now=now + 4) == []
    (lease,) = claimed(conn, now=now + 5)  # the two of one address in turn
    ledger.settle(conn, lease, replace(visited, host_next_at=now + 11, address_next_at=now + 11))
    assert len(claimed(conn, now=now + 11)) == 1
    assert "down.cn" not in {next_lease.host for next_lease in claimed(conn, now=now + 599)}
    assert {next_lease.url for next_lease in claimed(conn, now=now + 600)} & {"http://down.cn/1", "http://down.cn/2"}
    assert row(conn, "http://down.cn/1").due_at < now + 600  # it waited for NOW + 600
    assert ledger.bound_waits(conn, now) == 0


def test_a_lease_of_a_clock_that_was_set_back_is_given_back(conn):
    year = 365 * 86_400.0
    allow(conn, "a.cn", now=NOW)
    ledger.offer(conn, [offer(URL, due_at=NOW - year)], NOW - year)
    (lease,) = claimed(conn)
    assert ledger.bound_waits(conn, NOW - 3600) == 0  # the clock of another machine
    now = NOW - year
    assert claimed(conn, now=now) == []
    assert ledger.bound_waits(conn, now) == 1
    assert (row(conn).state, row(conn).deaths) == ("waiting", 0)
    allow(conn, "a.cn", now=now)
    assert [next_lease.url for next_lease in claimed(conn, now=now)] == [lease.url]
    assert ledger.bound_waits(conn, now) == 0
