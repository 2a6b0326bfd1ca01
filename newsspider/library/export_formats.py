"""Records of articles in the formats of ``scrapy export``: JSON lines, CSV and Markdown as text, XLSX and Parquet as
files."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, cast

from newsspider.core.query.moments import ZONE
from newsspider.core.text.characters import as_cell, printable
from newsspider.library import dataframes
from newsspider.library.records import StoredRecord
from newsspider.sites.atomic_files import replaced

Record = dict[str, Any]

COLUMNS = tuple(StoredRecord.__annotations__)
BETWEEN = "; "  # items of a list in a cell
MOST_ROWS = 1_048_575  # of a sheet of Excel, below the heads
LONGEST_CELL = 32_767  # characters, of Excel
NEEDS = {"xlsx": ("openpyxl", "xlsx"), "parquet": ("pyarrow", "dataframes")}  # the module, and our extra that has it

_MARKDOWN = re.compile(r"[\\`*_\[\]<>#|~&]|^(?=[-+=])|(?<=^\d)(?=[.)])|(?<=^\d\d)(?=[.)])", re.MULTILINE)


class NotWritten(Exception):  # noqa: N818 -- reads as what it says
    """A table cannot be written; the text is one sentence."""


class Written(NamedTuple):
    """How many articles a table has, and how many of its texts were cut."""

    rows: int
    cut: int = 0


def head(form: str, more: Sequence[str] = ()) -> str:
    """What stands before the articles: the heads of a table behind a byte order mark, by which Excel knows UTF-8; with
    ``more`` columns of texts behind those of an article."""
    return "\ufeff" + _csv_row((*COLUMNS, *more)) if form == "csv" else ""


def text_of(form: str, record: Record, more: Sequence[str] = ()) -> str:
    """An article in one of the :data:`TEXTS`: a line of JSON, a row of a table, a section."""
    if form == "csv":
        return _csv_row(safe_cell(record[name]) for name in (*COLUMNS, *more))
    if form == "md":
        return "\n\n".join(_markdown_parts(record, more)) + "\n\n"
    return json.dumps(record, ensure_ascii=False) + "\n"


def write_table(form: str, records: Iterable[Record], path: Path, more: Sequence[str] = ()) -> Written:
    """Write one of the :data:`TABLES`, whole or not at all; :exc:`NotWritten`, or :exc:`ImportError` without its
    library."""
    module, extra = NEEDS[form]
    try:
        import_module(module)
    except ModuleNotFoundError:
        raise ImportError(f"{form} needs {module}: pip install 'newsspider[{extra}]'") from None
    try:
        with replaced(path) as temporary:
            return TABLES[form](records, temporary, more)
    except OSError as error:
        raise NotWritten(f"{path}: {error.strerror or error}") from None


def write_xlsx(records: Iterable[Record], path: Path, more: Sequence[str] = ()) -> Written:
    """A sheet of Excel with moments in China's time. What stands in a cell is never a formula."""
    openpyxl: Any = import_module("openpyxl")  # it has no types
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("articles")
    sheet.freeze_panes = "A2"
    sheet.append((*COLUMNS, *more))
    count = cut = 0

    def cell(name: str, value: Any) -> Any:
        nonlocal cut
        if name in dataframes.MOMENTS and value:
            return _moment(value)
        flat = _flat(value)
        if not isinstance(flat, str):
            return flat
        cell_text = printable(flat)
        cut += len(cell_text) > LONGEST_CELL
        text_cell = openpyxl.cell.WriteOnlyCell(sheet, cell_text[:LONGEST_CELL])
        text_cell.data_type = "s"
        return text_cell

    for count, record in enumerate(records, 1):
        if count > MOST_ROWS:
            advice = "use --limit, --since or another format"
            raise NotWritten(f"a sheet of Excel has at most {MOST_ROWS:,} articles: {advice}")
        sheet.append([cell(name, record[name]) for name in (*COLUMNS, *more)])
    book.save(path)
    return Written(count, cut)


def write_parquet(records: Iterable[Record], path: Path, more: Sequence[str] = ()) -> Written:
    """A Parquet file, as ``Store.articles().to_parquet()`` writes it."""
    return Written(dataframes.write_parquet(cast("Iterable[StoredRecord]", records), path, more))


TEXTS = ("jsonl", "csv", "md")
TABLES: dict[str, Callable[[Iterable[Record], Path, Sequence[str]], Written]] = {
    "xlsx": write_xlsx, "parquet": write_parquet,
}  # fmt: skip


def safe_cell(value: Any) -> Any:
    """The value of a field as a cell that no spreadsheet takes for a formula.

    >>> [safe_cell(value) for value in ("=1+1", "-高考", -1, ["a", "b"], None)]
    ["'=1+1", "'-高考", -1, 'a; b', '']
    """
    flat = _flat(value)
    return as_cell(flat) if isinstance(flat, str) else flat


def markdown(text: str) -> str:
    """The text without marks of Markdown.

    >>> markdown("# 1*2"), markdown("1. 高考"), markdown("- 志愿")
    ('\\\\# 1\\\\*2', '1\\\\. 高考', '\\\\- 志愿')
    """
    return _MARKDOWN.sub(lambda mark: f"\\{mark[0]}", text)


def _csv_row(cells: Iterable[Any]) -> str:
    row = io.StringIO()
    csv.writer(row, lineterminator="\n").writerow(cells)
    return row.getvalue()


def _flat(value: Any) -> Any:
    if isinstance(value, list):
        return BETWEEN.join(item["url"] if isinstance(item, dict) else str(item) for item in value)
    if isinstance(value, dict):
        return BETWEEN.join(f"{key}: {item}" for key, item in value.items())
    return "" if value is None else value


def _moment(value: str) -> datetime:
    return datetime.fromisoformat(value).astimezone(ZONE).replace(tzinfo=None)


def _markdown_parts(record: Record, more: Sequence[str]) -> Iterator[str]:
    at = record["published_at"] or record["crawled_at"]
    facts = [f"{_moment(at):%Y-%m-%d %H:%M}", record["source"] or record["site"], BETWEEN.join(record["author"])]
    facts += [f"{name}: {record[name]}" for name in more if record[name]]
    yield f"## {markdown(' '.join(record['title'].split()))}"
    yield f"{markdown(', '.join(filter(None, facts)))} (id {record['id']}), <{record['url']}>"
    yield from (markdown(line.strip()) for line in record["text"].split("\n") if line.strip())
