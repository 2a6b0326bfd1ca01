"""How the databases look for what is due: by their indexes, never through all URLs."""

from __future__ import annotations

from newsspider.store import ledger
from tests.store.conftest import on_sqlite
from tests.store.samples import NOW, allow, claimed, offer


@on_sqlite
def test_a_claim_reads_the_queues_by_their_indexes(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/1")], NOW)
    plans: list[str] = []
    raw = conn.connection.driver_connection
    asked: list[str] = []
    raw.set_trace_callback(asked.append)
    claimed(conn)
    raw.set_trace_callback(None)
    for statement in asked:
        if statement.lstrip().upper().startswith(("SELECT", "UPDATE")):
            plans += [row[3] for row in raw.execute(f"EXPLAIN QUERY PLAN {statement}")]
    assert any("ix_urls_waiting" in plan for plan in plans)
    assert any("ix_urls_due" in plan for plan in plans)
    assert not [plan for plan in plans if plan.startswith(("SCAN urls", "SCAN u "))]
