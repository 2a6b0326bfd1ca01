"""How the databases look for what is due: by their indexes, never through all URLs."""

from functools import partial

import pytest
from sqlalchemy import Engine

from bench.growth import NOW as NOW_FILLED
from bench.growth import World
from bench.growth_world import UNREAD_TOPIC, fill
from newsspider.store import ledger, pages
from tests.support.plans import UNINDEXED, Plans
from tests.support.samples import NOW, allow, claimed, offer
from tests.support.stores import on_sqlite

URLS = 5_000


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
