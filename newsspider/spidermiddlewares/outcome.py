"""Turns an exception of the spider into the outcome of its lease: nothing a page does may leave its URL hanging."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from newsspider.core.model import Reason
from newsspider.downloadermiddlewares.visit import lease_of
from newsspider.runtime import Runtime

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsspider.core.crawling.visit import PageResult

logger = logging.getLogger(__name__)


class OutcomeMiddleware:
    """Catches what a callback raises, logs it with its traceback and settles the lease as ``internal``.

    Stat: ``spider/internal_error``.
    """

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Runtime.of(crawler))

    def process_spider_exception(self, response: Response, exception: Exception) -> list[PageResult]:
        assert response.request is not None
        logger.error("reading %s failed", response.url, exc_info=exception)
        self.runtime.stats.inc_value("spider/internal_error")
        lease = lease_of(response.request)
        return [self.runtime.failure(lease, response.request, Reason.INTERNAL, detail=repr(exception)[:200])]
