"""What the ledger makes of settled leases."""

from dataclasses import replace

from sqlalchemy import text

from newsspider.core.crawling.visit import Settlement
from newsspider.core.model import PageType, Reason, State
from newsspider.store import ledger
from tests.support.samples import NOW, STORED, URL, lease_on, row


def host(conn, name="a.cn"):
    return conn.execute(text("SELECT * FROM hosts WHERE host = :host"), {"host": name}).one()


def test_a_settled_lease_is_written_as_it_stands(conn):
    lease = lease_on(conn, URL)
    done = replace(STORED, due_at=NOW + 60, kind=PageType.BLOG, etag="e", last_modified="m", body_hash="b", detail="d", topic="t")
    assert ledger.settle(conn, lease, done)
    entry = row(conn)
    assert (entry.state, entry.reason, entry.detail, entry.due_at, entry.kind) == ("done", "stored", "d", NOW + 60, "blog")
    assert (entry.etag, entry.last_modified, entry.body_hash, entry.topic) == ("e", "m", "b", "t")
    assert (entry.last_status, entry.last_fetched_at, entry.fetch_count, entry.change_count) == (200, NOW, 1, 0)
    assert (entry.lease_worker, entry.lease_ends_at, entry.lease_state) == (None, None, None)


def test_a_failure_counts_no_fetch_and_keeps_the_validators(conn):
    ledger.settle(conn, lease_on(conn, URL), replace(STORED, etag="e", body_hash="b"))
    failed = Settlement(State.DONE, Reason.RETRY, NOW + 60, failures=1, status=500, fetched_at=NOW + 9)
    ledger.settle(conn, lease_on(conn, URL, NOW + 9), failed)
    entry = row(conn)
    assert (entry.fetch_count, entry.failures, entry.last_status, entry.last_fetched_at) == (1, 1, 500, NOW + 9)
    assert (entry.etag, entry.body_hash) == ("e", "b")


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
    host_row = host(conn)
    assert (host_row.pages, host_row.last_visit_at, host_row.next_at) == (3, NOW + 6, NOW + 3)
    assert (host_row.delay, host_row.delay_reason, host_row.latency) == (3.0, "crawl_delay", 0.2)
    assert host_row.addresses == "10.0.0.1 10.0.0.12"


def test_the_pauses_of_a_host_are_counted_until_it_answers(conn):
    down = Settlement(State.WAITING, Reason.TIMEOUT, NOW + 60, fetched_at=NOW, host_next_at=NOW + 60, host_pause=True)
    for number in range(3):
        ledger.settle(conn, lease_on(conn, f"http://a.cn/{number}", NOW), down)
        assert (host(conn).failures, host(conn).paused_until) == (number + 1, NOW + 60)
    ledger.settle(conn, lease_on(conn, "http://a.cn/well"), STORED)
    assert host(conn).failures == 0
