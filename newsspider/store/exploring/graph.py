"""The graph of links between the URLs of the ledger, as arrays, read in the order of keys.

Links in navigation and footers, and those on most pages of a site, say nothing about a page and are left out. So are
links with nofollow, links of a page to itself, and links to URLs that were never offered, which article pages have.
Reading a million links takes less than 50 bytes a link, holding them up to 17.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from newsspider.core.strategies.ranks import Graph, Numbers, directory_depth, framed
from newsspider.core.url import site_domain
from newsspider.store.engine.statement import LEAST_KEY, READ_AT_ONCE, Statement, in_order
from newsspider.store.ledger.stored_links import in_pages, unpacked

Keys = NDArray[np.int64]
Note = Callable[[int], object]  # called with the number of rows of links read since its last call; it may raise


_URLS = Statement("SELECT key, url, host FROM urls WHERE key > :after AND kind <> 'robots' ORDER BY key LIMIT :count")
_DISTINCT = Statement(
    """
    SELECT id, dst, CASE WHEN region IN ('navigation', 'footer') THEN 0 ELSE 1 END AS counts
    FROM distinct_links WHERE id > :after ORDER BY id LIMIT :count
    """
)
_LISTS = Statement("SELECT id, src FROM link_lists WHERE id > :after ORDER BY id LIMIT :count")
_OF_LISTS = Statement(
    """
    SELECT list, dst, CASE WHEN nofollow THEN 0 ELSE link END AS link
    FROM list_links WHERE (list, dst) > (:list, :dst) ORDER BY list, dst LIMIT :count
    """
)
_COPIES = Statement(
    """
    SELECT u.key, COALESCE(r.group_id, -u.article_id) AS story
    FROM article_urls u LEFT JOIN reprints r ON r.article_id = u.article_id
    WHERE u.key > :after ORDER BY u.key LIMIT :count
    """
)
_ANY = Statement("SELECT EXISTS (SELECT 1 FROM list_links) OR EXISTS (SELECT 1 FROM page_links)")
_MORE_URLS = Statement("SELECT EXISTS (SELECT 1 FROM urls LIMIT 1 OFFSET :count)")
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


def has_links(conn: Connection) -> bool:
    """Whether any link is stored."""
    return bool(_ANY.run(conn, {}).scalar())


def has_more_urls(conn: Connection, count: int) -> bool:
    """Whether the store has more than ``count`` URLs."""
    return bool(_MORE_URLS.run(conn, {"count": count}).scalar())


def rows_in(conn: Connection) -> int:
    """The number of rows of links to read."""
    return int(_COUNT.run(conn, {}).scalar())


def read(conn: Connection, note: Note = lambda links: None) -> StoredGraph:
    """The whole graph in one state of the store; memory is bounded by the arrays."""
    keys, sites, hosts, directories = _pages(conn)
    sources, targets, on_lists = _links(conn, keys, note)
    counts = ~framed(Graph(len(keys), sources, targets), sites)
    sources = sources[counts]  # one after the other, so that each old array is freed before the next one is built
    targets = targets[counts]
    on_lists = on_lists[counts]
    joined = np.zeros(len(keys), bool)
    joined[sources] = joined[targets] = True
    number = (np.cumsum(joined) - 1).astype(np.int32)
    sources = number[sources]
    targets = number[targets]
    pages = int(joined.sum())
    keys = keys[joined]
    return StoredGraph(
        keys, sites[joined], directories[joined], _mirrors(conn, keys, hosts[joined]),
        Graph(pages, sources, targets), Graph(pages, sources[on_lists], targets[on_lists]),
    )  # fmt: skip


def places(keys: Keys, sought: Keys) -> NDArray[np.int64]:
    """The position of each ``sought`` key among the keys, which are sorted; -1 where it is missing."""
    if not len(keys):
        return np.full(len(sought), -1)
    positions = np.minimum(np.searchsorted(keys, sought), len(keys) - 1)
    return np.where(keys[positions] == sought, positions, -1)


def _pages(conn: Connection) -> tuple[Keys, Numbers, Numbers, Numbers]:
    hosts: dict[str, int] = {}
    parts = [
        np.array([(key, hosts.setdefault(host, len(hosts)), directory_depth(url)) for key, url, host in rows], np.int64)
        for rows in in_order(conn, _URLS)
    ]
    keys, host, depth = _columns(parts)
    domains: dict[str, int] = {}
    site_of = np.array([domains.setdefault(site_domain(name), len(domains)) for name in hosts], np.int32)
    numbers = host.astype(np.int32)
    return keys, site_of[numbers], numbers, depth.astype(np.int32)


class _Distinct:
    """All different links: their numbers in order, the positions of their targets among the keys, and which count."""

    def __init__(self, conn: Connection, keys: Keys) -> None:
        numbers, targets, counts = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)], [np.zeros(0, bool)]
        for rows in in_order(conn, _DISTINCT):
            read = _array(rows, 3)
            numbers.append(read[:, 0].copy())
            targets.append(places(keys, read[:, 1]).astype(np.int32))
            counts.append(read[:, 2] > 0)
        self.numbers, self.targets, self.counts = _joined(numbers), _joined(targets), _joined(counts)

    def targets_of(self, numbers: NDArray[np.int64]) -> Numbers:
        """The positions of the targets of these links; -1 for those that do not count."""
        at = places(self.numbers, numbers)
        if not len(self.numbers):
            return np.full(len(numbers), -1, np.int32)
        return np.where((at >= 0) & self.counts[at], self.targets[at], -1).astype(np.int32)


def _links(conn: Connection, keys: Keys, note: Note) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
    """The sources and targets of the links that count, in order, and which of them lists show."""
    distinct = _Distinct(conn, keys)
    sources, targets, on_lists = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)], [np.zeros(0, bool)]
    for rows, source, numbers, of_list in chain(_of_lists(conn), _of_pages(conn)):
        at, to = places(keys, source).astype(np.int32), distinct.targets_of(numbers)
        counts = (at >= 0) & (to >= 0) & (at != to)
        sources.append(at[counts])
        targets.append(to[counts])
        on_lists.append(np.full(int(counts.sum()), of_list))
        note(rows)
    del distinct
    links = _joined(sources), _joined(targets), _joined(on_lists)
    order = np.lexsort((links[1], links[0]))
    return links[0][order], links[1][order], links[2][order]


_Part = tuple[int, NDArray[np.int64], NDArray[np.int64], bool]  # rows read; sources and numbers of links; of lists


def _of_lists(conn: Connection) -> Iterator[_Part]:
    lists = _array([row for rows in in_order(conn, _LISTS) for row in rows], 2)
    last = {"list": LEAST_KEY, "dst": LEAST_KEY}
    while rows := _OF_LISTS.bare(conn, {**last, "count": READ_AT_ONCE}):
        last = {"list": rows[-1][0], "dst": rows[-1][1]}
        read = _array(rows, 3)
        yield len(rows), lists[np.searchsorted(lists[:, 0], read[:, 0]), 1], read[:, 2], True


def _of_pages(conn: Connection) -> Iterator[_Part]:
    for rows in in_pages(conn):
        links = [np.array(unpacked(row.links), np.int64) for row in rows]
        numbers = np.concatenate(links)
        source = np.repeat(np.array([row.src for row in rows], np.int64), [len(part) for part in links])
        yield len(rows), source, np.where(numbers & 1, 0, numbers >> 1), False


def _array(rows: Sequence[tuple[int, ...]], columns: int) -> NDArray[np.int64]:
    return np.fromiter(chain.from_iterable(rows), np.int64, columns * len(rows)).reshape(-1, columns)


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """The parts as one array; the list is emptied, so that their memory is freed."""
    whole = np.concatenate(parts)
    parts.clear()
    return whole


def _mirrors(conn: Connection, keys: Keys, hosts: Numbers) -> Numbers:
    """For each page, how many other hosts show the same story; 0 for a page without one."""
    read, stories = _columns([np.array(rows, np.int64) for rows in in_order(conn, _COPIES)], 2)
    at = places(keys, read)
    at, stories = at[at >= 0], stories[at >= 0]
    _, story = np.unique(stories, return_inverse=True)
    pairs = np.unique(np.stack([story, hosts[at]], 1), axis=0)
    mirrors = np.zeros(len(keys), np.int32)
    if len(at):
        mirrors[at] = np.bincount(pairs[:, 0])[story] - 1
    return mirrors


def _columns(parts: Sequence[NDArray[np.int64]], count: int = 3) -> Sequence[NDArray[np.int64]]:
    """The columns of rows given in parts."""
    whole = np.concatenate(parts) if parts else np.zeros((0, count), np.int64)
    return [np.ascontiguousarray(column) for column in whole.T]
