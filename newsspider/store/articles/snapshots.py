"""Snapshots (no HTTP cache): the bytes of pages as fetched, compressed, each stored once, for as long as an article
names them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from newsspider.core.model import StoredArticle
from newsspider.core.url import url_key
from newsspider.store.engine.statement import Statement, rows_among

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# Zstandard (RFC 8878): a page of 49 kB in 0.11 ms to 27 %; zlib takes 0.43 ms to 29 % or 0.84 ms to 26 %
SNAPSHOT_LEVEL = 1

_ADD = Statement(
    "INSERT INTO snapshots (name, content) VALUES (:name, :content)"
    " ON CONFLICT (name) DO UPDATE SET name = excluded.name"  # locks it until the article that names it is stored
)
_OF = Statement("SELECT snapshot, parts FROM articles WHERE id = :id")
USED = """
    SELECT id FROM articles WHERE snapshot = :name AND snapshot <> ''
    UNION ALL SELECT id FROM revisions WHERE snapshot = :name AND snapshot <> ''
    UNION ALL SELECT article_id FROM article_part_snapshots WHERE snapshot = :name
    UNION ALL SELECT revision_id FROM revision_part_snapshots WHERE snapshot = :name LIMIT 1
    """  # each part uses an index
_USED = Statement(USED)
_LOCK = Statement("SELECT name FROM snapshots WHERE name = :name [FOR UPDATE]")
_DROP = Statement("DELETE FROM snapshots WHERE name = :name")
_NAME_PART = Statement("INSERT INTO article_part_snapshots (article_id, snapshot) VALUES (:id, :snapshot)")
_FORGET_PARTS = Statement("DELETE FROM article_part_snapshots WHERE article_id = :id")
_NAME_FURTHER = Statement("INSERT INTO revision_part_snapshots (revision_id, snapshot) VALUES (:id, :snapshot)")
_FORGET_FURTHER = Statement("DELETE FROM revision_part_snapshots WHERE revision_id = :id")
_ARTICLE = Statement(
    """
    SELECT a.url, a.site, a.snapshot, a.parts, a.charset, a.crawled_at
    FROM article_urls u JOIN articles a ON a.id = u.article_id WHERE u.key = :key
    """
)
_JOINED = Statement("SELECT detail FROM urls WHERE key = :key AND reason = 'joined'")
_REVISION = Statement(
    """
    SELECT url, site, snapshot, further, charset, crawled_at FROM revisions WHERE key = :key
    ORDER BY changed_at DESC, id DESC LIMIT 1 OFFSET :skipped
    """
)
_BARE = Statement("UPDATE articles SET snapshot = '', parts = :parts WHERE id = :id")
_NAMES = "SELECT name FROM snapshots WHERE name IN ({keys})"
_CONTENTS = "SELECT name, content FROM snapshots WHERE name IN ({keys})"


class Snapshot(NamedTuple):
    """A page as it was fetched; ``charset`` is the one by which it was decoded, ``crawled_at`` when (ISO 8601)."""

    url: str
    site: str
    charset: str
    crawled_at: str
    content: bytes


def keep(conn: Connection, articles: Iterable[StoredArticle]) -> None:
    """Store the pages that articles came with, of each its last one, if the article names it."""
    add(
        conn,
        {
            name: article.content
            for article in articles
            if (name := article.parts[-1].snapshot if article.parts else article.snapshot) and article.content
        },
    )


def add(conn: Connection, pages: Mapping[str, bytes]) -> None:
    """Store pages under their names."""
    _ADD.change_many(
        conn,
        [{"name": name, "content": zstd.compress(content, SNAPSHOT_LEVEL)} for name, content in sorted(pages.items())],
    )


def lock(conn: Connection, name: str) -> bool:
    """Keep the page of this name until the caller's transaction ends; ``False`` if it is not stored."""
    return _LOCK.run(conn, {"name": name}).first() is not None


def names_of(conn: Connection, article_id: int) -> set[str]:
    """The snapshots of an article and of its further pages."""
    row = _OF.run(conn, {"id": article_id}).one()
    return {row.snapshot, *further(row.parts)} - {""}


