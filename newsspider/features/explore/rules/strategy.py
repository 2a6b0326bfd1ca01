"""The interface of a strategy, which decides the position (priority) of each URL in the frontier, and its depth limit.

A strategy has no state of its own. Everything it remembers is in the rows of the ledger (:class:`FrontierPosition`),
so a stopped crawl continues exactly where it was, and any number of workers can follow the same strategy. What it
needs besides the page is counted by the ledger and passed as arguments; :attr:`Strategy.needs` lists it.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import ClassVar, NamedTuple

from newsspider.features.explore.rules.link_probability import Pair

UNLIMITED_DEPTH = 32_767  # the largest depth that the ledger holds
# Orders are numbers, of which the highest is claimed first; among equal ones the URL found first. They fit a signed
# 64-bit column and, being below 2**53, a double, the type of scores in Redis.
MOST_POSITIONS = 1 << 12  # positions on one page; links further down share the last
MOST_VISITS = 1 << 38  # distinguishable visits, more than any crawl makes
BAND = MOST_POSITIONS * MOST_VISITS  # the priorities of one band lie in [band * BAND, (band + 1) * BAND)
SCORE_STEPS = 1_000_000  # scores closer than a millionth are equal
# A crawl that learns places its 40 best waiting URLs again after every 8 pages, and up to 500 when a host has changed.
BEST_EVERY, BEST_AGAIN, HOST_AGAIN = 8, 40, 500


class Need(StrEnum):
    """What a strategy needs from the crawl; everything else may keep its default."""

    NUMBER = "number"  # VisitedPage.number
    RELEVANCE = "relevance"  # VisitedPage.relevance and .relevant: the topic score of the page
    ANCHORS = "anchors"  # LinkSeen.anchor and LinkSeen.context: the topic scores of the link
    WAITS = "waits"  # LinkSeen.waits: the placement of a known URL, so that it may be moved
    INDEGREE = "indegree"  # VisitedPage.indegree, LinkSeen.indegree, LinkSeen.father and LinkSeen.mirrors
    DEPTHS = "depths"  # Counts.depths
    HOSTS = "hosts"  # Counts.hosts
    LEARNED = "learned"  # Counts.learned; the learned values are stored, and waiting links are re-scored


@dataclass(frozen=True, slots=True)
class StrategyState:
    """The state that a URL inherits from the page it was found on."""

    energy: int = 0  # irrelevant pages that may still follow in a row (fish search and focused)
    inherited: float = 0.0  # the share of its ancestors' relevance (focused)
    round: int = 0  # the round in which it was found (WebCrawler)
    band: int = 0  # the score band of its anchor text (focused)
    said: int = 0  # the length of its anchor text (focused)
    share: float = 0.0  # the share on topic of its neighbouring links (focused)
    page: int = 0  # the key of the page that links to it (focused)
    hub: int = 0  # 1: it is classified as a list (focused)
    # origin: 0 a list, 1 an on-topic article, 2 another page, 3 and 4 the same in another folder, 5 a seed (focused)
    kin: int = 0
    region: str = ""  # the page region of the link (focused)

    def text(self) -> str:
        """As compact JSON for the ledger; empty if all values are the defaults.

        >>> StrategyState(energy=3).text(), StrategyState().text()
        ('{"energy":3}', '')
        """
        values = {name: value for name in self.__slots__ if (value := getattr(self, name))}
        return json.dumps(values, separators=(",", ":")) if values else ""

    @classmethod
    def read(cls, text: str) -> StrategyState:
        """Parse what :meth:`text` wrote.

        >>> StrategyState.read('{"energy":3}')
        StrategyState(energy=3, inherited=0.0, round=0, band=0, said=0, share=0.0, page=0, hub=0, kin=0, region='')
        """
        return cls(**json.loads(text)) if text else NO_STATE


NO_STATE = StrategyState()


@dataclass(frozen=True, slots=True)
class FrontierPosition:
    """The position of a URL in the frontier, as stored in the ledger."""

    priority: int  # highest first; among equal ones, the first found
    depth: int  # links on the shortest known path from a seed
    carried: StrategyState = NO_STATE
    update_cycle: float | None = None  # seconds between two visits; None: visited once
    kept: bool = False  # too deep for this run: known, and left to a later one


@dataclass(frozen=True, slots=True)
class VisitedPage:
    """A page that was fetched."""

    host: str
    placement: FrontierPosition  # as it was claimed
    number: int = 0  # pages that all workers and runs of the crawl had fetched before
    relevance: float = 0.0  # 0-1, of its text
    relevant: bool = False  # the topic's verdict
    indegree: int = 1  # pages known to link to it
    url: str = ""  # canonical
    key: int = 0  # its key in the ledger
    hub: bool = False  # it is a page of links, not of text


@dataclass(frozen=True, slots=True)
class LinkSeen:
    """A link of that page (each URL once, in page order), and what the ledger knows about its URL."""

    url: str  # canonical
    host: str
    anchor: float = 0.0  # 0-1, the topic score of the anchor text
    context: float = 0.0  # 0-1, that of the text around it
    waits: FrontierPosition | None = None  # the placement of a waiting URL; None: it is new or fetched
    fetched: bool = False  # it was fetched or given up, or is being fetched
    indegree: int = 1  # pages known to link to it, this one among them
    father: int = 0  # the largest indegree of the pages that link to it
    mirrors: int = 0  # other hosts known to serve the same pages
    hub: bool = False  # it is classified as a list
    text: str = ""  # its anchor text
    region: str = ""  # the page region


@dataclass(frozen=True, slots=True)
class HostCount:
    """What the crawl knows about one host."""

    number: int = 0  # hosts found before it
    lowest: int | None = None  # the lowest priority of its URLs so far; None: it has none


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of the ledger over the whole crawl, taken before the links of the page are placed."""

    depths: Mapping[int, int] = field(default_factory=dict)  # URLs placed at each depth, without those given up
    hosts: Mapping[str, HostCount] = field(default_factory=dict)  # the hosts of the links; a missing host is new
    hosts_known: int = 0  # number of known hosts
    learned: Mapping[str, Pair] = field(default_factory=dict)  # the learned values that the strategy asked for


