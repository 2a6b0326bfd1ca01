"""What the writer remembers is never more than what the tables say."""

from functools import partial

from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.url import url_key
from newsspider.store import ledger, pages
from newsspider.store.engine.writer_caches import RecentKeys
from newsspider.store.maintenance.retention import delete_old
from newsspider.store.url_history import forget_url
from tests.support.samples import NOW, STORED, article, lease_on, links, offer, save_article, stored_links


def test_recent_keys_are_bounded_and_keep_the_latest():
    keys = RecentKeys[int, None](10)
    for key in range(100):
        keys.add({key: None})
        keys.committed()
        assert len(keys) <= 10
    assert all(key in keys for key in range(95, 100))
    assert 0 not in keys


def test_recent_keys_believe_only_what_was_committed():
    keys = RecentKeys[int, None]()
    keys.add({1: None})
    assert 1 not in keys
    keys.rolled_back()
    keys.committed()
    assert 1 not in keys


def test_recent_numbers_are_bounded_keep_the_latest_and_believe_only_what_was_committed():
    numbers = RecentKeys[int, int](10)
    for form in range(100):
        numbers.add({form: form + 1})
        assert form not in numbers.of([form])
        numbers.committed()
    assert numbers.of(range(95, 100)) == {form: form + 1 for form in range(95, 100)}
    assert len(numbers.of(range(100))) <= 10
    numbers.add({7: 8})
    numbers.rolled_back()
    numbers.committed()
    assert numbers.of([7]) == {}


def test_a_link_that_another_process_deleted_is_stored_again(store, writer):
    def visited(url, at):
        lease = writer.submit(partial(lease_on, url=url, now=at)).result(60)
        writer.submit(partial(pages.save, result=PageResult(lease, STORED, links=links(["http://b.cn/1"])), now=at)).result(60)

    visited("http://a.cn/1", NOW)
    assert list(delete_old(store, "links", NOW + 1)) == [(1, 1), (2, 2), (3, 3)]
    with store.connect() as conn:
        assert stored_links(conn) == []
        assert conn.execute(text("SELECT count(*) FROM distinct_links")).scalar() == 0
    visited("http://a.cn/2", NOW + 9)
    with store.connect() as conn:
        assert [(link.src, link.url) for link in stored_links(conn)] == [(url_key("http://a.cn/2"), "http://b.cn/1")]


def test_an_url_of_a_batch_that_failed_is_offered_again(store, writer):
    offers = [offer("http://a.cn/1")]

    def failing(conn):
        ledger.offer(conn, offers, NOW)
        raise ValueError

    assert writer.submit(failing).exception(10) is not None
    assert writer.submit(partial(ledger.offer, offers=offers, now=NOW)).result(60) == 1
    assert writer.submit(partial(ledger.offer, offers=offers, now=NOW)).result(60) == 0


def test_an_url_that_another_process_forgot_is_new_again(store, writer):
    offers = [offer("http://a.cn/1")]
    writer.submit(partial(ledger.offer, offers=offers, now=NOW)).result(60)
    with store.begin() as conn:
        assert forget_url(conn, offers[0].key)
    assert writer.submit(partial(ledger.offer, offers=offers, now=NOW)).result(60) == 1


def stored(writer, url, body):
    lease = writer.submit(partial(lease_on, url=url)).result(60)
    result = PageResult(lease, STORED, article(url, body))
    return writer.submit(partial(pages.save, result=result, now=NOW)).result(60)


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
