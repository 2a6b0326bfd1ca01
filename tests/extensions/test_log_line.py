"""The line that a crawl logs every minute, and what it logs of failures."""

import asyncio
import json
import logging
import re
import time
from pathlib import Path

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import Response
from scrapy.settings import Settings

from newsspider.core.crawling.visit import Settlement
from newsspider.core.model import Reason, State
from newsspider.crawl.crawl import Crawl
from newsspider.extensions.log_line import LogLine
from newsspider.logformatter import JsonFormatter, PageLogFormatter, ZonedFormatter
from tests.support.crawler import crawler, crawler_of, lease_of_kind
from tests.support.portal import scrapy
from tests.support.samples import offer
from tests.support.serving import QUICK, site

__all__ = ["crawler"]


def failed(reason: Reason, cause: str, latency: float | None = None) -> Settlement:
    return Settlement(State.WAITING, Reason.RETRY, detail=f"{reason}: {cause}", host_latency=latency)


def test_a_line_has_figures_queue_failures_and_slow_hosts(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    async def logged() -> None:
        crawl = Crawl.of(crawler)
        line = LogLine(crawl, crawler.stats, 60.0)
        await crawl.storage.frontier.offer([offer("http://a.cn/1"), offer("http://a.cn/2")])
        counters = crawl.ending.counters
        counters.pages, counters.articles = 30, 6
        for _ in range(2):
            counters.failures.note(lease_of_kind(), failed(Reason.TIMEOUT, "no byte within 5 s", latency=5.0))
        await line.step()
        counters.pages = 40
        await line.step()
        await crawl.close("finished")

    crawler = crawler_of(tmp_path)
    asyncio.run(logged())
    first, second = (record.getMessage() for record in caplog.records if "Crawled" in record.getMessage())
    assert first == (
        "Crawled 30 pages (at 30 pages/min), scraped 6 items (at 6 items/min); queue: 2 waiting, 0 in flight, 0 given up; "
        "failed: 2 timeout; slowest: a.example 5.0 s"
    )
    assert second.startswith("Crawled 40 pages (at 10 pages/min), scraped 6 items (at 0 items/min); queue: 2 waiting")
    assert second.endswith("failed: none")


def test_the_first_failure_of_a_kind_and_host_is_a_warning_and_all_are_counted(
    crawler: Crawler, caplog: pytest.LogCaptureFixture
) -> None:
    failures = Crawl.of(crawler).ending.counters.failures
    for _ in range(3):
        failures.note(lease_of_kind(), failed(Reason.DNS, "no server answers"))
        failures.note(lease_of_kind(), Settlement(State.ERROR, Reason.HTTP_STATUS, status=404))
    failures.note(lease_of_kind(), Settlement(State.DONE, Reason.STORED))
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert [re.sub(", at .*", "", warning) for warning in warnings] == [
        "a.example failed: dns: no server answers", "a.example failed: http_status 404: HTTP status 404",
    ]  # fmt: skip
    assert crawler.stats is not None
    assert crawler.stats.get_value("errors/dns") == crawler.stats.get_value("errors/http_status") == 3
    assert failures.summary() == "6 visits failed, 3 of them with dns: no server answers"


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (DropItem("not wanted"), "Dropped: not wanted (http://a.cn/1)"),
        (DropItem("not\n wanted"), "Dropped: not wanted (http://a.cn/1)"),
    ],
)
def test_a_dropped_item_is_a_line_without_its_text(tmp_path: Path, error: DropItem, line: str) -> None:
    crawler, response = crawler_of(tmp_path), Response("http://a.cn/1")
    item = {"text": "今年高考时间公布" * 1000}
    spider = Spider("x")
    spider.crawler = crawler
    record = PageLogFormatter("INFO").dropped(item, error, response, spider)
    assert record["msg"] % record["args"] == line


def test_times_are_in_the_zone_of_the_settings_and_say_it() -> None:
    record = logging.LogRecord("a", logging.INFO, "", 1, "said %s", ("so",), None)
    record.created = 1764000000.25
    zoned = {"LOG_FORMAT": "%(asctime)s %(message)s", "LOG_DATEFORMAT": "%Y-%m-%d %H:%M:%S %z"}
    assert ZonedFormatter(Settings(zoned | {"TIME_ZONE": "Asia/Shanghai"})).format(record) == "2025-11-25 00:00:00 +0800 said so"
    assert ZonedFormatter(Settings(zoned | {"TIME_ZONE": "UTC"})).format(record) == "2025-11-24 16:00:00 +0000 said so"
    assert json.loads(JsonFormatter().format(record)) == {
        "time": "2025-11-24T16:00:00.250+00:00", "level": "INFO", "logger": "a", "message": "said so",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("as_json", [True, False])
def test_a_round_that_could_read_nothing_names_the_cause_in_its_log(tmp_path: Path, *, as_json: bool) -> None:
    sites, log = site(tmp_path, "http://127.0.0.1:9", {"/": 5}), tmp_path / "log"
    done = scrapy(
        tmp_path / "news.db", "crawl", "education", "-a", f"sites={sites}", *QUICK, "-s", "ROUND_PATIENCE_SECONDS=1",
        "-s", f"LOG_JSON={int(as_json)}", "-s", f"LOG_FILE={log}", "-s", "LOGSTATS_INTERVAL=0.05",
    )  # fmt: skip
    lines = log.read_text("utf-8").splitlines()
    assert done.returncode == 7, done.stderr
    assert re.search(r"scrapy crawl: \d+ visits failed, \d+ of them with connection: .*; not one list", done.stderr)
    if as_json:
        records = [json.loads(line) for line in lines]
        assert all(record["time"].endswith("+00:00") for record in records)
        lines = [f"{record['level']} {record['message']}" for record in records]
    else:
        first = re.match(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0800) \[scrapy", lines[0])
        assert first, lines[0]
        assert abs(time.time() - time.mktime(time.strptime(first[1], "%Y-%m-%d %H:%M:%S %z"))) < 14 * 3600
    text = "\n".join(lines)
    assert text.count("Scrapy 2.") == 1
    assert re.search(r"WARNING:? 127\.0\.0\.1:9 failed: connection: ", text)
    assert re.search(r"WARNING:? education: \d+ visits failed, .*; not one list", text)
    assert re.search(r"INFO:? Crawled 0 pages \(at 0 pages/min\), scraped 0 items", text)
