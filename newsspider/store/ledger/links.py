"""Stores the links that pages have, marked where the page asks not to follow them, makes known what pages offer, and
tells which links lead to a URL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from newsspider.core.caching import bounded_cache
from newsspider.core.crawling.visit import Lease, Offer, PageResult
from newsspider.core.fetching.trap_budget import Budget
from newsspider.core.links.followable import followed
from newsspider.core.model import LinkKind, Reason
from newsspider.core.url import crawl_key, url_key
from newsspider.store.engine.statement import ROWS_AT_ONCE, Inserts, Statement, rows_among
from newsspider.store.ledger import offers
from newsspider.store.saved import Saved
from newsspider.store.tables import links

LONGEST_ANCHOR = 300  # characters

_ADD = Inserts(
    """
    INSERT INTO links (src, dst, url, anchor, kind, region, channel, found_at, nofollow)
    VALUES (:src, :dst, :url, :anchor, :kind, :region, :channel, :found_at, :nofollow)
    ON CONFLICT (src, dst) DO NOTHING
    """,
    links,
)
_MARKED = "SELECT src, dst FROM links WHERE nofollow AND src IN ({keys})"
_MARK = Statement("UPDATE links SET nofollow = :nofollow WHERE src = :src AND dst = :dst")
_LEADING = """
    SELECT l.url, l.anchor, l.kind, l.region, l.channel, l.nofollow, u.url AS page, u.site, count(*) OVER () AS pages,
           count(l.channel) OVER () AS lists
    FROM links l JOIN urls u ON u.key = l.src WHERE l.dst IN ({keys})
    ORDER BY CASE WHEN l.channel IS NULL THEN 1 ELSE 0 END, l.found_at, u.url LIMIT :count
    """
_LEADING_ON = """
    SELECT url, anchor, kind, region, channel, nofollow, count(*) OVER () AS pages
    FROM links WHERE src IN ({keys}) ORDER BY CASE region WHEN 'main' THEN 0 ELSE 1 END, region, url LIMIT :count
    """
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
    added = 0
    for page in pages:
        result, crawl = page.result, page.crawl
        keys = {link.url: crawl_key(crawl, link.url) if crawl else key_of(link.url) for link in result.links}
        fresh = False
        shown = bool(crawl) or result.lease.kind.polled
        judged = shown and result.effect(Budget) is not None
        if judged or any(offer.fresh_only for offer in result.offers):
            added += add(conn, rows)  # those of the pages before, which may be of its channel
            rows = []
            fresh = _stands_for_itself(result) if crawl else _brings_new(conn, result, keys)
        if judged:
            page.fresh = fresh
        for row in rows_of(result, keys, page.now, _channel(result.lease) if shown else None):
            rows.append(row)
            if len(rows) >= ROWS_AT_ONCE:
                added += add(conn, rows)
                rows = []
        counted.append(([offer for offer in result.offers if fresh or not offer.fresh_only], page.now))
    added += add(conn, rows)
    for page, new in zip(pages, offers.offer_all(conn, counted), strict=True):
        page.linked = added > 0
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


def rows_of(result: PageResult, keys: Mapping[str, int], now: float, channel: str | None) -> Iterator[dict[str, Any]]:
    """The links of a page, marked if all that it has to their URL are. ``channel``: the list that shows them."""
    src = result.lease.key
    followed = {keys[link.url] for link in result.links if not link.nofollow}
    for link in result.links:
        dst = keys[link.url]
        yield {
            "src": src, "dst": dst, "url": link.url, "anchor": link.text[:LONGEST_ANCHOR], "kind": link.kind,
            "region": link.region, "channel": channel, "found_at": now, "nofollow": dst not in followed,
        }  # fmt: skip


def add(conn: Connection, rows: Sequence[dict[str, Any]]) -> int:
    """Store the links that are not stored yet; of the others, whether they are marked now. How many links changed."""
    before = {(row.src, row.dst) for row in rows_among(conn, _MARKED, {row["src"] for row in rows})}
    marked = _MARK.change_many(conn, [row for row in rows if row["nofollow"] != ((row["src"], row["dst"]) in before)])
    return marked + _ADD.change(conn, rows)


def leading_to(conn: Connection, keys: Iterable[int], count: int) -> list[Any]:
    """The first links to the URL that has one of these keys, those of lists before those of articles; each with its
    page, and how many pages and lists link to it in all. No index serves this: it reads all links."""
    return rows_among(conn, _LEADING, keys, {"count": count})


def leading_on(conn: Connection, keys: Iterable[int], count: int) -> list[Any]:
    """The first links of the page that has one of these keys, those of its main part first; each with how many there
    are in all."""
    return rows_among(conn, _LEADING_ON, keys, {"count": count})
