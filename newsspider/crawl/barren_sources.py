"""Says after a round which watched sources never brought anything, if they are not the same as before it."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from newsspider.hooks import BarrenSource, plugins
from newsspider.sites.site_lines import cells_line
from newsspider.store import workers
from newsspider.store.engine.database import reading

if TYPE_CHECKING:
    from newsspider.crawl.crawl import Crawl

logger = logging.getLogger(__name__)

TOLD_AFTER_SECONDS = 600.0  # by a crawl around the clock: its first lists have been asked
COLUMNS = (("source", 22), ("state", 13), ("why", 43))  # with one blank between them they fill 80


class BarrenSources:
    """One table at most for each crawl; of several workers only one tells it."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._before: set[tuple[str, str]] = set()
        self._told = False

    async def begin(self) -> None:
        """Note which sources brought nothing before this crawl."""
        self._before = {(source.site, source.state) for source in await self._barren()}

    async def tell(self, *, after_seconds: float = 0.0) -> None:
        """Log the table, once and not before the crawl has run for ``after_seconds``."""
        if self._told or self._crawl.ending.seconds() < after_seconds:
            return
        self._told = True
        storage = self._crawl.storage
        names = await storage.writer.run(workers.names)  # and the pages of this crawl are written
        barren = await self._barren()
        stats = self._crawl.ending.counters.stats
        stats.set_value("sources/barren", len(barren))  # stat: watched sources that never brought anything
        states = sorted(Counter(source.state for source in barren).items())
        # stat sources/barren_states: how many of them are in each state of health
        stats.set_value("sources/barren_states", ", ".join(f"{count} {state}" for state, count in states))
        is_first = storage.frontier.worker <= min(names, default=storage.frontier.worker)
        if is_first and barren and {(source.site, source.state) for source in barren} != self._before:
            logger.warning("\n".join(table(barren, len(self._crawl.sites.by_name))))

    async def _barren(self) -> Sequence[BarrenSource]:
        sites, now = self._crawl.sites.by_name.keys(), self._crawl.clock.now()

        def read() -> Sequence[BarrenSource]:
            with reading(self._crawl.storage.engine) as conn:
                return plugins().hook.barren_sources(conn=conn, sites=sites, now=now) or ()

        return await asyncio.to_thread(read)


def table(barren: Sequence[BarrenSource], watched: int) -> Iterator[str]:
    """The sources with the state of each and why, then the commands that say more."""
    yield f"{len(barren)} of {watched} sources have never brought anything:"
    yield cells_line([head for head, _ in COLUMNS], COLUMNS)
    for source in sorted(barren, key=lambda source: source.state):
        yield cells_line([source.site, source.state, source.evidence], COLUMNS)
    yield "`scrapy health` says what to do, `scrapy sites check` visits them and repairs"
