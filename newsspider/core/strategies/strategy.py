"""What a strategy is: it says where a URL stands in the frontier, from what the ledger and the scorer know.

A strategy keeps nothing. All that it remembers stands in the rows of the ledger (:class:`Placement`), so a crawl that
was stopped goes on exactly where it was, and any number of workers follow the same strategy. What it needs beyond the
page is counted by the ledger and given as arguments; :attr:`Strategy.needs` says which of it.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import ClassVar

from newsspider.core.strategies.link_probability import Pair

UNLIMITED = 32_767  # the largest depth that the ledger holds
# Of a crawl that learns: every so many pages, so many of the best that wait are placed again; on a host at most so many
# at once.
BEST_EVERY, BEST_AGAIN, HOST_AGAIN = 8, 40, 500


class Need(StrEnum):
    """What a strategy wants to be told; the rest may stay at its default."""

    NUMBER = "number"  # Visit.number
    RELEVANCE = "relevance"  # Visit.relevance and Visit.relevant: the topic score of the page
    ANCHORS = "anchors"  # LinkSeen.anchor and LinkSeen.context: the topic scores of the link
    WAITS = "waits"  # LinkSeen.waits: where a known URL stands, so that it may be moved
    INDEGREE = "indegree"  # Visit.indegree, LinkSeen.indegree, LinkSeen.father and LinkSeen.mirrors
    DEPTHS = "depths"  # Counts.depths
    HOSTS = "hosts"  # Counts.hosts
    LEARNED = "learned"  # Counts.learned; what was learned is kept, and links that wait are placed again


@dataclass(frozen=True, slots=True)
class StrategyState:
    """What a URL carries along from the page that it was found on."""

    energy: int = 0  # irrelevant pages that may still follow in a row (fish and shark search)
    inherited: float = 0.0  # the share of its ancestors' relevance (shark search)
    round: int = 0  # the round of the servers in which it was found (WebCrawler)
    band: int = 0  # what its anchor was worth (focused)
    said: int = 0  # the length of that anchor (focused)
    share: float = 0.0  # the share on topic of the place where it was found, without its anchor (focused)
    page: int = 0  # the key of the page that shows it (focused)
    hub: int = 0  # 1: it is taken for a list (focused)
    # what showed it: 0 a list, 1 an article on topic, 2 another page, 3 and 4 such in another folder, 5 a seed
    # (focused)
    kin: int = 0
    region: str = ""  # and where there (focused)

    def text(self) -> str:
        """As short JSON for a row; empty where nothing is carried.

        >>> StrategyState(energy=3).text(), StrategyState().text()
        ('{"energy":3}', '')
        """
        values = {name: value for name in self.__slots__ if (value := getattr(self, name))}
        return json.dumps(values, separators=(",", ":")) if values else ""

    @classmethod
    def read(cls, text: str) -> StrategyState:
        """What :meth:`text` wrote.

        >>> StrategyState.read('{"energy":3}')
        StrategyState(energy=3, inherited=0.0, round=0, band=0, said=0, share=0.0, page=0, hub=0, kin=0, region='')
        """
        return cls(**json.loads(text)) if text else NOTHING


NOTHING = StrategyState()


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a URL stands in the frontier: the row that the ledger keeps of it."""

    priority: int  # the highest goes first, among equal ones the first found
    depth: int  # links between a seed and it, on the shortest way known
    carried: StrategyState = NOTHING
    update_cycle: float | None = None  # seconds between two visits; None: visited once


@dataclass(frozen=True, slots=True)
class Visit:
    """A page that was fetched."""

    host: str
    placement: Placement  # as it was claimed
    number: int = 0  # pages that the crawl had fetched before it, over all workers and runs
    relevance: float = 0.0  # 0-1, of its text
    relevant: bool = False  # the topic's verdict on it
    indegree: int = 1  # pages known to link to it
    url: str = ""  # canonical
    key: int = 0  # its key in the ledger
    hub: bool = False  # it is a page of links, not of text


@dataclass(frozen=True, slots=True)
class LinkSeen:
    """A link of that page, each URL once, in page order, and what the ledger knows of its URL."""

    url: str  # canonical
    host: str
    anchor: float = 0.0  # 0-1, the topic score of the anchor text
    context: float = 0.0  # 0-1, that of the text around it
    waits: Placement | None = None  # where the URL waits already; None: it is new or fetched
    fetched: bool = False  # it was fetched or given up, or is being fetched: nothing to place
    indegree: int = 1  # pages known to link to it, this one among them
    father: int = 0  # the largest indegree of these pages
    mirrors: int = 0  # other hosts known to show the same pages
    hub: bool = False  # it is taken for a list
    text: str = ""  # its anchor
    region: str = ""  # of the page where it stands


