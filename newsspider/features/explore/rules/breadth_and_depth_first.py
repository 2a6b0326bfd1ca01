"""The orders that go by depth, turn or weight, whatever pages say: breadth-first, depth-first and their kin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from newsspider.core.scheduling.priorities import ARTICLE_PRIORITY, LIST_PRIORITY, update_cycle, weighted_priority
from newsspider.features.explore.rules.strategy import (
    NO_COUNTS,
    UNLIMITED_DEPTH,
    Counts,
    FrontierPosition,
    LinkSeen,
    Mode,
    Need,
    Strategy,
    StrategyState,
    VisitedPage,
    if_better,
    if_new,
    newest_first,
)

SEED_OF_DEPTH_FIRST = -1  # below every link
BREADTH, DEPTH = "breadth-first", "depth-first"
RBSE_OPTIONS = {"order": (BREADTH, DEPTH), "start": ("url", "unvisited"), "stage": ("discover", "index", "all")}
MOST_SERVERS = 1 << 20  # servers with their own position in a round
NEW_SERVER = 0  # the priority of a new server's first page; a round has a negative one

_NUMBER = re.compile("[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class BreadthFirst(Strategy):
    """Breadth-first search: nearest pages first, each level in order of discovery; with ``cycle_seconds`` every page is
    revisited after that time.

    Source: Moore's algorithm (1959), as crawlers use it; Najork and Wiener, "Breadth-first search crawling yields
    high-quality pages" (2001). Choose it for a first map of a region of the web, for mirroring, and when nothing is
    known about the topic: pages with many inlinks come early, no host is exhausted before the others, traps are reached
    last.
    """

    depth: int = UNLIMITED_DEPTH
    cycle_seconds: float = 0.0  # 0: visited once

    needs = frozenset({Need.WAITS})

    def seed(self, url: str, weight: int = 1) -> FrontierPosition:
        return FrontierPosition(0, 0, update_cycle=self.cycle_seconds or None)

    def placed(
        self, visit: VisitedPage, links: Sequence[LinkSeen], depth: int, counts: Counts
    ) -> list[FrontierPosition | None]:
        placement = FrontierPosition(-depth, depth, update_cycle=self.cycle_seconds or None)
        return [if_better(link, placement) for link in links]


@dataclass(frozen=True, slots=True)
class DepthFirst(Strategy):
    """Depth-first search: the links of the page read last, down to a maximum depth, then backtrack. The frontier is the
    stack: a waiting URL that is found again further down is visited there.

    Source: Tarjan, "Depth-first search and linear graph algorithms" (1972). Choose it to read a known tree branch by
    branch (an archive, a manual), never without a maximum depth, which keeps it out of traps. Pages read at the maximum
    depth are not read again for their links when a shorter path to them turns up.
    """

    depth: int = 5

    needs = frozenset({Need.NUMBER, Need.WAITS})

    def seed(self, url: str, weight: int = 1) -> FrontierPosition:
        return FrontierPosition(SEED_OF_DEPTH_FIRST, 0)

    def placed(
        self, visit: VisitedPage, links: Sequence[LinkSeen], depth: int, counts: Counts
    ) -> list[FrontierPosition | None]:
        placements = (FrontierPosition(newest_first(visit.number, position), depth) for position in range(len(links)))
        return list(map(if_better, links, placements))


@dataclass(frozen=True, slots=True)
class Worm(DepthFirst):
    """The World Wide Web Worm: depth-limited recursion that keeps an archive of titles and anchors from run to run. The
    ledger is the archive, so only pages that were never read are fetched.

    Source: McBryan, "GENVL and WWWW: Tools for taming the Web" (1994). Choose it to build a directory of a region: a
    failed seed is retried by the next run, and a page is stored as its title with the anchors that cite it. Markup
    faults are recorded, too (:mod:`newsspider.features.explore.rules.markup_faults`).
    """

    depth: int = 3

    @property
    def mode(self) -> Mode:
        return Mode(records_faults=True, retries_seeds=True)


@dataclass(frozen=True, slots=True)
class Rbse(Strategy):
    """The RBSE spider: discovers the graph separately from indexing, breadth-first or limited depth-first, from given
    URLs or from the unvisited URLs of the database. Links below the depth, counted from the run's start, are kept.

    Source: Eichmann, "The RBSE spider: balancing effective search against Web load" (1994). Choose it to map a region
    cheaply: ``stage=discover`` stores the graph and titles and keeps the pages; ``stage=index`` then reads the articles
    among them, without fetching them again.
    """

    order: str = BREADTH
    start: str = "url"
    stage: str = "all"
    depth: int = 5

    needs = BreadthFirst.needs | DepthFirst.needs

    def __post_init__(self) -> None:
        for name, allowed in RBSE_OPTIONS.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} is {' or '.join(allowed)}, not {getattr(self, name)!r}")

    @property
    def mode(self) -> Mode:
        return Mode(
            stores_articles=self.stage != "discover",
            from_unvisited=self.start == "unvisited",
            indexes_discovered=self.stage == "index",
            deepest=self.depth,
        )

    def seed(self, url: str, weight: int = 1) -> FrontierPosition:
        return self._walk().seed(url, weight)

    def links(
        self, visit: VisitedPage, links: Sequence[LinkSeen], counts: Counts = NO_COUNTS
    ) -> list[FrontierPosition | None]:
        if self.stage == "index":
            return [None] * len(links)
        placements = self.placed(visit, links, visit.placement.depth + 1, counts)
        if visit.placement.depth < self.depth:
            return placements
        of_new_urls = (
            placement if link.waits is None else None for link, placement in zip(links, placements, strict=True)
        )
        return [placement and replace(placement, kept=True) for placement in of_new_urls]

    def placed(
        self, visit: VisitedPage, links: Sequence[LinkSeen], depth: int, counts: Counts
    ) -> list[FrontierPosition | None]:
        return self._walk().placed(visit, links, depth, counts)

    def _walk(self) -> Strategy:
        return BreadthFirst() if self.order == BREADTH else DepthFirst(UNLIMITED_DEPTH)


@dataclass(frozen=True, slots=True)
class LevelRow:
    """One row of the table."""

    depth: int
    pages: int  # at most
    importance: int

    @classmethod
    def read(cls, text: str) -> LevelRow:
        """Parse a row; raises ``ValueError``.

        >>> LevelRow.read("2/600/5")
        LevelRow(depth=2, pages=600, importance=5)
        """
        numbers = text.split("/")
        if len(numbers) != 3 or not all(_NUMBER.fullmatch(number) for number in numbers):
            raise ValueError(f"{text!r} is not DEPTH/PAGES/IMPORTANCE, three whole numbers from 0 to 999999999")
        return cls(*map(int, numbers))


LEVELS = (LevelRow(0, 1, 10), LevelRow(1, 20, 8), LevelRow(2, 600, 5), LevelRow(3, 2000, 2), LevelRow(4, 6000, 1))


@dataclass(frozen=True, slots=True)
class Mixed(Strategy):
    """A table sets the number of pages and the importance, which is the priority, for each depth; a depth that is full,
    or missing from the table, takes no more. Every seed is taken, even if the table allows fewer pages at depth 0.

    Source: the depth tables of early Chinese crawlers, which balance breadth and depth by hand. Choose it when the
    shape of a site is known (a home page, some twenty channels, their lists, the articles) and the effort must be
    bounded.
    """

    table: tuple[LevelRow, ...] = LEVELS
    depth: int = UNLIMITED_DEPTH

    needs = frozenset({Need.DEPTHS, Need.WAITS})

    def seed(self, url: str, weight: int = 1) -> FrontierPosition:
        level = self._level(0)
        return FrontierPosition(level.importance if level else 0, 0)

    def placed(
        self, visit: VisitedPage, links: Sequence[LinkSeen], depth: int, counts: Counts
    ) -> list[FrontierPosition | None]:
        level = self._level(depth)
        room = level.pages - counts.depths.get(depth, 0) if level else 0
        placed: list[FrontierPosition | None] = []
        for link in links:
            placement = if_new(link, FrontierPosition(level.importance, depth)) if level and room > 0 else None
            room -= placement is not None
            placed.append(placement)
        return placed

    def _level(self, depth: int) -> LevelRow | None:
        return next((level for level in self.table if level.depth == depth), None)


@dataclass(frozen=True, slots=True)
class WeightedPolling(Strategy):
    """Seeds are lists, polled in rounds by weight as in :mod:`newsspider.core.scheduling.priorities`; their links are
    fetched once, with the weight of the list.

    Source: weighted round robin, as focused news crawlers use it. Choose it to watch known lists for new articles.
    """

    round_seconds: float = 60.0
    depth: int = 1

    needs = frozenset({Need.WAITS})

    def seed(self, url: str, weight: int = 1) -> FrontierPosition:
        return FrontierPosition(
            weighted_priority(LIST_PRIORITY, weight), 0, update_cycle=update_cycle(weight, self.round_seconds)
        )

    def placed(
        self, visit: VisitedPage, links: Sequence[LinkSeen], depth: int, counts: Counts
    ) -> list[FrontierPosition | None]:
        own = visit.placement.priority
        article = FrontierPosition(own if depth > 1 else own - LIST_PRIORITY + ARTICLE_PRIORITY, depth)
        return [if_new(link, article) for link in links]


def turn(round_: int, server: int) -> int:
    """The priority of a server's page in a round: rounds in order, and in each the servers in order of discovery.

    >>> NEW_SERVER > turn(1, 0) > turn(1, 1) > turn(2, 0)
    True
    """
    return -(round_ * MOST_SERVERS + min(server, MOST_SERVERS - 1))


def round_of(priority: int) -> int:
    """The round of a priority that :func:`turn` gave.

    >>> round_of(turn(7, 3)), round_of(NEW_SERVER)
    (7, 0)
    """
    return -priority // MOST_SERVERS


@dataclass(frozen=True, slots=True)
class WebCrawler(Strategy):
    """WebCrawler's index mode: a new server is visited before any second page of another; after that the servers take
    turns, one page each. A server's next page is one round after its last, and missed rounds are not made up for.

    Source: Pinkerton, "Finding what people want: experiences with the WebCrawler" (1994). Choose it to discover
    servers, and for indexes that need something from everyone; it also spreads the load best.
    """

    depth: int = UNLIMITED_DEPTH

    needs = frozenset({Need.HOSTS, Need.WAITS})

    def placed(
        self, visit: VisitedPage, links: Sequence[LinkSeen], depth: int, counts: Counts
    ) -> list[FrontierPosition | None]:
        now = max(round_of(visit.placement.priority), visit.placement.carried.round)
        carried = StrategyState(round=now)
        last: dict[str, int] = {}  # the round of the last page of each host of these links
        new: dict[str, int] = {}  # the numbers of new hosts
        placements: list[FrontierPosition | None] = []
        for link in links:
            host, host_count = link.host, counts.hosts.get(link.host)
            if link.fetched or link.waits:
                placements.append(None)
                continue
            if host_count is None and host not in new:
                new[host], last[host], priority = counts.hosts_known + len(new), now, NEW_SERVER
            else:
                lowest = host_count.lowest if host_count else None
                last[host] = last.get(host, max(now, 0 if lowest is None else round_of(lowest))) + 1
                priority = turn(last[host], host_count.number if host_count else new[host])
            placements.append(FrontierPosition(priority, depth, carried))
        return placements
