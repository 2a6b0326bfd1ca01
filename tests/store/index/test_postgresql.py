"""The index on PostgreSQL looks at the newest entries first, and reads no vector."""

import random
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import text

from newsspider.core.query.query_tree import All, Either, Not, Text, Value
from newsspider.core.text.tokenizer import units_of_text, value_token
from newsspider.store.engine.database import open_store
from newsspider.store.index import postgresql
from newsspider.store.index.backend import Choice
from tests.support.indexes import MOMENT, save
from tests.support.plans import UNINDEXED, Plans
from tests.support.servers import MIGRATED
from tests.support.stores import on_postgresql

WORDS = ("每篇都有的", "教育部", "高考", "志愿填报", "罕见")  # each in half as many articles as the one before
ARTICLES = 96
INDEX_ROWS = re.compile(r"Bitmap Index Scan on ix_search_vectors_tokens .*actual time=\S+ rows=(\d+)")
FILL = (
    "INSERT INTO search_entries (id, article_id, moment, anchors) SELECT g, g, g, ''"
    " FROM generate_series(CAST(:first AS int), CAST(:last AS int)) g",
    """
    INSERT INTO search_vectors (id, article_id, moment, is_long, tokens, title, body, anchor, comment)
    SELECT g, g, g, false, array_to_tsvector(ARRAY['2课', '2gre'] || ARRAY(
        SELECT '2' || (g * 37 + k * 11) % 5000 FROM generate_series(1, 60) k)), '课 gre', '', '', ''
    FROM generate_series(CAST(:first AS int), CAST(:last AS int)) g
    """,
)  # entries that have both words


def word(written: str) -> Text:
    return Text(tuple(units_of_text(written)))


@pytest.fixture(scope="module")
def articles(migrated):
    """Articles of 40 days, hours or minutes apart, of which some have the same moment; two are too long for a vector."""
    engine = open_store(migrated.create("newest_entries", MIGRATED))
    chance = random.Random(26)
    with pytest.MonkeyPatch.context() as patch, engine.begin() as conn:
        patch.setattr(postgresql, "MOST_BYTES", 1_200)
        for number in range(ARTICLES):
            at = MOMENT - timedelta(minutes=30 * chance.choice([*range(60), *range(2_000)]))
            texts = [written for place, written in enumerate(WORDS) if number % 2**place == 0]
            more = "，".join(chr(0x5000 + place) * 2 for place in range(120)) if number in {8, 40} else ""
            save(conn, number, f"{'，'.join(texts)}，第{number}号{more}", published_at=at, site="甲" if number % 3 else "乙")
    yield engine
    engine.dispose()


@pytest.fixture
def filled(articles, monkeypatch):
    """A connection to them, in a transaction that is not kept."""
    monkeypatch.setattr(postgresql, "LEAST_WINDOW", 6)
    monkeypatch.setattr(postgresql, "MOST_BYTES", 1_200)
    with articles.connect() as conn, conn.begin() as transaction:
        yield conn
        transaction.rollback()


