"""Upgrades of a store that has rows, and the stores that are too old for them."""

import shutil
from importlib.resources import files
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, func, inspect, select, text

from newsspider.store.engine import migration
from newsspider.store.engine.database import open_store
from newsspider.store.engine.errors import StoreFailedError, StoreUnusableError
from newsspider.store.tables import metadata
from newsspider.store.tables.search import NAMES
from tests.store.first_release import create_first_release
from tests.support.samples import save_article
from tests.support.stores import on_sqlite

LAST_BEFORE_THE_RELEASE = "0032"
NEXT = '''
"""A later migration."""

import sqlalchemy as sa
from alembic import op

revision = "9998"
down_revision = "0102"


def upgrade() -> None:
    op.add_column("articles", sa.Column("mood", sa.Text(), nullable=False, server_default="calm"))
    op.execute("UPDATE urls SET anchor = 'upgraded'")
'''


@pytest.fixture
def next_migration(tmp_path, monkeypatch):
    """The migrations with one more on top of them."""
    folder = tmp_path / "migrations"
    shutil.copytree(Path(str(files("newsspider.store") / "migrations")), folder)
    (folder / "versions" / "9998_next.py").write_text(NEXT)
    return lambda: monkeypatch.setattr(migration, "_migrations", lambda: folder)


def rows(engine) -> dict[str, int]:
    """How many rows each table has."""
    with engine.connect() as conn:
        return {table.name: conn.scalar(select(func.count()).select_from(table)) for table in metadata.sorted_tables}


def shape(engine) -> dict[str, dict[str, tuple[str, bool, str | None]]]:
    """The columns of each table and view: type, whether they may be NULL, default."""
    inspector = inspect(engine)
    return {
        name: {column["name"]: (str(column["type"]), column["nullable"], column["default"]) for column in inspector.get_columns(name)}
        for name in (*inspector.get_table_names(), *inspector.get_view_names())
    }


def differences(engine) -> list[object]:
    """Between the tables, with their indexes and keys, and their declarations."""
    with engine.connect() as conn:
        opts = {"include_name": lambda name, kind, _: kind != "table" or not name.startswith(NAMES)}
        return list(compare_metadata(MigrationContext.configure(conn, opts=opts), metadata))


def test_a_store_of_the_first_release_gets_the_tables_of_a_new_one(store, url, backend):
    new = shape(store)
    assert {"page_index", "unchecked_url"} <= set(new)
    assert differences(store) == []
    if backend == "sqlite":
        older = create_engine(f"{url}.older")
    else:
        older = store
        with store.begin() as conn:
            conn.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    create_first_release(older)
    upgraded = open_store(older.url.render_as_string(hide_password=False))
    assert shape(upgraded) == new
    assert differences(upgraded) == []
    upgraded.dispose()
    older.dispose()


def test_a_later_migration_upgrades_a_filled_store(store, url, next_migration):
    with store.begin() as conn:
        save_article(conn, "http://a.cn/1", "正文", title="标题")
    old_counts = rows(store)
    assert old_counts["articles"] == old_counts["urls"] == 1
    next_migration()
    engine = open_store(url)
    with engine.connect() as conn:
        assert conn.execute(text("SELECT title, text, mood FROM articles")).one() == ("标题", "正文", "calm")
        assert conn.execute(text("SELECT anchor FROM urls")).scalar_one() == "upgraded"
        assert conn.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == "9998"
    assert rows(engine) == old_counts
    engine.dispose()


@pytest.fixture
def old(store, url):
    """The URL of a store from before the first release, with a table of its own."""
    with store.begin() as conn:
        conn.execute(text("CREATE TABLE rereads (id INTEGER)"))
        conn.execute(text("INSERT INTO rereads VALUES (7)"))
        conn.execute(text(f"UPDATE alembic_version SET version_num = '{LAST_BEFORE_THE_RELEASE}'"))
    store.dispose()
    return url


def test_a_store_from_before_the_first_release_is_refused_and_left_untouched(old, backend):
    file = Path(old.removeprefix("sqlite:///"))
    old_bytes = file.read_bytes() if backend == "sqlite" else b""
    for readable in (False, True):
        with pytest.raises(
            StoreUnusableError, match=r"made before the first release \(revision 0032\).*`scrapy export`"
        ) as refused:
            open_store(old, readable=readable)
        assert not isinstance(refused.value, StoreFailedError)
    assert (file.read_bytes() if backend == "sqlite" else b"") == old_bytes
    engine = create_engine(old.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as conn:
        assert conn.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == LAST_BEFORE_THE_RELEASE
        assert conn.execute(text("SELECT id FROM rereads")).scalar_one() == 7
        names = {name for name in inspect(conn).get_table_names() if not name.startswith(NAMES)}
        assert names == {*metadata.tables, "alembic_version", "rereads"}
    engine.dispose()


@pytest.mark.parametrize("version", ["999.abc", "999"])
@pytest.mark.parametrize("kind", ["reindex", "analyse"])
def test_an_index_or_events_of_a_newer_version_are_refused_and_left_untouched(store, url, kind, version):
    with store.begin() as conn:
        conn.execute(text("UPDATE batch_jobs SET arguments = :version WHERE kind = :kind"), {"kind": kind, "version": version})
        old_jobs = conn.execute(text("SELECT * FROM batch_jobs ORDER BY id")).all()
    with pytest.raises(
        StoreUnusableError, match=rf"a newer newsspider: its job {kind} has version {version}, not \d+$"
    ):
        open_store(url)
    with store.connect() as conn:
        assert conn.execute(text("SELECT * FROM batch_jobs ORDER BY id")).all() == old_jobs


@on_sqlite
def test_a_newer_index_that_may_only_be_read_is_refused(store, url):
    with store.begin() as conn:
        conn.execute(text("UPDATE batch_jobs SET arguments = '999.abc' WHERE kind = 'reindex'"))
    store.dispose()
    file = Path(url.removeprefix("sqlite:///"))
    file.chmod(0o400)
    with pytest.raises(StoreUnusableError, match="a newer newsspider: its job reindex"):
        open_store(url, readable=True)
