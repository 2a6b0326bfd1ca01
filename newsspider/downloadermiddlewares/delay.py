"""Measures the latency of each host, which determines the delay between two requests to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import VISIT, Visit, visit_of
from newsspider.download.backlog import PAUSED

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsspider.store.engine.clock import Clock


class AdaptiveDelayMiddleware:
    """Records when a request was sent and when its last byte arrived, in ``meta["visit"]``.

    The delay itself (:func:`newsspider.core.fetching.politeness.polite_delay`) is enforced by the frontier through
    the host's row, for all workers together. This middleware must be closest to the downloader.
    """

    def __init__(self, clock: Clock) -> None:
        self.clock = clock

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Crawl.of(crawler).clock)

    def process_request(self, request: Request) -> None:
        request.meta[VISIT] = Visit(sent_at=self.clock.now())

    def process_response(self, request: Request, response: Response) -> Response:
        self._ended(request)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        self._ended(request)

    def _ended(self, request: Request) -> None:
        visit = visit_of(request)
        visit.ended_at, visit.paused = self.clock.now(), request.meta.get(PAUSED, 0.0)
