"""What is left to do."""

from __future__ import annotations

from newsspider.store import ledger
from tests.store.samples import STORED, URL, lease_on


def test_nothing_is_due_in_an_empty_ledger_and_a_lease_may_come_back(conn):
    assert ledger.next_due(conn) is None
    lease = lease_on(conn, URL)
    assert ledger.next_due(conn, revisit_before=0.0) == lease.ends_at
    ledger.settle(conn, lease, STORED)
    assert ledger.next_due(conn) is None
