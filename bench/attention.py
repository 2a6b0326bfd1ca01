"""``python -m bench.attention [--articles N] [--postgresql URL] [--keep FOLDER]``: attention by days, beside the search's facets.

The store of ``bench.search`` is asked for the attention of each of its queries over all its days. Printed are the median and
the 95th percentile of the milliseconds by kind of query, with the hits of the median query, beside those of ``facets``, which
counts the newest 5,000 hits: the milliseconds for each thousand hits of both, and their ratio. A plain scan of all texts counts
a sample of the queries, too. The exit code is 1 if a count differs from that, or if the 95th percentile of all queries is
beyond 200 ms, the limit for a million articles.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from bench.search_store import Ours
from bench.search_world import Article, generated, questions
from newsspider.core.query.moments import date_of
from newsspider.core.query.query_language import Query, parsed
from newsspider.core.text.characters import plain
from newsspider.features.attention.counting import Attention, attention
from newsspider.features.attention.rules.periods import Span, Step, span_of
from newsspider.search.facets import Facets, facets
from newsspider.store.engine.database import reading

GOAL_MS = 200.0  # at a million articles
SCANNED = 5  # queries of a kind that a scan counts, too
T = TypeVar("T")
LINE = "{:14} {:>9} {:>11} {:>11} {:>16} {:>16} {:>7}"


def main() -> int:
    """Measure it; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=20_000)
    parser.add_argument("--characters", type=int, default=300, help="of a text")
    parser.add_argument("--postgresql", metavar="URL", help="of an empty database, instead of SQLite")
    parser.add_argument("--keep", metavar="FOLDER", help="keep the store there, and use the one that is there")
    options = parser.parse_args()
    articles = list(generated(options.articles, options.characters))
    with TemporaryDirectory() as folder:
        file = Path(options.keep or folder) / f"{options.articles}-{options.characters}.db"
        store = Ours(options.postgresql or f"sqlite:///{file}", articles)
        try:
            return _measured(store, articles)
        finally:
            store.engine.dispose()


def _measured(store: Ours, articles: Sequence[Article]) -> int:
    span = span_of(date_of(store.start), date_of(store.now), Step.DAY)
    print(f"{store.count:,} articles of {len(span.starts)} days, {store.engine.dialect.name}")
    print(LINE.format("query", "hits", "median ms", "p95 ms", "ms/1000 hits", "facets ms/1000", "ratio"))
    times: list[float] = []
    wrong = 0
    for kind, several in questions(articles).items():
        own, peer, hits = list[float](), list[float](), list[int]()
        costs, costs_of_peer = list[float](), list[float]()
        for place, words in enumerate(several):
            query = parsed(" ".join(f'"{word}"' for word in words), datetime.now(UTC))
            milliseconds, counted = _timed(partial(_attention, store, query, span))
            milliseconds_of_peer, counts = _timed(partial(_facets, store, query))
            own.append(milliseconds)
            peer.append(milliseconds_of_peer)
            hits.append(sum(counted.series[0].articles))
            if seen := sum(count for _, count in counts.counts["day"]):
                costs.append(1000 * milliseconds / hits[-1])
                costs_of_peer.append(1000 * milliseconds_of_peer / seen)
            wrong += place < SCANNED and _scanned(store, articles, words, span) != list(counted.series[0].articles)
        times += own
        figures = (statistics.median(costs or [0]), statistics.median(costs_of_peer or [0]))
        print(
            LINE.format(
                kind,
                f"{statistics.median(hits):.0f}",
                f"{statistics.median(own):.1f}",
                f"{_p95(own):.1f}",
                f"{figures[0]:.2f}",
                f"{figures[1]:.2f}",
                f"{figures[1] / (figures[0] or 1):.1f}",
            )
        )
    p95 = _p95(times)
    print(f"p95 of all {p95:.0f} ms, {p95 / GOAL_MS:.2f} of {GOAL_MS:.0f} ms; {wrong} wrong counts")
    return int(wrong > 0 or p95 > GOAL_MS)


def _attention(store: Ours, query: Query, span: Span) -> Attention:
    with reading(store.engine) as conn:
        return attention(conn, {"": query}, span)


def _facets(store: Ours, query: Query) -> Facets:
    with reading(store.engine) as conn:
        return facets(conn, query)


def _scanned(store: Ours, articles: Sequence[Article], words: Sequence[str], span: Span) -> list[int]:
    """The articles of each day that have all of these words, by reading all texts; no phrase crosses a line."""
    days = Counter(
        date_of(store.start + number * 20)
        for number, (title, text) in enumerate(articles, 1)
        if all(plain(word) in plain(f"{title}\n{text}") for word in words)
    )
    return [days[day] for day in span.starts]


def _timed(act: Callable[[], T]) -> tuple[float, T]:
    begun = time.perf_counter()
    value = act()
    return 1000 * (time.perf_counter() - begun), value


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))]


if __name__ == "__main__":
    sys.exit(main())
