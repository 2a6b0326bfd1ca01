"""Which answers are stopped at their headers."""

from pathlib import Path

import pytest
from scrapy import signals
from scrapy.exceptions import StopDownload
from scrapy.http import Headers, Response

from newsspider.core.model import PageType
from newsspider.downloadermiddlewares.content import ContentTypeMiddleware
from tests.support.crawler import crawler_of, lease_of_kind, request_of, response_of


def stopped(folder: Path, declared: str | None, kind: PageType = PageType.ARTICLE) -> bool:
    """Whether the signal of the headers stops the download."""
    crawler = crawler_of(folder)
    middleware = ContentTypeMiddleware.from_crawler(crawler)
    headers = Headers({} if declared is None else {"Content-Type": declared})
    sent = crawler.signals.send_catch_log(
        signals.headers_received,
        headers=headers,
        body_length=1,
        request=request_of(lease_of_kind(kind)),
        spider=crawler.spider,
    )
    results = [result for receiver, result in sent if receiver == middleware.headers_received]
    assert len(results) == 1
    error = getattr(results[0], "value", None)
    assert error is None or (isinstance(error, StopDownload) and error.fail)
    return error is not None


@pytest.mark.parametrize(
    "declared",
    [
        "text/html",
        "TEXT/HTML; charset=gbk",
        "application/rss+xml",
        "binary/octet-stream",
        None,
        "",
        "html",
        "HTML",
        "*/*",
        "text/*",
        "text/html,text/html;charset=gbk",
        "text/html, */*",
        '"text/html"',
        "charset=utf-8",
        ";charset=gbk",
    ],
)
def test_text_and_what_may_be_text_is_downloaded(tmp_path: Path, declared: str | None) -> None:
    assert not stopped(tmp_path, declared)


@pytest.mark.parametrize(
    "declared", ["video/mp4", "image/jpeg", "application/pdf", "application/json;charset=utf-8", "image/png,image/png"]
)
def test_what_is_no_text_is_stopped_at_its_headers(tmp_path: Path, declared: str) -> None:
    assert stopped(tmp_path, declared)


def test_a_robots_file_is_read_whatever_its_type(tmp_path: Path) -> None:
    assert not stopped(tmp_path, "image/jpeg", PageType.ROBOTS)


@pytest.mark.parametrize("declared", ["application/json;charset=utf-8", "application/feed+json", "text/javascript"])
def test_a_list_may_be_the_answer_of_an_api(tmp_path: Path, declared: str) -> None:
    assert not stopped(tmp_path, declared, PageType.LIST)


@pytest.mark.parametrize(("status", "passed_on"), [(200, False), (301, True), (404, True), (429, True), (503, True)])
def test_a_stopped_answer_that_is_no_page_by_its_status_is_passed_on(
    tmp_path: Path, status: int, passed_on: bool
) -> None:
    middleware, request = ContentTypeMiddleware.from_crawler(crawler_of(tmp_path)), request_of(lease_of_kind())
    stop = StopDownload(fail=True)
    stop.response = response_of(request, status=status, Content_Type="application/json")
    result: Response | None = middleware.process_exception(request, stop)
    assert (result is stop.response) is passed_on
