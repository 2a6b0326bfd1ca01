"""What is deleted by its age, and what stays; sizes."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import insert, text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import PageType
from newsspider.core.url import url_key
from newsspider.store import pages
from newsspider.store.articles import snapshots
from newsspider.store.engine.database import reading, writing
from newsspider.store.engine.integrity import integrity_problems
from newsspider.store.index import entries
from newsspider.store.maintenance import retention
from newsspider.store.maintenance.disk_space import table_sizes, vacuum_store
from newsspider.store.maintenance.retention import KINDS_OF_ROWS, count_old, delete_old
from newsspider.store.tables import revisions
from tests.support.samples import NOW, POLLED, STORED, URL, in_parts, lease_on, links, save_article, stored_links

OLD = datetime(2026, 1, 1, tzinfo=UTC)
BEFORE = datetime(2026, 6, 1, tzinfo=UTC).timestamp()


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(retention, "ROWS_AT_ONCE", 2)


def count(store, table, where="true"):
    with reading(store) as conn:
        return conn.execute(text(f"SELECT count(*) FROM {table} WHERE {where}")).scalar_one()


def pruned(store, kind, moment=BEFORE):
    with reading(store) as conn:
        old_count = count_old(conn, kind, moment)
    steps = list(delete_old(store, kind, moment))
    done, total = steps[-1]
    assert done == total >= old_count
    assert [step for step, _ in steps] == sorted(step for step, _ in steps)
    with reading(store) as conn:
        assert count_old(conn, kind, moment) == 0
        assert not list(integrity_problems(conn))
    return old_count


def test_the_pages_of_old_articles_go_and_the_articles_stay(store):
    for number in range(7):
        with writing(store) as conn:
            moment = OLD if number < 5 else datetime(2026, 11, 1, tzinfo=UTC)
            save_article(conn, f"http://a.cn/{number}", f"正文{number}", crawled_at=moment)
    with writing(store) as conn:
        lease_on(conn, "http://a.cn/parts")
        in_parts(conn, "http://a.cn/parts", "<p>一</p>", "<p>二</p>")
    assert pruned(store, "snapshots") == 5
    assert count(store, "articles") == 8
    assert count(store, "snapshots") == 4
    assert count(store, "articles", "snapshot = '' AND text <> ''") == 5


def test_old_links_and_runs_go(store):
    with writing(store) as conn:
        for page in range(5):
            for target, at in ((1, BEFORE - 2), (2, BEFORE - 1), (3, NOW)):
                lease = lease_on(conn, f"http://a.cn/{page}", at)
                pages.save(conn, PageResult(lease, STORED, links=links([f"http://b.cn/{page % 2}{target}"])), at)
        lease = lease_on(conn, "http://a.cn/list", BEFORE - 1, kind=PageType.LIST)
        pages.save(conn, PageResult(lease, POLLED, links=links(["http://b.cn/01", "http://b.cn/4"])), BEFORE - 1)
        conn.execute(text("INSERT INTO runs (spider, started_at, finished_at) VALUES ('education', 1, 2), ('education', 1, NULL)"))
    assert pruned(store, "links") == 10
    reports = [done for done, _ in delete_old(store, "links", BEFORE)]
    assert reports[-1] == 10, "what is left is read twice, to find links without pages, and that is told"
    with reading(store) as conn:
        remaining = sorted(link.url for link in stored_links(conn))
    assert remaining == ["http://b.cn/01", *["http://b.cn/03"] * 3, *["http://b.cn/13"] * 2, "http://b.cn/4"]
    assert count(store, "list_links") == 2, "a link of a list says what is new there"
    assert count(store, "distinct_links") == 4, "what no page has any more goes, too"
    assert pruned(store, "runs") == 1
    assert count(store, "runs") == 1


def test_old_revisions_go_with_their_pages_and_their_entries_in_the_index(store):
    old_page = {"snapshot": "a" * 64, "further": '[{"url": "http://a.cn/1_2", "snapshot": "' + "b" * 64 + '"}]'}
    row = {
        "key": url_key(URL), "url": URL, "site": "站", "parts": '["text"]', "edits": "[]", "title": "题", "text": "第一版的正文",
        "crawled_at": "2026-11-01T00:00:00+00:00", "charset": "utf-8", **old_page,
    }  # fmt: skip
    with writing(store) as conn:
        save_article(conn, URL, "最后一版的正文")
        for name in ("a", "b"):
            snapshots.add(conn, {name * 64: b"<p>page</p>"})
        for at in (BEFORE - 3, BEFORE - 2, BEFORE - 1, BEFORE + 1):
            added = conn.execute(insert(revisions).values(**row, changed_at=at).returning(revisions.c.id)).scalar_one()
            snapshots.name_further(conn, added, row["further"])
            entries.add_revision(conn, added)
    assert pruned(store, "revisions") == 3
    assert (count(store, "revisions"), count(store, "search_entries"), count(store, "snapshots")) == (1, 2, 3)
    assert pruned(store, "revisions", NOW) == 1
    assert (count(store, "search_entries"), count(store, "snapshots")) == (1, 1), "those that only they named are gone"


def test_the_space_of_deleted_rows_is_given_back(store):
    with writing(store) as conn:
        for number in range(20):
            save_article(conn, f"http://a.cn/{number}", f"正文{number}" * 2000, crawled_at=OLD)
    pruned(store, "snapshots")
    old_bytes = sum(size.bytes for size in shown(store))
    vacuum_store(store)
    if store.dialect.name == "sqlite":  # PostgreSQL keeps the space for new rows
        assert sum(size.bytes for size in shown(store)) < old_bytes
    assert count(store, "articles") == 20


def shown(store):
    with reading(store) as conn:
        return table_sizes(conn)


def test_sizes_name_each_table_that_holds_anything(store):
    with writing(store) as conn:
        save_article(conn, "http://a.cn/1", "正文" * 500)
    with reading(store) as conn:
        by_table = {size.table: size for size in table_sizes(conn)}
    assert by_table["articles"].rows == by_table["search index"].rows == 1
    assert all(size.bytes > 0 for size in by_table.values())
    assert "list_links" not in by_table


def test_every_kind_says_what_it_deletes():
    assert all(kind.meaning for kind in KINDS_OF_ROWS.values())
