"""Start URLs of scrapy-redis's keys, pushed to each spider of ours, on a real Redis."""

import json
import signal
from pathlib import Path

import pytest
from redis import Redis

from newsspider.core.crawling.finish_reasons import Finish, ending_of_reason
from tests.support import portal
from tests.support.events import until
from tests.support.explore_crawls import HOST, LINKED, QUICK
from tests.support.handed_in import POLITE, elsewhere, pages, watched
from tests.support.portal import rows
from tests.support.process import Process, completed
from tests.support.serving import served, site

READ = "SELECT url FROM urls WHERE fetch_count > 0 AND kind <> 'robots'"


def environment(store: Path, redis: str) -> dict[str, str]:
    return portal.environment(store) | {"NEWSSPIDER_REDIS_URL": redis}


def read(store: Path, base: str) -> set[str]:
    return {url.removeprefix(base) for (url,) in rows(store, READ)}


def test_a_round_takes_what_was_pushed_before_and_meanwhile_before_it_ends(tmp_path: Path, redis_url: str, redis: Redis) -> None:
    store = tmp_path / "news.db"
    with served("127.0.2.93", watched) as (base, _), served("127.0.2.94", elsewhere) as (other, _):
        moved = json.dumps({"url": f"{other}/moved", "meta": {"b": 2}})
        redis.rpush("education:start_urls", moved, json.dumps({"url": f"{other}/2024/0501/10070.html", "meta": {"a": 1}}))
        crawl = ("crawl", "education", "-a", f"sites={site(tmp_path, base, {'/': 5})}", "-a", "topic=any", *POLITE)
        done = completed((*crawl, "-s", "START_URLS_SECONDS=60"), environment(store, redis_url), 240)
        assert done.returncode == 0, done.stderr[-3000:]
        stored_rows = rows(store, f"SELECT url FROM urls WHERE reason = 'stored' AND url LIKE '{other}%'")
        assert rows(store, f"SELECT meta FROM urls WHERE url = '{other}/list.html'") == [('{"b": 2}',)]
    assert {url.removeprefix(other) for (url,) in stored_rows} == pages(*range(20, 29), 70)
    assert redis.keys("education:*") == []


@pytest.mark.parametrize("spider", ["explore", "query"])
def test_crawls_of_a_strategy_begin_with_what_is_pushed(tmp_path: Path, redis_url: str, redis: Redis, spider: str) -> None:
    store, options = tmp_path / "news.db", ("-a", "strategy=breadth-first", "-a", "name=inbox")
    if spider == "query":
        options = ("-a", "q=教育 改革", "-a", "resembling=0")
    with LINKED.served(HOST) as (base, _):
        redis.rpush(f"{spider}:start_urls", f"{base}/e", json.dumps({"url": f"{base}/f", "job": 1}))
        done = completed(("crawl", spider, *options, *QUICK), environment(store, redis_url), 240)
        assert done.returncode == 0, done.stderr[-3000:]
        assert read(store, base) >= {"/e", "/f", "/k", "/l"}
        assert rows(store, f"SELECT meta FROM urls WHERE url = '{base}/f'") == [('{"job": 1}',)]
        times = rows(store, f"SELECT fetch_count FROM urls WHERE url = '{base}/e'")
        redis.rpush(f"{spider}:start_urls", f"{base}/e", json.dumps({"url": f"{base}/f", "dont_filter": False}))
        assert completed(("crawl", spider, *options, *QUICK), environment(store, redis_url), 240).returncode == 0
        again = rows(store, f"SELECT fetch_count FROM urls WHERE url = '{base}/e'")
        assert (again[0][0] - times[0][0], rows(store, f"SELECT fetch_count FROM urls WHERE url = '{base}/f'")) == (1, [(1,)])


@pytest.mark.parametrize("forever", ["0", "1"])
def test_an_idle_crawl_waits_for_start_urls_and_ends_by_itself(tmp_path: Path, redis_url: str, redis: Redis, forever: str) -> None:
    store, log = tmp_path / "news.db", tmp_path / "log"
    arguments = ("crawl", "explore", "-a", "strategy=breadth-first", "-a", "name=inbox", "-a", f"forever={forever}", *QUICK)
    with LINKED.served(HOST) as (base, _):
        often = ("-s", "MAX_IDLE_TIME_BEFORE_CLOSE=4", "-s", "START_URLS_SECONDS=0.1")
        crawl = Process((*arguments, *often), environment(store, redis_url), log)
        for page in ("k", "l"):  # the second is pushed when the crawl has nothing to do any more
            redis.rpush("explore:start_urls", f"{base}/{page}")
            until(lambda page=page: f"/{page}" in read(store, base), crawl)  # type: ignore[misc]
        assert crawl.wait(240) == 0, log.read_text("utf-8")[-3000:]


def test_a_crawl_around_the_clock_goes_on_without_work(tmp_path: Path, redis_url: str, redis: Redis) -> None:
    store, log = tmp_path / "news.db", tmp_path / "log"
    arguments = ("crawl", "explore", "-a", "strategy=breadth-first", "-a", "name=inbox", "-a", "forever=1", *QUICK)
    with LINKED.served(HOST) as (base, _):
        crawl = Process((*arguments, "-s", "START_URLS_SECONDS=0.1"), environment(store, redis_url), log)
        redis.rpush("explore:start_urls", f"{base}/k")
        until(lambda: "/q" in read(store, base), crawl)
        crawl.send_signal(signal.SIGTERM)
        assert crawl.wait(240) == ending_of_reason(Finish.SHUTDOWN).exit_code, log.read_text("utf-8")[-3000:]


@pytest.mark.parametrize("place", [400, 950])
def test_articles_go_to_redis_by_scrapy_redis_s_pipeline(tmp_path: Path, redis_url: str, redis: Redis, place: int) -> None:
    store, pipeline = tmp_path / "news.db", json.dumps({"scrapy_redis.pipelines.RedisPipeline": place})
    with served("127.0.2.93", watched) as (base, _):
        crawl = ("crawl", "education", "-a", f"sites={site(tmp_path, base, {'/': 5})}", "-s", f"ITEM_PIPELINES={pipeline}", *POLITE)
        for _ in range(2):
            done = completed(crawl, environment(store, redis_url), 240)
            assert done.returncode == 0, done.stderr[-3000:]
        assert "ERROR" not in done.stderr
    [item] = [json.loads(message) for message in redis.lrange("education:items", 0, -1)]  # type: ignore[union-attr]
    assert (item["url"], item["title"]) == (f"{base}/2024/0501/10001.html", "学校教育改革座谈会第1场举行")
    assert item["text"].count("教育改革座谈会") >= 12
