"""What responses and failures mean for their lease: real requests and responses, no crawl."""

from dataclasses import replace
from ipaddress import ip_address

import pytest
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from twisted.python.failure import Failure

from newsspider.core.crawling.visit import Lease, PageResult
from newsspider.core.fetching.robots import RobotsText
from newsspider.core.model import PageType, Reason, State
from newsspider.crawl.fetch_notes import VISIT, RequestTimes
from newsspider.download.refusals import BadAnswerError, RobotsForbiddenError, RobotsUnavailableError
from newsspider.pages.router import PageReader, page_reader
from tests.support.crawler import crawler, lease_of_kind, request_of, response_of

__all__ = ["crawler"]

LIST_URL, ROBOTS_URL = "http://a.example/list/", "http://a.example/robots.txt"
LIST = lease_of_kind(PageType.LIST, LIST_URL, update_cycle=60.0)
ARTICLE_URL = "http://a.example/a/1.html"
ELSEWHERE = "http://other.test/login"


@pytest.fixture
def reader(crawler: Crawler) -> PageReader:
    return page_reader(crawler)


def failed(reader: PageReader, error: Exception, lease: Lease) -> PageResult:
    failure = Failure(error)
    failure.request = request_of(lease)  # as Scrapy hands it to an errback
    return reader.failure(failure)


@pytest.mark.parametrize(
    ("error", "state", "reason"),
    [
        (RobotsForbiddenError(), State.DONE, Reason.ROBOTS),
        (RobotsUnavailableError(), State.WAITING, Reason.NO_ROBOTS),
        (CannotResolveHostError(), State.ERROR, Reason.DNS),
        (DownloadTimeoutError(), State.ERROR, Reason.TIMEOUT),
        (ResponseDataLossError(), State.ERROR, Reason.TRUNCATED),
        (DownloadCancelledError(), State.ERROR, Reason.TOO_LARGE),
        (BadAnswerError(), State.ERROR, Reason.BAD_ANSWER),
        (DownloadConnectionRefusedError(), State.ERROR, Reason.CONNECTION),
        (ZeroDivisionError(), State.WAITING, Reason.RETRY),
    ],
)
def test_each_failure_of_the_downloader_has_its_reason(
    reader: PageReader, error: Exception, state: State, reason: Reason
) -> None:
    settlement = failed(reader, error, lease_of_kind()).settlement
    assert (settlement.state, settlement.reason) == (state, reason)


def test_the_detail_of_a_failure_does_not_repeat_its_url(reader: PageReader) -> None:
    lease = lease_of_kind()
    settlement = failed(reader, DownloadTimeoutError(f"{lease.url}: no answer within 5 s"), lease).settlement
    assert settlement.detail == "no answer within 5 s"


def test_a_robots_file_that_cannot_be_had_closes_its_host(reader: PageReader) -> None:
    result = failed(reader, DownloadTimeoutError(), lease_of_kind(PageType.ROBOTS, ROBOTS_URL))
    robots = result.effect(RobotsText)
    assert robots is not None
    assert robots.status is None


def test_an_oversized_robots_file_is_stored_only_as_far_as_it_is_read(reader: PageReader) -> None:
    request = request_of(lease_of_kind(PageType.ROBOTS, ROBOTS_URL))
    result = reader.result(response_of(request, b"User-agent: *\nDisallow: /x\n" + b"#\n" * 400_000))
    assert result.settlement.reason is Reason.ROBOTS_READ
    robots = result.effect(RobotsText)
    assert robots is not None
    assert len(robots.text) == 500 * 1024 + 1


def redirected(reader: PageReader, lease: Lease, location: str) -> PageResult:
    request: Request = request_of(lease)
    return reader.result(response_of(request, status=302, Location=location))


def test_a_redirect_within_the_site_is_offered_as_what_the_page_was(reader: PageReader) -> None:
    result = redirected(reader, LIST, "/new/")
    assert (result.settlement.state, result.settlement.reason, result.settlement.failures) == (State.DONE, Reason.REDIRECT, 0)
    assert [(offer.url, offer.kind, offer.hops) for offer in result.offers] == [("http://a.example/new/", PageType.LIST, 1)]


@pytest.mark.parametrize("location", [ELSEWHERE, LIST_URL, "/files/list.pdf", "mailto:a@a.example", ""])
def test_a_list_that_leads_to_nothing_we_follow_fails_and_is_polled_again(
    reader: PageReader, location: str, caplog: pytest.LogCaptureFixture
) -> None:
    result = redirected(reader, LIST, location)
    settlement = result.settlement
    assert (settlement.state, settlement.reason, settlement.status, settlement.failures) == (State.ERROR, Reason.HTTP_STATUS, 302, 1)
    assert settlement.due_at is not None
    assert "not followed" in settlement.detail
    assert [record.levelname for record in caplog.records if LIST_URL in record.getMessage()] == ["WARNING"]


def test_a_list_that_failed_before_is_not_warned_of_again(reader: PageReader, caplog: pytest.LogCaptureFixture) -> None:
    failed_list = lease_of_kind(PageType.LIST, LIST_URL, update_cycle=60.0, failures=1)
    assert redirected(reader, failed_list, ELSEWHERE).settlement.failures == 2
    assert not [record for record in caplog.records if record.levelname == "WARNING" and LIST_URL in record.getMessage()]


