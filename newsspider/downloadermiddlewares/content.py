"""What a response may hold: stops downloads by their headers if the content type is not a page; decompresses bodies,
and rejects truncated, corrupt or oversized ones; decodes pages for spiders without leases as the reader does."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, signals
from scrapy.exceptions import DownloadCancelledError, NotConfigured, ResponseDataLossError, StopDownload
from scrapy.http import TextResponse

from newsspider.core.fetching.content_encoding import DamagedBodyError, NotPackedError, TooLongError, decode_content
from newsspider.core.fetching.robots import READ_BYTES
from newsspider.crawl.fetch_notes import LEASE, RENDERED_FOR, is_list, is_robots
from newsspider.download.handler import room_to_unpack
from newsspider.download.refusals import UnreadableBodyError
from newsspider.pages.read_page import with_encoding

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response


ACCEPTED = "gzip, deflate, br, zstd"
# of the answers of list APIs, which are allowed for channels only
JSON_TYPES = frozenset(
    (
        "application/json",
        "application/feed+json",
        "text/json",
        "application/javascript",
        "application/x-javascript",
        "text/javascript",
    )
)


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
        return response if LEASE in request.meta else with_encoding(response, self.default_charset)


class ContentTypeMiddleware:
    """Stops a download whose ``Content-Type`` is not a text type, for spiders that want pages only (``pages_only``).

    A list may be JSON or a script as well. Setting: ``CONTENT_TYPES`` (the accepted types; a response without the
    header, or with one that names no type, is accepted). The spider's errback receives :exc:`StopDownload` and settles
    the lease with reason ``content_type``.
    An answer that is no page by its status (429, 404, a redirect) is passed on without its body: the status decides.
    """

    def __init__(self, types: frozenset[str]) -> None:
        self.types = types

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not getattr(crawler.spidercls, "pages_only", False):
            raise NotConfigured
        middleware = cls(frozenset(crawler.settings.getlist("CONTENT_TYPES")))
        crawler.signals.connect(middleware.headers_received, signals.headers_received)
        return middleware

    def headers_received(self, headers: Headers, request: Request, **_: Any) -> None:
        header = (headers.get("Content-Type") or b"").decode("latin-1")
        declared = header.partition(";")[0].partition(",")[0].strip(" \t\"'").lower()
        nothing_said = "/" not in declared or declared.endswith("/*")  # `html`, `*/*`: the bytes decide
        accepted = nothing_said or declared in self.types or is_robots(request) or RENDERED_FOR in request.meta
        if not accepted and not (declared in JSON_TYPES and is_list(request)):
            raise StopDownload(fail=True)

    def process_exception(self, request: Request, exception: Exception) -> Response | None:
        """The signal of the headers does not say the status; the stopped response does."""
        stopped = exception.response if isinstance(exception, StopDownload) else None
        return None if stopped is None or stopped.status == 200 else stopped
