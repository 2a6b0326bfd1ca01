"""``scrapy store``, and what a crawl says of a damaged store before it starts."""

import json
import re
import sqlite3
import time
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from newsspider.features.archive.archives import locked
from newsspider.store.articles import articles_by_body
from newsspider.store.engine.database import open_store, reading, writing
from newsspider.store.engine.integrity import INVARIANTS, glance_at_file, integrity_problems
from tests.support.commands import FIRST, database, scrapy
from tests.support.killing import kill_when
from tests.support.samples import NOW, article, save_article

__all__ = ["database", "scrapy"]

CRAWL = ("crawl", "query", "-a", "q=高考", "-a", "seeds=http://127.0.0.1:1/")


@pytest.fixture
def file(database) -> Path:
    """The file of the store, closed and without a log."""
    path = Path(make_url(database).database)
    conn = sqlite3.connect(path)
    conn.execute("PRAGMA journal_mode = DELETE").close()
    conn.close()
    return path


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def overwrite(path: Path) -> None:
    """Write noise over the root of a table in the middle of the file, as a broken disk does."""
    conn = sqlite3.connect(path)
    root, size = conn.execute("SELECT rootpage, page_size FROM sqlite_master, pragma_page_size WHERE name = 'urls'").fetchone()
    conn.close()
    with path.open("r+b") as opened:
        opened.seek((root - 1) * size)
        opened.write(bytes(range(255)) * (size // 255))


def test_a_sound_store_is_said_to_be_sound(scrapy):
    ran = scrapy("store", "check")
    assert (ran.code, ran.out, ran.err) == (0, "", "the store is sound\n")
    assert json.loads(scrapy("store", "check", "--json").out) == {"sound": True, "problems": []}


@pytest.mark.parametrize("harm", [cut, overwrite])
def test_a_crawl_refuses_a_damaged_store_and_says_what_to_do(scrapy, file, harm):
    harm(file)
    ran = scrapy(*CRAWL)
    assert (ran.code, ran.out, ran.err.count("\n")) == (8, "", 1)
    assert "damaged" in ran.err or "malformed" in ran.err
    assert "restore a backup" in ran.err


def test_a_damaged_page_is_found_on_request(scrapy, file):
    overwrite(file)
    ran = scrapy("store", "check")
    assert ran.code == 1
    assert ran.out or "malformed" in ran.err
    assert "Traceback" not in ran.err


HARM = {
    "none of the four states": "UPDATE urls SET state = 'odd' WHERE url = 'http://a.cn/waiting'",
    "fetched by nobody": "UPDATE urls SET state = 'processing', lease_worker = NULL WHERE url = 'http://a.cn/waiting'",
    "that nobody fetches": "INSERT INTO addresses (address, next_at, busy_key) VALUES ('192.0.2.7', 0, 7)",
    "in no queue": "DELETE FROM queues WHERE host = 'a.cn'",
    "before their queue": "UPDATE queues SET due_at = due_at + 1000 WHERE host = 'a.cn'",
    "have no URL": "DELETE FROM article_urls WHERE url = 'http://a.cn/1'",
    "lead to no article": "UPDATE article_urls SET article_id = 999 WHERE url = 'http://a.cn/1'",
    "not in the ledger": "DELETE FROM urls WHERE url = 'http://a.cn/1'",
}


@pytest.mark.parametrize("finding", HARM)
def test_what_breaks_an_invariant_is_counted(scrapy, file, finding):
    conn = sqlite3.connect(file)
    conn.execute(HARM[finding])
    conn.commit()
    conn.close()
    ran = scrapy("store", "check")
    assert ran.code == 1
    assert [line for line in ran.out.splitlines() if finding in line]
    assert "problems: " in ran.err


def test_every_invariant_has_a_test() -> None:
    assert len(HARM) == len(INVARIANTS)


@pytest.mark.slow
def test_a_postgresql_store_is_checked_too(migrated) -> None:
    engine = open_store(migrated.create("checked", "migrated"))
    try:
        with writing(engine) as conn:
            save_article(conn, FIRST, "正文")
        with reading(engine) as conn:
            assert list(integrity_problems(conn)) == []
        with writing(engine) as conn:
            conn.execute(text("DELETE FROM urls WHERE reason = 'stored'"))
        with reading(engine) as conn:
            assert list(integrity_problems(conn)) == ["1 URLs of articles are not in the ledger"]
        assert glance_at_file(engine) is None
    finally:
        engine.dispose()


def test_the_glance_at_a_large_store_ends(tmp_path) -> None:
    """Whatever the file holds, a crawl starts within moments."""
    path = tmp_path / "large.db"
    conn = sqlite3.connect(path)
    conn.execute("PRAGMA synchronous = OFF").close()
    conn.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) SELECT i, hex(randomblob(900)) FROM n"
    conn.execute(f"INSERT INTO t {rows}")
    conn.commit()
    conn.close()
    from sqlalchemy import create_engine

    engine = create_engine(f"sqlite:///{path}")
    began = time.monotonic()
    assert glance_at_file(engine, seconds=0.01) is None
    assert time.monotonic() - began < 5
    engine.dispose()


def test_a_backup_is_made_and_restored_by_its_file(scrapy, database, tmp_path):
    saved = tmp_path / "news.backup"
    ran = scrapy("store", "backup", str(saved))
    assert (ran.code, ran.out) == (0, "")
    assert f"{saved}: {saved.stat().st_size} bytes" in ran.err
    assert scrapy("store", "backup", str(saved)).code == 1, "a file that is there was written over"
    other = f"sqlite:///{tmp_path}/other/news.db"
    ran = scrapy("store", "restore", str(saved), "-s", f"DATABASE_URL={other}")
    assert (ran.code, ran.out, ran.err.splitlines()[-1]) == (0, "", f"restored {saved} to {other}: 2 articles")
    printed = [scrapy("show", FIRST, "--json", "-s", f"DATABASE_URL={url}").out for url in (database, other)]
    assert printed[0] == printed[1] != ""
    assert scrapy("store", "restore", str(saved)).code == 1, "a store that is there was replaced"


def test_a_vacuum_says_how_large_the_store_was_and_is(scrapy, file):
    conn = sqlite3.connect(file)
    conn.execute("CREATE TABLE filler (a TEXT)")
    conn.execute("INSERT INTO filler VALUES (?)", ("x" * 1_000_000,))
    conn.execute("DROP TABLE filler").connection.commit()
    conn.close()
    old_bytes = file.stat().st_size
    ran = scrapy("store", "vacuum")
    assert (ran.code, ran.out) == (0, "")
    size_after, size_before = map(int, re.findall(r"\d+", ran.err))
    assert (size_before, old_bytes - size_after > 900_000) == (old_bytes, True)
    assert ran.err == f"vacuumed the store: {size_after} bytes, {size_before} before\n"


def test_old_articles_are_archived_pruned_and_read_back(scrapy, database, tmp_path):
    folder = str(tmp_path / "archive")
    line = ("store", "archive", folder, "--older-than", "1")
    assert "2 articles older than 1 days would be archived\n" in scrapy(*line, "--dry-run").out
    assert not Path(folder).exists()
    assert "2 articles older than 1 days archived with 2 pages\n" in scrapy(*line, "--prune").out
    page = ("extract", "--snapshot", FIRST)
    assert scrapy(*page).code == 1
    assert scrapy(*line).out.startswith("0 articles")
    other = f"DATABASE_URL=sqlite:///{tmp_path}/other/news.db"
    Path(tmp_path / "other").mkdir()
    for url, stored in (("DATABASE_URL=" + database, 0), (other, 2)):
        printed = f"{stored} articles and 0 revisions stored\n2 articles have their pages again\n"
        assert scrapy("store", "unarchive", folder, "-s", url).out == printed
        assert scrapy("store", "unarchive", folder, "-s", url).out == printed.replace("2 ", "0 ")
        assert "高考改革方案" in scrapy(*page, "-s", url).out
        assert scrapy("store", "check", "-s", url).code == 0


def test_nothing_is_pruned_that_the_archive_does_not_hold(scrapy, tmp_path):
    line = ("store", "archive", str(tmp_path / "archive"), "--older-than", "1")
    assert scrapy(*line).code == 0
    (pages,) = (tmp_path / "archive").glob("*/*.warc.gz")
    whole = pages.read_bytes()
    pages.write_bytes(b"")
    ran = scrapy(*line, "--prune")
    assert (ran.code, ran.out) == (1, "")
    assert f"{pages} cannot be read: " in ran.err
    assert scrapy("extract", "--snapshot", FIRST).code == 0
    pages.write_bytes(whole)
    with locked(tmp_path / "archive"):
        assert "is being written to by another scrapy store archive" in scrapy(*line, "--prune").err
    assert scrapy(*line, "--prune").code == 0
    assert scrapy("extract", "--snapshot", FIRST).code == 1


@pytest.mark.slow
@pytest.mark.long
def test_an_archive_whose_command_is_killed_goes_on(scrapy, database, tmp_path):
    folder = tmp_path / "archive"
    engine = open_store(database)
    with writing(engine) as conn:
        for number in range(2500):
            articles_by_body.keep(conn, number, article(f"http://c.cn/{number}", f"正文{number}" * 50), NOW)
    engine.dispose()
    line = ("store", "archive", str(folder), "--older-than", "1")
    kill_when((folder / "articles-000001").exists, database, *line, "--prune")
    whole = [path for path in folder.glob("articles-*") if not path.name.endswith(".partial")]
    assert whole
    assert all(len(list(path.iterdir())) == 2 for path in whole)
    ran = scrapy(*line)
    assert 0 < int(ran.out.split()[0]) < 2502
    assert sorted(path.name for path in folder.glob("articles-*")) == [f"articles-00000{number}" for number in (1, 2, 3)]
    assert scrapy(*line).out.startswith("0 articles")


def test_old_pages_are_counted_before_they_are_deleted(scrapy):
    counted = scrapy("store", "prune", "--snapshots", "1", "--runs", "1", "--dry-run").out
    assert "older than 1 days would be deleted" in counted
    assert scrapy("store", "prune", "--snapshots", "1", "--runs", "1").out == counted.replace("would be deleted", "deleted")
    assert scrapy("store", "prune", "--snapshots", "1", "--dry-run").out.startswith("0 ")
    assert scrapy("store", "vacuum").code == 0
    assert scrapy("store", "check").code == 0


def test_sizes_are_shown_by_table(scrapy):
    sizes = json.loads(scrapy("store", "sizes", "--json").out)
    assert sizes["bytes"] == sum(table["bytes"] for table in sizes["tables"])
    assert sizes["articles"] > 0
    lines = scrapy("store", "sizes").out.splitlines()
    assert len(lines) == len(sizes["tables"]) + 1
    assert max(map(len, lines)) <= 80
