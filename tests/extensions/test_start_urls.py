"""The list of start URLs in a real Redis: nothing on it is lost, whatever is pushed and whoever dies."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from scrapy.exceptions import NotConfigured
from sqlalchemy import text

from newsspider.core.crawling.start_url_message import RESERVED
from newsspider.core.scheduling.priorities import ARTICLE_PRIORITY, weighted_priority
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import ASKED, LEASE, RENDERED, RENDERED_FOR, ROBOTS, VISIT
from newsspider.download.handler import PAUSED
from newsspider.downloadermiddlewares.politeness import HOPS
from newsspider.extensions.start_urls import StartUrls
from newsspider.pages.user_callbacks import PAGE
from newsspider.spiders.education import EducationSpider
from newsspider.store.ledger.submitted import SUBMITTED_WEIGHT
from tests.support.crawler import crawler_of
from tests.support.samples import allow
from tests.support.tables import each

KEY, DEAD = "education:start_urls", "education:dead_letters"


def waiting_after(folder: Path, url: str, times: int = 1, then: Any = None, **settings: Any) -> tuple[set[str], dict[str, Any]]:
    """The waiting URLs of the ledger after messages were taken so many times, and the stats."""

    async def take() -> set[str]:
        crawl = Crawl.of(crawler)
        extension = StartUrls.from_crawler(crawler)
        for _ in range(times):
            await extension.take()
        if then is not None:
            await then(extension)
        with crawl.storage.engine.connect() as conn:
            waiting = {row.url for row in conn.execute(text("SELECT url FROM urls WHERE state = 'waiting'"))}
        await crawl.close("finished")
        return waiting

    crawler = crawler_of(folder, **{"REDIS_URL": url, "ALLOWED_ADDRESSES": ["127.0.0.0/8"], **settings})
    assert crawler.stats is not None
    return asyncio.run(take()), crawler.stats.get_stats()


def test_urls_and_json_messages_are_submitted_and_leave_the_list(tmp_path: Path, redis_url: str, redis: Redis) -> None:
    redis.rpush(KEY, "http://a.example/1", '{"url": "HTTP://A.example/2", "version": 1}', '{"url": "http://a.example/3"}', "http://a.example/1")
    waiting, stats = waiting_after(tmp_path, redis_url)
    assert waiting == {"http://a.example/1", "http://a.example/2", "http://a.example/3"}
    assert (redis.llen(KEY), redis.llen(DEAD)) == (0, 0)
    assert (stats["starts/submitted"], stats["starts/new"]) == (3, 3)


BAD: list[str | bytes] = [
    b"\xff\xfe", "", "   ", "no url", "javascript:alert(1)", "[]", '"http://a.example/"', "{", "{}", '{"url": 1}', '{"url": null}',
    '{"url": "http://a.example/", "version": 2}', '{"url": "http://a.example/", "version": true}', "[" * 5000,
    '{"url": "http://a.example/", "meta": []}', '{"url": "http://a.example/", "method": "POST"}',
    '{"url": "http://a.example/", "priority": "high"}', '{"url": "http://a.example/", "priority": NaN}',
    '{"url": "http://a.example/", "dont_filter": 1}', '{"url": "http://a.example/", "meta": {"proxy": "http://10.0.0.1/"}}',
    '{"url": "ftp://a.example/"}', b"\x80\x04\x95pickle.", "http://a.example/" + "x" * 20_000,
]  # fmt: skip


def test_no_message_has_a_key_under_which_the_crawl_notes_something() -> None:
    assert {ASKED, LEASE, VISIT, RENDERED, RENDERED_FOR, ROBOTS, HOPS, PAUSED, PAGE} == RESERVED


def test_what_scrapy_redis_s_messages_say_is_kept(tmp_path: Path, redis_url: str, redis: Redis) -> None:
    page = "http://a.example/1"
    redis.rpush(
        KEY, json.dumps({"url": page, "meta": {"job": 7}, "url_cookie_key": "x", "priority": 3, "dont_filter": True, "method": "get"})
    )  # fmt: skip

    async def look(extension: StartUrls) -> None:
        now = extension.crawl.clock.now()
        await extension.crawl.storage.frontier.run(lambda conn: allow(conn, "a.example", now=now))
        [lease] = await extension.crawl.storage.frontier.claim(1, now)
        assert lease.priority == weighted_priority(ARTICLE_PRIORITY, SUBMITTED_WEIGHT) + 3
        request = EducationSpider().request(lease)
        assert (request.url, request.meta["job"], request.meta["url_cookie_key"], request.meta["lease"]) == (page, 7, "x", lease)

    waiting_after(tmp_path, redis_url, 1, look)


def test_the_score_in_a_sorted_set_is_the_priority(tmp_path: Path, redis_url: str, redis: Redis) -> None:
    redis.zadd(KEY, {"http://a.example/1": 1, "http://a.example/7": 7, '{"url": "http://a.example/9", "priority": 9}': 0})

    async def look(extension: StartUrls) -> None:
        with extension.crawl.storage.frontier.writer.engine.connect() as conn:
            urls = conn.execute(text("SELECT url FROM urls ORDER BY priority DESC")).scalars().all()
        assert urls == [f"http://a.example/{n}" for n in (9, 7, 1)]

    waiting_after(tmp_path, redis_url, 1, look, REDIS_START_URLS_AS_ZSET=True)


def test_messages_are_decoded_by_the_setting(tmp_path: Path, redis_url: str, redis: Redis) -> None:
    redis.rpush(KEY, '{"url": "http://a.example/1", "title": "教育"}'.encode("gbk"))

    async def look(extension: StartUrls) -> None:
        with extension.crawl.storage.frontier.writer.engine.connect() as conn:
            assert json.loads(conn.execute(text("SELECT meta FROM urls")).scalar_one()) == {"title": "教育"}

    waiting_after(tmp_path, redis_url, 1, look, REDIS_ENCODING="gbk")


POISON = """CREATE TRIGGER poison BEFORE INSERT ON urls WHEN new.url LIKE '%/poison'
    BEGIN SELECT raise(ABORT, 'no room for poison'); END"""


def test_bad_messages_are_put_aside_with_a_reason_counted_and_logged_once(
    tmp_path: Path, redis_url: str, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    redis.rpush(KEY, *BAD[:9], "http://a.example/good")
    redis.rpush(KEY, *BAD[9:])

    async def more(extension: StartUrls) -> None:
        redis.rpush(KEY, "bad again")
        await extension.take()

    waiting, stats = waiting_after(tmp_path, redis_url, then=more)
    assert waiting == {"http://a.example/good"}
    assert redis.llen(KEY) == 0
    letters = [json.loads(letter) for letter in redis.lrange(DEAD, 0, -1)]  # type: ignore[union-attr]
    assert len(letters) == len(BAD) + 1
    assert all(letter["version"] == 1 and letter["reason"] for letter in letters)
    assert stats["starts/dead_letters"] == len(BAD) + 1
    assert caplog.text.count("start URLs went to") == 1


def test_a_worker_that_dies_between_commit_and_removal_loses_nothing(tmp_path: Path, redis_url: str, redis: Redis) -> None:
    messages = [f"http://a.example/{n}" for n in range(5)]
    redis.rpush(KEY, *messages)

    async def dies(extension: StartUrls) -> None:
        async def killed(*_: Any) -> None:
            raise asyncio.CancelledError

        extension._remove = killed  # type: ignore[method-assign]
        with pytest.raises(asyncio.CancelledError):
            await extension.take()

    waiting, _ = waiting_after(tmp_path, redis_url, 0, dies)
    assert waiting == set(messages)
    assert redis.llen(KEY) == 5
    waiting, stats = waiting_after(tmp_path, redis_url)
    assert waiting == set(messages)
    assert (redis.llen(KEY), stats["starts/new"]) == (0, 0)


def test_a_url_that_cannot_be_stored_is_put_aside_and_keeps_no_other_waiting(tmp_path: Path, redis_url: str, redis: Redis) -> None:
    redis.rpush(KEY, *[f"http://a.example/{name}" for name in ("1", "poison", "2", "poison")])

    async def take(extension: StartUrls) -> None:
        with extension.crawl.storage.frontier.writer.engine.begin() as conn:
            conn.execute(text(POISON))
        await extension.take()

    waiting, stats = waiting_after(tmp_path, redis_url, 0, take)
    assert waiting == {"http://a.example/1", "http://a.example/2"}
    letters = [json.loads(letter) for letter in redis.lrange(DEAD, 0, -1)]  # type: ignore[union-attr]
    assert [letter["message"] for letter in letters] == ["http://a.example/poison"] * 2
    assert all("no room for poison" in letter["reason"] for letter in letters)
    assert (redis.llen(KEY), stats["starts/submitted"], stats["starts/new"], stats["starts/dead_letters"]) == (0, 2, 2, 2)


def test_a_store_that_failed_ends_the_looking_and_no_message_is_lost(tmp_path: Path, redis_url: str, redis: Redis) -> None:
    redis.rpush(KEY, "http://a.example/1", "http://a.example/2")

    async def look() -> None:
        crawl = Crawl.of(crawler)
        extension = StartUrls.from_crawler(crawler)
        await asyncio.to_thread(crawl.storage.writer.close)  # from now on it refuses every job
        extension.engine_started()
        assert extension.task is not None
        await asyncio.wait_for(extension.task, 20)
        await crawl.storage.frontier.close()
        crawl.storage.engine.dispose()

    crawler = crawler_of(tmp_path, REDIS_URL=redis_url)
    asyncio.run(look())
    assert (redis.llen(KEY), redis.llen(DEAD)) == (2, 0)
    assert crawler.stats is not None
    assert "starts/failed" not in crawler.stats.get_stats()


def test_only_one_worker_takes_messages_at_a_time_and_the_lock_expires(tmp_path: Path, redis_url: str, redis: Redis) -> None:
    redis.rpush(KEY, "http://a.example/1")
    lock = f"{KEY}:lock"

    async def later(extension: StartUrls) -> None:
        redis.set(lock, "somebody")
        await extension.take()
        assert redis.llen(KEY) == 1
        redis.pexpire(lock, 50)
        while redis.exists(lock):
            await asyncio.sleep(0.01)
        await extension.take()

    waiting, _ = waiting_after(tmp_path, redis_url, 0, later)
    assert waiting == {"http://a.example/1"}
    assert not redis.exists(lock)


@each("ended_by", ["the spider", "the claim loop"])
def test_a_crawl_that_ends_while_messages_are_taken_leaves_no_lock_and_loses_nothing(
    tmp_path: Path, redis_url: str, redis: Redis, ended_by: str
) -> None:
    settings = {"REDIS_URL": redis_url, "REDIS_START_URLS_BATCH_SIZE": 2, "ALLOWED_ADDRESSES": ["127.0.0.0/8"]}

    async def end_after(turns: int) -> None:
        crawler = crawler_of(tmp_path, **settings)
        crawl, extension = Crawl.of(crawler), StartUrls.from_crawler(crawler)
        await crawl.open("education", {})
        taking = asyncio.ensure_future(extension.attempt())
        for _ in range(turns):
            await asyncio.sleep(0)
        if ended_by == "the claim loop":
            taking.cancel()
        extension.spider_closed()
        await crawl.close("finished")
        await asyncio.wait([taking], timeout=60)
        assert not redis.exists(f"{KEY}:lock"), turns

    urls = {f"http://a.example/{turns}/{number}" for turns in range(0, 60, 5) for number in range(5)}
    for turns in range(0, 60, 5):
        redis.rpush(KEY, *(f"http://a.example/{turns}/{number}" for number in range(5)))
        asyncio.run(end_after(turns))
    waiting, _ = waiting_after(tmp_path, redis_url, times=9)
    assert waiting == urls


def test_many_messages_are_taken_in_turns(tmp_path: Path, redis_url: str, redis: Redis) -> None:
    redis.rpush(KEY, *[f"http://a.example/{n}" for n in range(7)])
    waiting, _ = waiting_after(tmp_path, redis_url, times=3, REDIS_START_URLS_BATCH_SIZE=3)
    assert len(waiting) == 7


def test_messages_of_a_set_are_taken(tmp_path: Path, redis_url: str, redis: Redis) -> None:
    redis.sadd(KEY, *[f"http://a.example/{n}" for n in range(5)], "bad")
    waiting, stats = waiting_after(tmp_path, redis_url, times=3, REDIS_START_URLS_AS_SET=True, REDIS_START_URLS_BATCH_SIZE=3)
    assert waiting == {f"http://a.example/{n}" for n in range(5)}
    assert (redis.exists(KEY), redis.llen(DEAD), stats["starts/submitted"]) == (0, 1, 5)


def test_messages_of_a_sorted_set_are_taken_from_the_highest_score_down(tmp_path: Path, redis_url: str, redis: Redis) -> None:
    redis.zadd(KEY, {f"http://a.example/{n}": n for n in range(5)})
    waiting, _ = waiting_after(tmp_path, redis_url, REDIS_START_URLS_AS_ZSET=True, REDIS_START_URLS_BATCH_SIZE=2)
    assert waiting == {"http://a.example/3", "http://a.example/4"}
    assert redis.zcard(KEY) == 3


def test_the_key_is_that_of_the_setting(tmp_path: Path, redis_url: str, redis: Redis) -> None:
    redis.rpush("urls of education", "http://a.example/1", "bad")
    redis.rpush(KEY, "http://a.example/2")
    waiting, _ = waiting_after(tmp_path, redis_url, REDIS_START_URLS_KEY="urls of %(name)s")
    assert waiting == {"http://a.example/1"}
    assert redis.llen(DEAD) == 1


@pytest.mark.parametrize("way", ["host", "params", "both"])
def test_redis_is_found_by_each_of_scrapy_redis_s_settings(tmp_path: Path, redis_url: str, redis: Redis, way: str) -> None:
    at = redis.connection_pool.connection_kwargs
    settings = {
        "host": {"REDIS_HOST": at["host"], "REDIS_PORT": at["port"], "REDIS_DB": at["db"]},
        "params": {"REDIS_PARAMS": {"host": at["host"], "port": at["port"], "db": at["db"], "decode_responses": True}},
        "both": {"REDIS_URL": redis_url, "REDIS_HOST": "no.such.example", "REDIS_ENCODING": "gbk"},
    }[way]  # fmt: skip
    redis.rpush(KEY, "http://a.example/1")
    waiting, _ = waiting_after(tmp_path, "", **settings)
    assert waiting == {"http://a.example/1"}


def test_a_key_of_another_type_is_left_alone(tmp_path: Path, redis_url: str, redis: Redis, caplog: pytest.LogCaptureFixture) -> None:
    redis.sadd(KEY, "http://a.example/1")
    waiting, _ = waiting_after(tmp_path, redis_url, times=3)
    assert waiting == set()
    assert redis.smembers(KEY) == {b"http://a.example/1"}
    assert caplog.text.count("WRONGTYPE") == 1


def test_without_redis_there_is_no_such_extension(tmp_path: Path) -> None:
    async def made() -> None:
        crawler = crawler_of(tmp_path, REDIS_URL="")
        with pytest.raises(NotConfigured):
            StartUrls.from_crawler(crawler)
        await Crawl.of(crawler).close("finished")

    asyncio.run(made())
