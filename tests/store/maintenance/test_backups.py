"""Backups beside a writer, and the stores that are made of them."""

import threading
from pathlib import Path

import pytest
from sqlalchemy import text

from newsspider.store.engine.database import open_store, writing
from newsspider.store.engine.errors import StoreUnusableError
from newsspider.store.engine.integrity import integrity_problems
from newsspider.store.maintenance.backups import NoBackupError, back_up, restore
from tests.support.samples import save_article
from tests.support.stores import on_postgresql, on_sqlite

FIRST, MORE = 40, 40


def filled(store, numbers):
    for number in numbers:
        with writing(store) as conn:
            save_article(conn, f"http://a.cn/{number}", f"第{number}篇正文" * 50, title=f"第{number}篇")


def articles(url):
    engine = open_store(url)
    with engine.connect() as conn:
        faults = list(integrity_problems(conn))
        titles = conn.execute(text("SELECT title FROM articles ORDER BY id")).scalars().all()
    engine.dispose()
    assert not faults
    return titles


@pytest.fixture
def empty(backend, tmp_path, request):
    """The URL of a database that does not hold a store."""
    if backend == "sqlite":
        yield f"sqlite:///{tmp_path}/restored/news.db"
        return
    server = request.getfixturevalue("migrated")
    yield server.create("restored")
    server.drop("restored")


def test_a_store_is_backed_up_while_a_writer_works_and_restored_whole(store, empty, tmp_path):
    filled(store, range(FIRST))
    begun, writer = threading.Event(), threading.Thread(target=lambda: filled(store, range(FIRST, FIRST + MORE)))

    def moved(done, total):
        if not begun.is_set():
            begun.set()
            writer.start()

    file = tmp_path / "news.backup"
    back_up(store, file, moved)
    if not begun.is_set():  # PostgreSQL does not report its progress
        writer.start()
    writer.join()
    restore(file, empty)
    titles = articles(empty)
    assert titles[:FIRST] == [f"第{number}篇" for number in range(FIRST)]
    assert FIRST <= len(titles) <= FIRST + MORE
    assert len(articles(store.url.render_as_string(hide_password=False))) == FIRST + MORE
    restored = open_store(empty)
    filled(restored, range(FIRST + MORE, FIRST + MORE + 1))  # it goes on
    restored.dispose()
    assert not list(tmp_path.rglob("*.partial"))


@on_sqlite
def test_a_file_that_is_there_is_never_written_over(store, tmp_path):
    filled(store, range(2))
    file = tmp_path / "news.backup"
    file.write_bytes(b"mine")
    with pytest.raises(NoBackupError, match="is there already"):
        back_up(store, file)
    with pytest.raises(NoBackupError, match="is no backup"):
        restore(file, f"sqlite:///{tmp_path}/other.db")
    file.unlink()
    back_up(store, file)
    with pytest.raises(NoBackupError, match="is there; move it away"):
        restore(file, str(store.url))
    (tmp_path / "moved.db-wal").write_bytes(b"the log of a store that was moved away alone")
    with pytest.raises(NoBackupError, match=r"moved\.db-wal is there"):
        restore(file, f"sqlite:///{tmp_path}/moved.db")


@on_sqlite
def test_a_damaged_file_is_neither_backed_up_nor_restored(store, tmp_path):
    filled(store, range(60))
    file = tmp_path / "news.backup"
    back_up(store, file)
    whole = bytearray(file.read_bytes())
    whole[len(whole) // 2 : len(whole) // 2 + 40_000] = bytes(40_000)
    file.write_bytes(whole)
    with pytest.raises(NoBackupError, match=r"cannot be copied|is damaged"):
        restore(file, f"sqlite:///{tmp_path}/new/news.db")
    assert not list((tmp_path / "new").iterdir())


@on_postgresql
def test_a_backup_is_not_restored_over_a_store(store, tmp_path):
    filled(store, range(2))
    file = tmp_path / "news.backup"
    back_up(store, file)
    with pytest.raises(StoreUnusableError, match="holds tables already"):
        restore(file, store.url.render_as_string(hide_password=False))


def test_the_folder_of_a_backup_must_be_there(store, tmp_path):
    with pytest.raises(NoBackupError, match=r"no folder .*nowhere"):
        back_up(store, Path(tmp_path, "nowhere", "news.backup"))
