"""The download handler that waits only so long for the first byte of an answer."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError

from newsspider.stopping import PAGES_SECONDS, told_to_stop

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class GivenBack(DownloadCancelledError):  # noqa: N818 -- reads as what it says
    """The crawl was told to stop, and the page took too long for that."""


class FirstByteHandler(HTTP11DownloadHandler):
    """HTTP and HTTPS with a limit to the first byte beside Scrapy's limit for the whole download.

    Setting: ``DOWNLOAD_FIRST_BYTE_SECONDS``. A host that accepts a connection and then says nothing would else hold its place for
    the whole ``DOWNLOAD_TIMEOUT``. What is under way when the crawl is told to stop has a few seconds left, then it is
    :exc:`GivenBack`.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._patience = crawler.settings.getfloat("DOWNLOAD_FIRST_BYTE_SECONDS")
        self._under_way: dict[Request, asyncio.Timeout] = {}
        self._stop_at = math.inf  # of the loop's clock
        crawler.signals.connect(self._answered, signals.headers_received)
        crawler.signals.connect(self._told_to_stop, told_to_stop)

    async def download_request(self, request: Request) -> Response:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout_at(min(loop.time() + self._patience, self._stop_at)) as limit:
                self._under_way[request] = limit
                return await super().download_request(request)
        except TimeoutError as error:
            if loop.time() >= self._stop_at:
                raise GivenBack("the crawl was told to stop") from error
            raise DownloadTimeoutError(f"no answer from {request.url} within {self._patience:g} s") from error
        finally:
            self._under_way.pop(request, None)

    def _answered(self, request: Request, **_: Any) -> None:
        if request in self._under_way:
            self._under_way[request].reschedule(None if self._stop_at == math.inf else self._stop_at)

    def _told_to_stop(self) -> None:
        self._stop_at = asyncio.get_running_loop().time() + PAGES_SECONDS
        for limit in self._under_way.values():
            limit.reschedule(min(limit.when() or math.inf, self._stop_at))
