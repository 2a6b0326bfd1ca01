"""Pages over which internal errors are counted, and those of which an outage says nothing."""

from dataclasses import replace

from sqlalchemy import Connection

from newsspider.core.crawling.outcome import INTERNAL_PROCESSES, INTERNAL_SECONDS, internal
from newsspider.core.crawling.visit import Lease
from newsspider.store import ledger
from newsspider.store.ledger import queues
from tests.support.samples import NOW, STORED, claimed, lease_on, row

URL = "http://a.cn/news/1.html"
SITE = "站"


def failed(conn: Connection, faults: int = 0) -> Lease:
    """A page over which we fail, as so many processes did before."""
    lease = replace(lease_on(conn, URL, site=SITE), faults=faults)
    assert ledger.settle(conn, lease, internal(lease, NOW, 10.0, 1, "ValueError"))
    return lease


def test_a_page_over_which_we_failed_is_counted_until_it_is_answered(conn: Connection) -> None:
    failed(conn)
    assert (ledger.faulty(conn, {SITE}), ledger.faulty(conn, {"another"})) == (1, 0)
    (lease,) = claimed(conn, now=NOW + 60)
    assert lease.faults == 1
    ledger.settle(conn, lease, STORED)
    assert ledger.faulty(conn, {SITE}) == 0


def test_a_page_that_is_given_up_is_left_undone_no_longer(conn: Connection) -> None:
    failed(conn, INTERNAL_PROCESSES - 1)
    assert row(conn, URL).state == "error"
    assert ledger.faulty(conn, {SITE}) == 0


def test_an_outage_is_not_counted_against_a_page(conn: Connection) -> None:
    lease = failed(conn)
    due_at = row(conn, URL).due_at
    ledger.forgive(conn, [lease.key], NOW)
    entry = row(conn, URL)
    assert (entry.state, entry.reason, entry.internal_errors, entry.due_at) == ("waiting", "retry", 0, due_at)


def test_a_page_that_was_given_up_in_an_outage_waits_again(conn: Connection) -> None:
    lease = failed(conn, INTERNAL_PROCESSES - 1)
    ledger.forgive(conn, [lease.key], NOW)
    entry = row(conn, URL)
    assert (entry.state, entry.reason, entry.internal_errors) == ("waiting", "retry", INTERNAL_PROCESSES - 1)
    assert entry.due_at == NOW + INTERNAL_SECONDS
    waiting = [queue_row for queue_row in queues.rows(conn, [entry.host]) if queue_row.queue == queues.WAITING]
    assert [queue_row.due_at for queue_row in waiting] == [entry.due_at]


def test_a_page_that_was_answered_since_stays_as_it_is(conn: Connection) -> None:
    lease = lease_on(conn, URL, site=SITE)
    ledger.settle(conn, lease, STORED)
    old_row = row(conn, URL)
    ledger.forgive(conn, [lease.key, 77], NOW)
    assert row(conn, URL) == old_row
