"""What the page of an explore crawl brings, beside what other pages bring."""

from __future__ import annotations

from dataclasses import dataclass

from newsspider.core.crawling.visit import InCrawl, Offer
from newsspider.features.explore.rules.strategy import Strategy


@dataclass(frozen=True, slots=True)
class LinkCandidate:
    """A link that an explore crawl may follow, as the offer that it becomes if the strategy places it."""

    offer: Offer
    anchor: float = 0.0  # 0-1, how much its text is about the topic
    context: float = 0.0  # the same of the text around it
    hub: bool = False  # it is taken for a list
    region: str = ""  # of the page where it stands


@dataclass(frozen=True, slots=True)
class Explored:
    """What an explore crawl learned from a page beyond its article."""

    title: str = ""
    relevance: float = 0.0
    relevant: bool = False
    links: tuple[LinkCandidate, ...] = ()  # each URL once, in page order
    faults: tuple[str, ...] = ()  # of its markup
    hub: bool = False  # it is a page of links


@dataclass(frozen=True, slots=True)
class Placing(InCrawl):
    """The crawl that the page belongs to, with the strategy that places its links."""

    strategy: Strategy


@dataclass(frozen=True, slots=True)
class DiscoveredPage:
    """A page that may be an article, stored as it was fetched until the index run reads it."""

    content: bytes
    charset: str
