"""Spiders of scrapy-redis's users run unchanged on newsspider's settings, and the same pushes give the same pages as stock scrapy-redis."""

import json
import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from tests.contract import scrapy_redis_example
from tests.contract.conftest import NOBODY, Installed
from tests.support.events import until
from tests.support.scrapyd import clean_environment
from tests.support.serving import QUICK, Answer, article, listing, served, site

pytestmark = pytest.mark.slow

HOST, OTHER = "127.0.2.95", "127.0.2.96"
ENDS = ("-s", "MAX_IDLE_TIME_BEFORE_CLOSE=2")  # in whole seconds: one may pass between two lines
POLITE = ("-s", "DELAY_MIN_SECONDS=0", "-s", "DELAY_FACTOR=0", "-s", "RETRY_TIMES=0")


@pytest.fixture(scope="module")
def examples(installed: Installed) -> dict[bool, Path]:
    """The project on newsspider's settings (``True``), and on Scrapy's."""
    folders = {ours: installed.home / f"example-{'ours' if ours else 'stock'}" for ours in (True, False)}
    for ours, folder in folders.items():
        scrapy_redis_example.write(folder, ours=ours)
        if installed.user:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, NOBODY, NOBODY)
    return folders


def web(path: str, _: int) -> Answer:
    """A list, 12 articles, a redirect and a page that is not there."""
    path = path.partition("?")[0]
    if path == "/moved":
        return 302, "", {"Location": "/2024/0501/10003.html"}
    if path in ("/robots.txt", "/gone.html"):
        return 404, "", {}
    return article(int(path[-9:-5])) if path.startswith("/2024/") else listing(*range(12))


@contextmanager
def started(installed: Installed, folder: Path, url: str, *words: str, **more: str) -> Iterator[subprocess.Popen[str]]:
    """``scrapy crawl`` in a project, which ends well, or by the signal that it was sent."""
    environment = clean_environment(folder, NEWSSPIDER_ALLOWED_ADDRESSES="127.0.0.0/8", **more)
    command = [*installed.user, installed.python, "-m", "scrapy", "crawl", *words, "-s", f"REDIS_URL={url}"]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log, text=True)
        try:
            yield process
            code = process.wait(240)
        finally:
            process.kill()
        log.seek(0)
        assert code in (0, 143), log.read()[-3000:]


def listed(path: str, _: int) -> Answer:
    """A site with one article."""
    if path == "/robots.txt":
        return 404, "", {}
    return article(1) if path.startswith("/2024/") else listing(1)


def crawl(installed: Installed, folder: Path, url: str, *words: str, **more: str) -> None:
    """Run ``scrapy crawl`` in a project to its end."""
    with started(installed, folder, url, *words, **more):
        pass


def items(redis: Redis, spider: str) -> list[dict[str, Any]]:
    """What the pipeline of scrapy-redis pushed."""
    return [json.loads(item) for item in redis.lrange(f"{spider}:items", 0, -1)]  # type: ignore[union-attr]


def item_counts(redis: Redis, spider: str, base: str) -> Counter[tuple[str, str, str]]:
    """How often each item occurs, without the fields that depend on the time of the crawl."""
    return Counter((item["url"].removeprefix(base), item["name"], item["spider"]) for item in items(redis, spider))


@pytest.mark.parametrize("spider", ["directory", "crawler_redis", "pages_redis"])
def test_the_example_runs_unchanged_and_finds_what_it_finds_on_stock_settings(
    installed: Installed, examples: dict[bool, Path], redis_url: str, redis: Redis, spider: str
) -> None:
    key = {"crawler_redis": "crawler:start_urls", "pages_redis": "pages:start_urls"}.get(spider, "unused")
    with served(HOST, web) as (base, requests):
        both = []
        for ours, folder in examples.items():
            redis.flushdb()
            requests.clear()
            redis.rpush(key, f"{base}/", *(json.dumps(message) for message in (
                {"url": f"{base}/moved", "meta": {"job": 7}}, {"url": f"{base}/form", "method": "POST", "name": "x"},
            )))  # fmt: skip
            polite = POLITE if ours else ()
            crawl(installed, folder, redis_url, spider, *ENDS, *polite, "-s", "DOWNLOAD_DELAY=0.05", EXAMPLE_START=f"{base}/")
            both.append(item_counts(redis, spider, base))
            if spider == "pages_redis":
                assert sorted(item["job"] or 0 for item in items(redis, spider)) == [0, 0, 7]
                assert requests["/form name=x"] == 1
    assert both[0] == both[1]
    assert len(both[0]) == (3 if spider == "pages_redis" else 12)


