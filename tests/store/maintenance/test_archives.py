"""Archives of old articles: what they hold, who can read them, and that reading them back stores nothing twice."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

import pyarrow.parquet as pq
import pytest
from sqlalchemy import insert, text
from warcio.archiveiterator import ArchiveIterator

from newsspider.core.url import url_key
from newsspider.store.articles import snapshots
from newsspider.store.engine.database import open_store, reading, writing
from newsspider.store.engine.integrity import problems
from newsspider.store.index import entries
from newsspider.store.maintenance import archives, unarchiving
from newsspider.store.maintenance.archives import NoArchive, Part, parts_of, to_archive
from newsspider.store.maintenance.retention import prune
from newsspider.store.tables import revisions
from tests.store.samples import URL, in_parts, lease_on, named, save_article

OLD = datetime(2026, 1, 1, tzinfo=UTC)
BEFORE = datetime(2026, 6, 1, tzinfo=UTC).timestamp()
TABLES = ("articles", "article_urls", "keywords", "subtopics", "revisions", "snapshots", "article_part_snapshots", "urls")
PARTS = "http://c.cn/parts"


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(archives, "AT_ONCE", 3)
    monkeypatch.setattr(archives, "PAGES_AT_ONCE", 2)
    monkeypatch.setattr(unarchiving, "ROWS_AT_ONCE", 2)


@pytest.fixture
def filled(store):
    """Seven old articles, one with a second URL and one in two pages; a young one; an old revision."""
    with writing(store) as conn:
        for number in range(6):
            save_article(conn, f"http://a.cn/{number}", f"正文{number}", crawled_at=OLD)
        save_article(conn, "http://b.cn/1", "正文1", title="别处", crawled_at=OLD)
        save_article(conn, "http://a.cn/young", "今天的正文", crawled_at=datetime(2026, 11, 1, tzinfo=UTC))
        lease_on(conn, PARTS)
        in_parts(conn, PARTS, "<p>一</p>", "<p>二</p>")
        old = {"at": int(OLD.timestamp()), "iso": OLD.isoformat(), "url": PARTS}
        conn.execute(text("UPDATE articles SET crawled_ts = :at, crawled_at = :iso WHERE url = :url"), old)
        snapshots.add(conn, named("<p>earlier</p>"), b"<p>earlier</p>")
        row = {
            "key": url_key(URL), "url": URL, "site": "站", "parts": '["text"]', "edits": "[]", "title": "题", "text": "第一版",
            "crawled_at": OLD.isoformat(), "charset": "gbk", "snapshot": named("<p>earlier</p>"), "changed_at": BEFORE - 0.25,
        }  # fmt: skip
        number = conn.execute(insert(revisions).values(**row).returning(revisions.c.id)).scalar_one()
        entries.add_revision(conn, number)
    return store


def archived(store, folder):
    folder.mkdir(exist_ok=True)
    counts = {}
    for kind in archives.SEEN:
        for rows in to_archive(store, folder, kind, BEFORE):
            archives.archive(store, folder, kind, rows)
            counts[kind] = counts.get(kind, 0) + len(rows)
    return counts


def unarchived(store, folder):
    totals = {"rows": 0, "articles": 0, "pages": 0, "revisions": 0}
    for counts in unarchiving.unarchive(store, folder):
        totals = {name: totals[name] + count for name, count in counts.items()}
    with reading(store) as conn:
        assert not list(problems(conn))
    return totals


def content(store, *left_out):
    """What the store holds of articles, whatever their numbers."""
    found = {}
    with reading(store) as conn:
        for table in TABLES:
            rows = conn.execute(text(f"SELECT * FROM {table}")).mappings().all()
            kept = [{name: _plain(value) for name, value in row.items() if name not in left_out} for row in rows]
            found[table] = sorted(json.dumps(row, sort_keys=True) for row in kept)
    return found


def _plain(value):
    return str(int(value) if isinstance(value, bool) else value)


def records(folder):
    for part in parts_of(folder):
        with part.pages.open("rb") as opened:
            for record in ArchiveIterator(opened, check_digests="raise"):
                yield part.kind, record, record.content_stream().read()


def test_other_programs_read_what_is_old(filled, tmp_path):
    assert archived(filled, tmp_path / "a") == {"articles": 7, "revisions": 1}
    found = list(records(tmp_path / "a"))
    assert {record.rec_headers.protocol for _, record, _ in found} == {"WARC/1.1"}
    kinds = [record.rec_type for _, record, _ in found]
    assert (kinds.count("warcinfo"), kinds.count("response"), kinds.count("metadata")) == (4, 9, 9)
    (page,) = [(record, body) for kind, record, body in found if kind == "revisions" and record.rec_type == "response"]
    assert page[1] == b"<p>earlier</p>"
    assert page[0].http_headers.get_header("Content-Type") == "text/html; charset=gbk"
    assert page[0].rec_headers.get_header("WARC-Target-URI") == URL
    assert page[0].rec_headers.get_header("WARC-Date") == "2026-01-01T00:00:00Z"
    responses = {record.rec_headers.get_header("WARC-Record-ID"): body for _, record, body in found if record.rec_type == "response"}
    for _, record, body in found:
        if record.rec_type == "metadata":
            page = responses[record.rec_headers.get_header("WARC-Concurrent-To")]
            assert f"sha256: {hashlib.sha256(page).hexdigest()}" in body.decode()
            assert "site: 站" in body.decode()
    tables = [pq.read_table(part.rows).to_pylist() for part in parts_of(tmp_path / "a") if part.kind == "articles"]
    texts = [row["text"] for table in tables for row in table]
    assert sorted(texts) == sorted([*(f"正文{number}" for number in range(6)), "<p>一</p>\n<p>二</p>"])
    assert len(tables[0]) == 3


def test_what_was_pruned_comes_back_once(filled, tmp_path):
    before = content(filled, "id", "revision_id")
    archived(filled, tmp_path / "a")
    for kind in ("snapshots", "revisions"):
        list(prune(filled, kind, BEFORE))
    assert content(filled) != before
    assert unarchived(filled, tmp_path / "a") == {"rows": 8, "articles": 0, "pages": 7, "revisions": 1}
    assert content(filled, "id", "revision_id") == before
    assert unarchived(filled, tmp_path / "a") == {"rows": 8, "articles": 0, "pages": 0, "revisions": 0}
    assert content(filled, "id", "revision_id") == before


def test_a_new_store_is_made_of_an_archive(filled, tmp_path):
    archived(filled, tmp_path / "a")
    other = open_store(f"sqlite:///{tmp_path}/other.db")
    assert unarchived(other, tmp_path / "a") == {"rows": 8, "articles": 7, "pages": 7, "revisions": 1}
    first = content(other)
    assert unarchived(other, tmp_path / "a") == {"rows": 8, "articles": 0, "pages": 0, "revisions": 0}
    assert content(other) == first
    with writing(filled) as conn:
        conn.execute(text("DELETE FROM article_urls WHERE url = 'http://a.cn/young'"))
        conn.execute(text("DELETE FROM articles WHERE url = 'http://a.cn/young'"))
    whole = content(filled, "id", "article_id", "revision_id")
    same = content(other, "id", "article_id", "revision_id")
    for table in ("articles", "article_urls", "keywords", "subtopics", "revisions"):
        assert same[table] == whole[table]
    other.dispose()


def test_an_archive_grows_by_what_is_new(filled, tmp_path):
    archived(filled, tmp_path / "a")
    assert archived(filled, tmp_path / "a") == {}
    list(prune(filled, "snapshots", BEFORE))
    assert archived(filled, tmp_path / "a") == {}, "a row whose page was pruned was archived without it"
    with writing(filled) as conn:
        conn.execute(text("UPDATE articles SET score = 0.25 WHERE url = 'http://a.cn/2'"))
        save_article(conn, "http://a.cn/more", "又一篇", crawled_at=OLD)
    assert archived(filled, tmp_path / "a") == {"articles": 2}
    assert unarchived(filled, tmp_path / "a")["pages"] == 7


def test_a_part_that_was_not_finished_is_written_again(filled, tmp_path, monkeypatch):
    folder = tmp_path / "a"
    written = archives._write_pages

    def killed(conn, part, rows):
        written(conn, part, rows)
        raise KeyboardInterrupt

    monkeypatch.setattr(archives, "_write_pages", killed)
    with pytest.raises(KeyboardInterrupt):
        archived(filled, folder)
    monkeypatch.setattr(archives, "_write_pages", written)
    assert not parts_of(folder)
    assert [path.name for path in folder.iterdir()] == ["articles-000001.partial"]
    assert archived(filled, folder) == {"articles": 7, "revisions": 1}
    assert not list(folder.glob("*.partial"))


def test_a_page_that_is_not_what_was_written_stops_it(filled, tmp_path, monkeypatch):
    written = archives._write_page
    monkeypatch.setattr(archives, "_write_page", lambda *values: written(*values[:5], b"other", values[6]))
    with pytest.raises(NoArchive, match="does not hold what was written"):
        archived(filled, tmp_path / "a")
    assert not parts_of(tmp_path / "a")


@pytest.mark.parametrize("suffix", [archives.ROWS, archives.PAGES])
def test_a_damaged_archive_is_refused(filled, tmp_path, suffix):
    archived(filled, tmp_path / "a")
    part: Part = parts_of(tmp_path / "a")[0]
    path = part.rows if suffix == archives.ROWS else part.pages
    path.write_bytes(path.read_bytes()[:-20] + b"x" * 20)
    with pytest.raises(NoArchive, match="cannot be read"):
        unarchived(filled, tmp_path / "a")


def test_an_article_that_changed_since_keeps_its_pages(filled, tmp_path):
    archived(filled, tmp_path / "a")
    with writing(filled) as conn:
        save_article(conn, "http://a.cn/2", "改过的正文", now=1_800_001_000.0, crawled_at=datetime(2026, 11, 2, tzinfo=UTC))
    changed = content(filled)
    assert unarchived(filled, tmp_path / "a") == {"rows": 8, "articles": 0, "pages": 0, "revisions": 0}
    assert content(filled) == changed
