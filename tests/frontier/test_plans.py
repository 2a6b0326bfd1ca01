"""How the databases look for what is due: by their indexes, never through all URLs."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import pytest
from sqlalchemy import Connection, Engine

from bench.growth import NOW as NOW_FILLED
from bench.growth import World
from bench.growth_world import UNREAD_TOPIC, fill
from newsspider.store import ledger, pages
from tests.support.samples import NOW, allow, claimed, offer
from tests.support.stores import on_sqlite

URLS = 5_000
LARGE = "urls|articles|article_urls|distinct_links|list_links|page_links|fingerprints|search_entries|search_vectors"
# or a row is looked for by another index than that of its key, or all that any topic refused is read
WRONG = (
    rf"Seq Scan on ({LARGE})\b", rf"^SCAN (?!.*USING)({LARGE}|[alsu])\b", r"Filter: \(\(key = '",
    r"ix_urls_state \(state=\? AND reason",
)  # fmt: skip
UNINDEXED = re.compile("|".join(WRONG))

T = TypeVar("T")


@on_sqlite
def test_a_claim_reads_the_queues_by_their_indexes(conn):
    allow(conn, "a.cn")
    ledger.offer(conn, [offer("http://a.cn/1")], NOW)
    plans: list[str] = []
    raw = conn.connection.driver_connection
    statements: list[str] = []
    raw.set_trace_callback(statements.append)
    claimed(conn)
    raw.set_trace_callback(None)
    for statement in statements:
        if statement.lstrip().upper().startswith(("SELECT", "UPDATE")):
            plans += [row[3] for row in raw.execute(f"EXPLAIN QUERY PLAN {statement}")]
    assert any("ix_urls_waiting" in plan for plan in plans)
    assert any("ix_urls_due" in plan for plan in plans)
    assert not [plan for plan in plans if plan.startswith(("SCAN urls", "SCAN u "))]


@pytest.mark.slow
def test_no_step_of_a_page_reads_a_large_table_without_an_index(store: Engine) -> None:
    fill(store, URLS)
    world = World(URLS)
    with store.connect() as conn, conn.begin():
        plans = Plans(conn)
        leases = plans.of(world.claim)
        pages_read = [(world.result(lease), NOW_FILLED) for lease in leases[:2]]
        saved = plans.of(partial(pages.save_all, pages=pages_read))
        plans.of(world.offer)
        plans.of(world.claim_and_release)
        plans.of(partial(ledger.remaining, worker="w"))
        plans.of(ledger.counts)
        plans.of(partial(ledger.refused_by_other_topic, topic="education", now=NOW_FILLED, links=UNREAD_TOPIC))
    assert all(page.settled and page.new_article for page in saved)
    assert len(plans.lines) > 30
    assert [line for line in plans.lines if UNINDEXED.search(line)] == []


class Plans:
    """The lines of the plans by which a database executes a step. It may read the whole of a table only with
    ``may_scan``."""

    def __init__(self, conn: Connection, *, may_scan: bool = False) -> None:
        self.conn = conn
        self.driver: Any = conn.connection.driver_connection
        self.lines: list[str] = []
        if conn.dialect.name == "postgresql":
            # it would rather read the whole of a table that is small yet
            seqscan = f"enable_seqscan = {'on' if may_scan else 'off'}"
            for setting in ("client_min_messages = log", "auto_explain.log_min_duration = 0", seqscan):
                self.driver.execute(f"LOAD 'auto_explain'; SET {setting}")
            self.driver.add_notice_handler(lambda notice: self.lines.extend((notice.message_primary or "").splitlines()))

    def of(self, step: Callable[[Connection], T]) -> T:
        """Run a step and return its result."""
        if self.conn.dialect.name == "postgresql":
            return step(self.conn)
        statements: list[str] = []
        self.driver.set_trace_callback(statements.append)
        try:
            return step(self.conn)
        finally:
            self.driver.set_trace_callback(None)
            for statement in dict.fromkeys(statements):
                if statement.lstrip().upper().startswith(("SELECT", "UPDATE", "DELETE", "INSERT", "WITH")):
                    readable = statement.replace("Inf", "9e999")
                    self.lines += [row[3] for row in self.driver.execute(f"EXPLAIN QUERY PLAN {readable}")]
