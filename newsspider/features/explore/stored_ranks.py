"""Reads the ranks of pages that ``scrapy graph rank`` stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, select

from newsspider.commands.explain import shown_moment
from newsspider.features.explore.tables import ranks
from newsspider.store.engine.statement import Statement
from newsspider.store.tables import urls

SHOWN_AS = {"parent_indegree": "father"}  # column: its field in JSON
FIGURES = ("pagerank", "hub", "authority", "weight", "indegree", "parent_indegree", "mirrors")

_HUBS = Statement("SELECT c.site, c.name, r.hub FROM channels c JOIN ranks r ON r.key = c.key")
_ONE = Statement("SELECT r.*, (SELECT count(*) FROM ranks) AS pages FROM ranks r WHERE r.key = :key")


def are_known(conn: Connection) -> bool:
    """Whether any ranks are stored."""
    return conn.execute(select(ranks.c.key).limit(1)).first() is not None


def facts_of(conn: Connection, key: int) -> Iterator[tuple[str, str]]:
    """What ``scrapy explain`` says of the ranks of a URL."""
    row = _ONE.run(conn, {"key": key}).first_as_dict()
    if row is None:
        return
    meaning = f"{row['indegree']} pages link to it, {row['parent_indegree']} to the best known of these"
    yield "weight", f"{row['weight']:.2f}: {meaning}, {row['mirrors']} other hosts mirror it"
    hub_scores = "".join(f", {name} {row[name]:.2g} of 1" for name in ("hub", "authority") if row[name])
    mean = f"PageRank {row['pagerank'] * row['pages']:.2f} times the mean"
    yield "ranks", f"{mean}{hub_scores}; worked out {shown_moment(row['ranked_at'])}"


def hub_scores(conn: Connection) -> dict[tuple[str, str], float]:
    """The hub score of each channel whose list has one, by the names of site and channel."""
    return {(row.site, row.name): row.hub for row in _HUBS.run(conn, {})}


def top_pages(conn: Connection, figure: str, limit: int, site: str | None = None) -> list[dict[str, Any]]:
    """The URLs with the highest value of one of the :data:`FIGURES`, without those of value 0; of one site or crawl, if
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
