"""The download handler that waits only so long for the first byte of an answer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import DownloadTimeoutError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class FirstByteHandler(HTTP11DownloadHandler):
    """HTTP and HTTPS with a limit to the first byte beside Scrapy's limit for the whole download.

    Setting: ``DOWNLOAD_FIRST_BYTE_SECONDS``. A host that accepts a connection and then says nothing would else hold its place for
    the whole ``DOWNLOAD_TIMEOUT``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._patience = crawler.settings.getfloat("DOWNLOAD_FIRST_BYTE_SECONDS")
        self._waiting: dict[Request, asyncio.Timeout] = {}
        crawler.signals.connect(self._answered, signals.headers_received)

    async def download_request(self, request: Request) -> Response:
        try:
            async with asyncio.timeout(self._patience) as limit:
                self._waiting[request] = limit
                return await super().download_request(request)
        except TimeoutError as error:
            raise DownloadTimeoutError(f"no answer from {request.url} within {self._patience:g} s") from error
        finally:
            self._waiting.pop(request, None)

    def _answered(self, request: Request, **_: Any) -> None:
        if request in self._waiting:
            self._waiting[request].reschedule(None)
