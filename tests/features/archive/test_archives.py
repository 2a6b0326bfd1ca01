"""Archives of old articles: what they hold, who can read them, and that reading them back stores nothing twice."""

import hashlib
import io
import json
import re
from contextlib import suppress
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import insert, text
from warcio.archiveiterator import ArchiveIterator
from warcio.warcwriter import WARCWriter

from newsspider.core.url import url_key
from newsspider.features.archive import archives, unarchiving
from newsspider.features.archive.archive_parts import (
    KINDS_OF_ROWS,
    MOMENTS,
    PAGES,
    ROWS,
    TIME_UNITS,
    ArchivePart,
    NoArchiveError,
    parts_of,
    row_hash,
    rows_of,
    table_of,
)
from newsspider.features.archive.archives import to_archive
from newsspider.store.articles import snapshots
from newsspider.store.engine.database import open_store, reading, writing
from newsspider.store.engine.integrity import integrity_problems
from newsspider.store.index import entries
from newsspider.store.maintenance.retention import delete_old
from newsspider.store.tables import revisions
from tests.support.samples import NOW, URL, in_parts, lease_on, named, save_article

OLD = datetime(2026, 1, 1, tzinfo=UTC)
BEFORE = datetime(2026, 6, 1, tzinfo=UTC).timestamp()
TABLES = ("articles", "article_urls", "keywords", "subtopics", "revisions", "snapshots", "article_part_snapshots", "urls")
LONGEST = 10_000  # bytes of a page
PARTS = "http://c.cn/parts"


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(archives, "ROWS_AT_ONCE", 3)
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
        snapshots.add(conn, {named("<p>earlier</p>"): b"<p>earlier</p>"})
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
    has = archives.archived(folder, LONGEST)
    for kind in KINDS_OF_ROWS:
        for rows in to_archive(store, has, kind, BEFORE):
            archives.archive(store, folder, kind, rows, has, LONGEST)
            counts[kind] = counts.get(kind, 0) + len(rows)
    return counts


def unarchived(store, folder):
    totals = {"rows": 0, "articles": 0, "pages": 0, "revisions": 0}
    for counts in unarchiving.unarchive(store, folder, LONGEST):
        totals = {name: totals[name] + count for name, count in counts.items()}
    with reading(store) as conn:
        assert not list(integrity_problems(conn))
    return totals


def content(store, *left_out):
    """What the store holds of articles, whatever their numbers."""
    rows_of = {}
    with reading(store) as conn:
        for table in TABLES:
            rows = conn.execute(text(f"SELECT * FROM {table}")).mappings().all()
            plain_rows = [{name: _plain(value) for name, value in row.items() if name not in left_out} for row in rows]
            rows_of[table] = sorted(json.dumps(row, sort_keys=True) for row in plain_rows)
    return rows_of


def _plain(value):
    return str(int(value) if isinstance(value, bool) else value)


def records(folder):
    for part in parts_of(folder, LONGEST):
        with part.pages.open("rb") as opened:
            for record in ArchiveIterator(opened, check_digests="raise"):
                yield part.kind, record, record.content_stream().read()


def test_other_programs_read_what_is_old(filled, tmp_path):
    assert archived(filled, tmp_path / "a") == {"articles": 7, "revisions": 1}
    items = list(records(tmp_path / "a"))
    assert {record.rec_headers.protocol for _, record, _ in items} == {"WARC/1.1"}
    kinds = [record.rec_type for _, record, _ in items]
    assert (kinds.count("warcinfo"), kinds.count("resource"), kinds.count("metadata")) == (4, 9, 9)
    (page,) = [(record, body) for kind, record, body in items if kind == "revisions" and record.rec_type == "resource"]
    assert page[1] == b"<p>earlier</p>"
    assert page[0].rec_headers.get_header("Content-Type") == "text/html; charset=gbk"
    assert page[0].rec_headers.get_header("WARC-Target-URI") == URL
    assert page[0].rec_headers.get_header("WARC-Date") == "2026-01-01T00:00:00Z"
    resources = {record.rec_headers.get_header("WARC-Record-ID"): body for _, record, body in items if record.rec_type == "resource"}
    for _, record, body in items:
        if record.rec_type == "metadata":
            page = resources[record.rec_headers.get_header("WARC-Concurrent-To")]
            assert f"sha256: {hashlib.sha256(page).hexdigest()}" in body.decode()
            assert "site: 站" in body.decode()
    tables = [pq.read_table(part.rows).to_pylist() for part in parts_of(tmp_path / "a", LONGEST) if part.kind == "articles"]
    texts = [row["text"] for table in tables for row in table]
    assert sorted(texts) == sorted([*(f"正文{number}" for number in range(6)), "<p>一</p>\n<p>二</p>"])
    assert len(tables[0]) == 3


