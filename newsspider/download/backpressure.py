"""Bounds the bytes of pages that a crawl holds at once, from their download to the end of their reading."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

SHORT_BYTES = 256 * 1024  # a download that holds no more never pauses
LOOK_SECONDS = 0.05  # how often a paused download looks whether it may go on
PAUSED = "download_paused"  # meta key: for how many seconds a download was paused, if it was


class Backlog:
    """The downloads under way, in the order in which their bodies began, and how many bytes each holds.

    Setting: ``SCRAPER_SLOT_MAX_ACTIVE_SIZE``. Scrapy begins no download while the pages that are not read yet hold more
    bytes; here, those that have begun pause.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._most = most_unread(crawler)
        self._sizes: dict[object, int] = {}

    def note(self, download: object, size: int) -> None:
        """Record how many bytes of a download have arrived."""
        self._sizes[download] = size

    def forget(self, download: object) -> None:
        """Forget a download that has ended."""
        self._sizes.pop(download, None)

    def is_full_for(self, download: object) -> bool:
        """Whether a long download has to pause: pages that wait to be read make room by themselves, else the oldest
        long one goes on."""
        unread = unread_bytes(self._crawler)
        if self._sizes[download] <= SHORT_BYTES or sum(self._sizes.values()) + unread <= self._most:
            return False
        return unread > self._most or download is not next(
            response for response, size in self._sizes.items() if size > SHORT_BYTES
        )

    async def room_for(self, download: object) -> None:
        """Wait until this download may go on."""
        while self.is_full_for(download):
            await asyncio.sleep(LOOK_SECONDS)


async def room_to_unpack(crawler: Crawler) -> None:
    """Wait until the pages that are not read yet leave room for one more."""
    most = most_unread(crawler)
    while unread_bytes(crawler) > most:
        await asyncio.sleep(LOOK_SECONDS)


def most_unread(crawler: Crawler) -> int:
    """Bytes of pages beyond which no more are taken."""
    return crawler.settings.getint("SCRAPER_SLOT_MAX_ACTIVE_SIZE")


def unread_bytes(crawler: Crawler) -> int:
    """Bytes of the pages that are downloaded, but not read yet."""
    if not crawler.crawling or crawler.engine.scraper.slot is None:
        return 0
    return crawler.engine.scraper.slot.active_size
