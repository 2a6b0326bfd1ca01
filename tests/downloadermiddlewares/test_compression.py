"""What becomes of packed answers, alone; the codings themselves are tested in core."""

import asyncio
import gzip
from pathlib import Path

import brotli
import pytest
from scrapy import Request
from scrapy.exceptions import DownloadCancelledError, ResponseDataLossError
from scrapy.http import HtmlResponse, Response

from newsspider.core.fetching.robots import READ_BYTES
from newsspider.core.model import PageType
from newsspider.downloadermiddlewares.content import CompressionMiddleware
from tests.support.crawler import crawler_of, lease_of_kind, request_of, response_of

PAGE = "<html><p>教育新闻</p></html>".encode("gbk") * 50
LIMIT = 100_000


@pytest.fixture
def compression(tmp_path: Path) -> CompressionMiddleware:
    return CompressionMiddleware.from_crawler(crawler_of(tmp_path, DOWNLOAD_MAXSIZE=LIMIT))


def unpacked(compression: CompressionMiddleware, request: Request, response: Response) -> Response:
    return asyncio.run(compression.process_response(request, response))


def test_a_packed_page_is_unpacked_and_keeps_all_else(compression: CompressionMiddleware) -> None:
    request = request_of(lease_of_kind())
    packed = gzip.compress(brotli.compress(PAGE))
    headers = {"Content-Encoding": ["br", "gzip"], "ETag": "x"}
    response = HtmlResponse(request.url, 200, headers, packed, request=request)
    read = unpacked(compression, request, response)
    assert (read.body, read.status, read.headers["ETag"], read.request) == (PAGE, 200, b"x", request)


def test_a_page_without_coding_is_passed_on_as_it_is(compression: CompressionMiddleware) -> None:
    request = request_of(lease_of_kind())
    response = response_of(request, PAGE)
    assert unpacked(compression, request, response) is response


def test_half_a_page_is_a_loss_of_data(compression: CompressionMiddleware) -> None:
    request = request_of(lease_of_kind())
    with pytest.raises(ResponseDataLossError):
        unpacked(compression, request, response_of(request, gzip.compress(PAGE)[:-20], Content_Encoding="gzip"))


def test_a_page_that_unpacks_beyond_the_limit_is_cancelled_but_a_robots_file_is_cut(compression: CompressionMiddleware) -> None:
    bomb = gzip.compress(b"#" * 5_000_000)
    request = request_of(lease_of_kind())
    with pytest.raises(DownloadCancelledError):
        unpacked(compression, request, response_of(request, bomb, Content_Encoding="gzip"))
    rules = request_of(lease_of_kind(PageType.ROBOTS))
    assert len(unpacked(compression, rules, response_of(rules, bomb, Content_Encoding="gzip")).body) == READ_BYTES + 1


@pytest.mark.parametrize("body", [PAGE, gzip.compress(PAGE)[:-20], gzip.compress(b" " * (LIMIT + 1))], ids=["never packed", "cut", "bomb"])
@pytest.mark.parametrize("status", [301, 404, 503])
def test_an_error_or_a_redirect_keeps_its_status_and_headers_whatever_its_body_is(
    compression: CompressionMiddleware, body: bytes, status: int
) -> None:
    request = request_of(lease_of_kind())
    response = unpacked(compression, request, response_of(request, body, status, Content_Encoding="gzip", Retry_After="60"))
    assert (response.status, response.body, response.headers["Retry-After"]) == (status, b"", b"60")


def test_every_coding_that_is_asked_for_can_be_read(compression: CompressionMiddleware) -> None:
    request = request_of(lease_of_kind())
    compression.process_request(request)
    assert request.headers["Accept-Encoding"] == b"gzip, deflate, br, zstd"