def test_moments_are_timestamps_and_come_back_as_they_were(filled, tmp_path):
    archived(filled, tmp_path / "archive")
    for part in parts_of(tmp_path / "archive", LONGEST):
        table = pq.read_table(part.rows)
        for name in MOMENTS[part.kind]:
            assert str(table.schema.field(name).type) == f"timestamp[{TIME_UNITS[part.kind]}, tz=UTC]"
    schema = pa.schema([("changed_at", pa.float64())])
    for moment in (1_764_000_000.123456, 0.1, 1_764_000_000.9999998, 1_764_000_000.0, -1.5):
        assert rows_of("revisions", table_of("revisions", [{"changed_at": moment}], schema)) == [{"changed_at": moment}]
    schema = pa.schema([("published_ts", pa.int64()), ("crawled_ts", pa.int64())])
    for moment in (None, -1, 0, 1_764_000_000, -9_000_000_000):
        row = {"published_ts": moment, "crawled_ts": 1}
        assert rows_of("articles", table_of("articles", [row], schema)) == [row]


def test_what_was_pruned_comes_back_once(filled, tmp_path):
    old_content = content(filled, "id", "revision_id")
    archived(filled, tmp_path / "a")
    for kind in ("snapshots", "revisions"):
        list(delete_old(filled, kind, BEFORE))
    assert content(filled) != old_content
    assert unarchived(filled, tmp_path / "a") == {"rows": 8, "articles": 0, "pages": 7, "revisions": 1}
    assert content(filled, "id", "revision_id") == old_content
    assert unarchived(filled, tmp_path / "a") == {"rows": 8, "articles": 0, "pages": 0, "revisions": 0}
    assert content(filled, "id", "revision_id") == old_content


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
    list(delete_old(filled, "snapshots", BEFORE))
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
    assert not parts_of(folder, LONGEST)
    assert [path.name for path in folder.iterdir()] == ["articles-000001.partial"]
    assert archived(filled, folder) == {"articles": 7, "revisions": 1}
    assert not list(folder.glob("*.partial"))


def test_a_page_that_is_not_what_was_written_stops_it(filled, tmp_path, monkeypatch):
    written = archives._write_page
    monkeypatch.setattr(archives, "_write_page", lambda *values: written(*values[:5], b"other", values[6]))
    with pytest.raises(NoArchiveError, match="3 pages are missing and 1 are not of its rows"):
        archived(filled, tmp_path / "a")
    assert not parts_of(tmp_path / "a", LONGEST)


@pytest.mark.parametrize("suffix", [ROWS, PAGES])
def test_a_damaged_archive_is_refused(filled, tmp_path, suffix):
    archived(filled, tmp_path / "a")
    part: ArchivePart = parts_of(tmp_path / "a", LONGEST)[0]
    path = part.rows if suffix == ROWS else part.pages
    path.write_bytes(path.read_bytes()[:-20] + b"x" * 20)
    with pytest.raises(NoArchiveError, match="cannot be read"):
        unarchived(filled, tmp_path / "a")
    if suffix == ROWS:
        with pytest.raises(NoArchiveError, match=f"^{re.escape(str(path))} cannot be read"):
            unarchiving.total(tmp_path / "a")


def test_an_article_that_changed_since_keeps_its_pages(filled, tmp_path):
    archived(filled, tmp_path / "a")
    with writing(filled) as conn:
        save_article(conn, "http://a.cn/2", "改过的正文", now=1_800_001_000.0, crawled_at=datetime(2026, 11, 2, tzinfo=UTC))
    changed = content(filled)
    assert unarchived(filled, tmp_path / "a") == {"rows": 8, "articles": 0, "pages": 0, "revisions": 0}
    assert content(filled) == changed


def changed(conn, url, body, day):
    """A later visit finds another text."""
    save_article(conn, url, body, now=NOW + day, crawled_at=datetime(2026, 1, day, tzinfo=UTC))


