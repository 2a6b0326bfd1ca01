"""What a fetch notes of its own time."""

from __future__ import annotations

import asyncio
from pathlib import Path

from scrapy.exceptions import DownloadTimeoutError

from newsspider.core.fetching.politeness import DelayLimits
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import visit_of
from newsspider.crawl.unleased_hosts import UnleasedHosts
from newsspider.download.backlog import PAUSED
from newsspider.downloadermiddlewares.delay import AdaptiveDelayMiddleware
from tests.clocks import NOW, HeldClock
from tests.crawler import crawler_of, lease_of_kind, request_of, response_of

PAUSE = 0.5
UNLEASED = UnleasedHosts("newsspider", DelayLimits(0, 0, 0), HeldClock())


def test_the_time_from_request_to_last_byte_is_noted(tmp_path: Path) -> None:
    crawler, clock = crawler_of(tmp_path), HeldClock()
    crawl = Crawl.of(crawler, clock)
    middleware = AdaptiveDelayMiddleware.from_crawler(crawler)
    request = request_of(lease_of_kind())
    assert visit_of(request).sent_at is None
    assert visit_of(request).latency is None
    middleware.process_request(request)
    assert visit_of(request).latency is None
    clock.advance(PAUSE)
    response = response_of(request)
    assert middleware.process_response(request, response) is response
    visit = visit_of(request)
    assert (visit.sent_at, visit.latency) == (NOW, PAUSE)
    asyncio.run(crawl.close("finished"))


def test_time_for_which_this_crawl_paused_the_download_is_not_that_of_the_host() -> None:
    clock = HeldClock()
    middleware, request = AdaptiveDelayMiddleware(lambda: clock, UNLEASED), request_of(lease_of_kind())
    middleware.process_request(request)
    clock.advance(3 * PAUSE)
    request.meta[PAUSED] = PAUSE
    middleware.process_response(request, response_of(request))
    visit = visit_of(request)
    assert (visit.sent_at, visit.ended_at, visit.latency) == (NOW, NOW + 3 * PAUSE, 2 * PAUSE)


def test_a_failure_is_timed_too() -> None:
    middleware, request = AdaptiveDelayMiddleware(HeldClock, UNLEASED), request_of(lease_of_kind())
    middleware.process_request(request)
    middleware.process_exception(request, DownloadTimeoutError())
    assert visit_of(request).latency is not None


def test_a_second_request_of_the_lease_is_timed_anew() -> None:
    middleware, request = AdaptiveDelayMiddleware(HeldClock, UNLEASED), request_of(lease_of_kind())
    middleware.process_request(request)
    middleware.process_response(request, response_of(request))
    first = visit_of(request)
    again = request.replace(url="http://a.example/moved/robots.txt")
    middleware.process_request(again)
    assert visit_of(again) is not first
    assert visit_of(again).latency is None
