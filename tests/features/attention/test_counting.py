"""Attention equals counting."""

import random
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import pytest
from sqlalchemy import Connection, insert, text

from newsspider.core.query.query_language import parse_query
from newsspider.features.attention.counting import Attention, Split, count_attention
from newsspider.features.attention.rules.periods import CHINA, PeriodLength, span_of
from newsspider.features.events.tables import event_articles, events
from newsspider.store.tables import reprints
from tests.support.samples import save_article
from tests.support.stores import BACKENDS

NOW = datetime(2026, 11, 10, 4, 0, tzinfo=UTC)
SPAN = span_of(date(2026, 11, 2), date(2026, 11, 8), PeriodLength.DAY)  # a week from Monday on


def store(conn: Connection, number: int, day: int, body: str = "全省高考报名开始", **values: object) -> int:
    """An article of this day of November, at noon in China; returns its number."""
    moment = datetime(2026, 11, 1, 4, 0, tzinfo=UTC) + timedelta(days=day - 1)
    values = {"published_at": moment, "crawled_at": moment, "title": f"第{number}条", **values}
    save_article(conn, f"http://a.cn/{number}", f"{body}，第{number}号", **values)
    return int(conn.execute(text("SELECT max(id) FROM articles")).scalar_one())


def counted(
    conn: Connection, *queries: str, step: PeriodLength = PeriodLength.DAY, split: Split | None = None, most: int = 1000
) -> Attention:
    span = span_of(SPAN.starts[0], SPAN.starts[-1], step)
    return count_attention(conn, {query: parse_query(query, NOW) for query in queries}, span, split, most)


def group(conn: Connection, *numbers: int) -> None:
    for place, number in enumerate(numbers):
        row = {"article_id": number, "group_id": numbers[0], "is_first": place == 0}
        conn.execute(insert(reprints).values(row))


def test_articles_and_their_share_are_counted_by_day(conn: Connection) -> None:
    for number, day in enumerate((1, 2, 2, 5, 8, 9)):  # the first and the last are outside
        store(conn, number, day)
    store(conn, 10, 2, "职业学校开学")
    found = counted(conn, "高考", "开学", "职业教育")
    assert [series.articles for series in found.series] == [
        (2, 0, 0, 1, 0, 0, 1), (1, 0, 0, 0, 0, 0, 0), (0,) * 7,
    ]  # fmt: skip
    assert found.all_articles == (3, 0, 0, 1, 0, 0, 1)
    assert found.shares(found.series[0])[:2] == [2 / 3, 0.0]
    assert found.counted_since == {}


def test_weeks_and_months_are_sums_of_days(conn: Connection) -> None:
    for number, day in enumerate((1, 2, 8, 9)):
        store(conn, number, day)
    assert counted(conn, "高考", step=PeriodLength.WEEK).series[0].articles == (2,)
    assert counted(conn, "高考", step=PeriodLength.MONTH).series[0].articles == (4,)


def test_a_story_counts_once_when_the_first_of_it_is_found(conn: Connection) -> None:
    numbers = [store(conn, number, day) for number, day in enumerate((3, 4, 4, 6))]
    group(conn, numbers[1], numbers[0], numbers[3])
    (series,) = counted(conn, "高考").series
    assert series.articles == (0, 1, 2, 0, 1, 0, 0)
    assert series.stories == (0, 1, 1, 0, 0, 0, 0)


