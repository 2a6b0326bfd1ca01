"""The keys that workers share in a real Redis: exact, never more than the ledger says."""

import itertools
import random

import pytest
from redis import Redis
from sqlalchemy import text

from newsspider.features.fleet import shared_keys
from newsspider.features.fleet.shared_keys import RedisKeys
from newsspider.store import ledger
from newsspider.store.engine.database import writing
from newsspider.store.engine.statement import rows_among
from newsspider.store.engine.writer import Writer
from newsspider.store.ledger import offers
from newsspider.store.url_history import forget
from tests.support.samples import NOW, offer
from tests.support.servers import redis_server
from tests.support.stores import on_sqlite

_numbers = itertools.count(1)


@pytest.fixture
def keys(shared_redis):
    shared_keys = RedisKeys(Redis.from_url(shared_redis.url), f"shared{next(_numbers)}")
    yield shared_keys
    for key in shared_keys.redis.scan_iter(match=f"{shared_keys.generation.split(':')[0]}*", count=10_000):
        shared_keys.redis.delete(key)
    shared_keys.close()


def offered(store, shared_keys, *urls):
    """How many of the URLs a new worker made known, and how many keys it looked up in the ledger."""
    writer = Writer(store, 64, 60.0)
    if shared_keys is not None:
        writer.share(shared_keys)
    looked = []

    def watched(conn, sql, batch, *values):
        batch = list(batch)
        looked.extend(batch)
        return rows_among(conn, sql, batch, *values)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(offers, "rows_among", watched)
        added = writer.submit(lambda conn: ledger.offer(conn, [offer(url) for url in urls], NOW)).result(60)
    writer.close()
    return added, len(set(looked))


def fetched(store, shared_keys, *urls):
    """Have the URLs fetched, and a worker tell the others so."""
    offered(store, shared_keys, *urls)
    with writing(store) as conn:
        conn.execute(text("UPDATE urls SET last_fetched_at = :now"), {"now": NOW})
    offered(store, shared_keys, *urls)


URLS = [f"http://a.cn/{n}" for n in range(40)]


def test_keys_are_known_exactly_whatever_their_bits(keys):
    drawn = random.Random(7)
    there = {drawn.randrange(-(2**63), 2**63) for _ in range(5000)} | {0, -1, 1, -(2**63), 2**63 - 1, 65_535, 65_536}
    others = {key ^ 1 << bit for key in list(there)[:300] for bit in range(63)} - there
    keys.add(there, 0)
    assert keys.known(there, 0) == there
    assert keys.known(others, 0) == set()
    assert keys.known((), 0) == set()


def test_what_one_worker_fetched_another_one_does_not_look_up(store, keys):
    fetched(store, keys, *URLS)
    assert offered(store, keys, *URLS, "http://a.cn/new") == (1, 2)  # the new one, and one to see whether Redis is right


def test_a_key_that_is_removed_is_known_to_nobody_until_it_is_added_again(keys):
    keys.add([1, 2, 3], 0)
    keys.remove([2, 4], 0)
    assert keys.known([1, 2, 3, 4], 0) == {1, 3}
    keys.add([2], 0)
    assert keys.known([2], 0) == {2}


def test_a_forgotten_url_comes_back_though_redis_was_not_told(store, keys):
    fetched(store, keys, *URLS)
    with writing(store) as conn:
        assert forget(conn, offer(URLS[3]).key)
    assert offered(store, keys, *URLS) == (1, 40)
    fetched(store, keys, *URLS)
    assert offered(store, keys, *URLS) == (0, 1)


def test_a_worker_that_lags_behind_a_forgetting_neither_believes_nor_tells(keys):
    keys.add([1, 2], 0)
    assert keys.known([1, 2, 3], 1) == set()
    keys.add([1, 2], 0)
    assert keys.known([1, 2, 3], 0) == set()
    keys.add([3], 1)
    assert keys.known([1, 2, 3], 1) == {3}


def test_keys_count_only_after_the_commit(store, keys):
    writer = Writer(store, 64, 60.0)
    writer.share(keys)

    def fails(conn):
        ledger.offer(conn, [offer(url) for url in URLS], NOW)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        writer.submit(fails).result(60)
    writer.close()
    assert offered(store, keys, *URLS) == (40, 40)


def test_the_keys_of_another_ledger_are_not_believed(store, keys):
    keys.add([offer(url).key for url in URLS], 0)
    assert offered(store, keys, *URLS) == (40, 40)
    fetched(store, keys, *URLS)
    assert offered(store, keys, *URLS) == (0, 1)


@on_sqlite
def test_ten_times_as_many_others_are_all_accepted(store, keys):
    stored = [f"http://a.cn/stored/{n}" for n in range(2000)]
    assert offered(store, keys, *stored)[0] == 2000
    assert offered(store, keys, *(f"http://b.cn/{n}" for n in range(20_000)))[0] == 20_000
    assert offered(store, keys, *stored) == (0, 1)
    with store.connect() as conn:
        assert conn.execute(text("SELECT count(*) FROM urls")).scalar() == 22_000


@pytest.mark.parametrize("spoil", ["wiped", "generation", "bucket"])
@on_sqlite
def test_spoilt_keys_in_redis_cost_one_look_up_in_the_ledger(store, keys, spoil, monkeypatch):
    monkeypatch.setattr(shared_keys, "AWAY_SECONDS", 0)
    offered(store, keys, *URLS)
    bucket = keys.redis.keys(f"{keys.buckets}*")
    if spoil == "wiped":
        keys.redis.delete(keys.generation, *bucket)
    else:
        key = keys.generation if spoil == "generation" else next(key for key in bucket if key != keys.generation.encode())
        keys.redis.delete(key)
        keys.redis.hset(key, "a", "b")
    assert offered(store, keys, *URLS) == (0, 40)
    offered(store, keys, *URLS)
    assert offered(store, keys, *URLS) == (0, 1)


@on_sqlite
def test_without_the_server_the_ledger_is_asked(store):
    with redis_server() as server:
        keys = RedisKeys(Redis.from_url(server.url, retry=None), "gone")
        offered(store, keys, *URLS)
        server.stop()
        assert offered(store, keys, *URLS, "http://a.cn/new") == (1, 41)


@pytest.mark.long
def test_a_url_takes_few_bytes(keys):
    """At a tenth of the million that ``python -m bench.fleet`` measures; packing is the better the more there are."""
    drawn = random.Random(1)
    bytes_before = keys.redis.info("memory")["used_memory"]
    keys.add([drawn.randrange(-(2**63), 2**63) for _ in range(300_000)], 0)
    assert (keys.redis.info("memory")["used_memory"] - bytes_before) / 300_000 < 60
    assert keys.redis.object("encoding", f"{keys.buckets}0") == b"intset"
