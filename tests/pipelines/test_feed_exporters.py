"""Scrapy's feed exporters for articles."""

import csv
from io import BytesIO, StringIO
from typing import Any

import pytest

from newsspider.pipelines.feed_exporters import CsvArticles


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t="])
@pytest.mark.parametrize("make", [str, str.encode, lambda text: [text, "x"]])
def test_no_cell_is_taken_for_a_formula(start: str, make: Any) -> None:
    file = BytesIO()
    exporter = CsvArticles(file)
    exporter.start_exporting()
    exporter.export_item({"title": make(f"{start}cmd()"), "count": -3})
    exporter.finish_exporting()
    _, (title, count) = csv.reader(StringIO(file.getvalue().decode()))
    assert title.startswith(f"'{start}")
    assert count == "-3"
