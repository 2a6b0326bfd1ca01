"""Records each answer in WARC files while it is fetched, for web archives."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured

from newsspider.crawl.wrong_use import wrong_use
from newsspider.features.archive.warc_files import ArchivedResponse, WarcFiles
from newsspider.store.engine.clock import Clock

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector

NOT_MODIFIED = 304  # the page is as it was recorded before

logger = logging.getLogger(__name__)


class WarcMiddleware:
    """Writes each answer, as it was sent, to ``WARC_FOLDER``: pages, lists, redirects, errors, robots.txt. Not those
    that say that nothing changed, nor pages that a browser rendered.

    A thread of its own writes, and an answer goes on when it is written. If the disk refuses one, or there can be no
    record of it, the page is read all the same. Needs the extra ``archive``. Stats: ``warc/records``, ``warc/failed``.
    """

    def __init__(self, files: WarcFiles, stats: StatsCollector) -> None:
        self.files, self.stats = files, stats
        self._clock = Clock()
        self._thread = ThreadPoolExecutor(1, "warc")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        folder = crawler.settings["WARC_FOLDER"]
        if not folder:
            raise NotConfigured
        for module in ("warcio", "surt"):
            if find_spec(module) is None:
                raise wrong_use(f"WARC_FOLDER needs {module}: pip install 'newsspider[archive]'")
        assert crawler.stats is not None
        worker = f"{socket.gethostname()}-{os.getpid()}"
        robots = "obey" if crawler.settings.getbool("ROBOTSTXT_OBEY") else "ignore"
        middleware = cls(WarcFiles(Path(folder), worker, robots), crawler.stats)
        crawler.signals.connect(middleware.engine_stopped, signals.engine_stopped)
        return middleware

    async def process_response(self, request: Request, response: Response) -> Response:
        if response.status == NOT_MODIFIED:
            return response
        headers = [
            (name.decode("latin-1"), value.decode("utf-8", "replace"))
            for name, values in response.headers.items()
            for value in values
        ]
        address = None if response.ip_address is None else str(response.ip_address)
        protocol = response.protocol or "HTTP/1.1"
        answer = ArchivedResponse(
            request.url, response.status, headers, response.body, protocol, address, self._clock.utc()
        )
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self.files.write, answer)
        except (OSError, ValueError) as error:
            self._failed(error)
        else:
            self.stats.inc_value("warc/records")  # stat: answers that were written to WARC files
        return response

    async def engine_stopped(self) -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self.files.close)
        except OSError as error:
            self._failed(error)
        self._thread.shutdown()

    def _failed(self, error: OSError | ValueError) -> None:
        if not self.stats.get_value("warc/failed"):  # once is enough
            logger.error("WARC_FOLDER cannot be written to: %s; pages are read all the same", error)
        self.stats.inc_value("warc/failed")  # stat: answers that could not be written to WARC files
