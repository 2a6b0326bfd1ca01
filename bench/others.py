"""``python -m bench.frontier --others N``: URLs that nobody knows are offered to a store that knows many; each must be accepted.

Beside it, the lossy memory of the classical crawlers (``SEEN_FILTER = "bloom"``): the errors that it admits, and those that it makes.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Offer
from newsspider.features.explore.bloom_filter import SeenFilter
from newsspider.store import ledger
from newsspider.store.engine.database import open_store
from newsspider.store.engine.writer import Writer

PAGES_AHEAD = 256  # whose links wait for the writer
ERROR_RATE = 0.001  # as SEEN_ERROR_RATE is shipped


@dataclass(frozen=True, slots=True)
class Accepted:
    """How many were offered, accepted, and in the ledger afterwards beside those that were known; offers a second, bytes a URL."""

    offered: int
    accepted: int
    stored: int
    offers: float
    url_bytes: float


@dataclass(frozen=True, slots=True)
class Lossy:
    """The error rate that was asked for, the one that was measured, bytes a URL known, and microseconds a question."""

    stated: float
    measured: float
    url_bytes: float
    microseconds: float


def accepted(
    url: str, size: Callable[[], float], known_count: int, others: int, offer: Callable[[int], Offer], links: int
) -> Accepted:
    """Offer so many others to a filled store, the links of a page at once; the numbers below ``known`` are those it has."""
    engine = open_store(url)
    writer = Writer(engine, 64, 60.0)
    try:
        began = time.monotonic()
        count, under_way = 0, deque[Future[int]]()
        for start in range(known_count, known_count + others, links):
            page = [offer(number) for number in range(start, min(start + links, known_count + others))]
            under_way.append(writer.submit(partial(ledger.offer, offers=page, now=time.time())))
            if len(under_way) == PAGES_AHEAD:
                count += under_way.popleft().result()
        count += sum(future.result() for future in under_way)
        seconds = time.monotonic() - began
        stored = writer.submit(_count).result() - known_count
        return Accepted(others, count, stored, others / seconds, size() / (known_count + others))
    finally:
        writer.close()
        engine.dispose()


def lossy(keys: Iterator[int], known_count: int, others: int) -> Lossy:
    """Let the filter know some keys and ask it for others."""
    seen_filter = SeenFilter(ERROR_RATE)
    seen_filter.add(next(keys) for _ in range(known_count))
    wrong, began = 0, time.perf_counter()
    for _ in range(others):
        wrong += next(keys) in seen_filter
    seconds = time.perf_counter() - began
    return Lossy(ERROR_RATE, wrong / others, seen_filter.bytes / known_count, 1e6 * seconds / others)


def _count(conn: Connection) -> int:
    return sum(ledger.counts(conn).values())
