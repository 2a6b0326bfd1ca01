"""What a fetch notes of its own time."""

from __future__ import annotations

import time
from pathlib import Path

from scrapy.exceptions import DownloadTimeoutError

from newsspider.crawl.fetch_notes import visit_of
from newsspider.download.backlog import PAUSED
from newsspider.downloadermiddlewares.delay import AdaptiveDelayMiddleware
from tests.crawler import crawler_of, lease_of_kind, request_of, response_of

PAUSE = 0.05


def test_the_time_from_request_to_last_byte_is_noted(tmp_path: Path) -> None:
    middleware = AdaptiveDelayMiddleware.from_crawler(crawler_of(tmp_path))
    request = request_of(lease_of_kind())
    assert visit_of(request).sent_at is None
    assert visit_of(request).latency is None
    before = time.time()
    middleware.process_request(request)
    assert visit_of(request).latency is None
    time.sleep(PAUSE)
    response = response_of(request)
    assert middleware.process_response(request, response) is response
    visit = visit_of(request)
    assert visit.sent_at is not None
    assert visit.latency is not None
    assert before <= visit.sent_at
    assert PAUSE * 0.9 <= visit.latency <= time.time() - before


def test_time_for_which_this_crawl_paused_the_download_is_not_that_of_the_host() -> None:
    middleware, request = AdaptiveDelayMiddleware(), request_of(lease_of_kind())
    middleware.process_request(request)
    time.sleep(PAUSE)
    request.meta[PAUSED] = PAUSE
    middleware.process_response(request, response_of(request))
    visit = visit_of(request)
    assert visit.sent_at is not None
    assert visit.ended_at is not None
    assert visit.latency == max(0.0, visit.ended_at - visit.sent_at - PAUSE)


def test_a_failure_is_timed_too() -> None:
    middleware, request = AdaptiveDelayMiddleware(), request_of(lease_of_kind())
    middleware.process_request(request)
    middleware.process_exception(request, DownloadTimeoutError())
    assert visit_of(request).latency is not None


def test_a_second_request_of_the_lease_is_timed_anew() -> None:
    middleware, request = AdaptiveDelayMiddleware(), request_of(lease_of_kind())
    middleware.process_request(request)
    middleware.process_response(request, response_of(request))
    first = visit_of(request)
    again = request.replace(url="http://a.example/moved/robots.txt")
    middleware.process_request(again)
    assert visit_of(again) is not first
    assert visit_of(again).latency is None
