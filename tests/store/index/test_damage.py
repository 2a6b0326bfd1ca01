"""A search index that is damaged, or whose making is killed: no page is lost, and the index can be made again."""

import os
from datetime import timedelta

import pytest
from sqlalchemy import text

from newsspider.core.text import tokenizer
from newsspider.store.engine.database import open_store, reading
from newsspider.store.engine.errors import StoreFailedError
from newsspider.store.index import entries
from newsspider.store.index.backend import Choice
from tests.support.indexes import MOMENT, found, index_of, phrase, rebuilt, save
from tests.support.killing import kill_when
from tests.support.process import completed
from tests.support.samples import NOW, save_article
from tests.support.stores import on_sqlite

DAMAGES = {
    "its structure": "UPDATE search_index_data SET block = x'ffffffffffffffffffff' WHERE id = 10",
    "its pages": "UPDATE search_index_data SET block = zeroblob(length(block)) WHERE id > 10",
}


@on_sqlite
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_index_is_emptied_and_every_page_is_stored(store, writer, caplog, damage):
    for number in range(20):
        writer.submit(lambda conn, number=number: save(conn, number, f"高考第{number}号方案")).result()
    with store.begin() as conn:
        conn.execute(text(DAMAGES[damage]))
    stored = [
        writer.submit(lambda conn, number=number: save(conn, number, f"志愿填报第{number}批，改动")) for number in range(10, 80)
    ]
    assert all(job.result() for job in stored)
    assert writer.failed is None
    (line,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert "the search index is damaged" in line.message
    assert "20 articles wait for scrapy reindex" in line.message
    with store.begin() as conn:
        assert conn.execute(text("SELECT count(*) FROM articles")).scalar() == 80
        run = entries.unfinished_rebuild(conn)
        while entries.add_missing_revisions(conn, 7):
            pass
        while run is not None:
            run = entries.index_next(conn, run, 7)
        assert len(found(conn, phrase("志愿填报"))) == 70
        assert index_of(conn) == rebuilt(conn)


@on_sqlite
def test_a_search_in_a_damaged_index_says_what_to_do(store):
    with store.begin() as conn:
        save(conn, 1, "高考")
    with store.begin() as conn:
        conn.execute(text(DAMAGES["its structure"]))
    with pytest.raises(StoreFailedError, match="scrapy reindex --rebuild"), reading(store) as conn:
        entries.backend_of(conn).newest(conn, Choice(phrase("高考")), 1)


def test_an_index_of_other_tokens_is_emptied_when_the_store_is_opened(store, url, monkeypatch):
    with store.begin() as conn:
        save(conn, 1, "高考")
    open_store(url).dispose()
    with reading(store) as conn:
        assert entries.unfinished_rebuild(conn) is None
    monkeypatch.setattr(tokenizer, "characters_fingerprint", lambda: "another OpenCC")
    open_store(url).dispose()
    with reading(store) as conn:
        assert entries.unfinished_rebuild(conn) is not None
        assert index_of(conn) == []


@pytest.mark.slow
def test_reindexing_that_is_killed_ends_in_the_index_of_a_rebuild(store, url):
    with store.begin() as conn:
        for number in range(400):
            save_article(conn, f"http://a.cn/{number}", f"高考第{number}号方案" * 50, published_at=MOMENT + timedelta(minutes=number))
    environment = {**os.environ, "NEWSSPIDER_DATABASE_URL": url}

    def done() -> int:
        with reading(store) as conn:
            run = entries.unfinished_rebuild(conn)
            return 0 if run is None else run.after_id

    with store.begin() as conn:
        entries.begin_rebuild(conn, NOW, again=True)
    kill_when(lambda: done() > 0, url, "reindex")
    middle = done()
    assert 0 < middle < 400
    with store.begin() as conn:  # a crawl goes on meanwhile
        save_article(conn, "http://a.cn/1", "改成志愿填报", now=NOW + 1e6)
        save_article(conn, "http://a.cn/new", "新来的一篇", now=NOW + 1e6)
    assert completed(["reindex"], environment, 240).returncode == 0
    with store.begin() as conn:
        assert entries.unfinished_rebuild(conn) is None
        assert index_of(conn) == rebuilt(conn)
