"""Measures the latency of each host, which determines the delay between two requests to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals

from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import LEASE, VISIT, Visit, visit_of
from newsspider.crawl.host_policy import UnleasedHosts
from newsspider.download.backpressure import PAUSED
from newsspider.download.graceful_shutdown import Waits

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsspider.store.engine.clock import Clock


class AdaptiveDelayMiddleware:
    """Records when a request was sent and when its last byte arrived, in ``meta["visit"]``.

    The delay itself (:func:`newsspider.core.fetching.politeness.polite_delay`) is kept by the frontier, in the host's
    row, so that all workers together keep it. A request without a lease waits here for its turn. So the downloader
    does not wait for ``DOWNLOAD_DELAY`` once more. This middleware must stand nearest to the downloader.
    """

    def __init__(
        self, clock: Callable[[], Clock], unleased: UnleasedHosts, sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self.clock = clock  # of the crawl; asked for only by requests with a lease
        self.unleased = unleased
        self.sleep = sleep

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawler.signals.connect(_no_delay_of_scrapy(crawler), signals.engine_started, weak=False)
        return cls(lambda: Crawl.of(crawler).clock, UnleasedHosts.of(crawler), Waits(crawler).sleep)

    def process_request(self, request: Request) -> Coroutine[Any, Any, None] | None:
        if LEASE not in request.meta:
            return self._turn(request)
        request.meta[VISIT] = Visit(sent_at=self.clock().now())
        return None

    async def _turn(self, request: Request) -> None:
        request.meta[VISIT] = await self.unleased.turn(request.url, self.sleep)

    def process_response(self, request: Request, response: Response) -> Response:
        self._ended(request)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        self._ended(request)

    def _ended(self, request: Request) -> None:
        clock = self.clock() if LEASE in request.meta else self.unleased.clock
        visit = visit_of(request)
        visit.ended_at, visit.paused = clock.now(), request.meta.get(PAUSED, 0.0)


def _no_delay_of_scrapy(crawler: Crawler) -> Callable[[], None]:
    def engine_started() -> None:
        downloader: Any = crawler.engine and crawler.engine.downloader
        downloader._delay = 0.0  # as Scrapy's AutoThrottle sets it; else DOWNLOAD_DELAY would be kept twice

    return engine_started
