"""Searches are counted by the day, on both databases, and forgotten after a while."""

from sqlalchemy import text

from newsspider.features.console import search_counts as searches
from tests.support.samples import NOW
from tests.support.stores import backend

__all__ = ["backend"]

DAY = 86_400


def hot(conn, now=NOW, days=7, limit=10):
    return [(row.query, row.searches) for row in searches.hot_searches(conn, now, days, limit)]


def test_what_is_asked_often_comes_first_and_what_is_asked_twice_is_not_shown(conn):
    searches.note(conn, {"高考": 2, "双减": 4, "某人": 1}, NOW - DAY)
    searches.note(conn, {"高考": 3, "某人": 1}, NOW)
    assert hot(conn) == [("高考", 5), ("双减", 4)]
    assert hot(conn, days=1) == [("高考", 3)]
    assert hot(conn, limit=1) == [("高考", 5)]
    assert hot(conn, now=NOW + 7 * DAY) == []


def test_old_days_are_forgotten_and_a_day_has_only_so_many_queries(conn, monkeypatch):
    monkeypatch.setattr(searches, "MOST_QUERIES", 2)
    searches.note(conn, {"一": 3, "三": 3, "二": 3}, NOW)
    searches.note(conn, {"一": 1, "四": 9}, NOW)
    assert hot(conn) == [("一", 4), ("三", 3)]
    searches.note(conn, {"五": 1}, NOW + (searches.KEPT_DAYS + 1) * DAY)
    assert [row.query for row in conn.execute(text("SELECT query FROM search_counts"))] == ["五"]
