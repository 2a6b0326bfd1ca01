"""Reads an archive back into a store; rows that are there already stay as they are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, insert

from newsspider.core.dates.time_and_zone import SHANGHAI
from newsspider.core.model import StoredArticle
from newsspider.core.url import url_key
from newsspider.features.archive.archive_parts import (
    FURTHER_PAGES,
    KINDS_OF_ROWS,
    ArchivePart,
    NoArchiveError,
    pages_of,
    parts_of,
    with_pages,
)
from newsspider.store.articles import article_rows, snapshots
from newsspider.store.engine.database import writing
from newsspider.store.engine.statement import Statement, batched
from newsspider.store.index import entries
from newsspider.store.pages import keep_unleased
from newsspider.store.tables import article_urls, revisions

ROWS_AT_ONCE = 20  # in one transaction

_SHOWN = Statement("SELECT article_id FROM article_urls WHERE key = :key")
_BARE = Statement(
    """
    SELECT a.id, a.parts FROM article_urls u JOIN articles a ON a.id = u.article_id
    WHERE u.key = :key AND a.key = u.key AND a.crawled_at = :crawled_at AND a.text = :text AND a.snapshot = ''
    AND u.key NOT IN (SELECT key FROM missing_articles WHERE snapshots_deleted_at IS NOT NULL)
    """
)
_GIVE_PAGES = Statement("UPDATE articles SET snapshot = :snapshot, parts = :parts WHERE id = :id")
_PAGES_DELETED = Statement("SELECT 1 FROM missing_articles WHERE key = :key AND snapshots_deleted_at IS NOT NULL")
_REVISION = Statement("SELECT 1 FROM revisions WHERE key = :key AND changed_at = :changed_at AND text = :text")


def unarchive(engine: Engine, folder: Path, longest: int) -> Iterator[dict[str, int]]:
    """Store the rows of an archive that the store does not have.

    Yields after each transaction the numbers of rows read, of stored articles and revisions, and of articles that got
    their pages back. If an article was archived more than once, its last version is stored. A part that is damaged, or
    holds a row that cannot be stored, is refused.
    """
    parts = parts_of(folder, longest)
    newest_first = [part for part in reversed(parts) if part.kind == "articles"]
    for part in (*newest_first, *(part for part in parts if part.kind != "articles")):
        stored, offsets = part.verified()
        _check(part, stored)
        for batch in batched(stored, ROWS_AT_ONCE):
            counts = {"rows": len(batch), "articles": 0, "pages": 0, "revisions": 0}
            with writing(engine) as conn:
                for row in batch:
                    if part.kind == "revisions":
                        counts["revisions"] += _restore_revision(conn, part, row, offsets)
                    else:
                        counts["articles"] += _restore_article(conn, row)
                        counts["pages"] += _restore_pages(conn, part, row, offsets)
            yield counts


def total(folder: Path) -> int:
    """The number of rows in an archive; raises :exc:`NoArchiveError`."""
    parts = parts_of(folder, 0) if folder.is_dir() else []
    if not parts:
        raise NoArchiveError(f"{folder} holds no archive")
    return sum(part.row_count() for part in parts)


def _check(part: ArchivePart, stored: list[dict[str, Any]]) -> None:
    for number, row in enumerate(stored, 1):
        try:
            _check_row(part.kind, row)
        except (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError) as error:
            problem = f"no column {error}" if isinstance(error, KeyError) else " ".join(str(error).split())
            raise NoArchiveError(f"row {number} of {part.rows} cannot be stored: {problem:.300}") from None


def _check_row(kind: str, row: Mapping[str, Any]) -> None:
    """Raise one of several errors if a row cannot come from a store."""
    _check_values(KINDS_OF_ROWS[kind], row)
    pages = [row]
    if kind == "articles":
        pages += json.loads(row["urls"])
        article = article_rows.article_of(row)
        for page in pages[1:]:
            _check_values(article_urls, page)
            _at(article, page)
        if not all(isinstance(word, str) for name in ("keywords", "subtopics") for word in json.loads(row[name])):
            raise ValueError("a keyword or sub-topic is no text")
    else:
        for moment in (row["crawled_at"], row["published_at"]):
            datetime.fromisoformat(moment or row["crawled_at"])
        for name in ("parts", "edits"):
            json.loads(row[name])
    for page in pages:
        if page["key"] != url_key(page["url"]):
            raise ValueError(f"{page['url']!r} has another key")
    urls = [page[name] for page in pages for name in ("url", "canonical_url") if page.get(name)]
    for url in (*urls, *(further["url"] for further in json.loads(row[FURTHER_PAGES[kind]]))):
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"{url!r} is no http or https URL")


def _check_values(table: Table, row: Mapping[str, Any]) -> None:
    for column in table.columns:
        value, kind = row[column.name], column.type.python_type
        if value is None and column.nullable:
            continue
        if not isinstance(value, (int, float) if kind is float else kind):
            raise TypeError(f"{column.name} may not be {value!r}")
        if kind in (int, float) and not -(2**63) <= value < 2**63:
            raise ValueError(f"{column.name} may not be {value}")


def _restore_article(conn: Connection, row: dict[str, Any]) -> bool:
    """Store an article at each of its URLs that has none; returns whether there were any."""
    pages = json.loads(row["urls"])
    missing = [page for page in pages if _SHOWN.run(conn, {"key": page["key"]}).first() is None]
    if missing:
        article = replace(article_rows.article_of(row), snapshot="")
        article.keywords, article.subtopics = tuple(json.loads(row["keywords"])), tuple(json.loads(row["subtopics"]))
        article.parts = tuple(replace(further, snapshot="") for further in article.parts)
        missing.sort(key=lambda page: page["key"] != row["key"])  # the main URL first
        for page in missing:
            keep_unleased(conn, _at(article, page), page["added_at"], alerted=False)
    return bool(missing)


def _at(article: StoredArticle, page: Mapping[str, Any]) -> StoredArticle:
    """The article as one of its pages shows it."""
    if page["url"] == article.url:
        return replace(article, noindex=bool(page["noindex"]))
    names = ("url", "canonical_url", "site", "channel", "title", "source", "priority")
    seconds = page["published_ts"]
    moment = None if seconds is None else datetime.fromtimestamp(seconds, SHANGHAI)
    return replace(article, **{name: page[name] for name in names}, noindex=bool(page["noindex"]), published_at=moment)


def _restore_pages(conn: Connection, part: ArchivePart, row: Mapping[str, Any], offsets: Mapping[str, int]) -> bool:
    """Restore the pages of an unchanged article that has none; returns whether it got any."""
    stored = _BARE.run(conn, row).first()
    names = [name for _, name in pages_of("articles", row)]
    if stored is None or not names:
        return False
    now, then = json.loads(stored.parts), json.loads(row["parts"])
    if [further["url"] for further in now] != [further["url"] for further in then] or snapshots.further(stored.parts):
        return False
    for name in names:
        snapshots.add(conn, {name: part.page(name, offsets[name])})
    _GIVE_PAGES.change(conn, {"id": stored.id, "snapshot": row["snapshot"], "parts": row["parts"]})
    snapshots.name_parts(conn, stored.id, row["parts"])
    return True


def _restore_revision(conn: Connection, part: ArchivePart, row: dict[str, Any], offsets: Mapping[str, int]) -> bool:
    if _REVISION.run(conn, row).first() is not None:
        return False
    if _PAGES_DELETED.run(conn, row).first() is not None:
        row = with_pages("revisions", row, ())
    for _, name in pages_of("revisions", row):
        snapshots.add(conn, {name: part.page(name, offsets[name])})
    values = {column.name: row[column.name] for column in revisions.columns if column.name != "id"}
    number = conn.execute(insert(revisions).values(**values).returning(revisions.c.id)).scalar_one()
    snapshots.name_further(conn, number, values["further"])
    entries.add_revision(conn, number)
    return True
