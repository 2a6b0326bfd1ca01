"""The list of changes, in a store that has many of them."""

import tracemalloc
from itertools import islice

from sqlalchemy import insert

from newsspider.store.articles.revisits import ChangeFilters, recent_changes
from newsspider.store.tables import article_urls, missing_articles, revisions
from tests.support.samples import NOW, save_article

TEXT = "一段很长的正文。" * 1000
COUNT = 1500


def many(conn):
    """So many changes, a second apart, and three articles of which each vanished and came back."""
    row = {
        "key": 1, "url": "http://c.cn/1", "site": "站", "parts": '["text"]', "edits": "[]", "title": "题", "crawled_at": "2026-11-01",
        "charset": "utf-8", "snapshot": "", "further": "[]",
    }  # fmt: skip
    conn.execute(insert(revisions), [{**row, "changed_at": NOW + n, "text": f"{n}{TEXT}"} for n in range(COUNT)])
    for n in range(3):
        save_article(conn, f"http://d.cn/{n}", f"正文{n}")
    for n, (key,) in enumerate(conn.execute(article_urls.select().with_only_columns(article_urls.c.key)).all()):
        times = {"last_vanished_at": NOW + 10.5 + n, "returned_at": NOW + 700.5 + n}
        conn.execute(insert(missing_articles), {"key": key, "absence": "not_found", "misses": 0, "return_count": 1, **times})


def test_the_three_kinds_of_events_come_as_one_list_the_latest_first(conn):
    many(conn)
    events = [(event["event"], event["at"]) for event in recent_changes(conn, ChangeFilters())]
    assert len(events) == COUNT + 6
    assert events == sorted(events, key=lambda event: -event[1])
    assert [name for name, at in events if at % 1] == ["returned"] * 3 + ["vanished"] * 3
    assert [(event["event"], event["at"]) for event in recent_changes(conn, ChangeFilters(), 7)] == events[:7]


def test_however_many_there_are_few_are_in_memory(conn):
    many(conn)
    tracemalloc.start()
    for event in islice(recent_changes(conn, ChangeFilters()), COUNT):
        assert event["url"]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < COUNT * len(TEXT) / 2
