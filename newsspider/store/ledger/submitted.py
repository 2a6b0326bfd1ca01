"""URLs that people submit or push. Each belongs to its enabled site, or to none, and may be any type of page. The links
of a list are followed once."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, select

from newsspider.core.crawling.start_url_message import StartUrl
from newsspider.core.crawling.visit import SUBMITTED_CHANNEL, SUBMITTED_DEPTH, Offer
from newsspider.core.fetching.address_guard import NOTHING_ALLOWED, AllowedAddresses
from newsspider.core.links.followable import never_fetched
from newsspider.core.model import PageType, Reason
from newsspider.core.scheduling.priorities import ARTICLE_PRIORITY, weighted_priority
from newsspider.core.url import host_of, same_site, url_key
from newsspider.store import ledger
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.ledger import due_times
from newsspider.store.tables import channels, sites

SUBMITTED_WEIGHT = 10  # somebody waits for it
NEVER_FETCHED = "{} is not fetched: by its suffix it is not a page, it looks like a trap, or its address is not public"

# A crawled site keeps its URL, as it may have found it on a foreign host. Submitted URLs have no trap budget; they are
# recognised by their channel.
_URLS = "SELECT key, url FROM urls WHERE key IN ({keys})"
_WANT = Statement(
    """
    UPDATE urls SET
        priority = CASE WHEN priority > :priority THEN priority ELSE :priority END,
        meta = :meta,
        channel = CASE WHEN fetch_count = 0 AND update_cycle IS NULL THEN :channel ELSE channel END,
        depth = CASE WHEN fetch_count = 0 AND update_cycle IS NULL THEN :depth ELSE depth END,
        site = CASE WHEN site IN (SELECT name FROM sites WHERE enabled AND NOT removed) THEN site ELSE :site END
    WHERE key = :key AND url = :url AND state <> 'processing' RETURNING key, state
    """
)


@dataclass(frozen=True, slots=True)
class Submitted:
    """How many URLs were new, and which ones are refused."""

    new: int
    refused: tuple[str, ...]


def submit(
    conn: Connection,
    starts: Iterable[StartUrl],
    now: float,
    suffixes: Set[str] = frozenset(),
    allowed: AllowedAddresses = NOTHING_ALLOWED,
) -> Submitted:
    """Have URLs fetched now, known ones again unless their message says otherwise. Traps, URLs that end in one of
    ``suffixes``, and addresses that are neither public nor ``allowed`` are refused."""
    homes = conn.execute(select(channels.c.site, channels.c.url).join(sites).where(sites.c.enabled)).all()
    today = datetime.fromtimestamp(now, UTC).date()
    offers, fetched_again = [], set()
    for start in starts:
        url, site = start.url, next((row.site for row in homes if same_site(row.url, start.url)), "")
        refused, detail = never_fetched(url, suffixes, allowed, today)
        offers.append(
            Offer(
                url_key(url),
                url,
                host_of(url),
                PageType.ARTICLE,
                site,
                SUBMITTED_CHANNEL,
                SUBMITTED_DEPTH,
                due_at=now,
                refused=refused,
                detail=detail,
                priority=weighted_priority(ARTICLE_PRIORITY, SUBMITTED_WEIGHT) + start.priority,
                meta=start.meta,
            )
        )
        if start.again:
            fetched_again.add(url_key(url))
    new = ledger.offer(conn, offers, now)
    reoffered = [offer for offer in offers if offer.refused is None and offer.key in fetched_again]
    values = [
        {
            "key": offer.key,
            "url": offer.url,
            "site": offer.site,
            "channel": SUBMITTED_CHANNEL,
            "depth": SUBMITTED_DEPTH,
            "priority": offer.priority,
            "meta": offer.meta,
        }
        for offer in reoffered
    ]
    changed = [row for rows in _WANT.run_each(conn, values) for row in rows]
    due_times.set_waiting(conn, changed, now, Reason.SUBMITTED)
    urls_by_key = dict(rows_among(conn, _URLS, [offer.key for offer in offers]))
    refused_urls = (offer.url for offer in offers if offer.refused or urls_by_key.get(offer.key) != offer.url)
    return Submitted(new, tuple(refused_urls))
