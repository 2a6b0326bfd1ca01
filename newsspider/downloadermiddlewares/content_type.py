"""Drops what is no page at its headers, before its body is downloaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, signals
from scrapy.exceptions import StopDownload

from newsspider.core.model import PageType
from newsspider.crawl.fetch_notes import lease_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Headers


class ContentTypeMiddleware:
    """Stops the download of an answer whose ``Content-Type`` says that it is no text.

    Setting: ``CONTENT_TYPES`` (the types that are read; an answer without the header is read). The spider's errback
    sees :exc:`StopDownload` and settles the lease with reason ``content_type``.
    """

    def __init__(self, types: frozenset[str]) -> None:
        self.types = types

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(frozenset(crawler.settings.getlist("CONTENT_TYPES")))
        crawler.signals.connect(middleware.headers_received, signals.headers_received)
        return middleware

    def headers_received(self, headers: Headers, request: Request, **_: Any) -> None:
        declared = (headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip().lower()
        if declared and declared not in self.types and lease_of(request).kind is not PageType.ROBOTS:
            raise StopDownload(fail=True)
