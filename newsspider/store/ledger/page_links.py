"""Stores the links of pages and makes known what they offer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from newsspider.core.caching import bounded_cache
from newsspider.core.crawling.visit import Lease, Offer, PageResult
from newsspider.core.fetching.trap_budget import Budget
from newsspider.core.links.followable import followed
from newsspider.core.model import LinkKind, Reason
from newsspider.core.url import crawl_key, url_key
from newsspider.store.engine.statement import ROWS_AT_ONCE, rows_among
from newsspider.store.ledger import links, offers
from newsspider.store.saved import Saved

key_of = bounded_cache(16384)(url_key)  # cache: URLs and their keys; the pages of a site share most of their links

_SHOWN = "SELECT DISTINCT dst FROM links WHERE channel = :channel AND NOT nofollow AND dst IN ({keys})"


def keep(conn: Connection, pages: Sequence[Saved]) -> None:
    """Add the pages' links to the graph, and the offers of each that count to the ledger.

    In an explore crawl, the URLs are rows of its own, and every page counts as one that shows its links. An offer that
    is ``fresh_only`` counts only if the page links to an article to which its channel did not link before, on whatever
    page, and that is no trap: so the answer does not depend on the order in which other channels are read.
    """
    counted: list[tuple[list[Offer], float]] = []
    rows: list[dict[str, Any]] = []
    for page in pages:
        result, crawl = page.result, page.crawl
        keys = {link.url: crawl_key(crawl, link.url) if crawl else key_of(link.url) for link in result.links}
        fresh = False
        shown = bool(crawl) or result.lease.kind.polled
        judged = shown and result.effect(Budget) is not None
        if judged or any(offer.fresh_only for offer in result.offers):
            links.add(conn, rows)  # those of the pages before, which may be of its channel
            rows = []
            fresh = _stands_for_itself(result) if crawl else _brings_new(conn, result, keys)
        if judged:
            page.fresh = fresh
        for row in links.rows_of(result, keys, page.now, _channel(result.lease) if shown else None):
            rows.append(row)
            if len(rows) >= ROWS_AT_ONCE:
                links.add(conn, rows)
                rows = []
        counted.append(([offer for offer in result.offers if fresh or not offer.fresh_only], page.now))
    links.add(conn, rows)
    for page, new in zip(pages, offers.offer_all(conn, counted), strict=True):
        page.offered, page.refused = new


def _stands_for_itself(result: PageResult) -> bool:
    """Whether a page of an explore crawl is an article, though the crawl stores none; all others are worth what is
    found on them."""
    kind = result.settlement.kind
    return result.settlement.reason is Reason.POLLED and kind is not None and kind.stored


def _brings_new(conn: Connection, result: PageResult, keys: Mapping[str, int]) -> bool:
    articles = {keys[link.url] for link in followed(result.links) if link.kind is LinkKind.ARTICLE}
    articles -= {offer.key for offer in result.offers if offer.refused is Reason.TRAP}
    shown = rows_among(conn, _SHOWN, articles, {"channel": _channel(result.lease)})
    return len(shown) < len(articles)


def _channel(lease: Lease) -> str:
    return f"{lease.site}/{lease.channel}"
