"""Archives what is old in files that other programs read, and reads them back.

A part of an archive is a folder of two files: rows of a table in Parquet, and their pages in WARC 1.1 (ISO 28500) with
one record a member of gzip. It is written under another name, compared with the store, and renamed.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Float, Integer, SmallInteger, Table, select

from newsspider.store.articles import snapshots, word_lists
from newsspider.store.engine.database import reading
from newsspider.store.engine.statement import rows_among
from newsspider.store.maintenance.backups import PARTIAL
from newsspider.store.tables import article_urls, articles, revisions

AT_ONCE = 1000  # rows of a part, behind one another in the order of their numbers
PAGES_AT_ONCE = 20  # kept in memory
DIGITS = 6  # of the number of a part
ROWS, PAGES = ".parquet", ".warc.gz"
OF_ARTICLE = ("urls", "keywords", "subtopics")  # columns beside those of the table, as JSON
SEEN = {"articles": (articles, articles.c.crawled_ts), "revisions": (revisions, revisions.c.changed_at)}
FURTHER = {"articles": "parts", "revisions": "further"}  # the column that names further pages
WHENCE = "the HTTP heads are made from what the store knows of a page: it was read, and in which charset"

_LEDGER = "SELECT key, etag, last_modified, last_fetched_at FROM urls WHERE key IN ({keys})"


class NoArchive(ValueError):  # noqa: N818 -- reads as what it says
    """It cannot be written or read; the text is one sentence for people."""


class Part(NamedTuple):
    """A folder of an archive: rows of ``kind``, and their pages."""

    kind: str
    folder: Path

    @property
    def rows(self) -> Path:
        return self.folder / f"{self.folder.name.removesuffix(PARTIAL)}{ROWS}"

    @property
    def pages(self) -> Path:
        return self.folder / f"{self.folder.name.removesuffix(PARTIAL)}{PAGES}"

    def read(self, columns: list[str] | None = None) -> list[dict[str, Any]]:
        """The rows; of some columns alone."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            found: list[dict[str, Any]] = pq.read_table(self.rows, columns=columns).to_pylist()
        except (OSError, pa.ArrowException) as error:
            raise NoArchive(f"{self.rows} cannot be read: {' '.join(str(error).split())}") from None
        return found

    def offsets(self) -> dict[str, int]:
        """Where the page of each name stands, read in full: a page that is not what its name says is refused."""
        from warcio.archiveiterator import ArchiveIterator
        from warcio.exceptions import ArchiveLoadFailed

        found = {}
        try:
            with self.pages.open("rb") as opened:
                records = ArchiveIterator(opened, check_digests="raise")
                for record in records:
                    if record.rec_type == "response":
                        name = hashlib.sha256(record.content_stream().read()).hexdigest()
                        found[name] = records.get_record_offset()
        except (OSError, EOFError, ArchiveLoadFailed) as error:
            raise NoArchive(f"{self.pages} cannot be read: {' '.join(str(error).split())}") from None
        return found

    def contents(self, offsets: Iterable[int]) -> Iterator[bytes]:
        """The pages at these places."""
        from warcio.archiveiterator import ArchiveIterator

        with self.pages.open("rb") as opened:
            for offset in offsets:
                opened.seek(offset)
                yield next(ArchiveIterator(opened)).content_stream().read()


def parts_of(folder: Path) -> list[Part]:
    """The whole parts of an archive, articles before revisions, in the order of writing."""
    names = f"-{'[0-9]' * DIGITS}"
    return [Part(kind, path) for kind in SEEN for path in sorted(folder.glob(kind + names)) if path.is_dir()]


def page_names(kind: str, row: Mapping[str, Any]) -> list[str]:
    """The names of the pages of a row: its own and the further ones."""
    return [name for _, name in _pages(kind, row)]


def to_archive(engine: Engine, folder: Path, kind: str, before: float) -> Iterator[list[dict[str, Any]]]:
    """The rows of a kind from before a moment that the archive does not have as they are now, part by part."""
    table, moment = SEEN[kind]
    after = 0
    while True:
        with reading(engine) as conn:
            query = select(table).where(table.c.id > after, moment < before).order_by(table.c.id).limit(AT_ONCE)
            rows = _whole(conn, kind, [dict(row._mapping) for row in conn.execute(query)])
        if not rows:
            return
        written = _written(folder, kind, after, rows[-1]["id"])
        after = rows[-1]["id"]
        missing = [
            row
            for row in rows
            if row["sha256"] not in written or not set(page_names(kind, row)) <= written[row["sha256"]]
        ]
        if missing:
            yield missing


def archive(engine: Engine, folder: Path, kind: str, rows: list[dict[str, Any]]) -> int:
    """Write a part of these rows; how many pages it has. :exc:`NoArchive` if it does not hold what the store does."""
    for left in folder.glob(f"{kind}-*{PARTIAL}"):
        shutil.rmtree(left)
    number = max((int(part.folder.name[-DIGITS:]) for part in parts_of(folder) if part.kind == kind), default=0) + 1
    part = Part(kind, folder / f"{kind}-{number:0{DIGITS}}{PARTIAL}")
    part.folder.mkdir()
    _write_rows(part, rows)
    with reading(engine) as conn:
        names = _write_pages(conn, part, rows)
    if part.read() != rows or part.offsets().keys() != names:
        raise NoArchive(f"{part.folder} does not hold what was written to it: look at the disk")
    for path in (part.rows, part.pages, part.folder):
        _sync(path)
    part.folder.rename(folder / part.folder.name.removesuffix(PARTIAL))
    _sync(folder)
    return len(names)


