"""The page of attention and its API."""

import csv
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from lxml import etree, html

from newsspider.features.attention.charts import rounded_up
from tests.features.console.conftest import backend, console, filled

__all__ = ["backend", "console", "filled"]

API = "/api/v1/attention"
DAYS = "since=2026-11-23&until=2026-11-25"


def asked(*queries: str) -> str:
    return "&".join(f"q={quote(query)}" for query in queries)


def test_the_page_shows_a_chart_and_the_same_as_a_table(console: TestClient) -> None:
    page = html.fromstring(console.get(f"/attention?{asked('幼儿园', '高考')}&{DAYS}").text)
    assert len(page.cssselect("svg.attention path.line")) == 2
    rows = [[cell.text_content() for cell in row.cssselect("th, td")] for row in page.cssselect("table.data tbody tr")]
    assert [row[0] for row in rows] == ["2026-11-23", "2026-11-24", "2026-11-25"]
    assert [row[1] for row in rows] == ["0", "0", "1"]
    assert [row[4] for row in rows] == ["0", "1", "0"]
    assert [link.text for link in page.cssselect("p.actions a")] == ["CSV", "SVG", "PNG"]


def test_one_query_is_drawn_as_bars(console: TestClient) -> None:
    page = html.fromstring(console.get(f"/attention?{asked('高考')}&{DAYS}&normalised=1").text)
    assert len(page.cssselect("svg.attention rect.bar")) == 3
    assert "100%" in page.cssselect("svg.attention")[0].text_content()


def test_without_a_query_there_is_the_form(console: TestClient) -> None:
    page = html.fromstring(console.get("/attention?by=nope&split=nope&since=x").text)
    assert len(page.cssselect("form.fields input[name=q]")) == 1
    assert not page.cssselect("svg.attention")


def test_the_api_answers_as_the_command(console: TestClient) -> None:
    record = console.get(f"{API}?{asked('高考')}&{DAYS}").json()
    assert [series["articles"] for series in record["series"]] == [[0, 1, 0]]
    assert record["all"][1] == 1
    rows = list(csv.DictReader(console.get(f"{API}?{asked('高考')}&{DAYS}&form=csv").text.splitlines()))
    assert [row["articles"] for row in rows] == ["0", "1", "0"]
    picture = console.get(f"{API}?{asked('高考', '<script>')}&{DAYS}&form=svg")
    assert picture.headers["content-disposition"] == 'attachment; filename="attention.svg"'
    assert etree.fromstring(picture.content).get("aria-label") == "高考, <script>"


def test_files_hold_neither_formulas_nor_control_characters(console: TestClient) -> None:
    rows = list(csv.DictReader(console.get(f"{API}?{asked('=高考')}&{DAYS}&form=csv").text.splitlines()))
    assert {row["query"] for row in rows} == {"'=高考"}
    picture = console.get(f"{API}?{asked('高考')}%01&{DAYS}&form=svg")
    assert etree.fromstring(picture.content).get("aria-label") == "高考"


def test_each_query_counts_for_the_limit(console: TestClient) -> None:
    console.app.state.queries.most = 3
    address = f"{API}?{asked('高考', '火灾')}&{DAYS}"
    assert [console.get(address).status_code for _ in range(2)] == [200, 429]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (asked(*"甲乙丙丁戊己"), "at most 5 queries, not 6"),
        (f"{asked('甲', '乙')}&split=site", "only one query can be counted apart"),
        (f"{asked('甲')}&since=2026-11-02&until=2026-11-01", "2026-11-02 is behind 2026-11-01"),
        (f"{asked('甲')}&since=0001-01-01", "more than 1,000 periods; ask by week or month, or for less time"),
        (f"{asked('甲')}&until=9999-12-31", "the calendar does not reach that far"),
        (asked("("), "the query, at character 2: a word is missing at the end"),
    ],
)
def test_what_cannot_be_counted_is_refused(console: TestClient, query: str, reason: str) -> None:
    answer = console.get(f"{API}?{query}")
    assert (answer.status_code, answer.json()["detail"]) == (400, reason)


def test_the_words_of_two_queries_are_compared(console: TestClient) -> None:
    use = console.get(f"{API}/words?{asked('高考', '火灾')}&{DAYS}").json()
    assert use["stories"] == [1, 2]
    assert use["complete"]
    assert console.get(f"{API}/words?{asked('高考')}").status_code == 400
    page = html.fromstring(console.get(f"/attention?{asked('高考', '火灾')}&{DAYS}&compare=1").text)
    assert len(page.cssselect(".columns.even h3")) == 2


def test_the_top_of_an_axis_is_a_round_figure() -> None:
    assert [rounded_up(value) for value in (0.004, 0.2, 1, 7, 21)] == [0.005, 0.2, 1, 10, 50]
