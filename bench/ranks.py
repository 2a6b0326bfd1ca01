"""``python -m bench.ranks``: what it takes to rank a store with a million links.

The store is made of sites of unequal size: list pages show articles of their site and of others, most of them the latest and best known.
"""

from __future__ import annotations

import argparse
import sys
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from sqlalchemy import Engine

from bench.frontier import DATABASES
from newsspider.core.url import host_of, url_key
from newsspider.features.explore import ranks
from newsspider.store.engine.database import open_store, writing
from newsspider.store.ledger.stored_links import pack_links

LINKS, LINKS_A_PAGE, PAGES_A_SITE, ABROAD = (
    1_000_000,
    8,
    500,
    0.2,
)  # links in all, and of one page; share that leads to other sites
FOUND_AT = 1.8e9
LINE = "{:<34}{:>9}{:>9}{:>9}{:>9}{:>9}"

URL_COLUMNS = ("key", "url", "host", "site", "channel", "kind", "state", "reason", "found_at")
DISTINCT_COLUMNS = ("id", "form", "dst", "url", "anchor", "kind", "region")
LIST_COLUMNS = ("id", "src", "channel")
LIST_LINK_COLUMNS = ("list", "dst", "link", "found_at")
PAGE_COLUMNS = ("src", "found_at", "links")


def main() -> int:
    """Print all figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.ranks", description=__doc__)
    parser.add_argument("--links", type=int, default=LINKS)
    parser.add_argument("--seed", type=int, default=20_261)
    options = parser.parse_args()
    graph = Made(options.links, options.seed)
    print(
        LINE.format(
            f"{len(graph.pairs)} links, {len(graph.urls)} pages", "seconds", "CPU s", "written", "sweeps", "hub sw."
        )
    )
    for name, opened in DATABASES.items():
        with opened() as (url, _):
            engine = open_store(url)
            stored(engine, graph, name)
            engine.dispose()
    return 0


class Made:
    """URLs and links between them, the source and the target of each by number."""

    def __init__(self, links: int, seed: int) -> None:
        random = np.random.default_rng(seed)
        pages = links // LINKS_A_PAGE
        sites = max(2, pages // PAGES_A_SITE)
        self.site = np.sort((sites * random.random(pages) ** 2).astype(np.int64))  # the first sites are the largest
        first = np.searchsorted(self.site, np.arange(sites + 1))
        source = random.integers(0, pages, int(links * 1.02))
        own = first[self.site[source]] + (
            (first[self.site[source] + 1] - first[self.site[source]]) * random.random(len(source)) ** 2
        )
        target = np.where(random.random(len(source)) < ABROAD, pages * random.random(len(source)) ** 3, own).astype(
            np.int64
        )
        pairs = np.unique(np.stack([source, target], 1)[source != target], axis=0)
        pairs = pairs[random.permutation(len(pairs))]
        self.pairs = pairs[:links]
        self.lists = random.random(pages) < 0.2
        self.urls = [
            f"http://www.site{site}.cn/2026/{number // 30:x}/t{number}.html"
            for number, site in enumerate(self.site.tolist())
        ]
        self.keys = [url_key(url) for url in self.urls]

    def url_rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows of ``urls``, in order of their keys."""
        for place in np.argsort(self.keys).tolist():
            kind = "list" if self.lists[place] else "article"
            url = self.urls[place]
            yield self.keys[place], url, host_of(url), f"site{self.site[place]}", "news", kind, "done", "stored", 1.8e9

    def distinct_rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows of ``distinct_links``: one a page."""
        for number, (key, url) in enumerate(zip(self.keys, self.urls, strict=True), 1):
            yield number, key, key, url, "教育部发布高考改革方案", "article", "main"

    def list_rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows of ``link_lists``."""
        yield from ((place + 1, self.keys[place], "site/news") for place in np.flatnonzero(self.lists).tolist())

    def list_link_rows(self, pairs: np.ndarray[Any, Any]) -> Iterator[tuple[Any, ...]]:
        """The rows of ``list_links``."""
        for source, target in pairs[self.lists[pairs[:, 0]]].tolist():
            yield source + 1, self.keys[target], target + 1, FOUND_AT

    def page_rows(self, pairs: np.ndarray[Any, Any], found_at: float) -> Iterator[tuple[Any, ...]]:
        """The rows of ``page_links``."""
        of_pages = pairs[~self.lists[pairs[:, 0]]]
        of_pages = of_pages[np.argsort(of_pages[:, 0])]
        for source, links in groupby(of_pages.tolist(), itemgetter(0)):
            yield self.keys[source], found_at, pack_links(2 * (target + 1) for _, target in links)


def fill(engine: Engine, table: str, columns: tuple[str, ...], rows: Iterator[tuple[Any, ...]]) -> None:
    """Write rows as fast as the database takes them."""
    with writing(engine) as conn:
        cursor = conn.connection.cursor()
        if engine.dialect.name == "postgresql":
            with cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            cursor.executemany(
                f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
                rows,  # type: ignore[arg-type] # SQLite takes an iterator
            )
        cursor.close()


def stored(engine: Engine, graph: Made, name: str) -> None:
    """What it takes to rank a store."""
    fill(engine, "urls", URL_COLUMNS, graph.url_rows())
    fill(engine, "distinct_links", DISTINCT_COLUMNS, graph.distinct_rows())
    fill(engine, "link_lists", LIST_COLUMNS, graph.list_rows())
    fill(engine, "list_links", LIST_LINK_COLUMNS, graph.list_link_rows(graph.pairs))
    fill(engine, "page_links", PAGE_COLUMNS, graph.page_rows(graph.pairs, FOUND_AT))
    ranked(engine, name)
    tracemalloc.start()
    rank_values = ranks.rank(engine)
    print(f"  at the most {tracemalloc.get_traced_memory()[1] / rank_values.links:.0f} bytes a link", flush=True)
    tracemalloc.stop()


def ranked(engine: Engine, what: str) -> None:
    """One line of figures: on the clock, of this process, for writing, and how often all links were gone through."""
    began, spent = time.monotonic(), time.process_time()
    computed_ranks = ranks.rank(engine)
    worked_out = time.monotonic()
    ranks.keep(engine, computed_ranks, 1.8e9)
    ended = time.monotonic()
    seconds = (f"{value:.2f}" for value in (ended - began, time.process_time() - spent, ended - worked_out))
    print(LINE.format(what, *seconds, computed_ranks.sweeps, computed_ranks.hub_sweeps), flush=True)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        sys.exit(main())
