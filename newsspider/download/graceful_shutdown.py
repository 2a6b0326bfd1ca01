"""A crawl that gets SIGTERM or SIGINT ends within half a minute, whatever hangs: a page, a name server or the store."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from scrapy.exceptions import DownloadCancelledError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

T = TypeVar("T")

PAGES_SECONDS = 10.0  # for pages under way; then they are given back
STORE_SECONDS = 20.0  # for the store to take what was read; then it counts as failed, and leases end by themselves

told_to_stop = object()  # the signal of Scrapy's kind that `scrapy crawl` sends then, without arguments


class GivenBackError(DownloadCancelledError):
    """The crawl was told to stop before the page was there."""


class Waits:
    """What requests wait for before they are sent: none waits any longer when the crawl is told to stop."""

    def __init__(self, crawler: Crawler) -> None:
        self._stops = False
        self._under_way: set[asyncio.Timeout] = set()
        crawler.signals.connect(self._told_to_stop, told_to_stop)

    async def sleep(self, seconds: float) -> None:
        """Wait; :exc:`GivenBackError` once the crawl is told to stop."""
        await self.result(asyncio.sleep(seconds))

    async def result(self, awaitable: Awaitable[T]) -> T:
        """Wait for a result; :exc:`GivenBackError` once the crawl is told to stop."""
        try:
            async with asyncio.timeout(0 if self._stops else None) as limit:
                self._under_way.add(limit)
                return await awaitable
        except TimeoutError as error:
            if not limit.expired():  # it is one of the work itself
                raise
            raise GivenBackError("the crawl was told to stop") from error
        finally:
            self._under_way.discard(limit)

    def _told_to_stop(self) -> None:
        self._stops = True
        for limit in self._under_way:
            with suppress(RuntimeError):  # of one that expires at this moment
                limit.reschedule(0)
