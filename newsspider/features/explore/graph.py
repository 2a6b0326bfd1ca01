"""The graph of links between the URLs of the ledger, as arrays, read in the order of keys.

Links in navigation and footers, and those on most pages of a site, say nothing about a page and are left out. So are
links with nofollow, links of a page to itself, and links to URLs that were never offered, which article pages have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from newsspider.core.links.page_weight import directory_depth
from newsspider.core.url import site_domain
from newsspider.features.explore.rules.link_analysis import Graph, Numbers, frame_links
from newsspider.store.engine.statement import LEAST_KEY, READ_AT_ONCE, Statement, in_order
from newsspider.store.ledger.stored_links import in_pages, unpack_links

Keys = NDArray[np.int64]
Note = Callable[[int], object]  # called with the number of rows of links read since its last call; it may raise

_URLS = Statement("SELECT key, url, host FROM urls WHERE key > :after AND kind <> 'robots' ORDER BY key LIMIT :count")
_COUNTING = "region NOT IN ('navigation', 'footer')"
_DISTINCT = Statement(f"SELECT id, dst FROM distinct_links WHERE id > :after AND {_COUNTING} ORDER BY id LIMIT :count")
_OF_LISTS = Statement(
    f"""
    SELECT l.list, l.dst, p.src, CASE WHEN l.nofollow OR NOT d.{_COUNTING} THEN 0 ELSE 1 END AS counts
    FROM list_links l JOIN link_lists p ON p.id = l.list JOIN distinct_links d ON d.id = l.link
    WHERE (l.list, l.dst) > (:list, :dst) ORDER BY l.list, l.dst LIMIT :count
    """
)
_COPIES = Statement(
    """
    SELECT u.key, COALESCE(r.group_id, -u.article_id) AS story
    FROM article_urls u LEFT JOIN reprints r ON r.article_id = u.article_id
    WHERE u.key > :after ORDER BY u.key LIMIT :count
    """
)
_COUNT = Statement("SELECT (SELECT count(*) FROM list_links) + (SELECT count(*) FROM page_links)")


@dataclass(frozen=True, slots=True)
class StoredGraph:
    """The pages that links join, in the order of their keys, with a number for the site of each."""

    keys: Keys
    sites: Numbers  # registered domains
    directories: Numbers  # names in the path
    mirrors: Numbers  # other hosts that show the same article or a reprint
    links: Graph
    shown: Graph  # only the links of lists and of pages of explore crawls


def rows_in(conn: Connection) -> int:
    """The number of rows of links to read."""
    return int(_COUNT.run(conn, {}).scalar())


def read_graph(conn: Connection, note: Note = lambda links: None) -> StoredGraph:
    """The whole graph in one state of the store."""
    hosts: dict[str, int] = {}
    keys, host, directories = _columns(
        [(key, hosts.setdefault(name, len(hosts)), directory_depth(url)) for key, url, name in rows]
        for rows in in_order(conn, _URLS)
    )
    domains: dict[str, int] = {}
    sites = np.array([domains.setdefault(site_domain(name), len(domains)) for name in hosts], np.int32)[host]
    sources, targets, on_lists = _links(conn, keys, note)
    counts = ~frame_links(Graph(len(keys), sources, targets), sites)
    sources, targets, on_lists = sources[counts], targets[counts], on_lists[counts]
    joined = np.unique(np.concatenate([sources, targets]))
    sources, targets = (np.searchsorted(joined, ends).astype(np.int32) for ends in (sources, targets))
    pages = len(joined)
    return StoredGraph(
        keys[joined],
        sites[joined],
        directories[joined].astype(np.int32),
        _mirrors(conn, keys[joined], host[joined]),
        Graph(pages, sources, targets),
        Graph(pages, sources[on_lists], targets[on_lists]),
    )


def places(keys: Keys, sought: Keys) -> NDArray[np.int64]:
    """The position of each ``sought`` key among the keys, which are sorted; -1 where it is missing."""
    if not len(keys):
        return np.full(len(sought), -1)
    positions = np.minimum(np.searchsorted(keys, sought), len(keys) - 1)
    return np.where(keys[positions] == sought, positions, -1)


def _links(conn: Connection, keys: Keys, note: Note) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
    """The sources and targets of the links that count, in order, and which of them lists show."""
    parts = []
    for rows, source, target, of_list in chain(_of_lists(conn), _of_pages(conn)):
        sources, targets = places(keys, source), places(keys, target)
        counts = (sources >= 0) & (targets >= 0) & (sources != targets)
        parts.append(np.stack([sources, targets, np.full(len(sources), of_list)])[:, counts].astype(np.int32))
        note(rows)
    links = np.concatenate(parts, axis=1) if parts else np.zeros((3, 0), np.int32)
    sources, targets, on_lists = links[:, np.lexsort((links[1], links[0]))]
    return sources, targets, on_lists.astype(bool)


_Part = tuple[int, Keys, Keys, bool]  # rows read; keys of the sources and targets; of lists


def _of_lists(conn: Connection) -> Iterator[_Part]:
    last = {"list": LEAST_KEY, "dst": LEAST_KEY}
    while rows := _OF_LISTS.bare(conn, {**last, "count": READ_AT_ONCE}):
        last = {"list": rows[-1][0], "dst": rows[-1][1]}
        _, targets, sources, counts = _columns([rows], 4)
        yield len(rows), sources[counts > 0], targets[counts > 0], True


def _of_pages(conn: Connection) -> Iterator[_Part]:
    numbers, targets = _columns(in_order(conn, _DISTINCT), 2)
    for rows in in_pages(conn):
        links = [np.array(unpack_links(row.links), np.int64) for row in rows]
        sources = np.repeat(np.array([row.src for row in rows], np.int64), [len(part) for part in links])
        of_rows = np.concatenate(links)
        at = np.where(of_rows & 1, -1, places(numbers, of_rows >> 1))  # odd ones are nofollow
        yield len(rows), sources[at >= 0], targets[at[at >= 0]], False


def _mirrors(conn: Connection, keys: Keys, hosts: Keys) -> Numbers:
    """For each page, how many other hosts show the same story; 0 for a page without one."""
    read, stories = _columns(in_order(conn, _COPIES), 2)
    at = places(keys, read)
    at, stories = at[at >= 0], stories[at >= 0]
    _, story = np.unique(stories, return_inverse=True)
    pairs = np.unique(np.stack([story, hosts[at]], 1), axis=0)
    mirrors = np.zeros(len(keys), np.int32)
    if len(at):
        mirrors[at] = np.bincount(pairs[:, 0])[story] - 1
    return mirrors


def _columns(parts: Iterator[Any] | Sequence[Any], count: int = 3) -> Sequence[Keys]:
    """The columns of rows of numbers that are given in parts."""
    arrays = [np.array(rows, np.int64) for rows in parts]
    whole = np.concatenate(arrays) if arrays else np.zeros((0, count), np.int64)
    return [np.ascontiguousarray(column) for column in whole.T]
