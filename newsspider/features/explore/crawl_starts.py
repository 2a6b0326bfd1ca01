"""Starts the runs of explore crawls: from seeds, from unvisited URLs, or from discovered pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import Connection

from newsspider.core.crawling.start_url_message import StartUrl
from newsspider.core.crawling.visit import Offer
from newsspider.core.fetching.address_guard import AllowedAddresses
from newsspider.core.links.followable import never_fetched
from newsspider.core.model import PageType, Reason, State
from newsspider.core.url import crawl_key
from newsspider.features.explore.discovered import INDEX
from newsspider.features.explore.link_placement import note_hosts, offer_of
from newsspider.features.explore.rules.strategy import UNLIMITED_DEPTH, FrontierPosition, Strategy
from newsspider.store import ledger
from newsspider.store.engine.statement import Statement, rows_among, statement_among
from newsspider.store.ledger import due_times
from newsspider.store.ledger.due_times import StateChange
from newsspider.store.ledger.submitted import Submitted

_BEGIN = Statement(
    """
    INSERT INTO explore_crawls (site, strategy, began_at, resumed_at) VALUES (:site, :strategy, :now, :now)
    ON CONFLICT (site) DO UPDATE SET strategy = excluded.strategy, resumed_at = excluded.resumed_at
    """
)
_LATEST = Statement("SELECT site FROM explore_crawls WHERE strategy = :strategy ORDER BY resumed_at DESC, site LIMIT 1")
_KNOWN = "SELECT key, state, reason, depth FROM urls WHERE key IN ({keys})"
_UNVISITED = Statement(
    """
    SELECT url FROM urls WHERE site = :site AND channel = 'explore' AND state = 'waiting' ORDER BY found_at, key
    """
)
_KEPT = Statement(
    """
    SELECT key, state FROM urls
    WHERE site = :site AND channel = 'explore' AND state = 'done' AND reason = 'depth' AND depth <= :depth
    """
)
_WANT = Statement("UPDATE urls SET meta = :meta WHERE key = :key AND state <> 'processing' RETURNING key, state")
_DISCOVERED = """
    SELECT url, priority, depth, anchor FROM urls
    WHERE site = :site AND channel = 'explore' AND state = 'done' AND reason = 'polled' AND kind IN ({keys})
    ORDER BY found_at, key
"""
HEAVIEST_SEED = 10  # weight of a seed


@dataclass(frozen=True, slots=True)
class Seed:
    """A URL that a crawl starts from."""

    url: str  # canonical
    weight: int = 1  # 1-10


def latest(conn: Connection, strategy: str) -> str | None:
    """The site of the crawl with this strategy that ran last."""
    site: str | None = _LATEST.run(conn, {"strategy": strategy}).scalar()
    return site


def begin(conn: Connection, site: str, name: str, strategy: Strategy, seeds: Sequence[Seed], now: float) -> int:
    """Start or resume a crawl with the strategy ``name``; returns from how many additional URLs it starts.

    Known seeds keep their placement, so that a crawl continues as if it had never stopped. A URL that was only found on
    a page becomes a seed. URLs that were too deep for earlier runs, but not for this one, are fetched. With
    ``retries_seeds``, failed seeds are tried again.
    """
    _BEGIN.change(conn, {"site": site, "strategy": name, "now": now})
    if strategy.mode.indexes_discovered:
        return ledger.offer(conn, _discovered(conn, site, now), now)
    deepest = UNLIMITED_DEPTH if strategy.mode.from_unvisited else strategy.mode.deepest
    refused = [] if deepest is None else _KEPT.run(conn, {"site": site, "depth": deepest})
    waiting = len(due_times.set_waiting(conn, refused, now))
    if strategy.mode.from_unvisited:
        urls = [row.url for row in _UNVISITED.run(conn, {"site": site})]
        return ledger.move(conn, _offers(site, strategy, map(Seed, urls), now))
    offers = list(_offers(site, strategy, seeds, now))
    started = _place(conn, site, strategy, offers, now)
    return started + waiting + (_retry(conn, offers, now) if strategy.mode.retries_seeds else 0)


def submit(
    conn: Connection,
    site: str,
    strategy: Strategy,
    starts: Iterable[StartUrl],
    now: float,
    suffixes: Set[str],
    allowed: AllowedAddresses,
) -> Submitted:
    """Add seeds to a running crawl; those that were read are read again, unless their message says otherwise. URLs are
    refused as in :func:`newsspider.store.ledger.submitted.submit`."""
    start_of_key = {crawl_key(site, start.url): start for start in starts}
    today = datetime.fromtimestamp(now, UTC).date()
    offers = []
    for start in start_of_key.values():
        seed = offer_of(site, start.url, strategy.seed(start.url, _weight(start)), now)
        refused, detail = never_fetched(start.url, suffixes, allowed, today)
        offers.append(replace(seed, meta=start.meta, refused=refused, detail=detail))
    new = _place(conn, site, strategy, offers, now)
    refetched = [offer for offer in offers if offer.refused is None and start_of_key[offer.key].again]
    changed = _WANT.run_each(conn, [{"key": offer.key, "meta": offer.meta} for offer in refetched])
    others = [row for rows in changed for row in rows if row.state != State.WAITING]
    due_times.set_waiting(conn, others, now, Reason.SUBMITTED)
    return Submitted(new, tuple(offer.url for offer in offers if offer.refused is not None))


def _place(conn: Connection, site: str, strategy: Strategy, offers: Sequence[Offer], now: float) -> int:
    """Offer new seeds, and turn URLs that were only found on pages into seeds; returns how many there were."""
    rows = {row.key: row for row in rows_among(conn, _KNOWN, [offer.key for offer in offers])}
    new = [offer for offer in offers if offer.key not in rows]
    released = due_times.set_waiting(conn, [row for row in rows.values() if row.reason == Reason.DEPTH], now)
    reseeded = [
        offer
        for offer in offers
        if (row := rows.get(offer.key)) and row.depth and (row.state == State.WAITING or offer.key in released)
    ]
    note_hosts(conn, site, strategy, [*new, *reseeded])
    return ledger.offer(conn, new, now) + ledger.move(conn, reseeded)


def _weight(start: StartUrl) -> int:
    """The weight of a seed that was submitted with a priority."""
    return max(1, min(HEAVIEST_SEED, start.priority))


def _offers(site: str, strategy: Strategy, seeds: Iterable[Seed], now: float) -> Iterable[Offer]:
    return (offer_of(site, seed.url, strategy.seed(seed.url, seed.weight), now) for seed in seeds)


def _retry(conn: Connection, offers: Sequence[Offer], now: float) -> int:
    moves = [StateChange(offer.key, State.ERROR, State.WAITING, Reason.RETRY, now, failures=0) for offer in offers]
    return len(due_times.move(conn, moves))


def _discovered(conn: Connection, site: str, now: float) -> list[Offer]:
    """Offers of the pages discovered by the crawl to be indexed that may be articles."""
    statement, kinds = statement_among(_DISCOVERED, [kind.value for kind in PageType if kind.stored])
    rows = statement.run(conn, {**kinds, "site": site.removesuffix(INDEX)})
    return [
        replace(offer_of(site, row.url, FrontierPosition(row.priority, row.depth), now), anchor=row.anchor)
        for row in rows
    ]
