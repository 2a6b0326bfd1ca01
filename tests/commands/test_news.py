"""``scrapy news``."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from newsspider.core.text.terminal_columns import column_count
from newsspider.store.engine.database import open_store
from newsspider.store.index.entries import start_again
from tests.support.commands import FIRST, SECOND, database, scrapy
from tests.support.samples import save_article
from tests.support.stories import STORY, save

__all__ = ["database", "scrapy"]

ORIGINAL, COPY = "http://c.cn/1", "http://d.cn/1"
LATER = datetime(2026, 11, 3, 16, 30, tzinfo=UTC)  # the fourth in China


@pytest.fixture
def day(database):
    """The same store, with a day of four articles, two of them reprints of each other."""
    engine = open_store(database)
    with engine.begin() as conn:
        save(conn, ORIGINAL, STORY, title="阳光招生", site="甲报", published_at=LATER, priority=3)
        save(conn, COPY, STORY[1:], title="阳光招生", site="乙网", source="甲报", published_at=LATER + timedelta(hours=1), priority=8)
        save_article(conn, "http://e.cn/1", "各地公布课程安排。", title="课程安排", published_at=LATER + timedelta(hours=2), priority=8)
        save_article(conn, "http://f.cn/1", "食堂安全检查。", title="食堂安全", published_at=LATER + timedelta(hours=3), priority=4)
        save_article(conn, "http://g.cn/1", "不要收录。", title="不收录", published_at=LATER, noindex=True)
        undated = datetime(2026, 11, 5, tzinfo=UTC)
        save_article(conn, "http://h.cn/1", "没有日期的文章。", title="没有日期", published_at=None, crawled_at=undated)
    engine.dispose()
    return database


def test_the_heaviest_comes_first_then_the_latest_and_a_group_once(scrapy, day):
    ran = scrapy("news", "2026-11-04")
    assert (ran.code, ran.err) == (0, "3 of 3 articles of 2026-11-04\n")
    assert ran.out.splitlines()[::2] == ["02:30  课程安排", "01:30  阳光招生", "03:30  食堂安全"]
    assert ran.out.splitlines()[3] == "       甲报, priority 8, id 4, and 1 reprint, first 甲报 11-04 00:30"


def test_a_day_is_one_in_china(scrapy, day):
    assert scrapy("news", "2026-11-03").err.startswith("no articles of 2026-11-03;")


def test_an_article_without_a_date_is_of_the_day_on_which_it_was_crawled(scrapy, day):
    assert scrapy("news", "2026-11-05").out == (
        "08:00  没有日期\n       新华网, priority 5, id 8, crawled then, without a date\n"
    )


def test_lines_take_80_columns_at_most(scrapy):
    ran = scrapy("news", "2026-11-01")
    assert len(ran.out.splitlines()) == 4
    assert max(column_count(line) for line in ran.out.splitlines()) <= 80


def test_filters_and_the_limit_narrow_the_day(scrapy, day):
    assert scrapy("news", "2026-11-04", "--limit", "1").err == "1 of 3 articles of 2026-11-04\n"
    assert scrapy("news", "2026-11-04", "--site", "甲报").out.startswith("00:30  阳光招生")
    assert scrapy("news", "2026-11-01", "--subtopic", "留学").out.startswith("16:30  开学")
    assert scrapy("news", "2026-11-01", "--topic", "flood").err == "no articles of 2026-11-01, nor of another day\n"


def test_an_index_that_is_not_complete_says_nothing_of_other_days(scrapy, day):
    with open_store(day).begin() as conn:
        start_again(conn, 1.0)
    assert scrapy("news", "2026-11-04").err.splitlines() == [
        "articles are missing: the index is not complete; run scrapy reindex",
        "no articles of 2026-11-04 in the index so far",
    ]


def test_json_lines_are_the_records_of_the_export(scrapy):
    records = [json.loads(line) for line in scrapy("news", "2026-11-01", "--json").out.splitlines()]
    assert [record["url"] for record in records] == [FIRST, SECOND]
    assert records == [json.loads(line) for line in scrapy("export").out.splitlines()]


@pytest.mark.parametrize(
    ("words", "last"),
    [(("2026-11-03",), "2026-11-01"), (("2027-01-01",), "2026-11-05"), (("2020-01-01",), "2026-11-05"),
     (("2026-11-04", "--site", "乙"), "2026-11-01")],
)  # fmt: skip
def test_an_empty_day_names_the_last_one_that_has_articles(scrapy, day, words, last):
    ran = scrapy("news", *words)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == f"no articles of {words[0]}; the last day that has some: scrapy news {last}\n"


def test_today_and_yesterday_are_days(scrapy, database):
    engine = open_store(database)
    with engine.begin() as conn:
        save_article(conn, "http://i.cn/1", "今天的文章。", title="今天", published_at=datetime.now(UTC))
        save_article(conn, "http://j.cn/1", "昨天的文章。", title="昨天", published_at=datetime.now(UTC) - timedelta(days=1))
    engine.dispose()
    assert scrapy("news").out.splitlines()[0][7:] == "今天"
    assert scrapy("news", "yesterday").out.splitlines()[0][7:] == "昨天"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("3h",), "'3h' is no day: say today, yesterday or a date like"),
        (("2026-11-01T08:30",), "is no day"),
        (("9999-12-31",), "is no day"),
        (("",), "is no day"),
        (("today", "yesterday"), "say one day"),
        (("--site", "无此站"), "there is no such site"),
        (("--limit", "0"), "above 0"),
        (("--since", "today"), "unknown option --since"),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_code_2(scrapy, words, sentence):
    ran = scrapy("news", *words)
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err.splitlines()[-1]
