"""Revisions: keeps the earlier versions of articles that a later visit found changed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from newsspider.core.model import REVISED_FIELDS, StoredArticle, Version
from newsspider.core.scheduling.article_changes import Change, Edit, change_of
from newsspider.store.articles import boilerplate_lines, snapshots
from newsspider.store.engine.statement import Statement
from newsspider.store.index import entries
from newsspider.store.saved import Saved

TOPIC = "topic"  # the part of a revision with which the page went off topic

_COLUMNS = ("key", "url", "site", "changed_at", "parts", "edits", *REVISED_FIELDS, "further")
_ADD = Statement(
    f"INSERT INTO revisions ({', '.join(_COLUMNS)}) VALUES ({', '.join(f':{name}' for name in _COLUMNS)}) RETURNING id"
)
_OF = Statement("SELECT id, snapshot, further FROM revisions WHERE key = :key")
_DROP = Statement("DELETE FROM revisions WHERE key = :key")
_ALL_OF = Statement("SELECT * FROM revisions WHERE key = :key ORDER BY changed_at, id")
_COUNT = Statement(
    """
    INSERT INTO revisit_counters (site, visits, changes) VALUES (:site, :visits, :changes)
    ON CONFLICT (site) DO UPDATE SET visits = revisit_counters.visits + excluded.visits,
                                     changes = revisit_counters.changes + excluded.changes
    """
)
_COUNTS = Statement("SELECT site, visits, changes FROM revisit_counters")


def change(conn: Connection, stored: Mapping[str, Any], article: StoredArticle) -> Change:
    """What has changed since the ``stored`` row of an article, with the title and the time of the URL's own page."""
    former = Version(stored["title"], stored["text"], _moment(stored["published_at"]), _moment(stored["crawled_at"]))
    present = Version(article.title, article.text, article.published_at, article.crawled_at)
    around = boilerplate_lines.of_site(conn, article.site) if former.text != present.text else ()
    return change_of(former, present, around)


def add(
    conn: Connection, key: int, stored: Mapping[str, Any], parts: Sequence[str], edits: Sequence[Edit], now: float
) -> None:
    """Keep the present row of an article as a revision of this URL, which has changed or gone off topic."""
    added = _ADD.run(
        conn,
        {
            "key": key,
            "url": stored["own_url"],
            "site": stored["site"],
            "changed_at": now,
            "parts": json.dumps(parts),
            "edits": json.dumps(edits, ensure_ascii=False),
            **{name: stored[name] for name in REVISED_FIELDS},
            "further": stored["parts"],
        },
    )
    snapshots.name_further(conn, added.scalar(), stored["parts"])
    entries.add_revision(conn, added.scalar())


def forget(conn: Connection, key: int) -> int:
    """Remove the revisions of a URL; returns how many there were."""
    rows = _OF.run(conn, {"key": key}).all()
    for row in rows:
        entries.drop_revision(conn, row.id)
    _DROP.change(conn, {"key": key})
    names = {row.snapshot for row in rows}.union(*(snapshots.further(row.further) for row in rows))
    snapshots.drop(conn, names - {""})
    return len(rows)


def of_url(conn: Connection, key: int) -> list[dict[str, Any]]:
    """The revisions of a URL, the oldest first, ``parts``, ``edits`` and ``further`` as lists."""
    return [decoded(row._asdict()) for row in _ALL_OF.run(conn, {"key": key})]


def decoded(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A row of ``revisions`` with its JSON columns as lists."""
    return {**row, **{name: json.loads(row[name]) for name in ("parts", "edits", "further")}}


def count_visits(conn: Connection, pages: Iterable[Saved]) -> None:
    """Count the visits to stored articles, and those whose text had changed.

    All writers write the rows of sites in one order, so that they do not deadlock.
    """
    changed_of_site: dict[str, list[bool]] = defaultdict(list)
    for page in pages:
        if page.visited:
            changed_of_site[page.lease.site].append("text" in page.changed)
    _COUNT.change_many(
        conn,
        [
            {"site": site, "visits": len(changed), "changes": sum(changed)}
            for site, changed in sorted(changed_of_site.items())
        ],
    )


def visits(conn: Connection) -> dict[str, tuple[int, int]]:
    """By site, how often its articles were revisited, and how often their text had changed."""
    return {row.site: (row.visits, row.changes) for row in _COUNTS.run(conn, {})}


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
