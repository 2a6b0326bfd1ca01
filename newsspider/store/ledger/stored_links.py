"""Reads the stored links of pages, and those to a URL. Every different link is stored once (``distinct_links``); lists
refer to them link by link, other pages by one packed row a visit."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from struct import pack, unpack
from typing import Any, NamedTuple

from sqlalchemy import Connection

from newsspider.core.model import Region
from newsspider.store.engine.statement import LEAST_KEY, Statement, rows_among

ROWS_AT_ONCE = 1000  # rows of pages, with some hundred links each

_OF_LISTS = """
    SELECT src, dst, url, anchor, kind, region, channel, found_at, nofollow FROM links_of_lists WHERE src IN ({keys})
    """
_OF_PAGES = "SELECT src, found_at, links FROM page_links WHERE src IN ({keys})"
_DISTINCT = "SELECT id, dst, url, anchor, kind, region FROM distinct_links WHERE id IN ({keys})"
_LISTS_TO = """
    SELECT src, dst, url, anchor, kind, region, channel, found_at, nofollow FROM links_of_lists WHERE dst IN ({keys})
    """
_TO = "SELECT id, dst, url, anchor, kind, region FROM distinct_links WHERE dst IN ({keys})"
_PAGES = Statement(
    """
    SELECT src, found_at, links FROM page_links WHERE (src, found_at) > (:src, :found_at)
    ORDER BY src, found_at LIMIT :count
    """
)
_FORGET = (
    Statement("DELETE FROM list_links WHERE list IN (SELECT id FROM link_lists WHERE src = :key)"),
    Statement("DELETE FROM link_lists WHERE src = :key"),
    Statement("DELETE FROM page_links WHERE src = :key"),
)
_PAGE = "SELECT key, url, site FROM urls WHERE key IN ({keys})"


class StoredLink(NamedTuple):
    """A link from one page to another; ``channel`` is empty if the page is no list."""

    src: int
    dst: int
    url: str
    anchor: str
    kind: str
    region: str
    channel: str | None
    found_at: float
    nofollow: bool


class CountedLink(NamedTuple):
    """A link with the page that has it or its target, and how many such links there are in all."""

    url: str
    anchor: str
    kind: str
    region: str
    channel: str | None
    nofollow: bool
    page: str
    site: str
    pages: int
    lists: int


def pack_links(numbers: Iterable[int]) -> bytes:
    """The numbers of links as the table ``page_links`` stores them, sorted.

    >>> unpack_links(pack_links([7, 2, 10**12]))
    [2, 7, 1000000000000]
    """
    steps = [number - previous for previous, number in pairwise([0, *sorted(numbers)])]
    return zlib.compress(pack(f"<{len(steps)}q", *steps))


def unpack_links(links: bytes) -> list[int]:
    """The sorted numbers in a row of ``page_links``: each twice that of the link, plus 1 for ``nofollow``."""
    steps = zlib.decompress(links)
    return list(accumulate(unpack(f"<{len(steps) // 8}q", steps)))


def of_pages(conn: Connection, keys: Iterable[int]) -> list[StoredLink]:
    """All links of the pages with these keys, in order of the keys of pages and targets."""
    sources = list(keys)
    pages = [(row.src, row.found_at, unpack_links(row.links)) for row in rows_among(conn, _OF_PAGES, sources)]
    ids = {number >> 1 for _, _, numbers in pages for number in numbers}
    distinct = {row.id: row for row in rows_among(conn, _DISTINCT, ids)}
    links = [StoredLink(*row) for row in rows_among(conn, _OF_LISTS, sources)]
    for src, found_at, numbers in pages:
        links += [_link(src, found_at, number, distinct[number >> 1]) for number in numbers if number >> 1 in distinct]
    return sorted(links)


def in_pages(conn: Connection) -> Iterator[list[Any]]:
    """All rows of pages that are no lists, a batch at a time."""
    last = {"src": LEAST_KEY, "found_at": 0.0}
    while rows := _PAGES.run(conn, {**last, "count": ROWS_AT_ONCE}):
        last = {"src": rows[-1].src, "found_at": rows[-1].found_at}
        yield rows


def to_urls(conn: Connection, keys: Iterable[int]) -> list[StoredLink]:
    """All links to the URLs with these keys. No index serves this: it reads all links."""
    targets = list(keys)
    links = [StoredLink(*row) for row in rows_among(conn, _LISTS_TO, targets)]
    distinct = {row.id: row for row in rows_among(conn, _TO, targets)}
    link_numbers = {2 * number + nofollow for number in distinct for nofollow in (0, 1)}
    for rows in in_pages(conn) if distinct else ():
        for src, found_at, numbers in rows:
            numbers_to = link_numbers.intersection(unpack_links(numbers))
            links += [_link(src, found_at, number, distinct[number >> 1]) for number in numbers_to]
    return links


def links_to(conn: Connection, keys: Iterable[int], count: int) -> list[CountedLink]:
    """The first links to the URL with these keys, those of lists before those of articles; each with its page, and the
    total numbers of pages and lists that link to it."""
    links = to_urls(conn, keys)
    pages = {row.key: row for row in rows_among(conn, _PAGE, {link.src for link in links})}
    links = [link for link in links if link.src in pages]
    lists = sum(link.channel is not None for link in links)
    links.sort(key=lambda link: (link.channel is None, link.found_at, pages[link.src].url))
    return [_counted(link, pages[link.src].url, pages[link.src].site, len(links), lists) for link in links[:count]]


def links_from(conn: Connection, keys: Iterable[int], count: int) -> list[CountedLink]:
    """The first links of the page with these keys, those of its main part first; each with their total number."""
    links = of_pages(conn, keys)
    lists = sum(link.channel is not None for link in links)
    links.sort(key=lambda link: (link.region != Region.MAIN, link.region, link.url))
    return [_counted(link, "", "", len(links), lists) for link in links[:count]]


def forget(conn: Connection, key: int) -> None:
    """Remove the links of the page with this key."""
    for statement in _FORGET:
        statement.change(conn, {"key": key})


def _link(src: int, found_at: float, number: int, row: Any) -> StoredLink:
    return StoredLink(src, row.dst, row.url, row.anchor, row.kind, row.region, None, found_at, bool(number & 1))


def _counted(link: StoredLink, page: str, site: str, pages: int, lists: int) -> CountedLink:
    return CountedLink(
        link.url, link.anchor, link.kind, link.region, link.channel, bool(link.nofollow), page, site, pages, lists
    )
