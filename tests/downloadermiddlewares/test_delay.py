"""What a fetch notes of its own time."""

import asyncio
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.exceptions import DownloadTimeoutError

from newsspider.core.fetching.politeness import DelayLimits
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import visit_of
from newsspider.crawl.host_policy import UnleasedHosts
from newsspider.download.graceful_shutdown import GivenBackError, told_to_stop
from newsspider.download.handler import PAUSED
from newsspider.downloadermiddlewares.politeness import AdaptiveDelayMiddleware
from tests.support.clocks import NOW, HeldClock
from tests.support.crawler import crawler_of, lease_of_kind, request_of, response_of

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
    middleware, request = AdaptiveDelayMiddleware(lambda: clock, UNLEASED, asyncio.sleep), request_of(lease_of_kind())
    middleware.process_request(request)
    clock.advance(3 * PAUSE)
    request.meta[PAUSED] = PAUSE
    middleware.process_response(request, response_of(request))
    visit = visit_of(request)
    assert (visit.sent_at, visit.ended_at, visit.latency) == (NOW, NOW + 3 * PAUSE, 2 * PAUSE)


def test_a_failure_is_timed_too() -> None:
    middleware, request = AdaptiveDelayMiddleware(HeldClock, UNLEASED, asyncio.sleep), request_of(lease_of_kind())
    middleware.process_request(request)
    middleware.process_exception(request, DownloadTimeoutError())
    assert visit_of(request).latency is not None


def test_a_second_request_of_the_lease_is_timed_anew() -> None:
    middleware, request = AdaptiveDelayMiddleware(HeldClock, UNLEASED, asyncio.sleep), request_of(lease_of_kind())
    middleware.process_request(request)
    middleware.process_response(request, response_of(request))
    first = visit_of(request)
    again = request.replace(url="http://a.example/moved/robots.txt")
    middleware.process_request(again)
    assert visit_of(again) is not first
    assert visit_of(again).latency is None


@pytest.mark.parametrize("late", [False, True])
def test_a_request_that_waits_for_its_turn_is_given_back_when_the_crawl_is_told_to_stop(tmp_path: Path, late: bool) -> None:
    crawler, request = crawler_of(tmp_path), Request("http://a.example/1.js")
    middleware = AdaptiveDelayMiddleware.from_crawler(crawler)
    middleware.unleased.keep_delay(request.url, 300)

    async def stop() -> None:
        await middleware._turn(request)
        if late:
            crawler.signals.send_catch_log(told_to_stop)
        else:
            asyncio.get_running_loop().call_soon(crawler.signals.send_catch_log, told_to_stop)
        await middleware._turn(request)

    with pytest.raises(GivenBackError):
        asyncio.run(asyncio.wait_for(stop(), 10))