@pytest.mark.parametrize("backend", BACKENDS)  # each has its own SQL for it
def test_what_the_database_adds_up_equals_what_is_listed(conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(46)
    numbers = [store(conn, number, chance.randint(1, 9), noindex=chance.random() < 0.2) for number in range(40)]
    for first in range(0, 36, 6):
        group(conn, *numbers[first : first + chance.randint(2, 5)])
    for most in (1000, 25, 7):
        added_up = counted(conn, "高考", most=most)
        for groups_asked in (5_000, 2):
            monkeypatch.setattr("newsspider.features.attention.counting.MOST_GROUPS_ASKED", groups_asked)
            listed = counted(conn, "高考 NEAR/9 报名", most=most)  # whose hits are tested one by one
            assert [replace(series, query="") for series in listed.series] == [
                replace(series, query="") for series in added_up.series
            ]
            assert [*listed.counted_since.values()] == [*added_up.counted_since.values()]
    assert 0 < sum(added_up.series[0].stories) <= sum(added_up.series[0].articles) <= 7


def test_what_no_search_shows_is_not_counted(conn: Connection) -> None:
    numbers = [store(conn, number, 3, noindex=number == 1) for number in range(3)]
    gone = "SELECT key, 'gone', 3, 0, 1 FROM article_urls WHERE article_id = :id"
    columns = "(key, absence, misses, return_count, vanished_at)"
    conn.execute(text(f"INSERT INTO missing_articles {columns} {gone}"), {"id": numbers[2]})
    found = counted(conn, "高考")
    assert found.series[0].articles == found.all_articles == (0, 1, 0, 0, 0, 0, 0)


def test_of_too_many_articles_the_newest_are_counted_and_that_is_said(conn: Connection) -> None:
    for number, day in enumerate((2, 3, 4, 4)):
        store(conn, number, day)
    found = counted(conn, "高考", most=3)
    assert found.series[0].articles == (0, 1, 2, 0, 0, 0, 0)
    assert found.counted_since == {"高考": date(2026, 11, 3)}
    assert found.record()["series"][0]["counted_since"] == "2026-11-03"
    assert counted(conn, "高考", most=4).counted_since == {}


def test_a_day_of_which_some_articles_are_left_out_is_not_counted(conn: Connection) -> None:
    for number, day in enumerate((2, 3, 3, 4)):
        store(conn, number, day)
    found = counted(conn, "高考", most=2)
    assert found.series[0].articles == (0, 0, 1, 0, 0, 0, 0)
    assert found.counted_since == {"高考": date(2026, 11, 4)}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("day", [date(1988, 6, 1), date(1969, 12, 30)])
def test_a_day_of_summer_time_or_before_1970_is_one_of_china(conn: Connection, day: date) -> None:
    midnight = datetime.combine(day, time(), CHINA)
    for number, hours in enumerate((-1, 0, 23)):
        store(conn, number, 1, published_at=midnight + timedelta(hours=hours))
    span = span_of(day, day + timedelta(days=1), PeriodLength.DAY)
    attention = count_attention(conn, {"高考": parse_query("高考", NOW)}, span)
    assert attention.series[0].articles == attention.all_articles == (2, 0)


def test_words_that_are_near_are_counted_exactly(conn: Connection) -> None:
    store(conn, 1, 3, "校长贪污被查")
    store(conn, 2, 4, "校长在全校师生面前谈到反对贪污")
    assert counted(conn, "校长 NEAR/3 贪污").series[0].articles == (0, 1, 0, 0, 0, 0, 0)


def test_the_bounds_of_a_query_hold_within_those_of_the_chart(conn: Connection) -> None:
    for number, day in enumerate((3, 5, 9)):
        store(conn, number, day)
    assert counted(conn, "高考 since:2026-11-04").series[0].articles == (0, 0, 0, 1, 0, 0, 0)


@pytest.mark.parametrize(
    ("split", "expected"),
    [
        (Split.SITE, {"教育部": 2, "县报": 1}),
        (Split.REGION, {"江苏": 2, "-": 1}),
        (Split.ABOUT, {"江苏": 2, "浙江": 2, "-": 1}),
        (Split.MEDIA, {"official": 2, "-": 1}),
        (Split.SUBTOPIC, {"高考": 3, "critical": 2}),
        (Split.TENDENCY, {"critical": 1, "neutral": 2}),
    ],
)
def test_the_articles_of_a_query_are_counted_apart(conn: Connection, split: Split, expected: dict[str, int]) -> None:
    for number in range(2):
        place = {"region": "苏州", "places": ("南京", "无锡", "浙江")}
        store(conn, number, 3, site="教育部", media_class="official", subtopics=("critical", "高考"), **place)
    critical = "全省高考报名开始。学校食堂饭菜又贵又难吃，真让人失望。校方没有回应"
    number = store(conn, 3, 4, critical, site="县报", media_class="", subtopics=("高考",))
    found = counted(conn, "高考", split=split)
    assert {series.value: sum(series.articles) for series in found.series} == expected
    assert (found.values, {series.query for series in found.series}) == (len(expected), {"高考"})
    assert [ids for series in found.series if (ids := series.ids)] == ([(number,)] if split is Split.TENDENCY else [])


@pytest.mark.parametrize(("of_the_event", "not_counted", "is_named"), [(3, 0, True), (2, 0, False), (2, 3, False)])
def test_a_peak_names_the_event_of_more_than_half_of_its_articles(
    conn: Connection, of_the_event: int, not_counted: int, is_named: bool
) -> None:
    earlier = [store(conn, number, 3) for number in range(4, 4 + not_counted)]
    numbers = [store(conn, number, 5, title="河东县高考泄题") for number in range(4)]
    blank = {"first_ts": 0, "last_ts": 0, "seen_ts": 0, "articles": 3, "weights": "{}", "figures": "[]", "places": "[]"}
    conn.execute(insert(events).values(id=numbers[0], numbers="[]", names="{}", **blank))
    for number in numbers[:of_the_event] + earlier:
        row = {"article_id": number, "event_id": numbers[0], "similarity": 1, "words": "", "names": ""}
        conn.execute(insert(event_articles).values(row))
    weeks = span_of(date(2026, 9, 21), date(2026, 11, 8), PeriodLength.WEEK)
    (peak,) = count_attention(conn, {"高考": parse_query("高考", NOW)}, weeks, most=4).series[0].peaks
    assert (peak.place, peak.articles) == (6, 4)
    assert (peak.event, peak.title) == ((numbers[0], "河东县高考泄题") if is_named else (None, ""))
