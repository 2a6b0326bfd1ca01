"""What the writer remembers is never more than what the tables say."""

from __future__ import annotations

from functools import partial

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.store import ledger, pages
from newsspider.store.cache.bloom import ERROR_RATE, BloomFilter, bits_and_hashes
from newsspider.store.cache.recent import RecentKeys
from newsspider.store.engine.writer import Writer
from newsspider.store.ledger.history import forget
from tests.store.conftest import on_sqlite
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


@pytest.mark.parametrize("capacity", [1000, 100_000, 1_000_000])
def test_the_filter_is_as_large_as_the_formula_says(capacity):
    bits, hashes = bits_and_hashes(capacity, ERROR_RATE)
    bodies = BloomFilter(capacity, ERROR_RATE)
    assert bodies.num_slices == hashes
    assert abs(bodies.num_bits - bits) <= hashes


def test_the_filter_keeps_its_rate_of_wrong_answers():
    bodies = BloomFilter(10_000, ERROR_RATE)
    for number in range(10_000):
        bodies.add(f"stored {number}")
    assert all(f"stored {number}" in bodies for number in range(10_000))
    assert sum(f"new {number}" in bodies for number in range(20_000)) < 20_000 * ERROR_RATE * 3


def stored(writer, url, body):
    lease = writer.submit(partial(lease_on, url=url)).result(10)
    result = PageResult(lease, STORED, article(url, body))
    return writer.submit(partial(pages.save, result=result, now=NOW)).result(10)


@on_sqlite
def test_the_filter_lies_beside_the_store_and_is_used_again(store, tmp_path):
    writer = Writer(store, 64, 60.0)
    assert stored(writer, "http://a.cn/1", "同文").new_article
    writer.close()
    assert (tmp_path / "folder" / "news.db.bodies.bloom").is_file()
    writer = Writer(store, 64, 60.0)
    assert stored(writer, "http://b.cn/1", "同文").duplicate_of == "http://a.cn/1"
    assert writer._memory.bodies.rebuilt == 0
    writer.close()


@on_sqlite
@pytest.mark.parametrize("damage", ["cut", "flipped", "foreign", "missing", "behind"])
def test_a_filter_that_cannot_be_trusted_is_built_anew(store, tmp_path, damage):
    writer = Writer(store, 64, 60.0)
    stored(writer, "http://a.cn/1", "同文")
    writer.close()
    file = tmp_path / "folder" / "news.db.bodies.bloom"
    data = bytearray(file.read_bytes())
    data[-1000] ^= 1
    file.write_bytes({"cut": data[:500], "flipped": data, "foreign": b"x" * 999}.get(damage, file.read_bytes()))
    if damage == "missing":
        file.unlink()
    if damage == "behind":
        with store.begin() as conn:
            save_article(conn, "http://c.cn/1", "另一篇")
    writer = Writer(store, 64, 60.0)
    assert stored(writer, "http://b.cn/1", "同文").duplicate_of == "http://a.cn/1"
    assert writer._memory.bodies.rebuilt == 1
    writer.close()


def test_a_body_that_the_filter_does_not_know_is_still_stored_once(store, writer):
    assert stored(writer, "http://a.cn/1", "第一篇").new_article
    with store.begin() as conn:
        save_article(conn, "http://b.cn/1", "同文")
    assert stored(writer, "http://c.cn/1", "同文").duplicate_of == "http://b.cn/1"
    with store.connect() as conn:
        assert conn.execute(text("SELECT count(*) FROM articles")).scalar() == 2


def test_a_wrong_yes_of_the_filter_drops_no_article(store, writer):
    record = article("http://a.cn/1", "从未见过")
    writer.submit(lambda conn: writer._memory.bodies.add(conn, record.body_md5)).result(10)
    assert stored(writer, "http://a.cn/1", "从未见过").new_article


def test_a_new_text_that_the_filter_does_not_know_joins_the_article_that_has_it(store, writer):
    assert stored(writer, "http://a.cn/1", "原文").new_article
    with store.begin() as conn:
        save_article(conn, "http://b.cn/1", "更正的文")
    assert stored(writer, "http://a.cn/1", "更正的文").duplicate_of == "http://b.cn/1"
    with store.connect() as conn:
        assert conn.execute(text("SELECT text FROM articles")).scalars().all() == ["更正的文"]
