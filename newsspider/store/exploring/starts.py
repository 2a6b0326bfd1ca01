"""How a run of an explore crawl starts: from its seeds, from what was never visited, or from what was discovered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import Connection

from newsspider.core.crawling.message import StartUrl
from newsspider.core.crawling.visit import Offer
from newsspider.core.fetching.addresses import AllowedAddresses
from newsspider.core.links.followable import never_fetched
from newsspider.core.model import PageType, Reason, State
from newsspider.core.strategies.strategy import UNLIMITED, Placement, Strategy
from newsspider.core.url import crawl_key
from newsspider.store import ledger
from newsspider.store.engine.statement import Statement, among, rows_among
from newsspider.store.exploring.crawls import note_hosts, offer_of
from newsspider.store.exploring.discovered import INDEX
from newsspider.store.ledger import schedule
from newsspider.store.ledger.schedule import Move
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
HEAVIEST = 10  # weight of a seed


@dataclass(frozen=True, slots=True)
class Seed:
    """A URL that a crawl starts from."""

    url: str  # canonical
    weight: int = 1  # 1-10


def latest(conn: Connection, strategy: str) -> str | None:
    """The site of the crawl by this strategy that was under way last."""
    found: str | None = _LATEST.run(conn, {"strategy": strategy}).scalar()
    return found


def begin(conn: Connection, site: str, name: str, strategy: Strategy, seeds: Sequence[Seed], now: float) -> int:
    """Start a run of a crawl, or go on with it; returns how many URLs it starts from that it had not before.

    ``name`` is that of the strategy. Seeds that are known stay where they stand, so that a crawl goes on as if it had
    never stopped; one that was only found so far becomes a seed. What was too deep for earlier runs and is not for this
    one is fetched. With ``retries_seeds`` those that failed are asked
    again.
    """
    _BEGIN.change(conn, {"site": site, "strategy": name, "now": now})
    if strategy.mode.indexes_discovered:
        return ledger.offer(conn, _discovered(conn, site, now), now)
    deepest = UNLIMITED if strategy.mode.from_unvisited else strategy.mode.deepest
    kept = [] if deepest is None else _KEPT.run(conn, {"site": site, "depth": deepest})
    waiting = len(schedule.set_waiting(conn, kept, now))
    if strategy.mode.from_unvisited:
        urls = [row.url for row in _UNVISITED.run(conn, {"site": site})]
        return ledger.move(conn, _offers(site, strategy, map(Seed, urls), now))
    offers = list(_offers(site, strategy, seeds, now))
    started = _place(conn, site, strategy, offers, now)
    return started + waiting + (_retry(conn, offers, now) if strategy.mode.retries_seeds else 0)


def submit(
    conn: Connection, site: str, strategy: Strategy, starts: Iterable[StartUrl], now: float, suffixes: Set[str],
    allowed: AllowedAddresses,
) -> Submitted:  # fmt: skip
    """Add seeds to a crawl that is under way; those that were read are read again, unless they say otherwise. What is
    never fetched is as in :func:`newsspider.store.ledger.submitted.submit`."""
    wanted = {crawl_key(site, start.url): start for start in starts}
    today = datetime.fromtimestamp(now, UTC).date()
    offers = []
    for start in wanted.values():
        seed = offer_of(site, start.url, strategy.seed(start.url, _weight(start)), now)
        refused, detail = never_fetched(start.url, suffixes, allowed, today)
        offers.append(replace(seed, meta=start.meta, refused=refused, detail=detail))
    new = _place(conn, site, strategy, offers, now)
    again = [offer for offer in offers if offer.refused is None and wanted[offer.key].again]
    found = _WANT.run_each(conn, [{"key": offer.key, "meta": offer.meta} for offer in again])
    others = [row for rows in found for row in rows if row.state != State.WAITING]
    schedule.set_waiting(conn, others, now, Reason.SUBMITTED)
    return Submitted(new, tuple(offer.url for offer in offers if offer.refused is not None))


def _place(conn: Connection, site: str, strategy: Strategy, offers: Sequence[Offer], now: float) -> int:
    """Offer seeds that are new, and let those that were only found so far be seeds; returns how many there were."""
    rows = {row.key: row for row in rows_among(conn, _KNOWN, [offer.key for offer in offers])}
    new = [offer for offer in offers if offer.key not in rows]
    kept = schedule.set_waiting(conn, [row for row in rows.values() if row.reason == Reason.DEPTH], now)
    found = [
        offer
        for offer in offers
        if offer.key in rows and rows[offer.key].depth and (rows[offer.key].state == State.WAITING or offer.key in kept)
    ]
    note_hosts(conn, site, strategy, [*new, *found])
    return ledger.offer(conn, new, now) + ledger.move(conn, found)


def _weight(start: StartUrl) -> int:
    """The weight of a seed that was pushed with a priority."""
    return max(1, min(HEAVIEST, start.priority))


def _offers(site: str, strategy: Strategy, seeds: Iterable[Seed], now: float) -> Iterable[Offer]:
    return (offer_of(site, seed.url, strategy.seed(seed.url, seed.weight), now) for seed in seeds)


def _retry(conn: Connection, offers: Sequence[Offer], now: float) -> int:
    moves = [Move(offer.key, State.ERROR, State.WAITING, Reason.RETRY, now, failures=0) for offer in offers]
    return len(schedule.move(conn, moves))


def _discovered(conn: Connection, site: str, now: float) -> list[Offer]:
    """The pages that may be articles among those that the crawl before this one discovered."""
    statement, kinds = among(_DISCOVERED, [kind.value for kind in PageType if kind.stored])
    rows = statement.run(conn, {**kinds, "site": site.removesuffix(INDEX)})
    return [
        replace(offer_of(site, row.url, Placement(row.priority, row.depth), now), anchor=row.anchor) for row in rows
    ]
