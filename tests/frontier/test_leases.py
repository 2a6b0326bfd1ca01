"""Leases end, are given back, and pages that kill workers are found out."""

from sqlalchemy import text

from newsspider.frontier.sql_frontier import extend
from newsspider.store import ledger
from tests.support.samples import NOW, STORED, allow, claimed, offer, urls_of


def test_a_late_settle_is_refused_and_changes_nothing(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/1")], NOW)
    (late,) = claimed(conn, worker="slow")
    (other,) = claimed(conn, now=NOW + 61, worker="quick")
    assert other.key == late.key
    rows_before = conn.execute(text("SELECT * FROM urls")).all()
    assert not ledger.settle(conn, late, STORED)
    assert not ledger.release(conn, late)
    assert extend(conn, [late], NOW + 500) == []
    assert conn.execute(text("SELECT * FROM urls")).all() == rows_before
    assert ledger.settle(conn, other, STORED)
    assert not ledger.settle(conn, other, STORED)


def test_an_extended_lease_ends_later(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/1")], NOW)
    (lease,) = claimed(conn)
    (longer,) = extend(conn, [lease], NOW + 200)
    assert longer.ends_at == NOW + 200
    assert claimed(conn, now=NOW + 199, worker="other") == []
    assert ledger.settle(conn, longer, STORED)


def test_a_worker_gives_all_its_leases_back(conn):
    allow(conn, "a.cn", "b.cn", "c.cn")
    ledger.offer(conn, [offer("http://a.cn/1"), offer("http://b.cn/1"), offer("http://c.cn/1")], NOW)
    mine, others = claimed(conn, 2, worker="mine"), claimed(conn, 1, worker="other")
    assert set(ledger.workers(conn)) == {"mine", "other"}
    assert ledger.release_worker(conn, "mine") == 2
    assert not ledger.settle(conn, mine[0], STORED)
    assert ledger.settle(conn, others[0], STORED)
    row = conn.execute(text("SELECT state, reason, deaths FROM urls WHERE key = :key"), {"key": mine[0].key}).one()
    assert row == ("waiting", "released", 0)
    assert len(claimed(conn, 5)) == 2


def kill(conn, url, times, start=NOW):
    """Let a page's worker die so often; returns the moment after it."""
    now = start
    for _ in range(times):
        assert url in urls_of(claimed(conn, 10, now, worker="dying"))
        now += 61
    ledger.expire(conn, now)
    return now


def test_a_page_whose_workers_died_three_times_is_claimed_alone(conn):
    allow(conn, "a.cn", "b.cn", now=NOW + 300)
    ledger.offer(conn, [offer("http://a.cn/killer", priority=9)], NOW)
    now = kill(conn, "http://a.cn/killer", 3)
    ledger.offer(conn, [offer("http://b.cn/innocent")], now)
    assert urls_of(claimed(conn, 10, now, worker="careful")) == ["http://a.cn/killer"]
    assert claimed(conn, 10, now, worker="careful") == []
    assert urls_of(claimed(conn, 10, now, worker="other")) == ["http://b.cn/innocent"]


def test_a_worker_that_holds_something_is_not_given_a_suspect(conn):
    allow(conn, "a.cn", "b.cn", now=NOW + 300)
    ledger.offer(conn, [offer("http://a.cn/killer")], NOW)
    now = kill(conn, "http://a.cn/killer", 3)
    ledger.offer(conn, [offer("http://b.cn/1")], now)
    (suspect,) = claimed(conn, 1, now, worker="one")
    ledger.release(conn, suspect)
    conn.execute(text("UPDATE urls SET due_at = :later WHERE url LIKE '%killer'"), {"later": now + 1})
    assert urls_of(claimed(conn, 10, now, worker="busy")) == ["http://b.cn/1"]
    assert claimed(conn, 10, now + 2, worker="busy") == []
    assert ledger.remaining(conn, "").due_at is not None
    assert urls_of(claimed(conn, 10, now + 2, worker="idle")) == ["http://a.cn/killer"]


def test_a_fourth_death_gives_the_page_up_and_a_settled_page_is_innocent(conn):
    allow(conn, "a.cn", "b.cn", now=NOW + 300)
    ledger.offer(conn, [offer("http://a.cn/killer", priority=9), offer("http://b.cn/1")], NOW)
    now = NOW
    for _ in range(4):
        claimed(conn, 1, now, worker="dying")
        now += 61
    ledger.expire(conn, now)
    killer = conn.execute(text("SELECT state, reason, due_at, deaths FROM urls WHERE url LIKE '%killer'")).one()
    assert killer == ("error", "worker_deaths", None, 4)
    (innocent,) = claimed(conn, 10, now)
    ledger.settle(conn, innocent, STORED)
    assert conn.execute(text("SELECT deaths FROM urls WHERE url = 'http://b.cn/1'")).scalar() == 0
