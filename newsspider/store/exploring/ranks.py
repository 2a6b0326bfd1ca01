"""The ranks of pages by the links of the store: computes them, stores them in the table ``ranks``, and reads them."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection, Engine, RowMapping, delete, insert, select, text

from newsspider.core.strategies.ranks import JUMP, Floats, Numbers, hits, page_weight, pagerank, shares, votes
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import reading, writing
from newsspider.store.engine.statement import Inserts, Statement, in_order
from newsspider.store.exploring import graph as stored
from newsspider.store.exploring.graph import Keys, Note, places
from newsspider.store.tables import batch_jobs, ranks, urls

SHOWN_AS = {"parent_indegree": "father"}  # column: its field in JSON
KIND = "rank"  # the kind of the row of ``batch_jobs`` that says when all ranks were written
RANK_COLUMNS = ("pagerank", "hub", "authority", "weight")  # that pages can be ordered by
ROWS_AT_ONCE = 2000  # rows of a transaction
PAUSE_SECONDS = 0.02  # between two transactions: SQLite's lock is not fair

_EARLIER = Statement("SELECT key, pagerank, hub FROM ranks WHERE key > :after ORDER BY key LIMIT :count")
_KEEP = Inserts(
    """
    INSERT INTO ranks (key, pagerank, hub, authority, weight, indegree, parent_indegree, mirrors, ranked_at)
    VALUES (:key, :pagerank, :hub, :authority, :weight, :indegree, :parent_indegree, :mirrors, :ranked_at)
    ON CONFLICT (key) DO UPDATE SET pagerank = excluded.pagerank, hub = excluded.hub, authority = excluded.authority,
        weight = excluded.weight, indegree = excluded.indegree, parent_indegree = excluded.parent_indegree,
        mirrors = excluded.mirrors, ranked_at = excluded.ranked_at
    WHERE ranks.ranked_at <= excluded.ranked_at
    """,
    ranks,
)
_DROP_OLD = Statement("DELETE FROM ranks WHERE ranked_at < :now")
_RANKED_AT = Statement("SELECT max(began_at) FROM batch_jobs WHERE kind = :kind")
_HUBS = text("SELECT c.site, c.name, r.hub FROM channels c JOIN ranks r ON r.key = c.key")
_ONE = text("SELECT r.*, (SELECT count(*) FROM ranks) AS pages FROM ranks r WHERE r.key = :key")


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
        names = ("pagerank", "hub", "authority", "weight", "indegree", "parent_indegree", "mirrors")
        columns = [getattr(self, name)[start : start + count].tolist() for name in names]
        keys = self.keys[start : start + count].tolist()
        rows = zip(keys, zip(*columns, strict=True), strict=True)
        return [{"key": key, **dict(zip(names, figures, strict=True)), "ranked_at": now} for key, figures in rows]


def rank(engine: Engine, note: Note = lambda links: None) -> Ranked:
    """Compute the ranks from one state of the store, starting from the stored ones; nothing is written."""
    with reading(engine) as conn:
        conn.detach()  # closed afterwards: nobody needs its cache, full of links, until the next time
        graph = stored.read(conn, note)
        last_pagerank, hubs = _earlier(conn, graph.keys)
    computed = pagerank(graph.links, votes(graph.links, graph.sites), last_pagerank)
    lists = hits(graph.shown, shares(graph.shown, graph.sites), hubs, JUMP)
    indegree, father = graph.links.indegrees, graph.links.fathers
    return Ranked(
        graph.keys, computed.scores, lists.hubs, lists.authorities,
        page_weight(indegree, father, graph.mirrors, graph.directories), indegree, father, graph.mirrors,
        len(graph.links.sources), len(graph.shown.sources), computed.sweeps, lists.sweeps,
    )  # fmt: skip


def keep(engine: Engine, ranked: Ranked, now: float, clock: Clock, note: Note = lambda rows: None) -> None:
    """Store these ranks in small transactions, beside other writers; ranks of a later moment stay. Only after the last
    transaction the ranks count as new."""
    for start in range(0, len(ranked.keys), ROWS_AT_ONCE):
        with writing(engine, alone=False) as conn:
            rows = _KEEP.change(conn, ranked.rows(start, ROWS_AT_ONCE, now))
        note(rows)
        time.sleep(PAUSE_SECONDS)
    with writing(engine, alone=False) as conn:
        _finish(conn, ranked, now, clock)


def renew(engine: Engine, now: float, clock: Clock) -> dict[str, int]:
    """Compute and store the ranks of all pages; returns the numbers of ``pages`` and ``links``."""
    ranked = rank(engine)
    keep(engine, ranked, now, clock)
    return {"pages": len(ranked.keys), "links": ranked.links}


def _finish(conn: Connection, ranked: Ranked, now: float, clock: Clock) -> None:
    """Note that all rows of this moment are written, and remove older ones: no link joins their pages any more."""
    _DROP_OLD.change(conn, {"now": now})
    conn.execute(delete(batch_jobs).where(batch_jobs.c.kind == KIND))
    figures = json.dumps({"pages": len(ranked.keys), "links": ranked.links})
    conn.execute(
        insert(batch_jobs).values(
            kind=KIND, arguments="", last_id=0, figures=figures, began_at=now, finished_at=clock.now()
        )
    )


def ranked_at(conn: Connection) -> float | None:
    """The moment of the last ranks that were written completely."""
    moment: float | None = _RANKED_AT.run(conn, {"kind": KIND}).scalar()
    return moment


def are_due(conn: Connection, moment: float) -> bool:
    """Whether there are links, but no ranks that are newer than this moment."""
    last = ranked_at(conn)
    return (last is None or last <= moment) and stored.has_links(conn)


def of_key(conn: Connection, key: int) -> RowMapping | None:
    """The ranks of a URL, with the number of all ranked ``pages``."""
    return conn.execute(_ONE, {"key": key}).mappings().first()


def hub_scores(conn: Connection) -> dict[tuple[str, str], float]:
    """The hub score of each channel whose list has one, by the names of site and channel."""
    return {(row.site, row.name): row.hub for row in conn.execute(_HUBS)}


def top(conn: Connection, figure: str, limit: int, site: str | None = None) -> list[dict[str, Any]]:
    """The URLs with the highest value of one of the :data:`RANK_COLUMNS`, without those of value 0; of one site or crawl, if
    given."""
    order = ranks.c[figure]
    figures = [column.label(SHOWN_AS.get(column.name, column.name)) for column in ranks.c if column.name != "key"]
    columns = [urls.c.url, urls.c.site, urls.c.channel, urls.c.kind, *figures]
    query = select(*columns).join_from(ranks, urls, urls.c.key == ranks.c.key)
    if site is not None:
        query = query.where(urls.c.site == site)
    if figure != "weight":  # which may be below 0
        query = query.where(order > 0)
    return [dict(row) for row in conn.execute(query.order_by(order.desc(), urls.c.url).limit(limit)).mappings()]


def _earlier(conn: Connection, keys: Keys) -> tuple[Floats, Floats]:
    """The stored PageRank and hub score of each page, NaN where it has none."""
    pageranks, hubs = np.full(len(keys), np.nan), np.full(len(keys), np.nan)
    for rows in in_order(conn, _EARLIER):
        at = places(keys, np.array([key for key, *_ in rows], np.int64))
        figures = np.array([scores for _, *scores in rows])[at >= 0]
        pageranks[at[at >= 0]], hubs[at[at >= 0]] = figures[:, 0], figures[:, 1]
    return pageranks, hubs
