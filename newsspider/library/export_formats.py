"""Records of articles in the formats of ``scrapy export``: JSON lines, CSV and Markdown as text, XLSX, Parquet and
pandas as tables."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_type_hints

from newsspider.core.query.query_dates import ZONE, is_day, publication_text
from newsspider.core.text.characters import as_cell, printable_text
from newsspider.library.records import MOMENT, ImageRecord, StoredRecord
from newsspider.sites.atomic_files import replace_file
from newsspider.store.articles.article_records import ARTICLES_AT_ONCE

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Record = Mapping[str, Any]

_TYPES = get_type_hints(StoredRecord, include_extras=True)
MOMENTS = tuple(name for name, kind in _TYPES.items() if MOMENT in str(kind))
RECORD_COLUMNS = tuple(_TYPES)
BETWEEN = "; "  # items of a list in a cell
MOST_ROWS = 1_048_575  # of a sheet of Excel, below the heads
LONGEST_CELL = 32_767  # characters, of Excel
MOST_LINKS = 65_530  # of a sheet of Excel; it refuses a sheet that has more
LONGEST_LINK = 2_079  # characters, of Excel
NEEDS = {"xlsx": ("openpyxl", "xlsx"), "parquet": ("pyarrow", "dataframes")}  # the module, and our extra that has it

_MARKDOWN = re.compile(r"[\\`*_\[\]<>#|~&]|^(?=[-+=])|(?<=^\d)(?=[.)])|(?<=^\d\d)(?=[.)])", re.MULTILINE)


class ExportError(Exception):
    """There are more articles than a sheet holds; the text is one sentence."""


class WrittenTable(NamedTuple):
    """How many articles a table has, and how many of its texts were cut."""

    rows: int
    cut: int = 0


class SheetColumn(NamedTuple):
    """A column of a sheet: its head, the field that it shows, and how wide it is, in letters."""

    head: str
    field: str
    width: float = 13


EDITORS = (
    SheetColumn("时间", "published_at", 17),
    SheetColumn("标题", "title", 56),
    SheetColumn("来源", "source", 16),
    SheetColumn("站点", "site", 14),
    SheetColumn("子题", "subtopics", 16),
    SheetColumn("转载数", "reprints", 9),
    SheetColumn("摘要", "summary", 72),
    SheetColumn("链接", "url", 44),
)
SCREENING = {"verdict": "取舍", "note": "批注", "cluster": "归拢"}  # heads of what a collection has beside its articles
VERDICT_NAMES = {"in": "收", "out": "弃", "": "待定"}


def pieces_of(
    form: str, records: Iterable[Record], more: Sequence[str] = (), fields: Sequence[str] = ()
) -> Iterator[str]:
    """One of the :data:`TEXT_FORMATS`: a line of JSON, a row of a table or a section for each record, with ``more``
    fields behind those of an article, which are all but for Markdown, or these ``fields``. A table begins with its
    heads behind a byte order mark, by which Excel knows UTF-8."""
    columns = (*(fields or RECORD_COLUMNS), *more)
    if form == "csv":
        yield "\ufeff" + _csv_row(columns)
    for record in records:
        if form == "csv":
            yield _csv_row(safe_cell(record[name]) for name in columns)
        elif form == "md":
            yield "\n\n".join(_markdown_parts(record, more)) + "\n\n"
        else:
            shown = {name: record[name] for name in columns} if fields else record
            yield json.dumps(shown, ensure_ascii=False) + "\n"


def write_table(
    form: str, records: Iterable[Record], path: Path, more: Sequence[str] = (), fields: Sequence[str] = ()
) -> WrittenTable:
    """Write one of the :data:`TABLES`, whole or not at all. Raises :exc:`ExportError`, :exc:`OSError`, or
    :exc:`ImportError` without its library. Without ``fields`` a sheet has the columns that people read, any other table
    every field."""
    module, extra = NEEDS[form]
    try:
        import_module(module)
    except ModuleNotFoundError:
        raise ImportError(f"{form} needs {module}: pip install 'newsspider[{extra}]'") from None
    with replace_file(path) as temporary:
        return TABLES[form](records, temporary, more, fields)


def pandas_frame(records: Iterable[Record]) -> pd.DataFrame:
    """A row a record, a column a field; moments in China's time."""
    import pandas as pd

    frame = pd.DataFrame(list(records), columns=list(_TYPES))
    for name in MOMENTS:
        frame[name] = pd.to_datetime(frame[name], utc=True, format="ISO8601").dt.tz_convert(ZONE.key).dt.as_unit("us")
    return frame


def _write_xlsx(records: Iterable[Record], path: Path, more: Sequence[str], fields: Sequence[str]) -> WrittenTable:
    """A sheet of Excel with moments in China's time: the :data:`EDITORS` columns with a filter and links that open, or
    these fields under their names. What stands in a cell is never a formula."""
    sheet = _Sheet(fields, more)
    for record in records:
        if sheet.rows == MOST_ROWS:
            advice = "use --limit, --since or another format"
            raise ExportError(f"a sheet of Excel has at most {MOST_ROWS:,} articles: {advice}")
        sheet.add(record)
    sheet.save(path)
    return WrittenTable(sheet.rows, sheet.cut)


