"""``python -m bench``: the rounds, and the figures printed."""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.frontier import KNOWN, print_figures
from bench.stages import milliseconds
from bench.whole_job import (
    CONCURRENCIES,
    LEAST_BYTES,
    MOST_DIFFERENT,
    WANTED,
    Crawl,
    Portal,
    download_only,
    naive,
    ours,
)

LINE = "{:<16}{:>8}{:>10}{:>10}{:>10}{:>14}"


def main() -> int:
    """Run it all; the exit code is 1 if the contestants did different work or ours is slower than wanted."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--articles", type=int, default=600, help="of the sample portal")
    parser.add_argument(
        "--light", action="store_true", help="pages with half as many elements: little stands around the articles"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of the three contestants in turn")
    parser.add_argument(
        "--urls", type=int, default=KNOWN, help="known to the frontier before it is measured; 0: it is not"
    )
    options = parser.parse_args()
    with TemporaryDirectory(prefix="newsspider-bench-") as folder:
        portal = Portal(Path(folder), options.articles, light=options.light)
        try:
            code = compare(portal, options.rounds)
        finally:
            portal.close()
    if options.urls:
        print("\nthe frontier on each database:")
        print_figures(options.urls)
    return code


def compare(portal: Portal, rounds: int) -> int:
    """The rounds of all three, where ours spends its time, and how ours does at other concurrencies."""
    first = ours(portal)
    median = portal.median_bytes(first.pages)
    print(f"{len(first.pages)} pages, median {median / 1000:.1f} kB", flush=True)
    if median < LEAST_BYTES:
        print(f"the pages are too small to tell anything: {LEAST_BYTES / 1000:g} kB are wanted")
        return 1
    contestants: dict[str, Callable[[], Crawl]] = {
        "newsspider": lambda: ours(portal),
        "naive": lambda: naive(portal),
        "download only": lambda: download_only(portal, first.pages),
    }
    crawls: dict[str, list[Crawl]] = {name: [] for name in contestants}
    print(LINE.format("", "pages", "articles", "cpu s", "wall s", "pages/cpu s"))
    for _ in range(rounds):
        for name, crawl in contestants.items():
            crawls[name].append(crawl())
            _print(name, crawls[name][-1])
    code = _ratios(crawls)
    _stages(portal)
    _concurrencies(portal)
    return code


def _ratios(crawls: dict[str, list[Crawl]]) -> int:
    mine, peer, limit = crawls["newsspider"], crawls["naive"], crawls["download only"]
    rates = {name: statistics.median(crawl.rate for crawl in done) for name, done in crawls.items()}
    print("median pages/cpu s: " + ", ".join(f"{name} {rate:.1f}" for name, rate in rates.items()))
    differences = [different(a, b) for a, b in zip(mine, peer, strict=True)]
    if max(differences) > MOST_DIFFERENT:
        print(f"no ratio: newsspider and the naive one differ by {max(differences):.1%} in pages or articles")
        return 1
    ratio = rates["newsspider"] / rates["naive"]
    print(f"newsspider / naive: {ratio:.2f} (wanted: {WANTED:g})")
    if max(_apart(a.pages, b.pages) for a, b in zip(mine, limit, strict=True)) <= MOST_DIFFERENT:
        print(f"newsspider / download only: {rates['newsspider'] / rates['download only']:.2f}")
    return 0 if ratio >= WANTED else 1


def different(first: Crawl, other: Crawl) -> float:
    """The larger of the shares by which the pages and the numbers of articles of two crawls differ."""
    return max(
        _apart(first.pages, other.pages), abs(first.articles - other.articles) / max(first.articles, other.articles, 1)
    )


def _apart(first: frozenset[str], other: frozenset[str]) -> float:
    return len(first ^ other) / max(len(first | other), 1)


def _stages(portal: Portal) -> None:
    crawl = ours(portal, stages=True)
    print("\nwhere the time of newsspider goes, ms of CPU a page:")
    for name, spent in milliseconds(crawl.stages, crawl.cpu, len(crawl.pages)):
        print(f"  {name:<24}{spent:>6.2f}")


def _concurrencies(portal: Portal) -> None:
    print("\nnewsspider with so many requests at once (one a host always, and the portal has ten):")
    for concurrency in CONCURRENCIES:
        _print(f"at once: {concurrency}", ours(portal, concurrency))


def _print(name: str, crawl: Crawl) -> None:
    figures = (f"{crawl.cpu:.2f}", f"{crawl.wall:.1f}", f"{crawl.rate:.1f}")
    print(LINE.format(name, len(crawl.pages), crawl.articles or "", *figures), flush=True)


if __name__ == "__main__":
    sys.exit(main())