def test_the_last_version_of_an_article_comes_back_with_its_page(filled, tmp_path):
    archived(filled, tmp_path / "a")
    with writing(filled) as conn:
        changed(conn, "http://a.cn/2", "更正后的正文", 2)
    assert archived(filled, tmp_path / "a")["articles"] == 1
    other = open_store(f"sqlite:///{tmp_path}/other.db")
    unarchived(other, tmp_path / "a")
    with reading(other) as conn:
        query = text("SELECT a.text FROM articles a JOIN article_urls u ON u.article_id = a.id WHERE u.url = 'http://a.cn/2'")
        assert conn.execute(query).scalars().all() == ["更正后的正文"]
        (page,) = snapshots.pages_of(conn, "http://a.cn/2")
    assert "更正后的正文" in page.content.decode()
    other.dispose()


def cut(part, place):
    """Cut the file of pages: at its start, between two records, or within one."""
    with part.pages.open("rb") as opened:
        records = ArchiveIterator(opened)
        offsets = [records.get_record_offset() for _ in records]
    end = {"start": 0, "between": offsets[3], "within": offsets[3] + 90, "in a page": (offsets[-2] + offsets[-1]) // 2}[place]
    part.pages.write_bytes(part.pages.read_bytes()[:end])


@pytest.mark.parametrize("place", ["start", "between", "within", "in a page"])
def test_an_archive_with_lost_pages_is_refused(filled, tmp_path, place):
    archived(filled, tmp_path / "a")
    for part in parts_of(tmp_path / "a", LONGEST):
        if part.kind == "articles":
            cut(part, place)
    for use in (archived, unarchived):
        with pytest.raises(NoArchiveError, match="cannot be read"):
            use(filled, tmp_path / "a")


def test_a_page_that_was_missing_is_archived_once_it_is_there(filled, tmp_path):
    name = named("<p>一</p>")
    with writing(filled) as conn:
        page = snapshots.snapshot_contents(conn, {name})[name]
        conn.execute(text("DELETE FROM snapshots WHERE name = :name"), {"name": name})
    assert archived(filled, tmp_path / "a")["articles"] == 7
    assert archived(filled, tmp_path / "a") == {}
    with writing(filled) as conn:
        snapshots.add(conn, {name: page})
    assert archived(filled, tmp_path / "a") == {"articles": 1}
    assert archived(filled, tmp_path / "a") == {}


def test_deleted_pages_of_a_vanished_article_stay_deleted(filled, tmp_path):
    with writing(filled) as conn:
        save_article(conn, URL, "第二版", crawled_at=OLD)
    archived(filled, tmp_path / "a")
    with writing(filled) as conn:
        sql = "INSERT INTO missing_articles (key, absence, misses, return_count, vanished_at, snapshots_deleted_at)"
        conn.execute(text(f"{sql} VALUES (:key, 'gone', 3, 0, 1, 2)"), {"key": url_key(URL)})
    list(delete_old(filled, "snapshots", BEFORE))
    list(delete_old(filled, "revisions", BEFORE))
    assert unarchived(filled, tmp_path / "a")["revisions"] == 1
    with reading(filled) as conn:
        assert conn.execute(text("SELECT snapshot FROM revisions WHERE text = '第一版'")).scalars().all() == [""]
        assert not snapshots.kept(conn, {named("<p>earlier</p>")})


def test_a_page_that_is_too_long_is_refused(filled, tmp_path):
    archived(filled, tmp_path / "a")
    part = parts_of(tmp_path / "a", LONGEST)[0]
    with part.pages.open("ab") as opened:
        writer = WARCWriter(opened, gzip=True)
        zeros = io.BytesIO(bytes(LONGEST + 1))
        writer.write_record(writer.create_warc_record(URL, "resource", zeros, LONGEST + 1, warc_content_type="text/html"))
    with pytest.raises(NoArchiveError, match="more than 10000 bytes"):
        unarchived(filled, tmp_path / "a")


def _in_urls(**values):
    return lambda row: {"urls": json.dumps([{**json.loads(row["urls"])[0], **values}])}


SCRIPT = "javascript:alert(1)"
HARM = {
    "not what its sha256 says": lambda row: {"text": "another"},
    "no http or https URL": lambda row: {"url": SCRIPT, "key": url_key(SCRIPT)},
    "canonical_url": lambda row: {"canonical_url": None},
    f"{SCRIPT!r}": lambda row: {"canonical_url": SCRIPT},
    "has another key": lambda row: {"key": 7},
    "'http://a.cn/other' has another key": _in_urls(url="http://a.cn/other"),
    "priority may not be": _in_urls(priority=2**70),
    "published_ts may not be 'today'": _in_urls(published_ts="today"),
    "cannot be stored": lambda row: {"crawled_at": "yesterday"},
    "is no row of articles": lambda row: {"parts": "no JSON"},
    "'int' object": lambda row: {"urls": "[1]"},
    f"{SCRIPT!r} is no http": lambda row: {"parts": json.dumps([{"url": SCRIPT, "snapshot": ""}])},
    "text may not be None": lambda row: {"text": None},
    "keyword": lambda row: {"keywords": "[1]"},
    "no column 'title'": lambda row: {"title": ...},
    "no column 'sha256'": lambda row: {"sha256": ...},
}


@pytest.mark.parametrize("fault", HARM)
def test_a_manipulated_row_is_refused(filled, tmp_path, fault):
    archived(filled, tmp_path / "a")
    part = parts_of(tmp_path / "a", LONGEST)[0]
    rows = rows_of("articles", pq.read_table(part.rows))
    for row in rows:
        row.update(HARM[fault](row))
        for name in [name for name, value in row.items() if value is ...]:
            del row[name]
        if "sha256" in row and fault != "not what its sha256 says":
            with suppress(ValueError):
                row["sha256"] = row_hash("articles", row)
    pq.write_table(pa.Table.from_pylist(rows), part.rows)
    other = open_store(f"sqlite:///{tmp_path}/other.db")
    with pytest.raises(NoArchiveError) as refused:
        unarchived(other, tmp_path / "a")
    assert fault.replace("no column 'sha256'", "is no row of articles") in str(refused.value)
    with reading(other) as conn:
        stored = set(conn.execute(text("SELECT text FROM articles")).scalars())
    assert not stored & {row["text"] for row in rows}
    other.dispose()


def test_a_url_that_was_fetched_later_keeps_its_state(filled, tmp_path):
    archived(filled, tmp_path / "a")
    with writing(filled) as conn:
        conn.execute(text("DELETE FROM article_urls WHERE url = 'http://a.cn/2'"))
        conn.execute(text("DELETE FROM articles WHERE url = 'http://a.cn/2'"))
        later = "state = 'done', reason = 'gone', detail = 'x', last_fetched_at = :at, fetch_count = 7"
        conn.execute(text(f"UPDATE urls SET {later} WHERE url = 'http://a.cn/2'"), {"at": NOW + 1})
    old_urls = content(filled)["urls"]
    assert unarchived(filled, tmp_path / "a")["articles"] == 1
    assert content(filled)["urls"] == old_urls


def test_parts_are_read_once_a_run_and_in_the_order_of_their_numbers(filled, tmp_path, monkeypatch):
    folder = tmp_path / "a"
    archived(filled, folder)
    (folder / "articles-000002").rename(folder / "articles-1000000")
    for path in (folder / "articles-1000000").iterdir():
        path.rename(path.with_name(path.name.replace("articles-000002", "articles-1000000")))
    with writing(filled) as conn:
        save_article(conn, "http://a.cn/more", "又一篇", crawled_at=OLD)
    reads = []
    verified = ArchivePart.verified
    monkeypatch.setattr(ArchivePart, "verified", lambda part: (reads.append(part.number), verified(part))[1])
    assert archived(filled, folder) == {"articles": 1}
    numbers = [part.number for part in parts_of(folder, LONGEST) if part.kind == "articles"]
    assert numbers == [1, 3, 1_000_000, 1_000_001]
    assert sorted(reads) == sorted([*numbers, 1]), "a part was read more than once, or not at all"


def test_folders_of_others_stay(filled, tmp_path):
    mine = tmp_path / "a" / "articles-of-mine.partial"
    mine.mkdir(parents=True)
    (tmp_path / "a" / "articles-000009.partial").mkdir()
    archived(filled, tmp_path / "a")
    assert [path.name for path in (tmp_path / "a").glob("*.partial")] == [mine.name]


def test_one_command_at_once_writes_to_an_archive(tmp_path):
    another = pytest.raises(NoArchiveError, match="is being written to by another")
    with archives.locked(tmp_path), another, archives.locked(tmp_path):
        pass
    with archives.locked(tmp_path):
        pass
