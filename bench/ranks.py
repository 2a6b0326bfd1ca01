"""``python -m bench.ranks``: the ranks of a store with a million links, and PageRank and HITS beside those of networkx, in the same run.

The store is made of sites of unequal size: list pages show articles of their site and of others, most of them the latest and best known.
The exit code is 1 if PageRank or HITS differ from those of networkx, or take as long.
"""

from __future__ import annotations

import argparse
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from sqlalchemy import Engine

from bench.frontier import DATABASES
from newsspider.core.strategies.ranks import Graph, hits, pagerank
from newsspider.core.url import host_of, url_key
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import open_store, writing
from newsspider.store.exploring import ranks
from newsspider.store.ledger.stored_links import packed

LINKS, LINKS_A_PAGE, PAGES_A_SITE, ABROAD = 1_000_000, 8, 500, 0.2  # links in all, and of one page; share that leads to other sites
FOUND_AT = 1.8e9
CHANGED = 1000  # the store that is ranked again has one link in so many more
SAME = 1e-5  # two ways to the same scores, which have a sum of 1, differ by less in all
EXACT = 1e-9
LINE = "{:<34}{:>9}{:>9}{:>9}{:>9}{:>9}"

URL_COLUMNS = ("key", "url", "host", "site", "channel", "kind", "state", "reason", "found_at")
DISTINCT_COLUMNS = ("id", "form", "dst", "url", "anchor", "kind", "region")
LIST_COLUMNS = ("id", "src", "channel")
LIST_LINK_COLUMNS = ("list", "dst", "link", "found_at")
PAGE_COLUMNS = ("src", "found_at", "links")


def main() -> int:
    """Print all figures; the exit code is 1 if one is worse than wanted."""
    parser = argparse.ArgumentParser(prog="python -m bench.ranks", description=__doc__)
    parser.add_argument("--links", type=int, default=LINKS)
    parser.add_argument("--seed", type=int, default=20_261)
    options = parser.parse_args()
    graph = Made(options.links, options.seed)
    print(LINE.format(f"{len(graph.pairs)} links, {len(graph.urls)} pages", "seconds", "CPU s", "written", "sweeps", "hub sw."))
    for name, opened in DATABASES.items():
        with opened() as (url, _):
            engine = open_store(url)
            stored(engine, graph, name)
            engine.dispose()
    return 0 if beside_networkx(graph) else 1


class Made:
    """URLs and links between them, the source and the target of each by number, and some more links that come later."""

    def __init__(self, links: int, seed: int) -> None:
        random = np.random.default_rng(seed)
        pages = links // LINKS_A_PAGE
        sites = max(2, pages // PAGES_A_SITE)
        self.site = np.sort((sites * random.random(pages) ** 2).astype(np.int64))  # the first sites are the largest
        first = np.searchsorted(self.site, np.arange(sites + 1))
        source = random.integers(0, pages, int(links * 1.02))
        own = first[self.site[source]] + ((first[self.site[source] + 1] - first[self.site[source]]) * random.random(len(source)) ** 2)
        target = np.where(random.random(len(source)) < ABROAD, pages * random.random(len(source)) ** 3, own).astype(np.int64)
        pairs = np.unique(np.stack([source, target], 1)[source != target], axis=0)
        pairs = pairs[random.permutation(len(pairs))]
        later = links // CHANGED
        self.pairs, self.later = pairs[: links - later], pairs[links - later : links]
        self.lists = random.random(pages) < 0.2
        self.urls = [f"http://www.site{site}.cn/2026/{number // 30:x}/t{number}.html" for number, site in enumerate(self.site.tolist())]
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
            yield self.keys[source], found_at, packed(2 * (target + 1) for _, target in links)


def fill(engine: Engine, table: str, columns: tuple[str, ...], rows: Iterator[tuple[Any, ...]]) -> None:
    """Write rows as fast as the database takes them."""
    with writing(engine) as conn:
        cursor = conn.connection.cursor()
        if engine.dialect.name == "postgresql":
            with cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            cursor.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", rows)
        cursor.close()


def stored(engine: Engine, graph: Made, name: str) -> None:
    """What it takes to rank a store from nothing, again, and after one link in a thousand is new."""
    fill(engine, "urls", URL_COLUMNS, graph.url_rows())
    fill(engine, "distinct_links", DISTINCT_COLUMNS, graph.distinct_rows())
    fill(engine, "link_lists", LIST_COLUMNS, graph.list_rows())
    fill(engine, "list_links", LIST_LINK_COLUMNS, graph.list_link_rows(graph.pairs))
    fill(engine, "page_links", PAGE_COLUMNS, graph.page_rows(graph.pairs, FOUND_AT))
    ranked(engine, f"{name}, from nothing")
    ranked(engine, f"{name}, nothing new")
    fill(engine, "list_links", LIST_LINK_COLUMNS, graph.list_link_rows(graph.later))
    fill(engine, "page_links", PAGE_COLUMNS, graph.page_rows(graph.later, FOUND_AT + 1))
    ranked(engine, f"{name}, {len(graph.later)} links more")
    tracemalloc.start()
    rank_values = ranks.rank(engine)
    print(f"  at the most {tracemalloc.get_traced_memory()[1] / rank_values.links:.0f} bytes a link", flush=True)
    tracemalloc.stop()


def ranked(engine: Engine, what: str) -> None:
    """One line of figures: on the clock, of this process, for writing, and how often all links were gone through."""
    began, spent = time.monotonic(), time.process_time()
    computed_ranks = ranks.rank(engine)
    worked_out = time.monotonic()
    ranks.keep(engine, computed_ranks, 1.8e9, Clock())
    ended = time.monotonic()
    seconds = (f"{value:.2f}" for value in (ended - began, time.process_time() - spent, ended - worked_out))
    print(LINE.format(what, *seconds, computed_ranks.sweeps, computed_ranks.hub_sweeps), flush=True)


def beside_networkx(graph: Made) -> bool:
    """The same graph, the same rules (every vote whole, no jump): the difference of the scores, and the ratio of the times."""
    import networkx  # of the extra "bench", not of the tests

    pages = len(graph.urls)
    ours = Graph(pages, graph.pairs[:, 0].astype(np.int32), graph.pairs[:, 1].astype(np.int32))
    theirs = networkx.DiGraph()
    theirs.add_nodes_from(range(pages))
    theirs.add_edges_from(graph.pairs.tolist())
    print(LINE.format("beside networkx", "ours s", "theirs s", "ratio", "differ", ""))
    good = compared("PageRank", lambda: pagerank(ours).scores, lambda: networkx.pagerank(theirs, tol=1e-6 / pages), pages)
    is_equal = compared("HITS, authorities", lambda: hits(ours, tolerance=EXACT).authorities, lambda: networkx.hits(theirs)[1], pages)
    return good and is_equal


def compared(what: str, ours: Callable[[], Any], theirs: Callable[[], dict[int, float]], pages: int) -> bool:
    """One line of figures; whether the scores are the same and ours come sooner."""
    began = time.monotonic()
    mine = ours()
    between = time.monotonic()
    other = theirs()
    ended = time.monotonic()
    differ = float(np.abs(mine - np.array([other[page] for page in range(pages)])).sum())
    own, peer = between - began, ended - between
    print(LINE.format(what, f"{own:.2f}", f"{peer:.2f}", f"{own / peer:.2f}", f"{differ:.0e}", ""), flush=True)
    return differ < SAME and own < peer


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        sys.exit(main())
