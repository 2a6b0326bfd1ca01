"""Archives old rows in WARC and Parquet files, which other programs can read
(:mod:`newsspider.features.archive.archive_parts`).

A part is written under a temporary name, read again, compared with the store, and renamed.
"""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Float, Integer, SmallInteger, select

from newsspider.features.archive.archive_parts import (
    JSON_COLUMNS,
    KINDS_OF_ROWS,
    ArchivePart,
    NoArchiveError,
    pages_of,
    parts_of,
    row_hash,
    table_of,
    unfinished_folders,
    with_pages,
)
from newsspider.store.articles import article_rows, snapshots
from newsspider.store.engine.database import reading
from newsspider.store.engine.statement import rows_among
from newsspider.store.maintenance.backups import PARTIAL, sync_file, sync_folder
from newsspider.store.tables import article_urls, articles, revisions

ROWS_AT_ONCE = 1000  # consecutive rows of one part
PAGES_AT_ONCE = 20  # kept in memory
LOCK = "lock"  # a database without tables, whose lock the writer of the archive holds: it works on any system
DESCRIPTION = "pages as they were fetched, without their HTTP headers: the store keeps none"

_MOMENTS = {"articles": articles.c.crawled_ts, "revisions": revisions.c.changed_at}
_LEDGER = "SELECT key, etag, last_modified, last_fetched_at FROM urls WHERE key IN ({keys})"


class Archived:
    """The hashes of the rows and pages in an archive, kept in a temporary file instead of memory."""

    def __init__(self) -> None:
        self._conn = sqlite3.connect("")  # a temporary file that is deleted with the connection
        self._conn.execute("CREATE TABLE marks (mark BLOB PRIMARY KEY) WITHOUT ROWID").close()

    def add(self, kind: str, rows: list[dict[str, Any]]) -> None:
        """Add rows and their pages."""
        marks = ((mark,) for row in rows for mark in _marks(kind, row))
        self._conn.executemany("INSERT OR IGNORE INTO marks VALUES (?)", marks).close()

    def holds(self, kind: str, row: Mapping[str, Any]) -> bool:
        """Whether the archive has the row unchanged, and each of its pages."""
        holds = "SELECT 1 FROM marks WHERE mark = ?"
        return all(self._conn.execute(holds, (mark,)).fetchone() for mark in _marks(kind, row))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the archive against other writers; raises :exc:`NoArchiveError` if there is one."""
    with ExitStack() as stack:
        try:
            conn = stack.enter_context(closing(sqlite3.connect(folder / LOCK, timeout=0, isolation_level=None)))
            conn.execute("BEGIN EXCLUSIVE").close()
        except sqlite3.DatabaseError as error:
            busy = error.sqlite_errorcode == sqlite3.SQLITE_BUSY
            another = "is being written to by another scrapy store archive"
            problem = another if busy else f"cannot be written to: {error}"
            raise NoArchiveError(f"{folder} {problem}") from None
        yield


def archived(folder: Path, longest: int) -> Archived:
    """The content of an archive; raises :exc:`NoArchiveError` if a part is damaged."""
    has = Archived()
    for part in parts_of(folder, longest) if folder.is_dir() else ():
        has.add(part.kind, part.verified()[0])
    return has


def to_archive(engine: Engine, has: Archived, kind: str, until: float) -> Iterator[list[dict[str, Any]]]:
    """The rows of a kind from before a moment that the archive does not have unchanged, part by part."""
    table, after = KINDS_OF_ROWS[kind], 0
    while True:
        with reading(engine) as conn:
            query = select(table).where(table.c.id > after, _MOMENTS[kind] < until).order_by(table.c.id)
            rows = _whole(conn, kind, [dict(row._mapping) for row in conn.execute(query.limit(ROWS_AT_ONCE))])
        if not rows:
            return
        after = rows[-1]["id"]
        if missing := [row for row in rows if not has.holds(kind, row)]:
            yield missing


def archive(engine: Engine, folder: Path, kind: str, rows: list[dict[str, Any]], has: Archived, longest: int) -> int:
    """Write a part of these rows, and add them to ``has``; returns the number of its pages. Raises
    :exc:`NoArchiveError` if the part differs from the store."""
    for path in unfinished_folders(folder):
        shutil.rmtree(path)
    number = max((part.number for part in parts_of(folder, longest) if part.kind == kind), default=0) + 1
    part = ArchivePart(kind, number, folder / f"{kind}-{number:06}{PARTIAL}", longest)
    part.folder.mkdir()
    with reading(engine) as conn:
        names = _write_pages(conn, part, rows)
    rows = [with_pages(kind, row, names) for row in rows]
    _write_rows(part, rows)
    for path in (part.rows, part.pages):
        sync_file(path)
    if part.verified()[0] != rows:
        raise NoArchiveError(f"{part.folder} does not hold what was written to it: look at the disk")
    sync_folder(part.folder)
    part.folder.rename(folder / part.folder.name.removesuffix(PARTIAL))
    sync_folder(folder)
    has.add(kind, rows)
    return len(names)


def _marks(kind: str, row: Mapping[str, Any]) -> set[bytes]:
    names = ("", *(name for _, name in pages_of(kind, row)))
    return {blake2b(f"{kind}{row['sha256']}{name}".encode(), digest_size=16).digest() for name in names}


def _whole(conn: Connection, kind: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with their URLs, word lists and hashes, and only those pages that the store has."""
    if kind == "articles":
        ids = [row["id"] for row in rows]
        of_article: dict[int, list[dict[str, Any]]] = {}
        order = (article_urls.c.added_at, article_urls.c.key)
        for page in conn.execute(select(article_urls).where(article_urls.c.article_id.in_(ids)).order_by(*order)):
            of_article.setdefault(page.article_id, []).append(dict(page._mapping))
        keywords = article_rows.keywords.of_articles(conn, ids)
        subtopics = article_rows.subtopics.of_articles(conn, ids)
        for row in rows:
            lists = (of_article.get(row["id"], []), keywords.get(row["id"], ()), subtopics.get(row["id"], ()))
            for name, value in zip(JSON_COLUMNS, lists, strict=True):
                row[name] = json.dumps(value, ensure_ascii=False)
    names = snapshots.kept(conn, {name for row in rows for _, name in pages_of(kind, row)})
    return [{**with_pages(kind, row, names), "sha256": row_hash(kind, row)} for row in rows]


