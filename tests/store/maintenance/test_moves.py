"""A store that moves from SQLite to PostgreSQL."""

import pytest
from sqlalchemy import select, text

from newsspider.store.engine.database import open_store, reading, writing
from newsspider.store.engine.errors import StoreUnusableError
from newsspider.store.engine.integrity import integrity_problems
from newsspider.store.maintenance import moves
from newsspider.store.maintenance.moves import MoveError, StoreMove
from newsspider.store.tables import metadata
from tests.support.samples import NOW, lease_on, save_article
from tests.support.servers import new_file

ARTICLES = 30


class KilledError(Exception):
    """Ends a move in its middle."""


@pytest.fixture
def source(tmp_path):
    engine = open_store(new_file(tmp_path / "news.db"))
    for number in range(ARTICLES):
        with writing(engine) as conn:
            odd = "末尾\0有一个零字节" if number == 3 else ""
            save_article(conn, f"http://a.cn/{number}", f"第{number}篇正文{odd}", title=f"第{number}篇")
    yield engine
    engine.dispose()


@pytest.fixture
def target(migrated):
    engine = open_store(migrated.create("moved"))
    yield engine
    engine.dispose()
    migrated.drop("moved")


def rows(engine, table):
    with reading(engine) as conn:
        return conn.execute(select(table.c.title, table.c.url).order_by(table.c.id)).all()


def test_a_move_that_was_interrupted_twice_ends_equal_and_the_store_goes_on(source, target, monkeypatch):
    monkeypatch.setattr(moves, "ROWS_AT_ONCE", 7)
    monkeypatch.setattr(moves, "LONG_AT_ONCE", 7)
    moved = []
    for limit in (40, 150):
        going = StoreMove(source, target)
        done = going.begin(NOW)
        assert done == sum(moved)

        def killed(count, limit=limit):
            moved.append(count)
            if sum(moved) > limit:
                raise KilledError

        with pytest.raises(KilledError):
            going.copy(killed)
    url = target.url.render_as_string(hide_password=False)
    with pytest.raises(StoreUnusableError, match="not finished"):
        open_store(url)
    going = StoreMove(source, target)
    going.begin(NOW)
    going.copy(moved.append)
    going.finish(NOW)
    open_store(url).dispose()
    assert sum(moved) == going.total()
    articles = metadata.tables["articles"]
    assert rows(source, articles) == rows(target, articles)
    with reading(target) as conn:
        assert conn.execute(text("SELECT text FROM articles WHERE title = '第3篇'")).scalar() == "第3篇正文末尾有一个零字节"
        assert not list(integrity_problems(conn))
        assert not conn.execute(text("SELECT count(*) FROM batch_jobs WHERE kind = 'move'")).scalar()
    with writing(target) as conn:
        save_article(conn, "http://a.cn/new", "新的正文", title="新的一篇")
    assert len(rows(target, articles)) == ARTICLES + 1


def test_no_number_of_a_forgotten_article_comes_again(source, target):
    with writing(source) as conn:
        conn.execute(text("DELETE FROM articles WHERE id > 20"))
    going = StoreMove(source, target)
    going.begin(NOW)
    going.copy()
    going.finish(NOW)
    with writing(target) as conn:
        save_article(conn, "http://a.cn/new", "新的正文", title="新的一篇")
        assert conn.execute(text("SELECT max(id) FROM articles")).scalar() == ARTICLES + 1


def test_tables_of_what_is_switched_off_are_not_left_behind(source, target):
    with writing(source) as conn:
        conn.execute(text("CREATE TABLE site_pages (site TEXT)"))
    StoreMove(source, target).begin(NOW)
    with writing(source) as conn:
        conn.execute(text("INSERT INTO site_pages VALUES ('甲')"))
    with pytest.raises(MoveError, match=r"rows in site_pages, of a feature or plug-in .* FEATURES"):
        StoreMove(source, target).begin(NOW)


def test_nothing_is_moved_onto_a_store_or_from_one_in_use(source, target, tmp_path):
    with writing(source) as conn:
        lease_on(conn, "http://a.cn/under-way")
    with pytest.raises(MoveError, match="under way"):
        StoreMove(source, target).begin(NOW)
    with writing(target) as conn:
        save_article(conn, "http://b.cn/1")
    other = open_store(new_file(tmp_path / "other.db"))
    with pytest.raises(MoveError, match="holds a store already"):
        StoreMove(other, target).begin(NOW)
    with pytest.raises(MoveError, match="from SQLite to PostgreSQL"):
        StoreMove(target, other)
    other.dispose()


def test_a_source_that_changes_meanwhile_is_noticed(source, target):
    going = StoreMove(source, target)
    going.begin(NOW)
    going.copy()
    with writing(source) as conn:
        conn.execute(text("UPDATE articles SET title = '改过' WHERE id = 1"))
    with pytest.raises(MoveError, match="articles differs"):
        going.finish(NOW)
