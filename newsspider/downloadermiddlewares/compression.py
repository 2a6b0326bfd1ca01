"""Decompresses response bodies, and rejects truncated, corrupt or oversized ones; decodes pages for spiders without
leases as the reader decodes them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from scrapy.exceptions import DownloadCancelledError, ResponseDataLossError
from scrapy.http import TextResponse

from newsspider.core.fetching.content_encoding import DamagedBodyError, NotPackedError, TooLongError, decode_content
from newsspider.core.fetching.robots import READ_BYTES
from newsspider.crawl.fetch_notes import LEASE, is_robots
from newsspider.download.backpressure import room_to_unpack
from newsspider.download.refusals import UnreadableBodyError
from newsspider.pages.read_page import decoded

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


ACCEPTED = "gzip, deflate, br, zstd"


class CompressionMiddleware:
    """Replaces Scrapy's middleware, which accepts truncated bodies (as browsers do, but a page is stored only once).

    A truncated body raises :exc:`ResponseDataLossError`, one in another encoding than declared
    :exc:`UnreadableBodyError`, one larger than ``DOWNLOAD_MAXSIZE`` :exc:`DownloadCancelledError`; an error or a
    redirect is then passed on without its body, for its status decides. For robots.txt the beginning is enough, and
    one that was never compressed is read as it is. Decompression waits while the pages in memory take too much of it.
    """

    def __init__(self, crawler: Crawler, limit: int) -> None:
        self.crawler = crawler
        self.limit = limit
        self._turn = asyncio.Lock()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, crawler.settings.getint("DOWNLOAD_MAXSIZE"))

    def process_request(self, request: Request) -> None:
        request.headers.setdefault("Accept-Encoding", ACCEPTED)

    async def process_response(self, request: Request, response: Response) -> Response:
        codings = b",".join(response.headers.getlist("Content-Encoding")).decode("latin-1").split(",")
        if codings == [""] or not response.body:
            return response
        async with self._turn:
            await room_to_unpack(self.crawler)
        return self._unpacked(request, response, codings)

    def _unpacked(self, request: Request, response: Response, codings: list[str]) -> Response:
        robots = is_robots(request)
        try:
            body = decode_content(response.body, codings, READ_BYTES + 1 if robots else self.limit, cut=robots)
        except (DamagedBodyError, NotPackedError, TooLongError) as error:
            if response.status < 300:
                raise _refusal(error, codings) from error
            body = b""
        if isinstance(response, TextResponse):
            return response.replace(body=body, encoding=None)  # not the one detected in the compressed bytes
        return response.replace(body=body)


def _refusal(error: DamagedBodyError | NotPackedError | TooLongError, codings: list[str]) -> Exception:
    if isinstance(error, DamagedBodyError):
        return ResponseDataLossError(f"{', '.join(codings)}: {error}")
    if isinstance(error, NotPackedError):
        return UnreadableBodyError(f"the body is not packed as Content-Encoding says ({','.join(codings)}: {error})")
    return DownloadCancelledError(str(error))


class DecodingMiddleware:
    """Sets the encoding of a response, which Scrapy takes wrongly where a header contradicts the bytes. The readers of
    pages with a lease decode the bytes themselves. Setting: ``DEFAULT_CHARSET``.
    """

    def __init__(self, default_charset: str) -> None:
        self.default_charset = default_charset

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler.settings["DEFAULT_CHARSET"])

    def process_response(self, request: Request, response: Response) -> Response:
        return response if LEASE in request.meta else decoded(response, self.default_charset)
