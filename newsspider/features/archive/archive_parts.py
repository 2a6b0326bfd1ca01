"""Reads the parts of an archive. A part with a missing or damaged row or page is refused. ``archives.py`` writes them
and compares them with the store.

A part is a folder of two files: rows of a table in Parquet, and their pages in WARC 1.1 (ISO 28500), one record in each
gzip member. Each row has its hash, and each page that a row names has a record; its name is the hash of its bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Collection, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Table

from newsspider.store.maintenance.backups import PARTIAL
from newsspider.store.tables import articles, revisions

KINDS_OF_ROWS: dict[str, Table] = {"articles": articles, "revisions": revisions}
FURTHER_PAGES = {"articles": "parts", "revisions": "further"}  # the columns that name further pages
JSON_COLUMNS = ("urls", "keywords", "subtopics")  # of articles, beside those of the table
MOMENTS = {"articles": ("published_ts", "crawled_ts"), "revisions": ("changed_at",)}  # timestamps in Parquet
PER_SECOND = {"articles": 10**3, "revisions": 10**9}  # in whole numbers, so that each moment comes back as it was
TIME_UNITS = {"articles": "ms", "revisions": "ns"}
ROWS, PAGES = ".parquet", ".warc.gz"

_CHUNK_BYTES = 65_536  # bytes of a page at once
_NAME = re.compile(r"(articles|revisions)-(\d{6,})")


class NoArchiveError(ValueError):
    """An archive cannot be written or read; the text is one sentence for people."""


class ArchivePart(NamedTuple):
    """A folder of an archive: rows of ``kind`` and their pages, each of at most ``longest`` bytes."""

    kind: str
    number: int
    folder: Path
    longest: int

    @property
    def rows(self) -> Path:
        return self.folder / f"{self.folder.name.removesuffix(PARTIAL)}{ROWS}"

    @property
    def pages(self) -> Path:
        return self.folder / f"{self.folder.name.removesuffix(PARTIAL)}{PAGES}"

    def read(self) -> list[dict[str, Any]]:
        """The rows, after a check of their hashes."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            rows = rows_of(self.kind, pq.read_table(self.rows))
        except (OSError, ValueError, pa.ArrowException) as error:
            raise self._unreadable(self.rows, error) from None
        for number, row in enumerate(rows, 1):
            try:
                whole = row["sha256"] == row_hash(self.kind, row)
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                problem = f"row {number} is no row of {self.kind} ({error!r})"
                raise NoArchiveError(f"{self.rows} cannot be read: {problem}") from None
            if not whole:
                raise NoArchiveError(f"{self.rows} cannot be read: row {number} is not what its sha256 says")
        return rows

    def row_count(self) -> int:
        """How many rows it has, which are not checked."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return int(pq.read_metadata(self.rows).num_rows)
        except (OSError, ValueError, pa.ArrowException) as error:
            raise self._unreadable(self.rows, error) from None

    def verified(self) -> tuple[list[dict[str, Any]], dict[str, int]]:
        """The rows and the offsets of pages by name, after a check that the pages are exactly those that rows name."""
        rows, offsets = self.read(), self._offsets()
        names = {name for row in rows for _, name in pages_of(self.kind, row)}
        if names != offsets.keys():
            missing, foreign = len(names - offsets.keys()), len(offsets.keys() - names)
            raise NoArchiveError(
                f"{self.pages} cannot be read: {missing} pages are missing and {foreign} are not of its rows"
            )
        return rows, offsets

    def page(self, name: str, offset: int) -> bytes:
        """The page with this name at this offset."""
        page = bytearray()
        if self._read(offset, page) != name:
            raise NoArchiveError(f"{self.pages} changed while it was read")
        return bytes(page)

    def _offsets(self) -> dict[str, int]:
        """The offset of each page, by its name. All records are read in full, chunk by chunk."""
        from warcio.archiveiterator import ArchiveIterator

        offsets = {}
        try:
            with self.pages.open("rb") as opened:
                records = ArchiveIterator(opened, check_digests="raise")
                for record in records:
                    if record.rec_type == "resource":
                        name = self._hash(record)
                        offsets[name] = records.get_record_offset()
        except NoArchiveError:
            raise
        except _warc_errors() as error:
            raise self._unreadable(self.pages, error) from None
        return offsets

    def _read(self, offset: int, page: bytearray) -> str:
        from warcio.archiveiterator import ArchiveIterator

        try:
            with self.pages.open("rb") as opened:
                opened.seek(offset)
                return self._hash(next(ArchiveIterator(opened)), page)
        except NoArchiveError:
            raise
        except _warc_errors() as error:
            raise self._unreadable(self.pages, error) from None

    def _hash(self, record: Any, page: bytearray | None = None) -> str:
        """The hash of a record's page, whose bytes are added to ``page``."""
        digest, size, stream = hashlib.sha256(), 0, record.content_stream()
        while chunk := stream.read(_CHUNK_BYTES):
            size += len(chunk)
            if size > self.longest:
                raise NoArchiveError(f"{self.pages} holds a page of more than {self.longest} bytes (DOWNLOAD_MAXSIZE)")
            digest.update(chunk)
            if page is not None:
                page += chunk
        return digest.hexdigest()

    def _unreadable(self, path: Path, error: Exception) -> NoArchiveError:
        return NoArchiveError(f"{path} cannot be read: {' '.join(str(error)[:300].split()) or type(error).__name__}")


