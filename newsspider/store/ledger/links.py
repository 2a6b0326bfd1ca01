"""Stores the links of pages, marks those that the page asks not to follow, and adds the pages' offers to the ledger.

Every different link is stored once, under a number; a page stores the numbers of the links that are new on it (see
``distinct_links`` and its neighbours in the reference of tables).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Any

from sqlalchemy import Connection

from newsspider.core.caching import bounded_cache
from newsspider.core.crawling.visit import Lease, NewLinks, Offer, PageResult, Saved
from newsspider.core.fetching.traps import Budget
from newsspider.core.links.followable import followed_links
from newsspider.core.model import Link, LinkKind, Reason, Region
from newsspider.core.url import crawl_key, text_key, url_key
from newsspider.store.engine.statement import ROWS_AT_ONCE, Inserts, Statement, batched, rows_among
from newsspider.store.engine.writer_caches import Memory
from newsspider.store.ledger import offers
from newsspider.store.ledger.stored_links import pack_links, unpack_links
from newsspider.store.tables import distinct_links, list_links

LONGEST_ANCHOR = 300  # characters
LOW_BITS = 2**40 - 1  # of a key: those that do not say which URLs lie together
ORDER_STEP_SECONDS = 1e-6  # between two visits of a page at one moment

_LISTS = "SELECT id, src, channel FROM link_lists WHERE src IN ({keys})"
_OF_LIST = "SELECT dst, nofollow FROM list_links WHERE list = :list AND dst IN ({keys})"
_PAGES = "SELECT src, found_at, links FROM page_links WHERE src IN ({keys})"
_TARGETS = "SELECT id, dst FROM distinct_links WHERE id IN ({keys})"
_NUMBERS = "SELECT form, dst, id FROM distinct_links WHERE form IN ({keys})"
_ADD_DISTINCT = Inserts(
    """
    INSERT INTO distinct_links (form, dst, url, anchor, kind, region)
    VALUES (:form, :dst, :url, :anchor, :kind, :region) ON CONFLICT (form, dst) DO NOTHING
    """,
    distinct_links,
)
_ADD_LIST = Statement(
    """
    INSERT INTO link_lists (src, channel) VALUES (:src, :channel)
    ON CONFLICT (src, channel) DO UPDATE SET channel = excluded.channel RETURNING id
    """
)
_ADD_OF_LIST = Inserts(
    """
    INSERT INTO list_links (list, dst, link, found_at, nofollow) VALUES (:list, :dst, :link, :found_at, :nofollow)
    ON CONFLICT (list, dst) DO NOTHING
    """,
    list_links,
)
_ADD_PAGE = Statement("INSERT INTO page_links (src, found_at, links) VALUES (:src, :found_at, :links)")
_MARK_IN_LIST = Statement(
    """
    UPDATE list_links SET nofollow = :nofollow
    WHERE dst = :dst AND list IN (SELECT id FROM link_lists WHERE src = :src)
    """
)
_MARK_ON_PAGE = Statement("UPDATE page_links SET links = :links WHERE src = :src AND found_at = :found_at")
_SHOWN = """
    SELECT DISTINCT l.dst FROM list_links l JOIN link_lists p ON p.id = l.list
    WHERE p.channel = :channel AND NOT l.nofollow AND l.dst IN ({keys})
    """
key_of = bounded_cache(16384)(url_key)  # cache: URLs and their keys; the pages of a site share most of their links

LinkKey = tuple[int, int]  # the form and the target of a link


@dataclass
class _Stored:
    """The stored links of a page: whether each is marked, and when the last ones were found."""

    nofollow: dict[int, bool] = field(default_factory=dict)
    last: float = 0.0


def number(conn: Connection, pages: Sequence[Saved]) -> None:
    """Find the links that are new on each page, and number them.

    All writers share the rows of different links, so these are added before anything else, and in one order.
    """
    linking = [page for page in pages if page.result.links]
    for page in linking:
        page.links = _links_of(page)
    stored_by_page = _stored(conn, linking)
    stored_by_lease = {  # by lease: if one is refused, its links count as new for the next
        (page.lease.key, page.lease.token): replace(
            stored_by_page[page.lease.key], nofollow=dict(stored_by_page[page.lease.key].nofollow)
        )
        for page in linking
    }
    forms: dict[LinkKey, Link] = {}
    new_links = [_new(page, stored_by_lease[page.lease.key, page.lease.token], forms) for page in linking]
    numbers = _numbered(conn, forms)
    for page, targets in zip(linking, new_links, strict=True):
        page.links.numbers = {dst: 2 * numbers[form, dst] + nofollow for dst, (form, nofollow) in targets.items()}


def _links_of(page: Saved) -> NewLinks:
    result, crawl = page.result, page.crawl
    offered = {} if crawl else {offer.url: offer.key for offer in result.offers}
    keys = {
        link.url: crawl_key(crawl, link.url) if crawl else offered.get(link.url) or key_of(link.url)
        for link in result.links
    }
    channel = _channel(result.lease) if crawl or result.lease.kind.polled else None
    return NewLinks(keys, channel, found_at=page.now)


def _stored(conn: Connection, pages: Sequence[Saved]) -> dict[int, _Stored]:
    stored: defaultdict[int, _Stored] = defaultdict(_Stored)
    targets: defaultdict[int, set[int]] = defaultdict(set)
    lists: dict[tuple[int, str | None], NewLinks] = {}
    for page in pages:
        targets[page.lease.key].update(page.links.keys.values())
        lists[page.lease.key, page.links.channel] = page.links
    for row in rows_among(conn, _LISTS, targets):
        if (row.src, row.channel) in lists:
            lists[row.src, row.channel].list = row.id
        for dst, nofollow in rows_among(conn, _OF_LIST, targets[row.src], {"list": row.id}):
            stored[row.src].nofollow[dst] = bool(nofollow)
    visits = [(row.src, row.found_at, unpack_links(row.links)) for row in rows_among(conn, _PAGES, targets)]
    distinct = dict(rows_among(conn, _TARGETS, {number >> 1 for _, _, numbers in visits for number in numbers}))
    for src, found_at, numbers in visits:
        stored[src].last = max(stored[src].last, found_at)
        stored[src].nofollow.update((distinct[number >> 1], bool(number & 1)) for number in numbers)
    return stored


def _new(page: Saved, stored: _Stored, forms: dict[LinkKey, Link]) -> dict[int, tuple[int, bool]]:
    """Maps the target of each new link of a page to its form and to whether all links to that target are marked.

    Adds the forms to ``forms``, and links whose mark has changed to ``page.links.marked``.
    """
    new: dict[int, tuple[int, bool]] = {}
    links = page.links
    unmarked = {links.keys[link.url] for link in page.result.links if not link.nofollow}
    for link in page.result.links:
        dst = links.keys[link.url]
        nofollow = dst not in unmarked
        stored_mark = stored.nofollow.get(dst)
        if stored_mark is None:
            form = form_of(dst, link.kind, link.region, link.text[:LONGEST_ANCHOR])
            forms.setdefault((form, dst), link)
            new[dst] = form, nofollow
            stored.nofollow[dst] = nofollow
        elif stored_mark is not nofollow:
            links.marked[dst] = stored.nofollow[dst] = nofollow
    if links.channel is None and new:
        links.found_at = stored.last = max(links.found_at, stored.last + ORDER_STEP_SECONDS)
    return new


@lru_cache(16384)  # cache: links and their hashes; the pages of a site share most of their links, anchors are short
def form_of(dst: int, kind: LinkKind, region: Region, anchor: str) -> int:
    """The hash by which a link is looked up, together with its target; links to neighbours lie together."""
    return dst & ~LOW_BITS | text_key(f"{dst} {kind} {region} {anchor}") & LOW_BITS


def _numbered(conn: Connection, forms: Mapping[LinkKey, Link]) -> dict[LinkKey, int]:
    """The numbers of these links; new ones are added."""
    memory = Memory.of(conn)
    numbers = memory.links.of(forms) if memory else {}
    numbers |= _stored_numbers(conn, forms.keys() - numbers.keys())
    missing = sorted(forms.keys() - numbers.keys())
    for part in batched(missing, ROWS_AT_ONCE):
        _ADD_DISTINCT.change(conn, [_row(*link, forms[link]) for link in part])
    numbers |= _stored_numbers(conn, missing)
    if memory:
        memory.links.add(numbers)
    return numbers


def _stored_numbers(conn: Connection, links: Collection[LinkKey]) -> dict[LinkKey, int]:
    rows = rows_among(conn, _NUMBERS, sorted({form for form, _ in links}))
    return {(row.form, row.dst): row.id for row in rows}


def _row(form: int, dst: int, link: Link) -> dict[str, Any]:
    anchor = link.text[:LONGEST_ANCHOR]
    return {"form": form, "dst": dst, "url": link.url, "anchor": anchor, "kind": link.kind, "region": link.region}


def keep(conn: Connection, pages: Sequence[Saved]) -> None:
    """Add the pages' links to the graph, and their offers to the ledger.

    In an explore crawl, URLs have rows of their own, and every page counts as a list. A ``fresh_only`` offer counts
    only if the page links to an article, no trap, to which no page of its channel linked before. So the result does
    not depend on the order in which other channels are read.
    """
    counted: list[tuple[list[Offer], float]] = []
    waiting: list[Saved] = []
    added = 0
    for page in pages:
        result, crawl = page.result, page.crawl
        fresh = False
        judged = (bool(crawl) or result.lease.kind.polled) and result.effect(Budget) is not None
        if judged or any(offer.fresh_only for offer in result.offers):
            added += _add(conn, waiting)  # the links of earlier pages, which may belong to its channel
            waiting = []
            fresh = _is_article(result) if crawl else _brings_new(conn, page)
        if judged:
            page.fresh = fresh
        waiting.append(page)
        counted.append(([offer for offer in result.offers if fresh or not offer.fresh_only], page.now))
    added += _add(conn, waiting)
    for page, new in zip(pages, offers.offer_all(conn, counted), strict=True):
        page.linked = added > 0
        page.offered, page.refused = new


def _is_article(result: PageResult) -> bool:
    """Whether a page of an explore crawl is an article, though the crawl stores none; other pages are judged by what
    they link to."""
    kind = result.settlement.kind
    return result.settlement.reason is Reason.POLLED and kind is not None and kind.stored


def _brings_new(conn: Connection, page: Saved) -> bool:
    links = followed_links(page.result.links)
    articles = {key_of(link.url) for link in links if link.kind is LinkKind.ARTICLE}
    articles -= {offer.key for offer in page.result.offers if offer.refused is Reason.TRAP}
    shown_before = rows_among(conn, _SHOWN, articles, {"channel": _channel(page.lease)})
    return len(shown_before) < len(articles)


def _channel(lease: Lease) -> str:
    return f"{lease.site}/{lease.channel}"


def _add(conn: Connection, pages: Sequence[Saved]) -> int:
    """Store the new links of these pages and changed marks; returns how many links changed."""
    count = sum(len(page.links.numbers) for page in pages)
    rows = _rows_of_lists(conn, pages)
    while part := list(islice(rows, ROWS_AT_ONCE)):
        _ADD_OF_LIST.change(conn, part)
    _ADD_PAGE.change_many(
        conn,
        [
            {"src": page.lease.key, "found_at": page.links.found_at, "links": pack_links(page.links.numbers.values())}
            for page in pages
            if page.links.numbers and page.links.channel is None
        ],
    )
    for page in pages:
        if page.links.marked:
            count += _mark(conn, page.lease.key, page.links.marked)
    return count


def _rows_of_lists(conn: Connection, pages: Iterable[Saved]) -> Iterator[dict[str, Any]]:
    for page in pages:
        links = page.links
        if links.channel is None or not links.numbers:
            continue
        if links.list is None:
            links.list = _ADD_LIST.run(conn, {"src": page.lease.key, "channel": links.channel}).scalar()
        for dst, number in links.numbers.items():
            yield {
                "list": links.list,
                "dst": dst,
                "link": number >> 1,
                "found_at": links.found_at,
                "nofollow": bool(number & 1),
            }


def _mark(conn: Connection, src: int, marked: Mapping[int, bool]) -> int:
    """Mark or unmark stored links of a page, given by their targets; returns how many."""
    _MARK_IN_LIST.change_many(
        conn, [{"src": src, "dst": dst, "nofollow": mark} for dst, mark in sorted(marked.items())]
    )
    for row in rows_among(conn, _PAGES, [src]):
        numbers = unpack_links(row.links)
        targets: dict[int, int] = dict(rows_among(conn, _TARGETS, {number >> 1 for number in numbers}))
        links = [number & ~1 | marked.get(targets[number >> 1], number & 1) for number in numbers]
        if sorted(links) != numbers:
            _MARK_ON_PAGE.change(conn, {"src": src, "found_at": row.found_at, "links": pack_links(links)})
    return len(marked)
