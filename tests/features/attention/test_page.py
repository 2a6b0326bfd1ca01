"""The page of attention and its API."""

import csv
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from lxml import etree, html
from sqlalchemy import Engine, select

from newsspider.features.attention.rules.colour_levels import rounded_up
from newsspider.store.engine.database import writing
from newsspider.store.tables import articles
from tests.features.console.conftest import TODAY, backend, console, filled
from tests.support.samples import save_article

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
    page = html.fromstring(console.get("/attention?by=&split=&since=").text)
    assert len(page.cssselect("form.fields input[name=q]")) == 1
    assert not page.cssselect("svg.attention")


def test_the_articles_that_criticise_are_listed(console: TestClient, filled: Engine) -> None:
    with writing(filled) as conn:
        save_article(conn, "http://e.cn/7", "学校食堂饭菜又贵又难吃，真让人失望。", title="食堂", published_at=TODAY, crawled_at=TODAY)
    page = html.fromstring(console.get(f"/attention?{asked('食堂')}&split=tendency&{DAYS}").text)
    assert [link.text for link in page.cssselect("#critical h3 a")] == ["食堂"]


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
    drawn = etree.fromstring(picture.content)
    assert (drawn.get("aria-label"), list(drawn.itertext())[-1]) == ("高考", "高考")


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


PICTURES = "/api/v1/attention/pictures"


def test_a_map_counts_every_province_and_what_has_none_apart(console: TestClient) -> None:
    address = f"kind=map&{asked('高考')}&{DAYS}"
    page = html.fromstring(console.get(f"/attention/pictures?{address}").text)
    assert len(page.cssselect("svg.map g.tile")) == 37
    (unknown,) = (tile for tile in page.cssselect("svg.map g.tile") if tile.cssselect("title")[0].text == "未知: 1 篇")
    assert "unknown" not in unknown.cssselect("rect")[0].get("class")
    record = console.get(f"{PICTURES}?{address}").json()
    assert (len(record["rows"]), record["total"]) == (37, 1)
    assert record["rows"][-1] == {"place": "-", "articles": 1, "stories": 1}
    table = console.get(f"{PICTURES}?{address}&measure=tendency&form=csv").text.splitlines()
    assert (table[0], table[-1]) == ("place,critical,articles", "-,0,1")


def test_a_calendar_has_a_cell_for_each_day_with_its_count(console: TestClient) -> None:
    page = html.fromstring(console.get(f"/attention/pictures?kind=calendar&{asked('高考')}").text)
    said = [title.text for title in page.cssselect("svg rect.level title")]
    assert len(said) == 52 * 7 + 3
    assert [text for text in said if " 0 " not in text] == ["2026-11-24 周二: 1 篇"]
    assert len(page.cssselect("table.data tbody tr")) == 1


def test_shares_are_of_several_queries_or_of_the_values_of_one(console: TestClient) -> None:
    several = console.get(f"{PICTURES}?kind=shares&by=day&{asked('高考', '火灾')}&{DAYS}").json()
    assert several["rows"][1:] == [
        {"period": "2026-11-24", "counts": {"高考": 1, "火灾": 0}, "sum": 1},
        {"period": "2026-11-25", "counts": {"高考": 0, "火灾": 2}, "sum": 2},
    ]  # fmt: skip
    named = console.get(f"{PICTURES}?kind=shares&by=day&{asked('period', 'sum')}&{DAYS}").json()["rows"][-1]
    assert named == {"period": "2026-11-25", "counts": {"period": 0, "sum": 0}, "sum": 0}
    page = html.fromstring(console.get(f"/attention/pictures?kind=shares&by=day&split=site&{asked('火灾')}&{DAYS}").text)
    assert [bar.text_content() for bar in page.cssselect("svg rect title")] == [
        f"2026-11-25 站{number}: 50.0% (1 / 2)" for number in (4, 5)
    ]


def test_an_event_shows_who_took_it_from_whom(console: TestClient, filled: Engine) -> None:
    assert console.get(f"/attention/pictures?kind=spread&event={'9' * 20}").status_code == 404
    links = html.fromstring(console.get("/events/4").text).cssselect("p.kicker a")
    address = links[-1].get("href")
    assert address == "/attention/pictures?event=4&kind=spread"
    with writing(filled) as conn:
        text = conn.execute(select(articles.c.text).where(articles.c.id == 4)).scalar_one()
        save_article(conn, "http://d.cn/6", text, site="站6", source="站4", published_at=TODAY, crawled_at=TODAY)
    page = html.fromstring(console.get(address).text)
    assert len(page.cssselect("svg circle.dot-of-page, svg rect.peak")) == 3 + 2  # and those of the legend
    assert len(page.cssselect("svg path.edge.reprint")) == 1
    rows = console.get(f"{PICTURES}?kind=spread&event=4").json()["rows"]
    assert [(row["site"], row["from"], row["way"]) for row in rows] == [("站4", "", ""), ("站5", "", ""), ("站6", "站4", "reprint")]
    for kind in ("map", "calendar"):
        picture = console.get(f"{PICTURES}?kind={kind}&event=4&form=svg")
        assert etree.fromstring(picture.content).get("aria-label").endswith(": 河东县育才小学食堂火灾")


@pytest.mark.parametrize(
    ("query", "status"), [("kind=map", 400), ("kind=map&q=a&q=b", 400), ("kind=spread&q=a", 400), ("kind=map&event=99", 404),
     ("kind=calendar&q=a&until=0001-01-05", 400)]
)
def test_what_cannot_be_drawn_is_refused(console: TestClient, query: str, status: int) -> None:
    assert console.get(f"{PICTURES}?{query}").status_code == status