def _write_parquet(records: Iterable[Record], path: Path, more: Sequence[str], fields: Sequence[str]) -> WrittenTable:
    """A row a record, written in batches, always with the same types; ``more`` columns are texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema, count, remaining = _parquet_schema(more, fields or RECORD_COLUMNS), 0, iter(records)
    with pq.ParquetWriter(path, schema) as writer:
        while rows := [_with_moments(record) for record in islice(remaining, ARTICLES_AT_ONCE)]:
            writer.write_table(pa.Table.from_pylist(rows, schema))
            count += len(rows)
    return WrittenTable(count)


TEXT_FORMATS = ("jsonl", "csv", "md")
TABLES: dict[str, Callable[[Iterable[Record], Path, Sequence[str], Sequence[str]], WrittenTable]] = {
    "xlsx": _write_xlsx,
    "parquet": _write_parquet,
}


def _with_moments(record: Record) -> dict[str, Any]:
    return {**record, **{name: (at := record[name]) and datetime.fromisoformat(at) for name in MOMENTS}}


def _parquet_schema(more: Sequence[str], fields: Sequence[str]) -> pa.Schema:
    import pyarrow as pa

    plain = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    image = pa.struct([(name, pa.string()) for name in ImageRecord.__annotations__])
    kinds = {**plain, list[str]: pa.list_(pa.string()), list[ImageRecord]: pa.list_(image)}

    def column(name: str, kind: Any) -> pa.DataType:
        if name in MOMENTS:
            return pa.timestamp("us", ZONE.key)
        return kinds[kind] if kind in kinds else kinds[get_args(kind)[0]]  # `str | None`

    texts = [(name, pa.string()) for name in more]
    return pa.schema([(name, column(name, _TYPES[name])) for name in fields] + texts)


class _Sheet:
    """A sheet that is written row by row."""

    def __init__(self, fields: Sequence[str], more: Sequence[str]) -> None:
        self._openpyxl: Any = import_module("openpyxl")  # it has no types
        self._book = self._openpyxl.Workbook(write_only=True)
        self._sheet = self._book.create_sheet("articles")
        columns = [SheetColumn(name, name) for name in fields] or [*EDITORS]
        self._columns = [*columns, *(SheetColumn(name if fields else SCREENING[name], name) for name in more)]
        self._is_for_editors = not fields
        self.rows = self.cut = 0
        self._sheet.freeze_panes = "A2"
        heads = []
        for number, column in enumerate(self._columns, 1):
            self._last = self._openpyxl.utils.get_column_letter(number)
            self._sheet.column_dimensions[self._last].width = column.width
            heads.append(self._openpyxl.cell.WriteOnlyCell(self._sheet, column.head))
            heads[-1].font = self._openpyxl.styles.Font(bold=True)
        self._sheet.append(heads)

    def add(self, record: Record) -> None:
        """Write an article below those before it."""
        self.rows += 1
        self._sheet.append([self._cell(column.field, self._value(column.field, record)) for column in self._columns])

    def save(self, path: Path) -> None:
        self._sheet.auto_filter.ref = f"A1:{self._last}{self.rows + 1}"
        self._book.save(path)

    def _value(self, field: str, record: Record) -> Any:
        if field == "published_at" and self._is_for_editors:
            return record[field] or record["crawled_at"]
        return VERDICT_NAMES[record[field]] if field == "verdict" and self._is_for_editors else record[field]

    def _cell(self, field: str, value: Any) -> Any:
        if field in MOMENTS and value:
            cell = self._openpyxl.cell.WriteOnlyCell(self._sheet, _moment(value))
            cell.number_format = "yyyy-mm-dd" if is_day(datetime.fromisoformat(value)) else "yyyy-mm-dd hh:mm"
            return cell
        flat = _flat(value)
        if not isinstance(flat, str):
            return flat
        if not flat:
            return None
        content = printable_text(flat)
        self.cut += len(content) > LONGEST_CELL
        cell = self._openpyxl.cell.WriteOnlyCell(self._sheet, content[:LONGEST_CELL])
        cell.data_type = "s"
        if field == "url" and self.rows <= MOST_LINKS and len(content) <= LONGEST_LINK:
            cell.hyperlink, cell.style = content, "Hyperlink"
        return cell


def safe_cell(value: Any) -> Any:
    """The value of a field as a cell that no spreadsheet takes for a formula (``core/text/characters.py``).

    >>> [safe_cell(value) for value in ("=1+1", "-高考", -1, ["a", "b"], None)]
    ["'=1+1", "'-高考", -1, 'a; b', '']
    """
    flat = _flat(value)
    return as_cell(flat) if isinstance(flat, str) else flat


def without_markdown(text: str) -> str:
    """The text without marks of Markdown.

    >>> without_markdown("# 1*2"), without_markdown("1. 高考"), without_markdown("- 志愿")
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
    facts = [
        publication_text(datetime.fromisoformat(at)),
        record["source"] or record["site"],
        BETWEEN.join(record["author"]),
    ]
    facts += [f"{name}: {record[name]}" for name in more if record[name]]
    yield f"## {without_markdown(' '.join(record['title'].split()))}"
    yield f"{without_markdown(', '.join(filter(None, facts)))} (id {record['id']}), <{record['url']}>"
    yield from (without_markdown(line.strip()) for line in record["text"].split("\n") if line.strip())
