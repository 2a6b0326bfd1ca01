"""What the writer remembers is never more than what the tables say."""

from __future__ import annotations

from functools import partial

from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.store import ledger, pages
from newsspider.store.cache.recent import RecentKeys
from newsspider.store.ledger.history import forget
from tests.store.samples import NOW, STORED, article, lease_on, offer, save_article


def test_recent_keys_are_bounded_and_keep_the_latest():
    keys = RecentKeys(10)
    for key in range(100):
        keys.meet([key])
        keys.committed()
        assert len(keys) <= 10
    assert all(key in keys for key in range(95, 100))
    assert 0 not in keys


def test_recent_keys_believe_only_what_was_committed():
    keys = RecentKeys()
    keys.meet([1])
    assert 1 not in keys
    keys.rolled_back()
    keys.committed()
    assert 1 not in keys


def test_an_url_of_a_batch_that_failed_is_offered_again(store, writer):
    wanted = [offer("http://a.cn/1")]

    def failing(conn):
        ledger.offer(conn, wanted, NOW)
        raise ValueError

    assert writer.submit(failing).exception(10) is not None
    assert writer.submit(partial(ledger.offer, offers=wanted, now=NOW)).result(10) == 1
    assert writer.submit(partial(ledger.offer, offers=wanted, now=NOW)).result(10) == 0


def test_an_url_that_another_process_forgot_is_new_again(store, writer):
    wanted = [offer("http://a.cn/1")]
    writer.submit(partial(ledger.offer, offers=wanted, now=NOW)).result(10)
    with store.begin() as conn:
        assert forget(conn, wanted[0].key)
    assert writer.submit(partial(ledger.offer, offers=wanted, now=NOW)).result(10) == 1


def stored(writer, url, body):
    lease = writer.submit(partial(lease_on, url=url)).result(10)
    result = PageResult(lease, STORED, article(url, body))
    return writer.submit(partial(pages.save, result=result, now=NOW)).result(10)


def test_a_body_that_another_process_stored_is_stored_once(store, writer):
    assert stored(writer, "http://a.cn/1", "第一篇").new_article
    with store.begin() as conn:
        save_article(conn, "http://b.cn/1", "同文")
    assert stored(writer, "http://c.cn/1", "同文").duplicate_of == "http://b.cn/1"
    with store.connect() as conn:
        assert conn.execute(text("SELECT count(*) FROM articles")).scalar() == 2


def test_a_new_text_that_another_process_stored_joins_the_article_that_has_it(store, writer):
    assert stored(writer, "http://a.cn/1", "原文").new_article
    with store.begin() as conn:
        save_article(conn, "http://b.cn/1", "更正的文")
    assert stored(writer, "http://a.cn/1", "更正的文").duplicate_of == "http://b.cn/1"
    with store.connect() as conn:
        assert conn.execute(text("SELECT text FROM articles")).scalars().all() == ["更正的文"]
