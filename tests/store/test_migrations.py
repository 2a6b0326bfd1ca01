"""Stores of earlier versions, with rows in them, brought to the present shape."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, text

from newsspider.store.database import open_store
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
