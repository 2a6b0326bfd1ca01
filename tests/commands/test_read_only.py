"""A store that may not be written can be read by every command that only reads."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import make_url

from newsspider.store.engine import migration
from tests.support.commands import FIRST, database, scrapy
from tests.support.disk import disk

__all__ = ["database", "scrapy"]

MIB = 1 << 20
READING = [
    "search 高考", "news 2026-11-01", f"show {FIRST}", "export", "status", "status --json", f"explain {FIRST}", "reprints", "graph top",
    "changes", "sites list",
    "sites export -", "topics labels education", "topics drift education", "sites suggest",
]  # fmt: skip


@pytest.fixture
def protected(database, scrapy, tmp_path):
    """``protected(keep_log)``: the same store on a disk that nobody may write to; with its write-ahead log, or without."""
    scrapy("sites", "list")  # which takes over the shipped sites
    with disk(tmp_path / "disk", 64 * MIB) as small_disk:

        def placed(*, keep_log: bool = False) -> str:
            file = Path(make_url(database).database)
            other = sqlite3.connect(file, isolation_level=None)
            if keep_log:
                other.execute("UPDATE articles SET source = 'changed'")
            for path in file.parent.iterdir():
                if keep_log or path == file:
                    shutil.copy(path, small_disk.folder / path.name)
            other.close()
            small_disk.protect()
            return f"sqlite:///{small_disk.folder / file.name}"

        yield placed


def test_every_reading_command_reads_a_store_that_may_not_be_written(scrapy, protected):
    expected = [scrapy(*words.split()) for words in READING]
    url = protected()
    for words, there in zip(READING, expected, strict=True):
        ran = scrapy(*words.split(), DATABASE_URL=url)
        assert (ran.code, ran.err) == (there.code, there.err), words
        assert ran.out == there.out or words.startswith("status")  # which tells waits


@pytest.mark.parametrize(
    "words",
    ["submit http://a.cn/new", f"forget {FIRST}", "sites disable 教育部", "reread", "graph rank", "hot events --rebuild"],
)
def test_a_command_that_writes_says_in_one_sentence_that_it_cannot(scrapy, protected, words):
    ran = scrapy(*words.split(), DATABASE_URL=protected())
    assert (ran.code, ran.out) == (1, "")
    assert "attempt to write a readonly database" in ran.err.splitlines()[-1]
    assert "Traceback" not in ran.err


def test_a_crawl_refuses_it_at_once(scrapy, protected):
    ran = scrapy("crawl", "query", "-a", "q=高考", DATABASE_URL=protected())
    assert (ran.code, ran.out) == (2, "")
    assert "cannot be written to" in ran.err


def test_a_log_that_cannot_be_read_is_named(scrapy, protected):
    ran = scrapy("export", DATABASE_URL=protected(keep_log=True))
    if ran.code:  # where SQLite cannot read the log, nothing is read: without it, old articles would be taken for the present ones
        assert "-wal beside it holds changes" in ran.err
    else:
        assert ran.out.count('"source": "changed"') == 2


def change(database: str, statement: str, *values: str) -> None:
    with closing(sqlite3.connect(make_url(database).database)) as conn, conn:
        conn.execute(statement, values)


def with_revision(database: str, revision: str) -> None:
    change(database, "UPDATE alembic_version SET version_num = ?", revision)


@pytest.mark.parametrize(("revision", "message"), [("0101", "it has revision 0101, not 0102"), ("0103", "made by a newer newsspider")])
def test_a_store_of_another_version_that_may_not_be_written_is_named(scrapy, protected, database, monkeypatch, revision, message):
    with_revision(database, revision)
    url = protected()
    monkeypatch.setattr(migration, "revisions", lambda: ["0101", "0102"])
    ran = scrapy("status", DATABASE_URL=url)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


@pytest.mark.parametrize(("older", "lacks"), [
    ("DROP TABLE alert_stories", "it lacks alert_stories"),
    ("UPDATE batch_jobs SET arguments = '1' WHERE kind = 'analyse'", "its events are those of an older newsspider"),
    ("UPDATE batch_jobs SET last_id = 0 WHERE kind = 'analyse'", ""),  # they are being found again
    ("UPDATE batch_jobs SET arguments = '1.old' WHERE kind = 'reindex'", ""),  # an older index is searched, too
])  # fmt: skip
def test_an_older_store_that_may_not_be_written_says_what_it_lacks(scrapy, protected, database, older, lacks):
    change(database, older)
    ran = scrapy("status", DATABASE_URL=protected())
    assert ran.code == (2 if lacks else 0), ran.err
    assert not lacks or f"{lacks}, and may not be written; run `scrapy status` once where it may" in ran.err


@pytest.mark.parametrize("words", ["status", "export", "submit http://a.cn/new", "crawl education", "crawl query -a q=高考"])
def test_a_store_from_before_the_first_release_is_refused_by_commands_and_crawls(scrapy, database, words):
    with_revision(database, "0032")
    ran = scrapy(*words.split())
    assert (ran.code, ran.out) == (2, "")
    assert "made before the first release (revision 0032)" in ran.err.splitlines()[-1]
    assert "Traceback" not in ran.err
