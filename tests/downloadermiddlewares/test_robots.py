"""What the robots middleware lets through, alone, with the rules of one host in memory."""

import asyncio

import pytest
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Response

from newsspider.core.fetching.robots import READ_BYTES, RobotsText
from newsspider.core.model import PageType
from newsspider.crawl.fetch_notes import lease_of
from newsspider.download.graceful_shutdown import GivenBackError, told_to_stop
from newsspider.download.refusals import RobotsForbiddenError, RobotsUnavailableError
from newsspider.downloadermiddlewares.politeness import MOST_BYTES, MOST_REDIRECTS, RobotsMiddleware
from newsspider.store import ledger
from tests.support.crawler import crawler, lease_of_kind, request_of, response_of
from tests.support.samples import offer

__all__ = ["crawler"]

READ_AT = 10.0
ROBOTS_URL = "http://a.example/robots.txt"


@pytest.fixture
def robots(crawler: Crawler) -> RobotsMiddleware:
    return RobotsMiddleware.from_crawler(crawler)


def asked(middleware: RobotsMiddleware, status: int | None, text: bytes) -> None:
    """Ask for the page of a host whose robots.txt was this."""
    lease = lease_of_kind(robots_at=READ_AT)
    middleware.crawl().host_policy.remember(lease.host, RobotsText(status, text, READ_AT))
    asyncio.run(middleware.process_request(request_of(lease)))


def moved(middleware: RobotsMiddleware, request: Request, location: str) -> Request | Response:
    response = response_of(request, status=301, Location=location)
    return asyncio.run(middleware.process_response(request, response))


def test_a_page_that_the_rules_allow_goes_through(robots: RobotsMiddleware) -> None:
    asked(robots, 200, b"User-agent: *\nDisallow: /private/")


def test_a_page_that_the_rules_forbid_is_refused(robots: RobotsMiddleware) -> None:
    with pytest.raises(RobotsForbiddenError):
        asked(robots, 200, b"User-agent: newsspider\nDisallow: /2024/")


@pytest.mark.parametrize("status", [500, 429, None])
def test_nothing_is_asked_of_a_host_whose_rules_could_not_be_had(robots: RobotsMiddleware, status: int | None) -> None:
    with pytest.raises(RobotsUnavailableError):
        asked(robots, status, b"")


def test_a_robots_file_itself_is_always_asked_for_and_no_limit_of_pages_holds_for_it(robots: RobotsMiddleware) -> None:
    request = request_of(lease_of_kind(PageType.ROBOTS, ROBOTS_URL))
    asyncio.run(robots.process_request(request))
    assert request.meta["download_maxsize"] == 0


def test_the_crawl_delay_that_is_stored_is_known_before_a_robots_file_is_asked_for_again(robots: RobotsMiddleware) -> None:
    lease, policy = lease_of_kind(PageType.ROBOTS, ROBOTS_URL, robots_at=READ_AT), robots.crawl().host_policy
    text = RobotsText(200, b"User-agent: *\nCrawl-delay: 30", READ_AT)

    async def ask() -> None:
        await policy.writer.run(lambda conn: ledger.offer(conn, [offer(ROBOTS_URL, kind=PageType.ROBOTS)], READ_AT))
        await policy.writer.run(lambda conn: ledger.keep_robots(conn, lease.host, text))
        await robots.process_request(request_of(lease))

    asyncio.run(ask())
    assert policy.delay(lease, None).seconds == 30


def test_a_robots_file_that_moved_is_followed_with_the_same_lease_but_not_for_ever(robots: RobotsMiddleware) -> None:
    first = request_of(lease_of_kind(PageType.ROBOTS, ROBOTS_URL))
    request = first
    for hop in range(MOST_REDIRECTS):
        following = moved(robots, request, f"/robots-{hop}.txt")
        assert isinstance(following, Request)
        assert following.url == f"http://a.example/robots-{hop}.txt"
        assert lease_of(following) is lease_of(first)
        request = following
    assert isinstance(moved(robots, request, "/once-more.txt"), Response)


def test_a_robots_file_that_moved_is_given_back_when_the_crawl_is_told_to_stop(
    crawler: Crawler, robots: RobotsMiddleware
) -> None:
    lease = lease_of_kind(PageType.ROBOTS, ROBOTS_URL)
    robots.crawl().host_policy.remember(lease.host, RobotsText(200, b"User-agent: *\nCrawl-delay: 300", READ_AT))

    async def stop() -> None:
        asyncio.get_running_loop().call_soon(crawler.signals.send_catch_log, told_to_stop)
        request = request_of(lease)
        await robots.process_response(request, response_of(request, status=301, Location="/robots-1.txt"))

    with pytest.raises(GivenBackError):
        asyncio.run(asyncio.wait_for(stop(), 10))


def test_the_redirect_of_a_page_is_left_to_the_spider(robots: RobotsMiddleware) -> None:
    assert isinstance(moved(robots, request_of(lease_of_kind()), "/elsewhere.html"), Response)


def test_the_download_of_a_robots_file_stops_where_enough_was_read(crawler: Crawler, robots: RobotsMiddleware) -> None:
    piece = b"#" * 64 * 1024

    def received(request: Request) -> bool:
        (_, result), *_ = crawler.signals.send_catch_log(signals.bytes_received, data=piece, request=request, spider=crawler.spider)
        return isinstance(getattr(result, "value", None), StopDownload)

    page, rules = request_of(lease_of_kind()), request_of(lease_of_kind(PageType.ROBOTS, ROBOTS_URL))
    assert not any(received(page) for _ in range(100))
    assert [received(rules) for _ in range(MOST_BYTES // len(piece) + 1)].index(True) == MOST_BYTES // len(piece)
    assert MOST_BYTES > READ_BYTES
