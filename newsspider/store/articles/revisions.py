"""Keeps what an article was before a later visit found it changed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from newsspider.core.article_fields import REVISED
from newsspider.core.model import StoredArticle
from newsspider.core.scheduling.article_changes import Change, Edit, Version, change_of
from newsspider.store.articles import boilerplate_lines, snapshots
from newsspider.store.engine.statement import Statement
from newsspider.store.index import entries
from newsspider.store.saved import Saved

TOPIC = "topic"  # part of a revision since which the page is off the topic of its article

_COLUMNS = ("key", "url", "site", "changed_at", "parts", "edits", *REVISED, "further")
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


def change(conn: Connection, before: Mapping[str, Any], article: StoredArticle) -> Change:
    """What changed of an article: ``before`` is its row, with the title and the time that the URL itself gave."""
    then = Version(before["title"], before["text"], _moment(before["published_at"]), _moment(before["crawled_at"]))
    now = Version(article.title, article.text, article.published_at, article.crawled_at)
    around = boilerplate_lines.of_site(conn, article.site) if then.text != now.text else ()
    return change_of(then, now, around)


def add(
    conn: Connection, key: int, before: Mapping[str, Any], parts: Sequence[str], edits: Sequence[Edit], now: float
) -> None:
    """Keep the row of an article as it is, for what it shows at this URL has changed, or is off its topic."""
    added = _ADD.run(
        conn,
        {
            "key": key, "url": before["own_url"], "site": before["site"], "changed_at": now, "parts": json.dumps(parts),
            "edits": json.dumps(edits, ensure_ascii=False), **{name: before[name] for name in REVISED},
            "further": before["parts"],
        },
    )  # fmt: skip
    snapshots.name_further(conn, added.scalar(), before["parts"])
    entries.add_revision(conn, added.scalar())


def forget(conn: Connection, key: int) -> int:
    """Remove what is kept of a URL; returns how many revisions there were."""
    rows = _OF.run(conn, {"key": key}).all()
    for row in rows:
        entries.drop_revision(conn, row.id)
    _DROP.change(conn, {"key": key})
    names = {row.snapshot for row in rows}.union(*(snapshots.further(row.further) for row in rows))
    snapshots.drop(conn, names - {""})
    return len(rows)


def of_url(conn: Connection, key: int) -> list[dict[str, Any]]:
    """What is kept of a URL, the oldest first, ``parts``, ``edits`` and ``further`` as lists."""
    return [told(row._asdict()) for row in _ALL_OF.run(conn, {"key": key})]


def told(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A row of ``revisions`` with its lists as lists."""
    return {**row, **{name: json.loads(row[name]) for name in ("parts", "edits", "further")}}


def count_visits(conn: Connection, pages: Iterable[Saved]) -> None:
    """Count the visits to stored articles, and those whose text had changed.

    The rows of the sites are written in one order, so that of two writers neither waits for the other in a ring.
    """
    found: dict[str, list[bool]] = defaultdict(list)
    for page in pages:
        if page.visited:
            found[page.lease.site].append("text" in page.changed)
    rows = [{"site": site, "visits": len(changes), "changes": sum(changes)} for site, changes in sorted(found.items())]
    _COUNT.change_many(conn, rows)


def visits(conn: Connection) -> dict[str, tuple[int, int]]:
    """By site, how often its articles were visited again, and how often their text had changed."""
    return {row.site: (row.visits, row.changes) for row in _COUNTS.run(conn, {})}


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
