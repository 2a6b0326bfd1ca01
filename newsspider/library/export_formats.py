"""Writes records of articles in the formats of ``scrapy export``: text to stdout, tables for programs to a file."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from newsspider.cli.command import Failed, emit, print_note, print_text
from newsspider.core.query.moments import ZONE
from newsspider.core.text.characters import as_cell, printable
from newsspider.crawl.wrong_use import wrong_use
from newsspider.library import dataframes
from newsspider.library.records import StoredRecord

Record = dict[str, Any]

COLUMNS = tuple(StoredRecord.__annotations__)
BETWEEN = "; "  # items of a list in a cell
MOST_ROWS = 1_048_575  # of a sheet of Excel, below the heads
LONGEST_CELL = 32_767  # characters, of Excel
NEEDS = {"xlsx": ("openpyxl", "xlsx"), "parquet": ("pyarrow", "dataframes")}  # the module, and our extra that has it

_MARKDOWN = re.compile(r"[\\`*_\[\]<>#|~&]|^(?=[-+=])|(?<=^\d)(?=[.)])|(?<=^\d\d)(?=[.)])", re.MULTILINE)


def write_jsonl(records: Iterable[Record]) -> int:
    """One JSON object a line; how many."""
    return _each(records, emit)


def write_csv(records: Iterable[Record]) -> int:
    """A table with heads and a byte order mark, by which Excel knows UTF-8; how many rows."""
    print_text(csv_head())
    return _each(records, lambda record: print_text(csv_line(record)))


def write_markdown(records: Iterable[Record]) -> int:
    """An article a section, to read or to mail; how many."""
    return _each(records, lambda record: print_text(markdown_section(record)))


def csv_head(more: Sequence[str] = ()) -> str:
    """The heads of a table, behind a byte order mark; with ``more`` columns of texts behind those of an article."""
    return "\ufeff" + _csv_row((*COLUMNS, *more))


def csv_line(record: Record, more: Sequence[str] = ()) -> str:
    """A row of the table."""
    return _csv_row(safe_cell(record[name]) for name in (*COLUMNS, *more))


def markdown_section(record: Record, more: Sequence[str] = ()) -> str:
    """An article as a section."""
    return "\n\n".join(_markdown_parts(record, more)) + "\n\n"


def write_xlsx(records: Iterable[Record], path: Path, more: Sequence[str] = ()) -> int:
    """A sheet of Excel with moments in China's time; how many rows. What stands in a cell is never a formula."""
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
        shown = printable(flat)
        cut += len(shown) > LONGEST_CELL
        made = openpyxl.cell.WriteOnlyCell(sheet, shown[:LONGEST_CELL])
        made.data_type = "s"
        return made

    for count, record in enumerate(records, 1):
        if count > MOST_ROWS:
            raise Failed(f"a sheet of Excel has at most {MOST_ROWS:,} articles: use --limit, --since or another format")
        sheet.append([cell(name, record[name]) for name in (*COLUMNS, *more)])
    book.save(path)
    if cut:
        print_note(f"{cut} texts were cut to {LONGEST_CELL:,} characters, the most that a cell of Excel holds")
    return count


def write_parquet(records: Iterable[Record], path: Path, more: Sequence[str] = ()) -> int:
    """A Parquet file, as ``Store.articles().to_parquet()`` writes it; how many rows."""
    return dataframes.write_parquet(cast("Iterable[StoredRecord]", records), path, more)


TEXTS: dict[str, Callable[[Iterable[Record]], int]] = {"jsonl": write_jsonl, "csv": write_csv, "md": write_markdown}
_Table = Callable[[Iterable[Record], Path, Sequence[str]], int]
TABLES: dict[str, _Table] = {"xlsx": write_xlsx, "parquet": write_parquet}


def writer_of(name: str, output: str | None, more: Sequence[str] = ()) -> Callable[[Iterable[Record]], int]:
    """The function that writes records in this format; wrong options and missing libraries are refused."""
    if name in TEXTS:
        if output is not None:
            raise wrong_use(f"--format {name} goes to stdout, not to --output: scrapy export --format {name} > FILE")
        return TEXTS[name]
    if name not in TABLES:
        raise wrong_use(f"--format {name}: say {', '.join((*TEXTS, *TABLES))}")
    if output is None:
        raise wrong_use(f"--format {name} needs --output FILE")
    module, extra = NEEDS[name]
    try:
        import_module(module)
    except ModuleNotFoundError:
        raise wrong_use(f"--format {name} needs {module}: pip install 'newsspider[{extra}]'") from None
    return lambda records: _whole(lambda rows, path: TABLES[name](rows, path, more), records, Path(output))


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


def _each(records: Iterable[Record], act: Callable[[Record], object]) -> int:
    count = 0
    for record in records:
        act(record)
        count += 1
    return count


def _whole(write: Callable[[Iterable[Record], Path], int], records: Iterable[Record], path: Path) -> int:
    """Write beside the file, and put it in its place once it is whole."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        count = write(records, temporary)
        temporary.replace(path)
    except OSError as error:
        raise Failed(f"{path}: {error.strerror or error}") from None
    finally:
        temporary.unlink(missing_ok=True)
    return count


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
