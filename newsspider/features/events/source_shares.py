"""The shares of sites, outlets, media classes and sub-topics in what was published, beside the time before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from newsspider.store.articles.article_filters import FINDABLE, Filters
from newsspider.store.tables import articles, subtopics

FACETS = {
    "site": articles.c.site,
    "source": func.coalesce(articles.c.source, ""),
    "media": articles.c.media_class,
    "subtopic": subtopics.c.name,
}


class Share(NamedTuple):
    """How many articles a site, say, has among all of a period, and had among those of the period before."""

    facet: str
    name: str
    articles: int
    of: int
    before: int
    of_before: int

    @property
    def share(self) -> float:
        """Its share now."""
        return self.articles / max(self.of, 1)

    @property
    def change(self) -> float:
        """How much that is more than before."""
        return self.share - self.before / max(self.of_before, 1)

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return {**self._asdict(), "share": round(self.share, 4), "change": round(self.change, 4)}


def facet_shares(conn: Connection, filters: Filters, limit: int) -> list[Share]:
    """The largest shares of each facet from ``filters.since`` to ``filters.until``, both required, beside those of the
    equally long period before. An article has a source only if it names one, and any number of sub-topics."""
    assert filters.since is not None
    assert filters.until is not None
    earlier = replace(filters, since=filters.since - (filters.until - filters.since), until=filters.since)
    times = [filters, earlier]
    totals = [_counted(conn, period, None) for period in times]
    rows: list[Share] = []
    for facet in FACETS:
        present, past = (_counted(conn, period, facet) for period in times)
        largest = sorted((name for name in present if name), key=lambda name: (-present[name], name))[:limit]
        rows += [Share(facet, name, present[name], totals[0][""], past.get(name, 0), totals[1][""]) for name in largest]
    return rows


def _counted(conn: Connection, filters: Filters, facet: str | None) -> dict[str, int]:
    """How many articles have each value of a facet; all of them under an empty name without one."""
    conditions: Sequence[Any] = (FINDABLE, *filters.conditions())
    if facet is None:
        return {"": int(conn.execute(select(func.count()).select_from(articles).where(*conditions)).scalar_one())}
    joined = articles.join(subtopics, subtopics.c.article_id == articles.c.id) if facet == "subtopic" else articles
    column = FACETS[facet]
    rows = conn.execute(select(column, func.count()).select_from(joined).where(*conditions).group_by(column))
    return {name: int(count) for name, count in rows}