NO_COUNTS = Counts()


class Mode(NamedTuple):
    """How a run starts and what it stores, beyond following links from its seeds."""

    stores_articles: bool = True  # False: only the graph and the titles are stored
    records_faults: bool = False  # the markup faults of a page are stored with its title
    retries_seeds: bool = False  # a seed that failed is tried again by the next run
    from_unvisited: bool = False  # it starts from the waiting URLs of the ledger, each placed as a seed
    indexes_discovered: bool = False  # it only reads pages that earlier runs discovered, and follows no links
    deepest: int | None = None  # links below this depth are kept for a run that goes deeper; None: they are not kept


class Strategy(ABC):
    """A frozen dataclass whose fields are the options of the strategy.

    The crawl places every seed by :meth:`seed`. For every fetched page it calls :meth:`links` and applies the
    placements: a new URL is added, a waiting one is moved. ``None`` leaves a URL as it is.
    """

    __slots__ = ()
    depth: int  # of links, at most; an option of every strategy
    needs: ClassVar[frozenset[Need]] = frozenset()

    @property
    def mode(self) -> Mode:
        """How a run starts and what it stores."""
        return Mode()

    def seed(self, url: str, weight: int = 1) -> FrontierPosition:
        """The placement of a seed; ``weight``, 1-10, comes from the seed list."""
        return FrontierPosition(0, 0)

    def asks(self, visit: VisitedPage, links: Sequence[LinkSeen]) -> Iterable[str]:
        """With :attr:`Need.LEARNED`, the names of the learned values needed for a page and its links."""
        return ()

    def learned(self, visit: VisitedPage, links: Sequence[LinkSeen], counts: Counts) -> dict[str, Pair]:
        """What a page teaches; it is added to the learned values before its links are placed."""
        return {}

    def again(self, visit: VisitedPage, counts: Counts) -> str | None:
        """The prefix of :func:`~newsspider.features.explore.rules.link_probability.folder_of` on its host whose waiting
        URLs are to be :meth:`replaced` after this page; ``None``: none."""
        return None

    def asks_again(self, waiting: Sequence[LinkSeen]) -> Iterable[str]:
        """The names of the learned values needed to place these again."""
        return ()

    def replaced(self, waiting: Sequence[LinkSeen], counts: Counts) -> list[FrontierPosition | None]:
        """The new placements of waiting URLs, in the given order, by what was learned since; ``None``: unchanged."""
        return [None] * len(waiting)

    def links(
        self, visit: VisitedPage, links: Sequence[LinkSeen], counts: Counts = NO_COUNTS
    ) -> list[FrontierPosition | None]:
        """The placement of each link of a page, in the given order; ``None``: not offered, or left where it is."""
        depth = visit.placement.depth + 1
        return [None] * len(links) if depth > self.depth else self.placed(visit, links, depth, counts)

    @abstractmethod
    def placed(
        self, visit: VisitedPage, links: Sequence[LinkSeen], depth: int, counts: Counts
    ) -> list[FrontierPosition | None]:
        """The same of links that stand at an allowed ``depth``."""


def if_new(link: LinkSeen, placement: FrontierPosition) -> FrontierPosition | None:
    """The placement of a new URL; a known one is not placed again."""
    return placement if link.waits is None and not link.fetched else None


def if_better(link: LinkSeen, placement: FrontierPosition) -> FrontierPosition | None:
    """The placement of a new URL; a waiting one takes the better values, if any are better."""
    waiting = link.waits
    if waiting is None:
        return None if link.fetched else placement
    old, new = waiting.carried, placement.carried
    if placement.priority <= waiting.priority and new.energy <= old.energy:
        return None
    carried = replace(
        old,
        energy=max(old.energy, new.energy),
        inherited=max(old.inherited, new.inherited),
        round=max(old.round, new.round),
    )
    priority, depth = max(placement.priority, waiting.priority), min(placement.depth, waiting.depth)
    return FrontierPosition(priority, depth, carried, waiting.update_cycle)


def newest_first(number: int, position: int) -> int:
    """A stack: the links of a later visit go first; the order on the page is kept.

    >>> newest_first(7, 0) > newest_first(7, 1) > newest_first(6, 0) >= 0
    True
    """
    return (min(number, MOST_VISITS - 1) + 1) * MOST_POSITIONS - 1 - min(position, MOST_POSITIONS - 1)


def oldest_first(number: int, position: int) -> int:
    """A queue: the links of an earlier visit go first; the order on the page is kept.

    >>> BAND > oldest_first(6, 0) > oldest_first(6, 1) > oldest_first(7, 0)
    True
    """
    return BAND - 1 - min(number, MOST_VISITS - 1) * MOST_POSITIONS - min(position, MOST_POSITIONS - 1)


def score_priority(score: float) -> int:
    """A score as a priority, clamped to 0-1.

    >>> score_priority(0.25), score_priority(-1.0), score_priority(7.0)
    (250000, 0, 1000000)
    """
    return round(min(max(0.0, score), 1.0) * SCORE_STEPS)  # in this order, so that a NaN counts as 0