def test_the_newest_hits_are_those_of_all_hits_however_many_there_are(filled):
    nodes = [*map(word, WORDS), word("没有"), word("号"), Either((word("高考"), word("罕见"))), Not(word("教育部"))]
    nodes += [All((word("教育部"), Value(value_token("site", "乙")))), All((word("号"), Not(word("高考"))))]
    for node in nodes:
        whole = postgresql.INDEX.newest(filled, Choice(node), 10 * ARTICLES).entries
        assert whole == sorted(whole, key=lambda entry: (-entry.moment, -entry.id))
        last = whole[len(whole) // 3].moment if whole else 0
        for limit in (1, 2, 5, 20, 50):
            assert postgresql.INDEX.newest(filled, Choice(node), limit).entries == whole[:limit], (node, limit)
            earlier = [entry for entry in whole if entry.moment < last]
            assert postgresql.INDEX.newest(filled, Choice(node, until=last), limit).entries == earlier[:limit]
            later = [entry for entry in whole if entry.moment >= last]
            assert postgresql.INDEX.newest(filled, Choice(node, since=last), limit).entries == later[:limit]
            for place in range(0, len(whole), 9):
                behind = replace(Choice(node), behind=whole[place])
                assert postgresql.INDEX.newest(filled, behind, limit).entries == whole[place + 1 : place + 1 + limit]


def test_few_entries_are_found_for_frequent_words_and_for_some_days(filled):
    plans, latest = Plans(filled, may_scan=True), int(MOMENT.timestamp())
    filled.exec_driver_sql("SET LOCAL auto_explain.log_analyze = on")
    every = word(WORDS[0])
    for choice, limit in (
        (Choice(every), 2), (Choice(every, until=latest - 20 * 86_400), 2),
        (Choice(every, since=latest - 5 * 86_400), 1_000), (Choice(every, latest - 15 * 86_400, latest - 10 * 86_400), 1_000),
    ):  # fmt: skip
        plans.lines.clear()
        assert plans.of(partial(postgresql.INDEX.newest, choice=choice, limit=limit)).entries
        counts = [int(found[1]) for line in plans.lines if (found := INDEX_ROWS.search(line))]
        assert 0 < sum(counts) < ARTICLES, (choice, counts)


@pytest.mark.parametrize("last", [1_750_006_000, 1_799_999_999])
@pytest.mark.parametrize("hours", [0, 1, 15, 16, 100, 1_000, 10_000, 60_000])
def test_a_few_periods_stand_for_any_window_and_begin_shortly_before_it(last, hours):
    first = last - hours * 3_600
    periods, begin = postgresql._periods(first, last)
    assert len(periods.split(" | ")) <= postgresql.MOST_PERIODS
    assert first - max(3_600, 0.6 * (last - first)) < begin <= first


def test_periods_of_a_lifetime_are_too_many():
    assert postgresql._periods(0, 1_750_000_000) == ("", 0)


@pytest.mark.parametrize("node", [word("教育部"), word("教育，育部"), Not(word("教育部")), All((word("高考"), word("教育部")))])
@pytest.mark.parametrize("limit", [2, 50])
def test_a_search_that_tests_many_entries_ends_and_goes_on_where_it_ended(filled, monkeypatch, node, limit):
    whole = postgresql.INDEX.newest(filled, Choice(node), 10 * ARTICLES)
    assert whole.tested_last is None
    monkeypatch.setattr(postgresql, "MOST_TESTED", 7)
    entries, choice, ends = [], Choice(node), 0
    while True:
        newest = postgresql.INDEX.newest(filled, choice, limit)
        entries += newest.entries
        ends += newest.tested_last is not None
        if newest.tested_last is None and len(newest.entries) < limit:
            break
        choice = replace(choice, behind=newest.tested_last or newest.entries[-1])
    assert entries == whole.entries
    assert ends >= 3 or limit == 2


def test_what_the_tokens_decide_has_no_end(filled, monkeypatch):
    monkeypatch.setattr(postgresql, "MOST_TESTED", 7)
    newest = postgresql.INDEX.newest(filled, Choice(word("高考")), ARTICLES)
    assert len(newest.entries) == ARTICLES // 4
    assert newest.tested_last is None


@pytest.mark.parametrize("limit", [3, 1_000])  # of a window, and of all
@pytest.mark.parametrize(
    "node",
    [word("高考"), word("教育部"), All((word("教育部"), word("高考"), Value(value_token("site", "甲")))), Not(word("高考"))],
)
def test_hits_are_looked_for_in_the_index_even_of_a_small_table(filled, node, limit):
    filled.exec_driver_sql("ANALYZE search_vectors")
    plans = Plans(filled, may_scan=True)
    assert plans.of(partial(postgresql.INDEX.newest, choice=Choice(node), limit=limit))
    queries = "\n".join(plans.lines).split("Query Text: ")
    (*_, plan) = [plan for plan in queries if "FROM search_vectors" in plan]
    assert "Bitmap Index Scan on ix_search_vectors_tokens" in plan
    assert not [line for line in plan.splitlines() if UNINDEXED.search(line) or ("Filter: " in line and "@@" in line)]
    assert filled.exec_driver_sql("SHOW enable_seqscan").scalar() == "on"


@on_postgresql
def test_not_finds_nothing_else_while_the_pending_list_of_the_index_is_moved(store):
    """PostgreSQL 15 does: one search in ten here found entries that have both tokens."""
    with store.begin() as conn:
        conn.execute(text("ALTER INDEX ix_search_vectors_tokens SET (gin_pending_list_limit = 1000000)"))
    both = Not(All((word("课"), word("gre"))))
    for first in range(0, 16_000, 2_000):
        with store.begin() as conn:
            for statement in FILL:
                conn.execute(text(statement), {"first": first + 1, "last": first + 2_000})
        with ThreadPoolExecutor(1) as pool, store.connect() as conn:
            moving = pool.submit(moved, store)
            while not moving.done():
                assert postgresql.INDEX.newest(conn, Choice(both), 20).entries == []
            assert moving.result() > 0


def moved(store):
    """The pages of the pending list, which are moved into the index."""
    with store.connect() as conn:
        return conn.execute(text("SELECT gin_clean_pending_list('ix_search_vectors_tokens')")).scalar()
