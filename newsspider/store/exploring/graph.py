"""The graph of links between the URLs of the ledger, as arrays, read in order of the keys.

What stands in navigation or footers, or else on most pages of a site, says nothing of a page and is left out, as are a
link with nofollow, a link of a page to itself, and a link to a URL that was never offered: pages of articles show such
ones, and nobody asks what they are worth. To read a million links takes less than 50 bytes a link, and to hold them up
to 17.
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
from newsspider.store.engine.statement import Statement

Keys = NDArray[np.int64]
Note = Callable[[int], object]  # called with the number of links that were read since; what it raises ends the reading

AT_ONCE = 10_000  # rows
LEAST = -(2**63)

_URLS = Statement("SELECT key, url, host FROM urls WHERE key > :after AND kind <> 'robots' ORDER BY key LIMIT :count")
_LINKS = Statement(
    """
    SELECT src, dst,
           CASE WHEN nofollow OR region IN ('navigation', 'footer') THEN 0
                WHEN channel IS NULL THEN 1 ELSE 2 END AS shown
    FROM links WHERE (src, dst) > (:src, :dst) ORDER BY src, dst LIMIT :count
    """
)
_COPIES = Statement(
    """
    SELECT u.key, COALESCE(r.group_id, -u.article_id) AS story
    FROM article_urls u LEFT JOIN reprints r ON r.article_id = u.article_id
    WHERE u.key > :after ORDER BY u.key LIMIT :count
    """
)
_COUNT = Statement("SELECT count(*) FROM links")


@dataclass(frozen=True, slots=True)
class StoredGraph:
    """The pages that links join, in order of their keys, with a number for the site and for the host of each."""

    keys: Keys
    sites: Numbers  # registered domains
    directories: Numbers  # names in the path
    mirrors: Numbers  # other hosts that show the same article or a reprint
    links: Graph
    shown: Graph  # those of them that lists show, and all pages of explore crawls


def links_in(conn: Connection) -> int:
    """How many links there are to read."""
    return int(_COUNT.run(conn, {}).scalar())


def read(conn: Connection, note: Note = lambda links: None) -> StoredGraph:
    """The whole graph, as one state of the store has it; memory is bounded by the arrays."""
    keys, sites, hosts, directories = _pages(conn)
    sources, targets, shown = _links(conn, keys, note)
    says = ~framed(Graph(len(keys), sources, targets), sites)
    sources = sources[says]  # one after the other: the old array goes before the next is made
    targets = targets[says]
    shown = shown[says]
    joined = np.zeros(len(keys), bool)
    joined[sources] = joined[targets] = True
    number = (np.cumsum(joined) - 1).astype(np.int32)
    sources = number[sources]
    targets = number[targets]
    pages = int(joined.sum())
    keys = keys[joined]
    return StoredGraph(
        keys, sites[joined], directories[joined], _mirrors(conn, keys, hosts[joined]),
        Graph(pages, sources, targets), Graph(pages, sources[shown], targets[shown]),
    )  # fmt: skip


def places(keys: Keys, wanted: Keys) -> NDArray[np.int64]:
    """Where each wanted key stands among the keys, which are in order; -1 where it does not."""
    if not len(keys):
        return np.full(len(wanted), -1)
    found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[found] == wanted, found, -1)


def in_order(conn: Connection, statement: Statement) -> Iterator[Sequence[tuple[Any, ...]]]:
    """The rows of a statement with ``:after`` and ``:count`` that orders them by its first column, so many at once."""
    after = LEAST
    while rows := statement.bare(conn, {"after": after, "count": AT_ONCE}):
        yield rows
        after = rows[-1][0]


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


def _links(conn: Connection, keys: Keys, note: Note) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
    sources, targets, shown = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)], [np.zeros(0, bool)]
    last = {"src": LEAST, "dst": LEAST}
    while rows := _LINKS.bare(conn, {**last, "count": AT_ONCE}):
        last = {"src": rows[-1][0], "dst": rows[-1][1]}
        read = np.fromiter(chain.from_iterable(rows), np.int64, 3 * len(rows)).reshape(-1, 3)
        source, target, where = places(keys, read[:, 0]), places(keys, read[:, 1]), read[:, 2]
        counts = (source >= 0) & (target >= 0) & (source != target) & (where > 0)
        sources.append(source[counts].astype(np.int32))
        targets.append(target[counts].astype(np.int32))
        shown.append(where[counts] == 2)
        note(len(rows))
    return _joined(sources), _joined(targets), _joined(shown)


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Return the parts as one array; the list is empty afterwards, so that their memory is free."""
    whole = np.concatenate(parts)
    parts.clear()
    return whole


def _mirrors(conn: Connection, keys: Keys, hosts: Numbers) -> Numbers:
    """Of each page, how many other hosts show the same story; 0 for one that shows none."""
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
    """The columns of rows that were read in parts."""
    whole = np.concatenate(parts) if parts else np.zeros((0, count), np.int64)
    return [np.ascontiguousarray(column) for column in whole.T]
