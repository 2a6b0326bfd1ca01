"""``scrapy attention`` as people use it."""

import csv
import json
import resource

import pytest
from lxml import etree

from newsspider.core.text.terminal_columns import column_count
from newsspider.features.attention.attention_lines import HEADS, value_lines
from tests.support.commands import database, scrapy

__all__ = ["database", "scrapy"]

DAYS = ("--since", "2026-10-30", "--until", "2026-11-03")  # both articles of the store are of 1 November


def test_a_chart_fits_the_screen(scrapy) -> None:
    ran = scrapy("attention", "高考改革", "开学", *DAYS)
    lines = ran.out.splitlines()
    assert ran.code == 0
    assert [column_count(line) for line in lines if column_count(line) > 80] == []
    assert [line.split() for line in lines if line.startswith("2026-11-01")] == [
        ["2026-11-01", "█" * 44, "1", "1", "50.0%"],
        ["2026-11-01", "█" * 44, "1", "1", "50.0%"],
    ]
    assert [line.split()[1:] for line in lines if line.startswith("2026-10-30")] == [["0", "0", "0.0%"]] * 2


def test_without_a_first_day_a_chart_begins_with_the_first_article(scrapy) -> None:
    record = json.loads(scrapy("attention", "开学", "--until", "2026-11-03", "--json").out)
    assert (record["periods"][0], record["all"][0]) == ("2026-10-28", 0)  # a week at least
    assert len(json.loads(scrapy("attention", "开学", "--until", "2026-11-20", "--json").out)["periods"]) == 20
    compared = scrapy("attention", "--compare", "高考改革", "开学", *DAYS).out
    assert compared.count("no word; 1 and 1 stories were compared") == 2


def test_the_same_as_json_and_as_a_table(scrapy) -> None:
    record = json.loads(scrapy("attention", "开学", *DAYS, "--by", "week", "--json").out)
    assert (record["by"], record["periods"], record["until"]) == ("week", ["2026-10-26", "2026-11-02"], "2026-11-09")
    assert record["all"] == [2, 0]
    assert [(one["query"], one["articles"], one["shares"]) for one in record["series"]] == [
        ("开学", [1, 0], [0.5, 0.0])
    ]
    rows = list(csv.reader(scrapy("attention", "开学", *DAYS, "--by", "month", "--csv").out.splitlines()))
    assert rows == [
        list(HEADS),
        ["2026-10-01", "开学", "", "0", "0", "0", "0.0"],
        ["2026-11-01", "开学", "", "1", "1", "2", "0.5"],
    ]


def test_a_file_has_the_form_that_its_name_ends_in(scrapy, tmp_path) -> None:
    def written(name: str, *words: str) -> str:
        ran = scrapy("attention", "开学", *words, *DAYS, "-o", str(tmp_path / name))
        assert (ran.code, ran.out) == (0, "")
        return (tmp_path / name).read_text("utf-8")

    picture = etree.fromstring(written("a.svg", "高考改革").encode())
    assert picture.get("aria-label") == "开学, 高考改革"
    assert [text for text in picture.itertext() if text in ("开学", "高考改革")] == ["开学", "高考改革"]
    assert json.loads(written("a.json"))["series"][0]["query"] == "开学"
    assert written("a.CSV").startswith("\ufeffperiod,query,")  # by which Excel knows UTF-8
    assert "地图: 开学" in written("map.svg", "--by", "region")
    assert written("sites.csv", "--by", "site") == "\ufeffsite,articles,stories\n乙,1,1\n"
    assert "first" in json.loads(written("words.json", "高考改革", "--compare"))


def test_a_file_is_written_whole_or_not_at_all(scrapy, tmp_path) -> None:
    file, (old, hard) = tmp_path / "a.csv", resource.getrlimit(resource.RLIMIT_FSIZE)
    file.write_text("old")
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, hard))
    try:
        ran = scrapy("attention", "开学", "高考", "--since", "2024-03-01", "--until", "2026-11-03", "-o", str(file))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (old, hard))
    assert (ran.code, ran.err) == (1, f"scrapy attention: {file}: File too large\n")
    assert [(path.name, path.read_text()) for path in tmp_path.glob("a.*")] == [("a.csv", "old")]


def test_no_cell_of_the_table_is_a_formula(scrapy) -> None:
    rows = list(csv.reader(scrapy("attention", "=开学", *DAYS, "--by", "month", "--csv").out.splitlines()))
    assert [row[1] for row in rows[1:]] == ["'=开学"] * 2


def test_bars_are_of_shares_if_they_are_asked_for(scrapy) -> None:
    ran = scrapy("attention", "开学", *DAYS, "--normalised")
    assert "█" * 44 in ran.out


@pytest.mark.parametrize(("split", "value"), [("site", "乙"), ("media", "trade"), ("subtopic", "留学")])
def test_a_split_has_a_chart_for_each_value(scrapy, split: str, value: str) -> None:
    assert f"{value}: 开学" in scrapy("attention", "开学", *DAYS, "--split", split).out.splitlines()


def test_a_table_has_a_bar_for_each_province(scrapy) -> None:
    lines = scrapy("attention", "开学", *DAYS, "--by", "region").out.splitlines()
    assert (lines[0], lines[2].split()) == ("开学", ["-", "█" * 34, "1", "1"])
    bars = [line.split()[1] for line in list(value_lines("开学", {"四川": (22, 22), "北京": (19, 19)}, 41))[2:]]
    assert bars == ["█" * 34, f"{'█' * 29}▍"]
    assert [line for line in lines if column_count(line) > 80] == []
    record = json.loads(scrapy("attention", "开学", *DAYS, "--by", "site", "--json").out)
    assert record["rows"] == [{"site": "乙", "articles": 1, "stories": 1}]
    assert scrapy("attention", "=开学", *DAYS, "--by", "site", "--csv").out == "site,articles,stories\n乙,1,1\n"
