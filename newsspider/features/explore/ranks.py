"""Computes the ranks of pages by the links of the store, and stores them in the table ``ranks``."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine

from newsspider.core.links.page_weight import page_weight
from newsspider.features.explore.graph import Keys, Note, read_graph
from newsspider.features.explore.rules.link_analysis import (
    JUMP_SHARE,
    Floats,
    Numbers,
    hits,
    link_shares,
    link_votes,
    pagerank,
)
from newsspider.features.explore.stored_ranks import FIGURES
from newsspider.features.explore.tables import ranks
from newsspider.store.engine.database import reading, writing
from newsspider.store.engine.statement import Inserts, Statement

ROWS_AT_ONCE = 2000  # rows of a transaction
PAUSE_SECONDS = 0.02  # between two transactions: SQLite's lock is not fair

_KEEP = Inserts(
    f"""
    INSERT INTO ranks (key, {", ".join(FIGURES)}, ranked_at)
    VALUES (:key, {", ".join(f":{name}" for name in FIGURES)}, :ranked_at)
    ON CONFLICT (key) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in FIGURES)},
        ranked_at = excluded.ranked_at
    WHERE ranks.ranked_at <= excluded.ranked_at
    """,
    ranks,
)
_DROP_OLD = Statement("DELETE FROM ranks WHERE ranked_at < :now")


@dataclass(frozen=True, slots=True)
class Ranked:
    """The ranks of all pages that links join, in the order of their keys, and the size of the computation."""

    keys: Keys
    pagerank: Floats
    hub: Floats
    authority: Floats
    weight: Floats
    indegree: Numbers
    parent_indegree: Numbers
    mirrors: Numbers
    links: int
    shown: int  # links that lists show
    sweeps: int  # of PageRank
    hub_sweeps: int

    def rows(self, start: int, count: int, now: float) -> list[dict[str, Any]]:
        """``count`` rows of the table, beginning with the page number ``start``."""
        columns = [getattr(self, name)[start : start + count].tolist() for name in ("keys", *FIGURES)]
        rows = (dict(zip(("key", *FIGURES), row, strict=True)) for row in zip(*columns, strict=True))
        return [row | {"ranked_at": now} for row in rows]


def rank(engine: Engine, note: Note = lambda links: None) -> Ranked:
    """Compute the ranks from one state of the store; nothing is written."""
    with reading(engine) as conn:
        conn.detach()  # closed afterwards: nobody needs its cache, full of links, until the next time
        graph = read_graph(conn, note)
    computed = pagerank(graph.links, link_votes(graph.links, graph.sites))
    lists = hits(graph.shown, link_shares(graph.shown, graph.sites), JUMP_SHARE)
    indegree, father = graph.links.indegrees, graph.links.fathers
    return Ranked(
        graph.keys,
        computed.scores,
        lists.hubs,
        lists.authorities,
        page_weight(indegree, father, graph.mirrors, graph.directories),
        indegree,
        father,
        graph.mirrors,
        len(graph.links.sources),
        len(graph.shown.sources),
        computed.sweeps,
        lists.sweeps,
    )


def keep(engine: Engine, ranked: Ranked, now: float, note: Note = lambda rows: None) -> None:
    """Store these ranks in small transactions, beside other writers, and remove older ones: no link joins their pages
    any more. Ranks of a later moment stay."""
    for start in range(0, len(ranked.keys), ROWS_AT_ONCE):
        with writing(engine, alone=False) as conn:
            rows = _KEEP.change(conn, ranked.rows(start, ROWS_AT_ONCE, now))
        note(rows)
        time.sleep(PAUSE_SECONDS)
    with writing(engine, alone=False) as conn:
        _DROP_OLD.change(conn, {"now": now})
