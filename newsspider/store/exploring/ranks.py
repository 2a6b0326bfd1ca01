"""What each page is worth by the links of the store: worked out from all of them, kept in the table ``ranks``, and
asked for."""

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
KIND = "rank"  # of the row of ``batch_jobs`` that says when all ranks were written
FIGURES = ("pagerank", "hub", "authority", "weight")  # by which pages can be ordered
AT_ONCE = 2000  # rows of a transaction
PAUSE_SECONDS = 0.02  # between two transactions: SQLite's lock is not fair

_EARLIER = Statement("SELECT key, pagerank, hub FROM ranks WHERE key > :after ORDER BY key LIMIT :count")
_KEEP = Inserts(
    """
    INSERT INTO ranks (key, pagerank, hub, authority, weight, indegree, parent_indegree, mirrors, ranked_at)
    VALUES (:key, :pagerank, :hub, :authority, :weight, :indegree, :parent_indegree, :mirrors, :ranked_at)
    ON CONFLICT (key) DO UPDATE SET pagerank = excluded.pagerank, hub = excluded.hub, authority = excluded.authority,
        weight = excluded.weight, indegree = excluded.indegree, parent_indegree = excluded.parent_indegree,
        mirrors = excluded.mirrors, ranked_at = excluded.ranked_at
    """,
    ranks,
)
_DROP_OLD = Statement("DELETE FROM ranks WHERE ranked_at < :now")
_LAST = Statement("SELECT began_at, last_id FROM batch_jobs WHERE kind = :kind ORDER BY id DESC LIMIT 1")
_NEWEST_LINK = Statement("SELECT COALESCE(max(id), 0) FROM distinct_links")
_HUBS = text("SELECT c.site, c.name, r.hub FROM channels c JOIN ranks r ON r.key = c.key")
_ONE = text("SELECT r.*, (SELECT count(*) FROM ranks) AS pages FROM ranks r WHERE r.key = :key")


@dataclass(frozen=True, slots=True)
class Ranked:
    """The ranks of all pages that links join, in order of their keys, and what it took to find them."""

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
    newest_link: int  # in ``distinct_links``

    def rows(self, start: int, count: int, now: float) -> list[dict[str, Any]]:
        """So many rows of the table from the page with this number on."""
        names = ("pagerank", "hub", "authority", "weight", "indegree", "parent_indegree", "mirrors")
        columns = [getattr(self, name)[start : start + count].tolist() for name in names]
        keys = self.keys[start : start + count].tolist()
        made = zip(keys, zip(*columns, strict=True), strict=True)
        return [{"key": key, **dict(zip(names, figures, strict=True)), "ranked_at": now} for key, figures in made]


def rank(engine: Engine, note: Note = lambda links: None) -> Ranked:
    """Compute the ranks from one state of the store, beginning with those that it has; nothing is written."""
    with reading(engine) as conn:
        conn.detach()  # closed behind this: nobody needs its cache, full of links, until the next time
        graph = stored.read(conn, note)
        before, hubs = _earlier(conn, graph.keys)
        newest_link = _newest_link(conn)
    found = pagerank(graph.links, votes(graph.links, graph.sites), before)
    lists = hits(graph.shown, shares(graph.shown, graph.sites), hubs, JUMP)
    indegree, father = graph.links.indegrees, graph.links.fathers
    return Ranked(
        graph.keys, found.scores, lists.hubs, lists.authorities,
        page_weight(indegree, father, graph.mirrors, graph.directories), indegree, father, graph.mirrors,
        len(graph.links.sources), len(graph.shown.sources), found.sweeps, lists.sweeps, newest_link,
    )  # fmt: skip


def keep(engine: Engine, ranked: Ranked, now: float, clock: Clock, note: Note = lambda rows: None) -> None:
    """Store these ranks, a few at a time: nobody else changes them, and other writers go on. Ranks that were not stored
    to the end are not new."""
    for start in range(0, len(ranked.keys), AT_ONCE):
        with writing(engine, alone=False) as conn:
            rows = _KEEP.change(conn, ranked.rows(start, AT_ONCE, now))
        note(rows)
        time.sleep(PAUSE_SECONDS)
    with writing(engine, alone=False) as conn:
        _finish(conn, ranked, now, clock)


def renew(engine: Engine, now: float, clock: Clock) -> dict[str, int]:
    """Compute and store the ranks of all pages; the numbers of ``pages`` and of ``links``."""
    ranked = rank(engine)
    keep(engine, ranked, now, clock)
    return {"pages": len(ranked.keys), "links": ranked.links}


def _finish(conn: Connection, ranked: Ranked, now: float, clock: Clock) -> None:
    """Note that all rows of this moment are written, and remove the others: no link joins these pages any more."""
    _DROP_OLD.change(conn, {"now": now})
    conn.execute(delete(batch_jobs).where(batch_jobs.c.kind == KIND))
    figures = json.dumps({"pages": len(ranked.keys), "links": ranked.links})
    conn.execute(
        insert(batch_jobs).values(
            kind=KIND, arguments="", last_id=ranked.newest_link, figures=figures, began_at=now, finished_at=clock.now()
        )
    )


def ranked_at(conn: Connection) -> float | None:
    """Of what moment the ranks are that were last written to the end."""
    last = _LAST.run(conn, {"kind": KIND}).first()
    return None if last is None else float(last.began_at)


def are_due(conn: Connection, before: float) -> bool:
    """Whether the ranks are no newer than this moment, and links that were unknown then have been found since."""
    last = _LAST.run(conn, {"kind": KIND}).first()
    moment, newest_link = (0.0, 0) if last is None else last
    return moment <= before and newest_link != _newest_link(conn)


def _newest_link(conn: Connection) -> int:
    return int(_NEWEST_LINK.run(conn, {}).scalar())


def of_key(conn: Connection, key: int) -> RowMapping | None:
    """The ranks of a URL, and of how many ``pages`` there are any."""
    return conn.execute(_ONE, {"key": key}).mappings().first()


def hub_scores(conn: Connection) -> dict[tuple[str, str], float]:
    """The hub score of each channel whose list has one, by the names of its site and of itself."""
    return {(row.site, row.name): row.hub for row in conn.execute(_HUBS)}


def top(conn: Connection, figure: str, limit: int, site: str | None = None) -> list[dict[str, Any]]:
    """The URLs that have most of one of the :data:`FIGURES`, those that have nothing of it left out; of one site or
    crawl."""
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
    """The PageRank and the hub score that each page had, NaN where it had none."""
    before, hubs = np.full(len(keys), np.nan), np.full(len(keys), np.nan)
    for rows in in_order(conn, _EARLIER):
        at = places(keys, np.array([key for key, *_ in rows], np.int64))
        figures = np.array([scores for _, *scores in rows])[at >= 0]
        before[at[at >= 0]], hubs[at[at >= 0]] = figures[:, 0], figures[:, 1]
    return before, hubs