def further(parts: str) -> set[str]:
    """The snapshots that a list of further pages (JSON) names."""
    return {part["snapshot"] for part in json.loads(parts)} - {""}


def name_parts(conn: Connection, article_id: int, parts: str) -> None:
    """Replace the rows that say which snapshots the further pages of an article name."""
    _FORGET_PARTS.change(conn, {"id": article_id})
    _NAME_PART.change_many(conn, [{"id": article_id, "snapshot": name} for name in sorted(further(parts))])


def forget_pages(conn: Connection, article_id: int, parts: str) -> None:
    """Let an article with these further pages (JSON) name no snapshots any more."""
    bare = json.dumps([{**part, "snapshot": ""} for part in json.loads(parts)], ensure_ascii=False)
    _BARE.change(conn, {"id": article_id, "parts": bare})
    name_parts(conn, article_id, bare)


def name_further(conn: Connection, revision_id: int, parts: str) -> None:
    """Add the rows that say which snapshots the further pages of a new revision name."""
    _NAME_FURTHER.change_many(conn, [{"id": revision_id, "snapshot": name} for name in sorted(further(parts))])


def forget_further(conn: Connection, revision_ids: Iterable[int]) -> None:
    """Remove the rows that say which snapshots the further pages of these revisions name."""
    _FORGET_FURTHER.change_many(conn, [{"id": revision_id} for revision_id in revision_ids])


def drop(conn: Connection, names: Iterable[str]) -> None:
    """Delete those of these snapshots that nothing names any more."""
    for name in sorted(names):
        _LOCK.run(conn, {"name": name})
        if _USED.run(conn, {"name": name}).first() is None:
            _DROP.change(conn, {"name": name})


def pages_of(conn: Connection, url: str) -> list[Snapshot]:
    """The pages of the article that a URL shows, in order; for the URL of a further page, only that page."""
    row, pages = _shown(conn, url)
    return _kept(conn, row, pages)


def has_pages(conn: Connection, url: str) -> bool:
    """Whether :func:`pages_of` returns any, without reading them."""
    names = [name for _, name in _shown(conn, url)[1]]
    return bool(kept(conn, names))


def _shown(conn: Connection, url: str) -> tuple[Any, list[tuple[str, str]]]:
    """The article that a URL shows, and the URLs and names of its pages; for a further page only of that one."""
    first = _JOINED.run(conn, {"key": url_key(url)}).scalar()
    row = _ARTICLE.run(conn, {"key": url_key(first or url)}).first()
    pages = [] if row is None else _named(row, row.parts)
    return row, [(page, name) for page, name in pages if not first or page == url]


def revision_of(conn: Connection, url: str, number: int) -> list[Snapshot]:
    """The pages of the ``number``-th last revision of the article at a URL, from 1; empty if they were not kept."""
    row = _REVISION.run(conn, {"key": url_key(url), "skipped": number - 1}).first()
    return [] if row is None else _kept(conn, row, _named(row, row.further))


def _named(row: Any, further: str) -> list[tuple[str, str]]:
    """The URLs and names of the kept pages of an article: its own and the ``further`` ones."""
    pages = [(row.url, row.snapshot), *((part["url"], part["snapshot"]) for part in json.loads(further))]
    return [(page, name) for page, name in pages if name]


def _kept(conn: Connection, row: Any, pages: Sequence[tuple[str, str]]) -> list[Snapshot]:
    """Those pages of an article that are still stored."""
    stored = snapshot_contents(conn, [name for _, name in pages])
    return [
        Snapshot(page, row.site, row.charset, row.crawled_at, stored[name]) for page, name in pages if name in stored
    ]


def kept(conn: Connection, names: Iterable[str]) -> set[str]:
    """Those of these names whose pages are stored."""
    return {row.name for row in rows_among(conn, _NAMES, names)}


def snapshot_contents(conn: Connection, names: Iterable[str]) -> dict[str, bytes]:
    """The stored pages with these names, as they were fetched."""
    return {row.name: zstd.decompress(bytes(row.content)) for row in rows_among(conn, _CONTENTS, names)}
