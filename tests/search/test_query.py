"""Finding stored articles by words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import insert

from newsspider.core.url import url_key
from newsspider.search.query import Sort, search
from newsspider.store.articles.export import Filters, export
from newsspider.store.tables import ranks
from tests.store.samples import save_article

DAYS = {n: datetime(2026, 11, n, 8, 0, tzinfo=UTC) for n in range(1, 29)}


@pytest.fixture
def articles(conn):
    save_article(conn, "http://a.cn/1", "全国高考改革方案公布", title="高考改革", published_at=DAYS[1], priority=1)
    save_article(conn, "http://a.cn/2", "各地公布高考时间", title="时间", published_at=DAYS[3], priority=9, site="乙", subtopics=("留学",))
    save_article(conn, "http://a.cn/3", "职业教育 100% Vocational_Schools", title="职教", published_at=DAYS[2], topic="other", subtopics=())
    save_article(conn, "http://a.cn/4", "没有日期的高考文章", title="无", published_at=None, crawled_at=DAYS[5], priority=9)


def urls(found):
    return [record["url"][-1] for record in found.records]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("高考", ["4", "2", "1"]),
        ("高考 公布", ["2", "1"]),
        ("高考　改革", ["1"]),
        ("改革 时间", []),
        ("vocational", ["3"]),
        ("VOCATIONAL_s", ["3"]),
        ("100%", ["3"]),
        ("%", ["3"]),
        ("_", ["3"]),
        ("l考", []),
        ("", []),
        ("  ", []),
    ],
)
def test_every_word_must_stand_in_title_or_body(conn, articles, query, expected):
    found = search(conn, query)
    assert (urls(found), found.total) == (expected, len(expected))


def test_the_heaviest_source_comes_first_if_asked(conn, articles):
    assert urls(search(conn, "高考", sort=Sort.PRIORITY)) == ["4", "2", "1"]
    assert urls(search(conn, "公布", sort=Sort.PRIORITY)) == ["2", "1"]
    assert urls(search(conn, "公布", sort=Sort.TIME)) == ["2", "1"]


def test_the_best_linked_page_of_an_article_comes_first_if_asked(conn, articles):
    def ranked(url, weight, score):
        row = {
            "key": url_key(url),
            "weight": weight,
            "pagerank": score,
            "hub": 0,
            "authority": 0,
            "indegree": 0,
            "parent_indegree": 0,
            "mirrors": 0,
        }
        conn.execute(insert(ranks), [row | {"ranked_at": 1.0}])

    ranked("http://a.cn/1", 1.5, 0.1)
    ranked("http://a.cn/2", 1.5, 0.2)
    assert urls(search(conn, "高考", sort=Sort.RANK)) == ["2", "1", "4"]
    save_article(conn, "http://b.cn/copy", "没有日期的高考文章")
    ranked("http://b.cn/copy", 2.0, 0.1)
    assert urls(search(conn, "高考", sort=Sort.RANK)) == ["4", "2", "1"]


def test_a_limit_cuts_the_records_not_the_total(conn, articles):
    found = search(conn, "高考", limit=1)
    assert (urls(found), found.total) == (["4"], 3)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), "1234"),
        (Filters(since=DAYS[2]), "234"),
        (Filters(until=DAYS[2]), "1"),
        (Filters(since=DAYS[4]), "4"),
        (Filters(site="乙"), "2"),
        (Filters(topic="other"), "3"),
        (Filters(since=DAYS[2], topic="education"), "24"),
        (Filters(subtopic="高考"), "14"),
        (Filters(subtopic="留学", topic="education"), "2"),
        (Filters(subtopic="考研"), ""),
    ],
)
def test_filters_hold_for_search_and_export(conn, articles, filters, expected):
    assert "".join(record["url"][-1] for record in export(conn, filters)) == expected
    words = {"1": "改革", "2": "时间", "3": "职业", "4": "日期"}
    assert {number for number, word in words.items() if search(conn, word, filters).total} == set(expected)


def test_an_export_is_as_long_as_asked_whatever_is_read_at_once(conn, monkeypatch):
    for number in range(7):
        save_article(conn, f"http://a.cn/{number}", f"第{number}篇", keywords=(f"词{number}",))
    monkeypatch.setattr("newsspider.store.articles.export.AT_ONCE", 3)
    records = list(export(conn))
    assert [record["text"] for record in records] == [f"第{number}篇" for number in range(7)]
    assert [record["keywords"] for record in records] == [[f"词{number}"] for number in range(7)]
    assert [len(list(export(conn, limit=limit))) for limit in (1, 3, 5, 99)] == [1, 3, 5, 7]
