"""How long a crawl without work waits for start URLs before it ends."""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING

from newsspider.extensions.start_urls import StartUrls

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class IdleTime:
    """The time since a crawl last had work. A round ends when it is idle and no start URL is left; with
    ``MAX_IDLE_TIME_BEFORE_CLOSE`` or ``SCHEDULER_IDLE_BEFORE_CLOSE`` it waits that long before. The former ends
    a crawl around the clock, too."""

    def __init__(self, crawler: Crawler, *, forever: bool) -> None:
        settings, self._crawler = crawler.settings, crawler
        longest = settings.getint("MAX_IDLE_TIME_BEFORE_CLOSE")
        self._longest = (longest or inf) if forever else max(longest, settings.getint("SCHEDULER_IDLE_BEFORE_CLOSE"))
        self._since: float | None = None
        self._taken = 0

    def works(self) -> None:
        """There is work."""
        self._since = None

    def seconds_left(self) -> float:
        """How long it may go on to be idle; 0 when it is to end."""
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        return max(0.0, self._longest - (now - self._since))

    async def took_start_urls(self) -> bool:
        """Whether start URLs were committed to the ledger since the last call, or by this one."""
        starts = self._crawler.get_extension(StartUrls)
        if starts is None:
            return False
        await starts.attempt()
        taken_before, self._taken = self._taken, starts.taken
        return self._taken > taken_before