def test_an_article_that_leads_off_its_site_is_done(reader: PageReader) -> None:
    settlement = redirected(reader, lease_of_kind(), ELSEWHERE).settlement
    assert (settlement.state, settlement.reason, settlement.due_at) == (State.DONE, Reason.REDIRECT, None)
    assert ELSEWHERE in settlement.detail


@pytest.mark.parametrize(
    ("location", "detail"),
    [
        (None, "redirects without saying where; not followed"),
        ("", "redirects without saying where; not followed"),
        ("  ", "redirects without saying where; not followed"),
        ("file:///etc/passwd", "leads to what is no http or https URL, not followed: file:///etc/passwd"),
        ("data:text/html,<p>", "leads to what is no http or https URL, not followed: data:text/html,%3Cp%3E"),
        ("javascript:alert(1)", "leads to what is no http or https URL, not followed: javascript:alert(1)"),
        ("http://", "leads to what is no http or https URL, not followed: http://"),
        ("http://[::1/", "leads to what is no http or https URL, not followed: http://[::1/"),
        ("/" + "x" * 5_000, "leads to a URL of 5001 characters, not followed: /xxx"),
        (ARTICLE_URL, f"leads to itself, not followed: {ARTICLE_URL}"),
        ("#top", f"leads to itself, not followed: {ARTICLE_URL}"),
        (ELSEWHERE, f"leads elsewhere, not followed: {ELSEWHERE}"),
    ],
)
def test_a_redirect_that_is_not_followed_says_why(reader: PageReader, location: str | None, detail: str) -> None:
    request: Request = request_of(lease_of_kind(url=ARTICLE_URL))
    settlement = reader.result(response_of(request, status=302, **({} if location is None else {"Location": location}))).settlement
    assert (settlement.state, settlement.reason) == (State.DONE, Reason.REDIRECT)
    assert settlement.detail.startswith(detail)
    assert len(settlement.detail) < 300


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("../b/2.html", "http://a.example/b/2.html"),
        ("//a.example/2.html", "http://a.example/2.html"),
        ("?page=2", "http://a.example/a/1.html?page=2"),
        ("\\b\\2.html", "http://a.example/b/2.html"),
        ("/\t新/2.html", "http://a.example/%09%E6%96%B0/2.html"),
        ("HTTP://A.EXAMPLE:80/2.html", "http://a.example/2.html"),
    ],
)
def test_an_odd_location_is_resolved_as_browsers_do(reader: PageReader, location: str, target: str) -> None:
    result = redirected(reader, lease_of_kind(url="http://a.example/a/1.html"), location)
    assert [offer.url for offer in result.offers] == [target]


def test_a_chain_of_redirects_ends_and_says_so(reader: PageReader) -> None:
    settlement = redirected(reader, lease_of_kind(url=ARTICLE_URL, hops=5), "/further.html").settlement
    assert settlement.detail == "leads elsewhere after 5 redirects or pages, not followed: http://a.example/further.html"


def test_a_notice_that_consists_of_files_is_stored_with_them(reader: PageReader) -> None:
    title = "关于公布本年度市级教学成果奖评审结果的通知"
    page = (
        f"<title>{title}-江临市教育局</title><h1>{title}</h1><div>发布时间：2024-03-05 16:20</div>"
        "<p><a href='/download.jsp?id=3'>附件【获奖名单.xlsx】</a></p><p><a href='/f/b.pdf'>证书样式</a></p>"
    )
    result = reader.result(response_of(request_of(lease_of_kind()), page.encode()))
    assert result.settlement.reason is Reason.STORED
    assert result.article is not None
    assert result.article.text == "附件【获奖名单.xlsx】\n证书样式"
    assert [url.rpartition("/")[2] for url in result.article.attachments] == ["download.jsp?id=3", "b.pdf"]


def test_a_notice_that_consists_of_pictures_says_what_its_list_calls_it(reader: PageReader) -> None:
    title = "关于公布评审结果的通知"
    page = (
        f"<title>江临市教育局公告栏</title><h1>江临市教育局公告栏</h1><p>{title}</p><div>发布时间：2024-03-05 16:20</div>"
        "<p><img src='/u/1.jpg'></p><div class=footer>版权所有</div>"
    )
    result = reader.result(response_of(request_of(replace(lease_of_kind(), anchor=title)), page.encode()))
    assert result.article is not None
    assert (result.article.title, result.article.text) == (title, title)


@pytest.mark.parametrize(("url", "address"), [("http://a.example/rules.txt", "192.0.2.7"), ("http://cdn.example/robots.txt", None)])
def test_the_ip_address_of_a_robots_file_counts_only_if_it_is_on_the_same_host(
    reader: PageReader, url: str, address: str | None
) -> None:
    request = request_of(lease_of_kind(PageType.ROBOTS, ROBOTS_URL)).replace(url=url)
    request.meta[VISIT] = RequestTimes(sent_at=1.0)
    response = response_of(request).replace(ip_address=ip_address("192.0.2.7"), request=request)
    assert reader.result(response).settlement.address == address