@dataclass(frozen=True, slots=True)
class HostCount:
    """What is known of one host."""

    number: int = 0  # hosts that were found before it
    lowest: int | None = None  # the lowest priority that waits on it, or ever did; None: nothing does


@dataclass(frozen=True, slots=True)
class Counts:
    """What the ledger counted over the whole crawl, before the links of the page were placed."""

    depths: Mapping[int, int] = field(default_factory=dict)  # URLs placed at each depth, without those given up
    hosts: Mapping[str, HostCount] = field(default_factory=dict)  # of the links' hosts; a host left out is new
    hosts_known: int = 0  # how many hosts are known in all
    learned: Mapping[str, Pair] = field(default_factory=dict)  # of what the strategy asked for, what the crawl learned


NO_COUNTS = Counts()


class Strategy(ABC):
    """Each strategy is a frozen dataclass whose fields are its options.

    The crawl offers the :meth:`seed` of every seed. For every page fetched it asks for the :meth:`links`, and offers
    each link that has a placement: a new URL stands there, one that waits moves there. ``None`` leaves a URL as it is.
    """

    __slots__ = ()
    needs: ClassVar[frozenset[Need]] = frozenset()
    retries_seeds: ClassVar[bool] = False  # a seed that failed is tried again by the next run

    @property
    def stores_articles(self) -> bool:
        """Whether pages are indexed; if not, only the graph and the titles are kept."""
        return True

    @property
    def from_unvisited(self) -> bool:
        """Whether a run starts from the waiting URLs of the ledger, each placed as a seed, instead of from the seeds
        given."""
        return False

    @property
    def indexes_discovered(self) -> bool:
        """Whether a run only reads what earlier runs discovered without indexing it; it follows no links."""
        return False

    @property
    def records_faults(self) -> bool:
        """Whether the faults of a page's markup are kept beside its title."""
        return False

    def seed(self, url: str, weight: int = 1) -> Placement:
        """Where a seed stands; ``weight``, 1-10, is what its list of seeds says."""
        return Placement(0, 0)

    def asks(self, visit: Visit, links: Sequence[LinkSeen]) -> Iterable[str]:
        """The names of what was learned that is wanted for a page and its links; with :attr:`Need.LEARNED`."""
        return ()

    def learned(self, visit: Visit, links: Sequence[LinkSeen], counts: Counts) -> dict[str, Pair]:
        """What a page teaches; it is added to what was learned before its links are placed."""
        return {}

    def again(self, visit: Visit, counts: Counts) -> str | None:
        """Where on its host, as the beginning of :func:`~newsspider.core.strategies.link_probability.folder_of`, all
        that waits is to be :meth:`replaced`, now that this page is known; ``None``: nowhere."""
        return None

    def asks_again(self, waiting: Sequence[LinkSeen]) -> Iterable[str]:
        """The names of what was learned that is wanted to place these again."""
        return ()

    def replaced(self, waiting: Sequence[LinkSeen], counts: Counts) -> list[Placement | None]:
        """Where URLs that wait stand now, in the order given, given what was learned since; ``None``: where they
        stood."""
        return [None] * len(waiting)

    @abstractmethod
    def links(self, visit: Visit, links: Sequence[LinkSeen], counts: Counts = NO_COUNTS) -> list[Placement | None]:
        """Where each link of a page stands now, in the order given; ``None``: it is not offered or stays where it
        is."""


def if_new(link: LinkSeen, placement: Placement) -> Placement | None:
    """The placement of a new URL; a known one is marked by the ledger, not placed twice."""
    return placement if link.waits is None and not link.fetched else None


def if_better(link: LinkSeen, placement: Placement) -> Placement | None:
    """The placement of a new URL; one that waits takes what is better in it, if anything is."""
    waits = link.waits
    if waits is None:
        return None if link.fetched else placement
    old, new = waits.carried, placement.carried
    if placement.priority <= waits.priority and new.energy <= old.energy:
        return None
    carried = replace(
        old,
        energy=max(old.energy, new.energy),
        inherited=max(old.inherited, new.inherited),
        round=max(old.round, new.round),
    )
    priority, depth = max(placement.priority, waits.priority), min(placement.depth, waits.depth)
    return Placement(priority, depth, carried, waits.update_cycle)