def pushes(base: str) -> list[str]:
    """Messages that stock scrapy-redis takes without an error."""
    return [
        f"{base}/", f"{base}/2024/0501/10001.html", f"{base}/2024/0501/10001.html", f"{base}/moved", f"{base}/gone.html",
        json.dumps({"url": f"{base}/2024/0501/10002.html"}),
        json.dumps({"url": f"{base}/2024/0501/10004.html", "meta": {"job": 7}, "method": "GET"}),
        json.dumps({"url": f"{base}/2024/0501/10005.html", "url_cookie_key": "x", "job": "8"}),
    ]  # fmt: skip


def test_the_same_pushes_give_the_same_pages_as_stock_scrapy_redis(
    installed: Installed, examples: dict[bool, Path], redis_url: str, redis: Redis
) -> None:
    with served(HOST, web) as (base, requests):
        redis.rpush("pages:start_urls", *pushes(base))
        crawl(installed, examples[False], redis_url, "pages_redis", *ENDS)
        stock = {path.partition("?")[0] for path in requests}
        assert "/2024/0501/10005.html?url_cookie_key=x&job=8" in requests  # stock makes a form of what it does not know
        requests.clear()
        redis.rpush("explore:start_urls", *pushes(base))
        folder, store = examples[True], installed.home / "empty"
        words = ("explore", "-a", "strategy=breadth-first", "-a", "depth=0", "-a", "name=pushed")
        crawl(installed, folder, redis_url, *words, *POLITE, "-s", 'SPIDER_MODULES=newsspider.spiders', "-s", "ITEM_PIPELINES={}",
              NEWSSPIDER_DATABASE_URL=f"sqlite:///{store}/peer.db")  # fmt: skip
    assert set(requests) - {"/robots.txt"} == stock
    assert set(requests.values()) == {1}
    assert redis.keys("*dead_letters") == []


def test_a_spider_of_scrapy_redis_runs_beside_ours_on_one_server(
    installed: Installed, examples: dict[bool, Path], redis_url: str, redis: Redis
) -> None:
    words = ("explore", "-a", "strategy=breadth-first", "-a", "depth=0", "-a", "name=beside", "-a", "forever=1", "-s", "ITEM_PIPELINES={}",
             "-s", "SPIDER_MODULES=newsspider.spiders", *POLITE)  # fmt: skip
    store = {"NEWSSPIDER_DATABASE_URL": f"sqlite:///{installed.home}/empty/beside.db"}
    with (
        served(HOST, web) as (base, requests), served(OTHER, web) as (other, others),
        started(installed, examples[True], redis_url, *words, **store) as ours,
    ):  # fmt: skip
        redis.rpush("explore:start_urls", f"{other}/2024/0501/10002.html")
        until(lambda: others["/2024/0501/10002.html"] == 1, ours, 240)
        redis.rpush("pages:start_urls", f"{base}/2024/0501/10001.html")
        crawl(installed, examples[True], redis_url, "pages_redis", *ENDS, *POLITE)
        redis.rpush("explore:start_urls", f"{other}/2024/0501/10003.html")
        until(lambda: others["/2024/0501/10003.html"] == 1, ours, 240)
        ours.terminate()
    assert requests["/2024/0501/10001.html"] == 1
    assert [item["url"] for item in items(redis, "pages_redis")] == [f"{base}/2024/0501/10001.html"]
    assert not redis.exists("pages:start_urls", "explore:start_urls")


REFUSED = {
    "SCHEDULER_PERSIST": "0", "SCHEDULER_FLUSH_ON_START": "1", "SCHEDULER_QUEUE_CLASS": "scrapy_redis.queue.FifoQueue",
    "SCHEDULER_QUEUE_KEY": "q", "SCHEDULER_DUPEFILTER_KEY": "seen", "SCHEDULER_SERIALIZER": "json",
    "STATS_CLASS": "scrapy_redis.stats.RedisStatsCollector",
}  # fmt: skip
CHECK = """
import sys
from scrapy.exceptions import UsageError
from scrapy.utils.project import get_project_settings
from newsspider.spiders.education import EducationSpider

for word in sys.argv[1:]:
    name, _, value = word.partition("=")
    settings = get_project_settings()
    settings.set(name, value, "cmdline")
    EducationSpider.update_settings(settings)
    try:
        EducationSpider.check(settings, {})
    except UsageError as error:
        print(error)
"""


