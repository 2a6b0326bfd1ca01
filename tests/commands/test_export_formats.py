"""``scrapy export --format``: tables and texts."""

from __future__ import annotations

import csv
import io
from datetime import datetime

import pytest

from newsspider.library import export_formats
from newsspider.library.export_formats import COLUMNS, LONGEST_CELL, head, text_of, write_xlsx
from tests.commands.reading import FIRST, SECOND, database, scrapy

__all__ = ["database", "scrapy"]


@pytest.fixture
def records(scrapy):
    import json

    return [json.loads(line) for line in scrapy("export").out.splitlines()]


def test_csv_has_a_byte_order_mark_and_a_row_an_article(scrapy):
    ran = scrapy("export", "--format", "csv")
    assert (ran.code, ran.err, ran.out[0]) == (0, "2 articles\n", "\ufeff")
    rows = list(csv.DictReader(io.StringIO(ran.out[1:])))
    assert [row["url"] for row in rows] == [FIRST, SECOND]
    assert tuple(rows[0]) == COLUMNS


def test_no_cell_is_taken_for_a_formula(records, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    title = '=HYPERLINK("http://x.cn","高考")'
    odd = records[0] | {"title": title, "source": "-1+1", "author": ["@甲", "乙"], "text": "第一行\n\x00第二行," + "长" * 40_000}
    (row,) = csv.DictReader(io.StringIO((head("csv") + text_of("csv", odd))[1:]))
    assert (row["title"], row["source"], row["author"]) == (f"'{title}", "'-1+1", "'@甲; 乙")
    assert write_xlsx([odd], tmp_path / "a.xlsx") == (1, 1)
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    cells = dict(zip(COLUMNS, next(sheet.iter_rows(min_row=2)), strict=True))
    assert (cells["title"].value, cells["title"].data_type) == (title, "s")
    assert (cells["source"].value, cells["source"].data_type) == ("-1+1", "s")
    assert isinstance(cells["crawled_at"].value, datetime)
    assert isinstance(cells["id"].value, int)
    assert len(cells["text"].value) == LONGEST_CELL
    assert cells["text"].value.startswith("第一行\n第二行")


def test_markdown_is_read_as_it_stands(records):
    odd = records[0] | {"title": "# *高考*", "text": "1. 第一\n\n- 第二 <b>"}
    title, facts, first, second, _ = text_of("md", odd).split("\n\n")
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
