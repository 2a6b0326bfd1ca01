"""Places the links of the pages of explore crawls by the strategy of each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from newsspider.core.crawling.outcome import no_page
from newsspider.core.crawling.visit import Lease, Offer, Pages
from newsspider.core.model import PageType, Reason, State
from newsspider.core.url import crawl_key, host_of, url_key
from newsspider.features.explore.effects import Explored, LinkCandidate, Placing
from newsspider.features.explore.rules.link_probability import UNLEARNED, Pair, folder_of
from newsspider.features.explore.rules.strategy import (
    BEST_AGAIN,
    BEST_EVERY,
    HOST_AGAIN,
    NO_COUNTS,
    Counts,
    FrontierPosition,
    HostCount,
    LinkSeen,
    Need,
    Strategy,
    StrategyState,
    VisitedPage,
)
from newsspider.store import ledger
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.ledger import due_times
from newsspider.store.page_weights import LinkCounts, link_counts, mirrors_of

CHANNEL_NAME = "explore"  # of every URL of these crawls

_VISITED = Statement("UPDATE explore_crawls SET visits = visits + 1 WHERE site = :site RETURNING visits, hosts")
_MORE_HOSTS = Statement("UPDATE explore_crawls SET hosts = hosts + :count WHERE site = :site RETURNING hosts")
# before all others, so that no two writers deadlock
_LOCK = Statement("SELECT site FROM explore_crawls WHERE site = :site [FOR UPDATE]")
_KNOWN = "SELECT key, state, reason, priority, depth, strategy_state, update_cycle FROM urls WHERE key IN ({keys})"
_PLACED = Statement(
    """
    SELECT count(*) FROM urls WHERE site = :site AND channel = 'explore' AND depth = :depth
    AND state <> 'error' AND reason NOT IN ('suffix', 'trap', 'address')
    """
)
_HOSTS = "SELECT host, hosts_before, lowest_priority FROM explore_hosts WHERE site = :site AND host IN ({keys})"
_NOTE_HOST = Statement(
    """
    INSERT INTO explore_hosts (site, host, hosts_before, lowest_priority) VALUES (:site, :host, :number, :lowest)
    ON CONFLICT (site, host) DO UPDATE SET lowest_priority = excluded.lowest_priority
    """
)
_WAITING = """
    SELECT key, url, host, priority, depth, strategy_state, update_cycle FROM urls
    WHERE site = :site AND queue = 0 AND {which} ORDER BY priority DESC, found_at LIMIT :count
    """
_BEST = Statement(_WAITING.format(which="channel = 'explore'"))
_BEST_OF_HOST = Statement(_WAITING.format(which="host = :host"))
_ADD_PAGE = Statement(
    """
    INSERT INTO explore_pages (key, title, markup_errors) VALUES (:key, :title, :faults)
    ON CONFLICT (key) DO UPDATE SET title = excluded.title, markup_errors = excluded.markup_errors
    """
)
_COUNTERS = "SELECT name, first, second FROM strategy_counters WHERE crawl = :crawl AND name IN ({keys})"
_ADD_COUNTERS = Statement(
    """
    INSERT INTO strategy_counters (crawl, name, first, second) VALUES (:crawl, :name, :first, :second)
    ON CONFLICT (crawl, name) DO UPDATE SET first = strategy_counters.first + excluded.first,
                                            second = strategy_counters.second + excluded.second
    """
)


def offer_of(site: str, url: str, placement: FrontierPosition, now: float) -> Offer:
    """The offer of a URL that was found on no page of the crawl."""
    bare = Offer(crawl_key(site, url), url, host_of(url), PageType.ARTICLE, site, CHANNEL_NAME, due_at=now)
    return placed_at(bare, placement)


def placed_at(offer: Offer, placement: FrontierPosition) -> Offer:
    """The offer with this placement."""
    return replace(
        offer,
        priority=placement.priority,
        depth=placement.depth,
        strategy_state=placement.carried.text(),
        update_cycle=placement.update_cycle,
        refused=Reason.DEPTH if placement.kept else offer.refused,
    )


def placement_of(row: Any) -> FrontierPosition:
    """The placement of a row of the ledger, or of a lease."""
    return FrontierPosition(row.priority, row.depth, StrategyState.read(row.strategy_state), row.update_cycle)


def lock(conn: Connection, pages: Pages[Placing]) -> None:
    """Lock the rows of crawls before anything else, so that the counts for their strategies are exact, however many
    workers there are."""
    for site in sorted({crawl.site for _, crawl in pages}):
        _LOCK.run(conn, {"site": site})


def follow(conn: Connection, pages: Pages[Placing]) -> None:
    """Offer the links of pages with the placements that the strategies of their crawls give."""
    for page, crawl in pages:
        site, strategy = crawl.site, crawl.strategy
        note_hosts(conn, site, strategy, [offer for offer in page.result.offers if offer.refused is None])
        explored = page.result.effect(Explored)
        if explored is not None:
            placed, page.moved = _follow(conn, page.lease, explored, page.now, site, strategy)
            page.offered += placed
        elif Need.LEARNED in strategy.needs and not page.offered and no_page(page.result.settlement):
            page.moved = _missed(conn, page.lease, site, strategy)


def note_hosts(conn: Connection, site: str, strategy: Strategy, offers: Iterable[Offer]) -> None:
    """Number the new hosts of these offers, and store the lowest priority of each, if the strategy needs it."""
    if Need.HOSTS not in strategy.needs:
        return
    lowest: dict[str, int] = {}
    for offer in offers:
        lowest[offer.host] = min(offer.priority, lowest.get(offer.host, offer.priority))
    stored = {row.host: row for row in rows_among(conn, _HOSTS, lowest, {"site": site})}
    new = [host for host in lowest if host not in stored]
    first = _MORE_HOSTS.run(conn, {"site": site, "count": len(new)}).one().hosts - len(new) if new else 0
    numbers = {host: row.hosts_before for host, row in stored.items()}
    numbers |= {host: first + place for place, host in enumerate(new)}
    rows = [
        {"site": site, "host": host, "number": numbers[host], "lowest": priority}
        for host, priority in sorted(lowest.items())
        if host not in stored or priority < stored[host].lowest_priority
    ]
    _NOTE_HOST.change_many(conn, rows)


def _follow(
    conn: Connection, lease: Lease, page: Explored, now: float, site: str, strategy: Strategy
) -> tuple[int, int]:
    _ADD_PAGE.change(conn, {"key": lease.key, "title": page.title, "faults": json.dumps(page.faults)})
    crawl = _VISITED.run(conn, {"site": site}).one()
    graph = _Graph(conn, lease, page.links, strategy.needs)
    visit = VisitedPage(
        lease.host,
        placement_of(lease),
        crawl.visits - 1,
        page.relevance,
        page.relevant,
        graph.indegree(lease.key),
        lease.url,
        lease.key,
        page.hub,
    )
    links = [graph.seen(candidate) for candidate in page.links]
    counts = _counts(conn, lease, links, site, crawl.hosts, strategy.needs)
    if Need.LEARNED in strategy.needs:
        counts = replace(counts, learned=_learn(conn, site, strategy, visit, links, counts))
    placements = strategy.links(visit, links, counts)
    new: list[Offer] = []
    moved: list[Offer] = []
    for candidate, link, placement in zip(page.links, links, placements, strict=True):
        if placement is not None:
            (new if link.waits is None else moved).append(placed_at(candidate.offer, placement))
    rows = [graph.rows[offer.key] for offer in moved]
    due_times.set_waiting(conn, [row for row in rows if row.reason == Reason.DEPTH], now)
    note_hosts(conn, site, strategy, [*new, *moved])
    placed, replaced = ledger.offer_all(conn, [(new, now)])[0].wanted, ledger.move(conn, moved)
    if Need.LEARNED in strategy.needs:
        if crawl.visits % BEST_EVERY == 0:
            replaced += _replaced(conn, site, strategy, _BEST.run(conn, {"site": site, "count": BEST_AGAIN}))
        replaced += _replace_near(conn, site, strategy, visit, counts)
    return placed, replaced


def _missed(conn: Connection, lease: Lease, site: str, strategy: Strategy) -> int:
    """Learn from a link that leads to no page; returns how many waiting URLs got another placement."""
    placement = placement_of(lease)
    visit = VisitedPage(lease.host, placement, url=lease.url, key=lease.key, hub=bool(placement.carried.hub))
    counts = replace(NO_COUNTS, learned=_learn(conn, site, strategy, visit, (), NO_COUNTS))
    return _replace_near(conn, site, strategy, visit, counts)


def _learn(
    conn: Connection, site: str, strategy: Strategy, visit: VisitedPage, links: Sequence[LinkSeen], counts: Counts
) -> dict[str, Pair]:
    """Add what a page teaches; returns all counters that the strategy asks for."""
    stored = counters_of(conn, site, strategy.asks(visit, links))
    learned = strategy.learned(visit, links, replace(counts, learned=stored))
    add_counters(conn, site, learned)
    return stored | {name: stored.get(name, UNLEARNED) + pair for name, pair in learned.items()}


def _replace_near(conn: Connection, site: str, strategy: Strategy, visit: VisitedPage, counts: Counts) -> int:
    """Place the waiting URLs of a folder again each time the number of its read pages has doubled; returns how many got
    another placement."""
    where = strategy.again(visit, counts)
    if where is None:
        return 0
    rows = _BEST_OF_HOST.run(conn, {"site": site, "host": visit.host, "count": HOST_AGAIN})
    return _replaced(conn, site, strategy, [row for row in rows if folder_of(row.url).startswith(where)])


def _replaced(conn: Connection, site: str, strategy: Strategy, rows: Sequence[Any]) -> int:
    waiting = [LinkSeen(row.url, row.host, waits=placement_of(row)) for row in rows]
    counts = Counts(learned=counters_of(conn, site, strategy.asks_again(waiting)))
    offers = [
        placed_at(Offer(row.key, row.url, row.host, site=site, channel=CHANNEL_NAME), placement)
        for row, link, placement in zip(rows, waiting, strategy.replaced(waiting, counts), strict=True)
        if placement is not None and placement != link.waits
    ]
    note_hosts(conn, site, strategy, offers)
    return ledger.move(conn, offers)


def _counts(
    conn: Connection, lease: Lease, links: Sequence[LinkSeen], site: str, hosts: int, needs: frozenset[Need]
) -> Counts:
    depths: dict[int, int] = {}
    host_counts: dict[str, HostCount] = {}
    if Need.DEPTHS in needs:  # only the depth that the links of this page may get
        depths[lease.depth + 1] = _PLACED.run(conn, {"site": site, "depth": lease.depth + 1}).scalar()
    if Need.HOSTS in needs:
        rows = rows_among(conn, _HOSTS, {link.host: None for link in links}, {"site": site})
        host_counts = {row.host: HostCount(row.hosts_before, row.lowest_priority) for row in rows}
    return Counts(depths, host_counts, hosts)


def counters_of(conn: Connection, crawl: str, names: Iterable[str]) -> dict[str, Pair]:
    """The stored counters with these names."""
    rows = rows_among(conn, _COUNTERS, dict.fromkeys(names), {"crawl": crawl})
    return {row.name: Pair(row.first, row.second) for row in rows}


def add_counters(conn: Connection, crawl: str, counters: Mapping[str, Pair]) -> None:
    """Add to the counters of a crawl."""
    rows = [
        {"crawl": crawl, "name": name, "first": pair.first, "second": pair.second}
        for name, pair in sorted(counters.items())
    ]
    _ADD_COUNTERS.change_many(conn, rows)


class _Graph:
    """What the ledger knows of the links of one page, as far as the strategy needs it: from the links of the crawl and
    of the watched sites. Of two counts the larger one holds."""

    def __init__(self, conn: Connection, lease: Lease, links: Sequence[LinkCandidate], needs: frozenset[Need]) -> None:
        self.rows = {row.key: row for row in rows_among(conn, _KNOWN, [candidate.offer.key for candidate in links])}
        self.counts: dict[int, LinkCounts] = {}
        self.mirrors: dict[int, int] = {}
        if Need.INDEGREE in needs:
            offers = [candidate.offer for candidate in links if not self._fetched(candidate.offer.key)]
            pages = {offer.key: url_key(offer.url) for offer in offers} | {lease.key: url_key(lease.url)}
            counts = link_counts(conn, [*pages, *pages.values()])
            mirrors = mirrors_of(conn, pages.values())
            for page, watched in pages.items():
                both = counts.get(page, LinkCounts()), counts.get(watched, LinkCounts())
                self.counts[page] = LinkCounts(*map(max, zip(*both, strict=True)))
                self.mirrors[page] = mirrors.get(watched, 0)

    def seen(self, candidate: LinkCandidate) -> LinkSeen:
        """A link, with what is known of its URL."""
        key, fetched = candidate.offer.key, self._fetched(candidate.offer.key)
        waits = placement_of(self.rows[key]) if key in self.rows and not fetched else None
        indegree, father = self.counts.get(key, LinkCounts())
        return LinkSeen(
            candidate.offer.url,
            candidate.offer.host,
            candidate.anchor,
            candidate.context,
            waits,
            fetched,
            max(1, indegree),
            father,
            self.mirrors.get(key, 0),
            candidate.hub,
            candidate.offer.anchor,
            candidate.region,
        )

    def indegree(self, key: int) -> int:
        """The known number of pages that link to a page."""
        return self.counts.get(key, LinkCounts()).indegree

    def _fetched(self, key: int) -> bool:
        row = self.rows.get(key)
        return row is not None and row.state != State.WAITING and row.reason != Reason.DEPTH
