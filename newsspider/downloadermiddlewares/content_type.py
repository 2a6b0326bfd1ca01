"""Stops downloads by their headers if the content type is not a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, signals
from scrapy.exceptions import NotConfigured, StopDownload

from newsspider.crawl.fetch_notes import RENDERED_FOR, is_list, is_robots

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response


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