def _write_rows(part: ArchivePart, rows: list[dict[str, Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    def kind_of(column: Any) -> Any:
        if isinstance(column.type, Integer | SmallInteger):
            return pa.int64()
        return pa.float64() if isinstance(column.type, Float) else pa.string()

    columns = [(column.name, kind_of(column)) for column in KINDS_OF_ROWS[part.kind].columns]
    more = (*(JSON_COLUMNS if part.kind == "articles" else ()), "sha256")
    schema = pa.schema([*columns, *((name, pa.string()) for name in more)])
    pq.write_table(table_of(part.kind, rows, schema), part.rows, compression="zstd")


def _write_pages(conn: Connection, part: ArchivePart, rows: list[dict[str, Any]]) -> set[str]:
    """Write each page once; returns the names of the pages that the store has."""
    from warcio.warcwriter import WARCWriter

    ledger = {row.key: row for row in rows_among(conn, _LEDGER, {row["key"] for row in rows})}
    pages = [(row, url, name) for row in rows for url, name in pages_of(part.kind, row)]
    names: set[str] = set()
    with part.pages.open("xb") as opened:
        writer = WARCWriter(opened, gzip=True, warc_version="1.1")
        software = f"newsspider {version('newsspider')}"
        about = {"software": software, "format": "WARC File Format 1.1", "description": DESCRIPTION}
        writer.write_record(writer.create_warcinfo_record(part.pages.name, about))
        for at in range(0, len(pages), PAGES_AT_ONCE):
            batch = [page for page in pages[at : at + PAGES_AT_ONCE] if page[2] not in names]
            contents = snapshots.snapshot_contents(conn, {name for _, _, name in batch})
            for row, url, name in batch:
                if name in contents and name not in names:
                    names.add(name)
                    _write_page(writer, part.kind, row, url, name, contents[name], ledger.get(row["key"]))
    return names


def _write_page(writer: Any, kind: str, row: Mapping[str, Any], url: str, name: str, page: bytes, visit: Any) -> None:
    """Write a record of the page, and one of what the store knows of it."""
    date = datetime.fromisoformat(row["crawled_at"]).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    charset = f"; charset={row['charset']}" if row["charset"] else ""
    record = writer.create_warc_record(
        url,
        "resource",
        io.BytesIO(page),
        len(page),
        warc_content_type=f"text/html{charset}",
        warc_headers_dict={"WARC-Date": date},
    )
    facts = {kind.removesuffix("s"): row["id"], "site": row["site"], "sha256": name}
    if visit is not None and visit.last_fetched_at:
        last = datetime.fromtimestamp(visit.last_fetched_at, UTC).isoformat(timespec="seconds")
        facts |= {"last-visit": last, "last-etag": visit.etag, "last-last-modified": visit.last_modified}
    text = "".join(f"{field}: {value}\r\n" for field, value in facts.items() if value).encode()
    headers = {"WARC-Date": date, "WARC-Concurrent-To": record.rec_headers.get_header("WARC-Record-ID")}
    about = writer.create_warc_record(
        url,
        "metadata",
        io.BytesIO(text),
        len(text),
        warc_content_type="application/warc-fields",
        warc_headers_dict=headers,
    )
    writer.write_record(record)
    writer.write_record(about)
