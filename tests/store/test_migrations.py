"""Stores of earlier versions, with rows in them, brought to the present shape."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, inspect, text

from newsspider.store.engine.database import open_store
from newsspider.store.tables import metadata

ROWS = [  # kind, state, reason, due_at, update_cycle; and the queue in which such a row stands now
    ("article", "waiting", "found", 5.0, None, 0),
    ("article", "done", "stored", None, None, None),
    ("article", "done", "stored", 7.0, None, 3),
    ("blog", "done", "unchanged", 6.0, None, 3),
    ("article", "done", "retry", 6.0, None, 0),
    ("list", "done", "polled", 9.0, 60.0, 1),
    ("list", "done", "polled", 9.0, None, 1),
    ("article", "processing", "found", 9.0, None, None),
    ("article", "error", "timeout", 9.0, None, 1),
]
ADD = """
    INSERT INTO urls (key, url, host, kind, state, reason, found_at, due_at, update_cycle)
    VALUES (:key, :url, 'a.cn', :kind, :state, :reason, 1, :due, :cycle)
"""


@pytest.fixture
def empty(backend, tmp_path, request):
    """The URL of a database without any table."""
    if backend == "sqlite":
        yield f"sqlite:///{tmp_path}/old.db"
        return
    server = request.getfixturevalue("migrated")
    yield server.create("old")
    server.drop("old")


def upgraded(url: str, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(str(files("newsspider.store") / "migrations"))))
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as conn:
        config.attributes["connection"] = conn
        command.upgrade(config, revision)
        for key, (*values, _) in enumerate(ROWS):
            row = dict(zip(("kind", "state", "reason", "due", "cycle"), values, strict=True))
            conn.execute(text(ADD), {"key": key, "url": f"http://a.cn/{key}", **row})
    engine.dispose()


FURTHER = json.dumps([{"url": f"http://a.cn/1_{n}", "snapshot": name} for n, name in enumerate(("b", "", "b"), 2)])


def with_pages(conn, table: str, column: str, number: int, pages: str) -> None:
    """Adds a row to a table, of which all that must be said and is not said here is one and the same."""
    names = [
        each["name"] for each in inspect(conn).get_columns(table)
        if not each["nullable"] and each["default"] is None and not each.get("computed") and each["name"] not in ("id", column)
    ]  # fmt: skip
    wanted = ", ".join(["id", column, *names])
    values = ", ".join([":id", ":pages", *("'1'" for _ in names)])
    conn.execute(text(f"INSERT INTO {table} ({wanted}) VALUES ({values})"), {"id": number, "pages": pages})


def test_who_names_the_snapshots_of_further_pages_is_noted_of_older_articles(empty):
    upgraded(empty, "0022")
    engine = create_engine(empty.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as conn:
        for number, pages in enumerate((FURTHER, "[]"), 1):
            with_pages(conn, "articles", "parts", number, pages)
            with_pages(conn, "revisions", "further", number + 10, pages)
    engine.dispose()
    engine = open_store(empty)
    with engine.connect() as conn:
        assert conn.execute(text("SELECT article_id, snapshot FROM part_snapshots")).all() == [(1, "b")]
        assert conn.execute(text("SELECT revision_id, snapshot FROM further_snapshots")).all() == [(11, "b")]
        assert compare_metadata(MigrationContext.configure(conn), metadata) == []
    engine.dispose()


def test_labels_take_along_what_they_were_said_of(empty):
    upgraded(empty, "0026")
    engine = create_engine(empty.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as conn:
        with_pages(conn, "articles", "parts", 1, "[]")
        conn.execute(text("UPDATE articles SET title = '标题', text = '正文'"))
        columns, values = "key, article_id, url, canonical_url, site, channel, added_at", "7, 1, 'http://a.cn/7', '', '', '', 1"
        conn.execute(text(f"INSERT INTO article_urls ({columns}) VALUES ({values})"))
        for key in (7, 8):
            conn.execute(text("INSERT INTO labels VALUES ('education', :key, true, 1)"), {"key": key})
    engine.dispose()
    engine = open_store(empty)
    with engine.connect() as conn:
        assert conn.execute(text("SELECT key, url, title, text FROM labels")).all() == [(7, "http://a.cn/7", "标题", "正文")]
        assert compare_metadata(MigrationContext.configure(conn), metadata) == []
    engine.dispose()


BROKEN = [  # key, state, reason, due_at; of these all but the last two were given up because of an error of ours
    (20, "error", "internal", None),
    (21, "done", "internal", None),
    (22, "error", "timeout", None),
    (23, "done", "internal", 9.0),
]


def test_pages_that_were_given_up_because_of_an_error_of_ours_wait_again(empty):
    upgraded(empty, "0030")
    engine = create_engine(empty.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as conn:
        for key, state, reason, due in BROKEN:
            values = {"key": key, "url": f"http://b.cn/{key}", "kind": "article", "state": state, "reason": reason, "due": due}
            conn.execute(text(ADD.replace("'a.cn'", "'b.cn'")), values | {"cycle": None})
    engine.dispose()
    engine = open_store(empty)
    with engine.connect() as conn:
        found = conn.execute(text("SELECT key, state, reason, due_at > 1e9, queue FROM urls WHERE key >= 20 ORDER BY key")).all()
        assert [tuple(row) for row in found[:2]] == [(20, "waiting", "retry", True, 0), (21, "done", "retry", True, 0)]
        assert [row[:3] for row in found[2:]] == [(22, "error", "timeout"), (23, "done", "internal")]
        assert conn.execute(text("SELECT host, queue, due_at > 1e9 FROM queues WHERE host = 'b.cn'")).all() == [("b.cn", 0, True)]
        assert compare_metadata(MigrationContext.configure(conn), metadata) == []
    engine.dispose()


def test_a_store_without_visits_to_stored_articles_becomes_one_with_them(empty):
    upgraded(empty, "0015")
    engine = open_store(empty)
    with engine.connect() as conn:
        found = conn.execute(text("SELECT queue FROM urls ORDER BY key")).scalars().all()
        assert found == [queue for *_, queue in ROWS]
        assert conn.execute(text("SELECT host, due_at, top FROM queues WHERE queue = 3")).all() == [("a.cn", 6.0, -1_000_000)]
        assert conn.execute(text("SELECT count(*) FROM unchecked_url")).scalar() == len(ROWS)
        assert compare_metadata(MigrationContext.configure(conn), metadata) == []
    engine.dispose()