def _pages(kind: str, row: Mapping[str, Any]) -> list[tuple[str, str]]:
    further = json.loads(row[FURTHER[kind]])
    pages = [(row["url"], row["snapshot"]), *((part["url"], part["snapshot"]) for part in further)]
    return [(url, name) for url, name in pages if name]


def _whole(conn: Connection, kind: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with what belongs to them, and a hash of all but the names of pages, which retention takes away."""
    if kind == "articles":
        ids = [row["id"] for row in rows]
        of_article: dict[int, list[dict[str, Any]]] = {}
        order = (article_urls.c.added_at, article_urls.c.key)
        for page in conn.execute(select(article_urls).where(article_urls.c.article_id.in_(ids)).order_by(*order)):
            of_article.setdefault(page.article_id, []).append(dict(page._mapping))
        words, named = (words.of_articles(conn, ids) for words in (word_lists.keywords, word_lists.subtopics))
        for row in rows:
            lists = (of_article.get(row["id"], []), words.get(row["id"], ()), named.get(row["id"], ()))
            row |= {name: json.dumps(value, ensure_ascii=False) for name, value in zip(OF_ARTICLE, lists, strict=True)}
    for row in rows:
        further = [part["url"] for part in json.loads(row[FURTHER[kind]])]
        text = json.dumps({**row, "snapshot": "", FURTHER[kind]: further}, sort_keys=True)
        row["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    return rows


def _written(folder: Path, kind: str, after: int, last: int) -> dict[str, set[str]]:
    """By the hash of each archived row with a number in this range, the pages that were archived with it."""
    import pyarrow.dataset as ds

    found: dict[str, set[str]] = {}
    files = [str(part.rows) for part in parts_of(folder) if part.kind == kind]
    if files:
        wanted = (ds.field("id") > after) & (ds.field("id") <= last)
        columns = ["sha256", "url", "snapshot", FURTHER[kind]]
        for row in ds.dataset(files).to_table(columns=columns, filter=wanted).to_pylist():
            found.setdefault(row["sha256"], set()).update(page_names(kind, row))
    return found


def _write_rows(part: Part, rows: list[dict[str, Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    def kind_of(column: Any) -> Any:
        if isinstance(column.type, Integer | SmallInteger):
            return pa.int64()
        return pa.float64() if isinstance(column.type, Float) else pa.string()

    table: Table = SEEN[part.kind][0]
    columns = [(column.name, kind_of(column)) for column in table.columns]
    more = (*(OF_ARTICLE if part.kind == "articles" else ()), "sha256")
    schema = pa.schema([*columns, *((name, pa.string()) for name in more)])
    pq.write_table(pa.Table.from_pylist(rows, schema), part.rows, compression="zstd")


def _write_pages(conn: Connection, part: Part, rows: list[dict[str, Any]]) -> set[str]:
    """Write each page once; the names of those that the store has."""
    from warcio.warcwriter import WARCWriter

    ledger = {row.key: row for row in rows_among(conn, _LEDGER, {row["key"] for row in rows})}
    pages = [(row, url, name) for row in rows for url, name in _pages(part.kind, row)]
    names: set[str] = set()
    with part.pages.open("xb") as opened:
        writer = WARCWriter(opened, gzip=True, warc_version="1.1")
        software = f"newsspider {version('newsspider')}"
        about = {"software": software, "format": "WARC File Format 1.1", "description": WHENCE}
        writer.write_record(writer.create_warcinfo_record(part.pages.name, about))
        for at in range(0, len(pages), PAGES_AT_ONCE):
            some = [page for page in pages[at : at + PAGES_AT_ONCE] if page[2] not in names]
            contents = snapshots.contents(conn, {name for _, _, name in some})
            for row, url, name in some:
                if name in contents and name not in names:
                    names.add(name)
                    _write_page(writer, part.kind, row, url, name, contents[name], ledger.get(row["key"]))
    return names


def _write_page(writer: Any, kind: str, row: Mapping[str, Any], url: str, name: str, page: bytes, seen: Any) -> None:
    """A record of the page, and one of what the store knows of it."""
    from warcio.statusandheaders import StatusAndHeaders

    date = datetime.fromisoformat(row["crawled_at"]).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    charset = f"; charset={row['charset']}" if row["charset"] else ""
    head = [("Content-Type", f"text/html{charset}"), ("Content-Length", str(len(page)))]
    record = writer.create_warc_record(
        url, "response", io.BytesIO(page), len(page), http_headers=StatusAndHeaders("200 OK", head, "HTTP/1.1"),
        warc_headers_dict={"WARC-Date": date},
    )  # fmt: skip
    facts = {kind.removesuffix("s"): row["id"], "site": row["site"], "sha256": name}
    if seen is not None and seen.last_fetched_at:
        last = datetime.fromtimestamp(seen.last_fetched_at, UTC).isoformat(timespec="seconds")
        facts |= {"last-visit": last, "last-etag": seen.etag, "last-last-modified": seen.last_modified}
    text = "".join(f"{field}: {value}\r\n" for field, value in facts.items() if value).encode()
    refers = {"WARC-Date": date, "WARC-Concurrent-To": record.rec_headers.get_header("WARC-Record-ID")}
    about = writer.create_warc_record(
        url, "metadata", io.BytesIO(text), len(text), warc_content_type="application/warc-fields",
        warc_headers_dict=refers,
    )  # fmt: skip
    writer.write_record(record)
    writer.write_record(about)


def _sync(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    with suppress(OSError):  # some file systems sync no folders
        os.fsync(opened)
    os.close(opened)
