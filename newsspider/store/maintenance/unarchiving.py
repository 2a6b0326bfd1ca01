"""Reads an archive back into a store: what is there already is left as it is."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, insert

from newsspider.core.extraction.dates.moments import SHANGHAI
from newsspider.core.model import StoredArticle
from newsspider.store.articles import rows, snapshots, unleased
from newsspider.store.engine.database import writing
from newsspider.store.engine.statement import Statement, batched
from newsspider.store.index import entries
from newsspider.store.maintenance.archives import FURTHER, NoArchive, Part, page_names, parts_of
from newsspider.store.tables import revisions

ROWS_AT_ONCE = 20  # of a transaction, with their pages

_SHOWN = Statement("SELECT article_id FROM article_urls WHERE key = :key")
_BARE = Statement(
    """
    SELECT a.id, a.parts FROM article_urls u JOIN articles a ON a.id = u.article_id
    WHERE u.key = :key AND a.key = u.key AND a.crawled_at = :crawled_at AND a.text = :text AND a.snapshot = ''
    AND u.key NOT IN (SELECT key FROM missing_articles WHERE snapshots_deleted_at IS NOT NULL)
    """
)
_GIVE_PAGES = Statement("UPDATE articles SET snapshot = :snapshot, parts = :parts WHERE id = :id")
_REVISION = Statement("SELECT 1 FROM revisions WHERE key = :key AND changed_at = :changed_at AND text = :text")


def unarchive(engine: Engine, folder: Path) -> Iterator[dict[str, int]]:
    """Store what an archive has and the store has not; yields after each transaction how many articles, revisions and
    articles that got their pages again there were, and the rows read."""
    for part in parts_of(folder):
        offsets = part.offsets()
        for some in batched(part.read(), ROWS_AT_ONCE):
            names = [name for row in some for name in page_names(part.kind, row) if name in offsets]
            pages = dict(zip(names, part.contents(offsets[name] for name in names), strict=True))
            counts = {"rows": len(some), "articles": 0, "pages": 0, "revisions": 0}
            with writing(engine) as conn:
                for row in some:
                    _restore(conn, part, row, pages, counts)
            yield counts


def total(folder: Path) -> int:
    """How many rows an archive has; :exc:`NoArchive` if it is none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = parts_of(folder)
    if not parts:
        raise NoArchive(f"{folder} holds no archive")
    try:
        return sum(pq.read_metadata(part.rows).num_rows for part in parts)
    except pa.ArrowException as error:
        raise NoArchive(f"{folder} cannot be read: {' '.join(str(error).split())}") from None


def _restore(
    conn: Connection, part: Part, row: dict[str, Any], pages: Mapping[str, bytes], counts: dict[str, int]
) -> None:
    if part.kind == "revisions":
        counts["revisions"] += _restore_revision(conn, row, pages)
    else:
        counts["articles"] += _restore_article(conn, row)
        counts["pages"] += _restore_pages(conn, row, pages)


def _restore_article(conn: Connection, row: dict[str, Any]) -> bool:
    """Store an article at each of its URLs that shows none; whether there was one that did."""
    shown = json.loads(row["urls"])
    missing = [page for page in shown if _SHOWN.run(conn, {"key": page["key"]}).first() is None]
    if missing:
        article = replace(rows.article_of(row), snapshot="")
        article.keywords, article.subtopics = tuple(json.loads(row["keywords"])), tuple(json.loads(row["subtopics"]))
        article.parts = tuple(replace(further, snapshot="") for further in article.parts)
        missing.sort(key=lambda page: page["key"] != row["key"])  # its own first
        for page in missing:
            unleased.keep(conn, _at(article, page), page["added_at"], alerted=False)
    return bool(missing)


def _at(article: StoredArticle, page: Mapping[str, Any]) -> StoredArticle:
    """The article as one of its pages shows it."""
    if page["url"] == article.url:
        return replace(article, noindex=bool(page["noindex"]))
    names = ("url", "canonical_url", "site", "channel", "title", "source", "priority")
    seconds = page["published_ts"]
    moment = None if seconds is None else datetime.fromtimestamp(seconds, SHANGHAI)
    return replace(
        article, **{name: page[name] for name in names}, noindex=bool(page["noindex"]), published_at=moment
    )


def _restore_pages(conn: Connection, row: Mapping[str, Any], pages: Mapping[str, bytes]) -> bool:
    """Give an article its pages if it has none and is as it was; whether it got any."""
    there = _BARE.run(conn, row).first()
    names = [name for name in page_names("articles", row) if name in pages]
    if there is None or not names:
        return False
    now, then = json.loads(there.parts), json.loads(row["parts"])
    if [part["url"] for part in now] != [part["url"] for part in then] or snapshots.further(there.parts):
        return False
    parts = _named(row["parts"], pages)
    for name in names:
        snapshots.add(conn, name, pages[name])
    snapshot = row["snapshot"] if row["snapshot"] in pages else ""
    _GIVE_PAGES.change(conn, {"id": there.id, "snapshot": snapshot, "parts": parts})
    snapshots.name_parts(conn, there.id, parts)
    return True


def _restore_revision(conn: Connection, row: Mapping[str, Any], pages: Mapping[str, bytes]) -> bool:
    if _REVISION.run(conn, row).first() is not None:
        return False
    for name in page_names("revisions", row):
        if name in pages:
            snapshots.add(conn, name, pages[name])
    values = {column.name: row[column.name] for column in revisions.columns if column.name != "id"}
    values["snapshot"] = row["snapshot"] if row["snapshot"] in pages else ""
    values["further"] = _named(row[FURTHER["revisions"]], pages)
    number = conn.execute(insert(revisions).values(**values).returning(revisions.c.id)).scalar_one()
    snapshots.name_further(conn, number, values["further"])
    entries.add_revision(conn, number)
    return True


def _named(parts: str, pages: Collection[str]) -> str:
    """Further pages that name only those of these pages that are there."""
    bare = [part if part["snapshot"] in pages else {**part, "snapshot": ""} for part in json.loads(parts)]
    return json.dumps(bare, ensure_ascii=False)
