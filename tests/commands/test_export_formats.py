"""``scrapy export --format``: tables and texts."""

import csv
import io
import json
from datetime import datetime

import pytest

from newsspider.library import export_formats
from newsspider.library.export_formats import EDITORS, LONGEST_CELL, RECORD_COLUMNS, pieces_of, write_table
from tests.support.commands import FIRST, SECOND, database, scrapy

__all__ = ["database", "scrapy"]


@pytest.fixture
def records(scrapy):
    return [json.loads(line) for line in scrapy("export").out.splitlines()]


def test_csv_has_a_byte_order_mark_and_a_row_an_article(scrapy):
    ran = scrapy("export", "--format", "csv")
    assert (ran.code, ran.err, ran.out[0]) == (0, "2 articles\n", "\ufeff")
    rows = list(csv.DictReader(io.StringIO(ran.out[1:])))
    assert [row["url"] for row in rows] == [FIRST, SECOND]
    assert tuple(rows[0]) == RECORD_COLUMNS


def test_no_cell_is_taken_for_a_formula(records, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    title = '=HYPERLINK("http://x.cn","高考")'
    odd = records[0] | {"title": title, "source": "-1+1", "author": ["@甲", "乙"], "text": "第一行\n\x00第二行," + "长" * 40_000}
    (row,) = csv.DictReader(io.StringIO("".join(pieces_of("csv", [odd]))[1:]))
    assert (row["title"], row["source"], row["author"]) == (f"'{title}", "'-1+1", "'@甲; 乙")
    assert write_table("xlsx", [odd], tmp_path / "a.xlsx", fields=RECORD_COLUMNS) == (1, 1)
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    cells = dict(zip(RECORD_COLUMNS, next(sheet.iter_rows(min_row=2)), strict=True))
    assert (cells["title"].value, cells["title"].data_type) == (title, "s")
    assert (cells["source"].value, cells["source"].data_type) == ("-1+1", "s")
    assert isinstance(cells["crawled_at"].value, datetime)
    assert isinstance(cells["id"].value, int)
    assert len(cells["text"].value) == LONGEST_CELL
    assert cells["text"].value.startswith("第一行\n第二行")


def test_a_sheet_for_editors_has_chinese_heads_a_filter_dates_and_links_that_open(scrapy, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    scrapy("export", "--format", "xlsx", "--output", str(tmp_path / "a.xlsx"))
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    heads, first, second = sheet.iter_rows()
    assert [cell.value for cell in heads] == ["时间", "标题", "来源", "站点", "子题", "转载数", "摘要", "链接"]
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("A2", "A1:H3")
    widths = [sheet.column_dimensions[cell.column_letter].width for cell in heads]
    assert widths == [column.width for column in EDITORS]
    assert [row[7].hyperlink.target for row in (first, second)] == [row[7].value for row in (first, second)] == [FIRST, SECOND]
    assert all(row[0].is_date and isinstance(row[0].value, datetime) for row in (first, second))


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"published_at": "2026-11-01T20:30+00:00"}, ("时间", datetime.fromisoformat("2026-11-02T04:30"))),
        ({"published_at": None, "crawled_at": "2026-11-01T20:30:07+00:00"}, ("时间", datetime.fromisoformat("2026-11-02T04:30:07"))),
        ({"title": "=1+1"}, ("标题", "=1+1")),
        ({"source": "@SUM(A1)"}, ("来源", "@SUM(A1)")),
        ({"source": None}, ("来源", None)),
        ({"subtopics": ["高考", "招生"]}, ("子题", "高考; 招生")),
        ({"reprints": 3}, ("转载数", 3)),
        ({"summary": "+摘要"}, ("摘要", "+摘要")),
        ({"url": "http://a.cn/?" + "a" * 3_000}, ("链接", "http://a.cn/?" + "a" * 3_000)),
    ],
)
def test_a_cell_for_editors_has_the_field_as_excel_takes_it(records, tmp_path, changed, expected):
    openpyxl = pytest.importorskip("openpyxl")
    write_table("xlsx", [records[0] | changed], tmp_path / "a.xlsx")
    heads, row = openpyxl.load_workbook(tmp_path / "a.xlsx").active.iter_rows()
    cells = dict(zip([cell.value for cell in heads], row, strict=True))
    name, value = expected
    assert cells[name].value == value
    assert cells[name].data_type == {str: "s", int: "n", datetime: "d", type(None): "n"}[type(value)]


