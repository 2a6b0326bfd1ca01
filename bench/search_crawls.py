"""Crawls of the sample portal with and without the search index, in turn."""

from __future__ import annotations

import statistics
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.whole_job import Portal, ours

ARTICLES = 300
MOST = 1.10  # times the CPU time of a crawl without the index


def compare(rounds: int) -> int:
    """Print the CPU milliseconds a page of each; 1 if the index makes a crawl slower than :data:`MOST` allows."""
    figures: dict[str, list[float]] = {"bench.ours": [], "bench.without_index": []}
    with TemporaryDirectory(prefix="newsspider-bench-") as folder:
        portal = Portal(Path(folder), ARTICLES)
        try:
            for _ in range(rounds):
                for settings, costs in figures.items():
                    crawl = ours(portal, settings=settings)
                    costs.append(1000 * crawl.cpu / len(crawl.pages))
        finally:
            portal.close()
    with_index, without = map(statistics.median, figures.values())
    print(
        f"CPU ms a page, medians of {rounds}: {with_index:.2f} with the index, {without:.2f} without: {with_index / without:.3f} times"
    )
    return int(with_index > MOST * without)