def test_a_project_of_newsspider_init_takes_each_message_from_each_type_of_key_and_pushes_its_articles(
    installed: Installed, project: Path, redis_url: str, redis: Redis
) -> None:
    key, pipeline = "education:start_urls", {"scrapy_redis.pipelines.RedisPipeline": 950}
    server = redis.connection_pool.connection_kwargs
    settings = {"ITEM_PIPELINES": json.dumps(pipeline), "REDIS_ITEMS_KEY": "out of %(spider)s", "TOPIC": "any"}
    environment = {"NEWSSPIDER_ALLOWED_ADDRESSES": "127.0.0.0/8", "NEWSSPIDER_DATABASE_URL": f"sqlite:///{project}/redis.db"}

    def scrapy(*words: str, **settings: str) -> str:
        options = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
        done = installed.fork(*words, *options, folder=project, **environment)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    with served(HOST, web) as (base, requests), served(OTHER, listed) as (home, _):
        (project / "watched").mkdir()
        site(project / "watched", home, {"/": 5})
        scrapy("submit", f"{base}/")
        scrapy("submit", "--watch", f"{home}/more/")
        assert OTHER in scrapy("sites", "list")
        articles = [f"{base}/2024/0501/1{n:04}.html" for n in range(20, 26)]
        for form, messages in {"list": articles[:3], "SET": articles[3:4], "ZSET": articles[4:]}.items():
            bodies = [messages[0], *(json.dumps({"url": url, "meta": {"job": 1}, "priority": 2, "more": 3}) for url in messages[1:])]
            push = {"list": redis.rpush, "SET": redis.sadd}.get(form, lambda key, *members: redis.zadd(key, dict.fromkeys(members, 1)))
            push(key, *bodies, "no url")
            settings |= {f"REDIS_START_URLS_AS_{kind}": str(kind == form) for kind in ("SET", "ZSET")}
            where = {"REDIS_URL": redis_url}
            if form == "SET":
                where = {"REDIS_HOST": server["host"], "REDIS_PORT": server["port"], "REDIS_PARAMS": json.dumps({"db": server["db"]})}
            if form == "ZSET":  # another key, and the articles below it are known and left alone
                key = "all of %(name)s"
                redis.rename("education:start_urls", "all of education")
                for more in ({"dont_filter": False, "method": "GET", "url_cookie_key": "c"}, {"method": "POST"}):
                    redis.zadd("all of education", {json.dumps({"url": articles[0], **more}): 3})
            scrapy("crawl", "education", "-a", "sites=watched", *POLITE, *QUICK, **settings, **where, REDIS_START_URLS_KEY=key)
            assert not redis.exists("education:start_urls", "all of education")
        redis.rpush("query:start_urls", f"{base}/2024/0501/10030.html")
        scrapy("crawl", "query", "-a", "q=教育 改革", "-a", "resembling=0", *POLITE, *QUICK, REDIS_URL=redis_url)
    assert {count for path, count in requests.items() if path != "/robots.txt"} == {1}
    assert {"/2024/0501/10030.html", *(f"/2024/0501/1{n:04}.html" for n in range(12))} < set(requests)
    pushed = {json.loads(item)["url"] for item in redis.lrange("out of education", 0, -1)}  # type: ignore[union-attr]
    assert pushed > {*articles, *(f"{base}/2024/0501/1{n:04}.html" for n in range(2, 12))}  # the watched site has 1, too
    letters = [json.loads(letter) for letter in redis.lrange("education:dead_letters", 0, -1)]  # type: ignore[union-attr]
    assert [letter["message"] for letter in letters].count("no url") == 3
    assert [letter["reason"] for letter in letters if "POST" in letter["message"]] == [
        "method 'POST': pages are named by their URLs alone, so only GET is sent"
    ]
    refused = installed.fork("crawl", "education", "-s", "SCHEDULER_FLUSH_ON_START=1", folder=project)
    assert (refused.returncode, "no start empties the ledger" in refused.stderr) == (2, True)
    refusals = installed.run("python", "-c", CHECK, *(f"{name}={value}" for name, value in REFUSED.items()), folder=project)
    assert [line.partition("=")[0].partition(":")[0] for line in refusals.stdout.splitlines()] == list(REFUSED), refusals.stderr
