"""Going through all hits of a query, page by page."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, insert

from newsspider.core.query.query_language import parse_query
from newsspider.search.entry_rows import PRESENT_TEXTS, SearchScope
from newsspider.search.hits import Sort, search
from newsspider.search.paging import Cursor, cursor_of, known_articles, page_of_hits
from newsspider.store.engine.database import open_store
from newsspider.store.index import postgresql
from newsspider.store.tables import reprints
from tests.support.samples import save_article
from tests.support.servers import MIGRATED, new_file
from tests.support.stores import BACKENDS
from tests.support.tables import each
from tests.support.texts import ARTICLES, NOW, fill


@pytest.fixture(scope="module", params=BACKENDS)
def stored(request, tmp_path_factory) -> Iterator[Engine]:
    """A store with these articles on each database."""
    if request.param == "sqlite":
        engine = open_store(new_file(tmp_path_factory.mktemp("several") / "news.db"))
    else:
        engine = open_store(request.getfixturevalue("migrated").create("several_pages", MIGRATED))
    with engine.begin() as conn:
        fill(conn)
    yield engine
    engine.dispose()


@pytest.fixture
def several(stored) -> Iterator[Connection]:
    """A connection to it, in a transaction that is not kept."""
    with stored.connect() as conn, conn.begin() as transaction:
        yield conn
        transaction.rollback()


def walked(conn, words: str, scope: SearchScope, limit: int, between=lambda: None) -> list[int]:
    query, cursor = parse_query(words, NOW), Cursor(known_articles(conn), 1 << 45, 1 << 60)
    numbers: list[int] = []
    while cursor is not None:
        hits, cursor = page_of_hits(conn, query, scope, limit, cursor)
        assert len(hits) == limit or cursor is None
        numbers += [hit.record["id"] for hit in hits]
        assert cursor is None or cursor_of(str(cursor)) == cursor
        between()
    return numbers


@each("scope", [PRESENT_TEXTS, SearchScope(reprints=True)])
@each("words", ["", "高考", "家长关心", "高考 NEAR/9 学校", "since:1d"])
@each("limit", [1, 7, 200])
def test_a_walk_finds_what_a_search_finds_in_its_order(several, scope, words, limit) -> None:
    whole = search(several, parse_query(words, NOW), scope, limit=ARTICLES, now=NOW.timestamp())
    assert whole.last is None
    assert walked(several, words, scope, limit) == [hit.record["id"] for hit in whole.hits]


@pytest.mark.parametrize("stored", ["postgresql"], indirect=True)
@pytest.mark.parametrize("words", ["家长关心", "家长关心。", "高考改革 NEAR/9 学校准备", "-家长关心"])
def test_a_search_that_would_take_too_long_says_so_and_goes_on_behind(several, monkeypatch, words) -> None:
    query = parse_query(words, NOW)
    whole = [hit.record["id"] for hit in search(several, query, PRESENT_TEXTS, limit=ARTICLES).hits]
    monkeypatch.setattr(postgresql, "MOST_TESTED", 20)
    for sort in Sort:
        first = search(several, query, PRESENT_TEXTS, limit=ARTICLES, sort=sort)
        assert (first.more, first.went_back_to is None) == (True, False)
        assert len(first.hits) < len(whole)
    first = search(several, query, PRESENT_TEXTS, limit=ARTICLES)
    assert first.went_back_to == first.last.moment
    cursor = Cursor(known_articles(several), first.last.moment, first.last.id)
    numbers = [hit.record["id"] for hit in first.hits]
    while cursor is not None:
        hits, cursor = page_of_hits(several, query, PRESENT_TEXTS, ARTICLES, cursor)
        numbers += [hit.record["id"] for hit in hits]
    assert numbers == whole


def test_what_is_stored_meanwhile_moves_nothing(several) -> None:
    first_walk = walked(several, "高考", PRESENT_TEXTS, 200)
    ids = iter(range(1000))

    def store() -> None:
        place = next(ids)
        text = f"又一篇 {place} 高考。"
        number = save_article(several, f"http://new{place}.cn/", text, published_at=NOW, crawled_at=NOW).article_id
        several.execute(insert(reprints).values(article_id=number, group_id=place % 10, is_first=False))

    assert walked(several, "高考", PRESENT_TEXTS, 7, store) == first_walk


def test_a_search_says_where_its_next_page_begins(several) -> None:
    query = parse_query("高考", NOW)
    first = search(several, query, limit=10, now=NOW.timestamp())
    assert first.last is not None
    rest, _ = page_of_hits(several, query, PRESENT_TEXTS, 200, Cursor(known_articles(several), first.last.moment, first.last.id))
    assert [hit.record["id"] for hit in (*first.hits, *rest)] == walked(several, "高考", PRESENT_TEXTS, 50)