def test_a_sheet_has_no_more_links_than_excel_opens(records, tmp_path, monkeypatch):
    openpyxl = pytest.importorskip("openpyxl")
    monkeypatch.setattr(export_formats, "MOST_LINKS", 1)
    write_table("xlsx", [records[0], records[1]], tmp_path / "a.xlsx")
    _, first, second = openpyxl.load_workbook(tmp_path / "a.xlsx").active.iter_rows()
    assert (first[7].hyperlink.target, second[7].hyperlink, second[7].value) == (FIRST, None, SECOND)


def test_every_field_is_in_a_sheet_for_programs(scrapy, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    scrapy("export", "--format", "xlsx", "--fields", "all", "--output", str(tmp_path / "a.xlsx"))
    heads = next(openpyxl.load_workbook(tmp_path / "a.xlsx").active.iter_rows(values_only=True))
    assert heads == RECORD_COLUMNS


@pytest.mark.parametrize("name", ["jsonl", "csv", "xlsx", "parquet"])
def test_the_fields_that_are_named_are_the_columns_of_every_table(scrapy, tmp_path, name):
    file = tmp_path / f"a.{name}"
    table = name in export_formats.TABLES
    if table:
        pytest.importorskip(export_formats.NEEDS[name][0])
    chosen = ("--fields", "title,url,reprints", *(("--output", str(file)) if table else ()))
    ran = scrapy("export", "--query", "开学", "--format", name, *chosen)
    assert (ran.code, ran.err) == (0, "1 articles\n")
    if name == "parquet":
        import pyarrow.parquet as pq

        rows = [list(row.values()) for row in pq.read_table(file).to_pylist()]
    elif name == "xlsx":
        import openpyxl

        _, *rows = map(list, openpyxl.load_workbook(file).active.iter_rows(values_only=True))
    else:
        _, *rows = csv.reader(io.StringIO(ran.out)) if name == "csv" else ("", list(json.loads(ran.out).values()))
    assert [list(map(str, row)) for row in rows] == [["开学", SECOND, "0"]]


def test_markdown_is_read_as_it_stands(records):
    odd = records[0] | {"title": "# *高考*", "text": "1. 第一\n\n- 第二 <b>"}
    title, facts, first, second, _ = next(pieces_of("md", [odd])).split("\n\n")
    assert (title, first, second) == ("## \\# \\*高考\\*", "1\\. 第一", "\\- 第二 \\<b\\>")
    assert f"<{FIRST}>" in facts


@pytest.mark.parametrize("name", ["xlsx", "parquet"])
def test_a_table_for_programs_is_whole_or_not_there(scrapy, tmp_path, monkeypatch, name):
    pytest.importorskip(export_formats.NEEDS[name][0])
    file = tmp_path / f"articles.{name}"
    ran = scrapy("export", "--format", name, "--output", str(file))
    assert (ran.code, ran.out, ran.err) == (0, "", "2 articles\n")
    old_bytes = file.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(export_formats.TABLES, name, fail)
    ran = scrapy("export", "--format", name, "--output", str(file))
    assert (ran.code, ran.err) == (1, f"scrapy export: {file}: No space left on device\n")
    assert file.read_bytes() == old_bytes
    assert list(tmp_path.glob("articles*")) == [file]


def test_a_parquet_file_has_every_article(scrapy, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    scrapy("export", "--format", "parquet", "--output", str(tmp_path / "a.parquet"))
    assert parquet.read_table(tmp_path / "a.parquet").column("url").to_pylist() == [FIRST, SECOND]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--format", "doc"), "--format doc: say jsonl, csv, md, xlsx, parquet"),
        (("--format", "parquet"), "--format parquet needs --output FILE"),
        (("--fields", "title,nope"), "--fields title,nope: an article has no field 'nope'; say all, or some of id, url, "),
        (("--fields", "url", "--format", "md"), "--format md has no fields"),
        (("--output", "x"), "--format jsonl goes to stdout, not to --output: scrapy export --format jsonl > FILE"),
    ],
)
def test_wrong_formats_are_refused(scrapy, words, sentence):
    ran = scrapy("export", *words)
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err


def test_a_missing_library_is_named(scrapy, tmp_path, monkeypatch):
    monkeypatch.setitem(export_formats.NEEDS, "xlsx", ("no_such_module", "xlsx"))
    ran = scrapy("export", "--format", "xlsx", "--output", str(tmp_path / "a.xlsx"))
    assert ran.code == 2
    assert "--format xlsx needs no_such_module: pip install 'newsspider[xlsx]'" in ran.err


@pytest.mark.parametrize("output", [".", "/"])
def test_a_folder_is_not_written_over(scrapy, output):
    ran = scrapy("export", "--format", "xlsx", "--output", output)
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert ran.err.startswith(f"scrapy export: {output}: ")