def parts_of(folder: Path, longest: int) -> list[ArchivePart]:
    """The parts of an archive, articles before revisions, in the order of writing."""
    names = [(path, _NAME.fullmatch(path.name)) for path in folder.iterdir() if path.is_dir()]
    return sorted(ArchivePart(match[1], int(match[2]), path, longest) for path, match in names if match)


def unfinished_folders(folder: Path) -> list[Path]:
    """The folders of parts that were not finished."""
    return [path for path in folder.glob(f"*{PARTIAL}") if _NAME.fullmatch(path.name.removesuffix(PARTIAL))]


def pages_of(kind: str, row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The URLs and names of the kept pages of a row: its own and the further ones."""
    further = json.loads(row[FURTHER_PAGES[kind]])
    pages = [(row["url"], row["snapshot"]), *((part["url"], part["snapshot"]) for part in further)]
    return [(url, name) for url, name in pages if name]


def with_pages(kind: str, row: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """The row with only those of its pages that are among ``names``."""
    further = json.loads(row[FURTHER_PAGES[kind]])
    bare = [part if part["snapshot"] in names else {**part, "snapshot": ""} for part in further]
    snapshot = row["snapshot"] if row["snapshot"] in names else ""
    return {**row, "snapshot": snapshot, FURTHER_PAGES[kind]: json.dumps(bare, ensure_ascii=False)}


def row_hash(kind: str, row: Mapping[str, Any]) -> str:
    """The hash of a row without the names of its pages, which retention removes."""
    further = [part["url"] for part in json.loads(row[FURTHER_PAGES[kind]])]
    values = {name: value for name, value in row.items() if name != "sha256"}
    text = json.dumps({**values, "snapshot": "", FURTHER_PAGES[kind]: further}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def table_of(kind: str, rows: list[dict[str, Any]], schema: Any) -> Any:
    """The Parquet table of rows, with real timestamps: :data:`MOMENTS`."""
    import pyarrow as pa

    moments = {name: pa.timestamp(TIME_UNITS[kind], "UTC") for name in MOMENTS[kind]}
    schema = pa.schema([(field.name, moments.get(field.name, field.type)) for field in schema])
    per_second = PER_SECOND[kind]
    whole = [
        {**row, **{name: None if row[name] is None else round(Fraction(row[name]) * per_second) for name in moments}}
        for row in rows
    ]
    return pa.Table.from_pylist(whole, schema)


def rows_of(kind: str, table: Any) -> list[dict[str, Any]]:
    """The rows of such a table, with their moments in seconds, as the store has them."""
    import pyarrow as pa

    stamped = []
    for number, field in enumerate(table.schema):
        if field.name in MOMENTS[kind] and pa.types.is_timestamp(field.type):  # an older archive has numbers
            stamped.append(field.name)
            moments = table.column(number).cast(pa.timestamp(TIME_UNITS[kind], "UTC")).cast(pa.int64())
            table = table.set_column(number, field.name, moments)
    rows: list[dict[str, Any]] = table.to_pylist()
    per_second = PER_SECOND[kind]
    for row in rows:
        for name in stamped:
            if row[name] is not None:
                row[name] = row[name] // per_second if kind == "articles" else row[name] / per_second
    return rows


def _warc_errors() -> tuple[type[Exception], ...]:
    from warcio.exceptions import ArchiveLoadFailed
    from warcio.statusandheaders import StatusAndHeadersParserException

    own = (ArchiveLoadFailed, StatusAndHeadersParserException, zlib.error)
    return (OSError, EOFError, StopIteration, AttributeError, TypeError, ValueError, *own)
