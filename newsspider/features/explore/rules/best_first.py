"""The orders that go by what pages and links say: fish search, best-first, page weight and real-time query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.links.page_weight import USUAL, Coefficients, directory_depth, page_weight
from newsspider.features.explore.rules.strategy import (
    BAND,
    SCORE_STEPS,
    UNLIMITED_DEPTH,
    Counts,
    FrontierPosition,
    LinkSeen,
    Need,
    Strategy,
    StrategyState,
    VisitedPage,
    if_better,
    newest_first,
    oldest_first,
    score_priority,
)

EXCESS_CHILDREN = 1.5  # children of a relevant page, in multiples of the width
REST, BEHIND, FRONT, SEEDS = 0, BAND, 2 * BAND, 3 * BAND  # the bands of the fish's list, back to front
TOPICAL_SCORE = 0.5  # from here an anchor or context is on topic
POINTS_OF_WEIGHT = 1000  # of priority per unit of page weight


@dataclass(frozen=True, slots=True)
class Fish(Strategy):
    """Fish search: a school of fish that breeds where it finds food and dies out where it finds none. Links of relevant
    pages go to the front of the list, those of other pages behind them, links to other sites first.

    The first ``1.5 * width`` links of a relevant page are children with full ``energy``; the first ``width`` links of
    another page are children with one less than the page. The other links go to the end of the list. An irrelevant
    page without energy has no children. A waiting link that is found again on a relevant page moves to the front.

    Source: De Bra and Post, "Information retrieval in the World-Wide Web: making client-based searching feasible"
    (1994); the potential scores 1, 0.5 and 0 of Hersovici and others (1998) are the three bands here. Choose it for a
    quick search around good pages when only a verdict (relevant or not) is available and anchors are uninformative; if
    links can be scored, best-first finds more.
    """

    width: int = 10
    energy: int = 3
    depth: int = UNLIMITED_DEPTH

    needs = frozenset({Need.NUMBER, Need.RELEVANCE, Need.WAITS})

    def seed(self, url: str, weight: int = 1) -> FrontierPosition:
        return FrontierPosition(SEEDS, 0, StrategyState(energy=self.energy))

    def placed(
        self, visit: VisitedPage, links: Sequence[LinkSeen], depth: int, counts: Counts
    ) -> list[FrontierPosition | None]:
        energy = energy_left(visit, self.energy)
        if energy is None:
            return [None] * len(links)
        carried = StrategyState(energy=energy)
        width = int(EXCESS_CHILDREN * self.width) if visit.relevant else self.width
        placed: list[FrontierPosition | None] = [None] * len(links)
        for place, position in enumerate(elsewhere_first(visit, links)):
            priority = _priority(visit, place, place < width)
            placed[position] = if_better(links[position], FrontierPosition(priority, depth, carried))
        return placed


def energy_left(visit: VisitedPage, energy: int) -> int | None:
    """The energy of a page's children: full for a relevant page, else one less; ``None``: it has no children."""
    if visit.relevant:
        return energy
    return visit.placement.carried.energy - 1 if visit.placement.carried.energy > 0 else None


def elsewhere_first(visit: VisitedPage, links: Sequence[LinkSeen]) -> list[int]:
    """The positions of the links, those to other sites first."""
    return sorted(range(len(links)), key=lambda position: links[position].host == visit.host)


def _priority(visit: VisitedPage, place: int, child: bool) -> int:
    if child and visit.relevant:
        return FRONT + newest_first(visit.number, place)
    return (BEHIND if child else REST) + oldest_first(visit.number, place)


@dataclass(frozen=True, slots=True)
class BestFirst(Strategy):
    """Best-first search on relevance: the priority of a link is the weighted mean of three scores.

    ``page``: the relevance of the page; ``anchor``: the better score of anchor and context; ``share``: the share of
    the page's links that are on topic, which distinguishes a list on the topic from a page that happens to link to
    it.

    Source: Cho, Garcia-Molina and Page, "Efficient crawling through URL ordering" (1998); the soft focus of
    Chakrabarti, van den Berg and Dom, "Focused crawling" (1999). Choose it to harvest a topic that can be scored: it
    fetches the highest share of on-topic pages. It is greedy: pages behind a chain of poor ones come late.
    """

    page: float = 0.2
    anchor: float = 0.4
    share: float = 0.4
    depth: int = UNLIMITED_DEPTH

    needs = frozenset({Need.RELEVANCE, Need.ANCHORS, Need.WAITS})

    def __post_init__(self) -> None:
        if not self.page + self.anchor + self.share > 0:
            raise ValueError("one of page, anchor and share must be above 0")

    def seed(self, url: str, weight: int = 1) -> FrontierPosition:
        return FrontierPosition(score_priority(1.0), 0)

    def placed(
        self, visit: VisitedPage, links: Sequence[LinkSeen], depth: int, counts: Counts
    ) -> list[FrontierPosition | None]:
        scores = [max(link.anchor, link.context) for link in links]
        total = self.page + self.anchor + self.share
        base = self.page * visit.relevance + self.share * share_on_topic(scores)
        return [
            if_better(link, FrontierPosition(score_priority((base + self.anchor * score) / total), depth))
            for link, score in zip(links, scores, strict=True)
        ]


def share_on_topic(scores: Sequence[float]) -> float:
    """The share of the scores that are on topic.

    >>> share_on_topic([0.9, 0.5, 0.1, 0.0])
    0.5
    """
    return sum(score >= TOPICAL_SCORE for score in scores) / len(scores) if scores else 0.0


@dataclass(frozen=True, slots=True)
class PageWeight(Strategy):
    """Important pages first, by the link graph and the URL, before the page is read.

    The weight is ``indegree * log2(1 + i) + father * log2(1 + f) + mirrors * log2(1 + m) - directory * d``: i pages
    link to it, f to the best known of these, m other hosts mirror it, and d is its directory depth.

    Source: the crawler of Tianwang (Peking University). Choose it for a general index of a region: entry pages and
    pages with many inlinks come early. Without a graph, only the directory depth counts: the root 0, /cs 1.
    """

    indegree: float = USUAL.indegree
    father: float = USUAL.father
    mirrors: float = USUAL.mirrors
    directory: float = USUAL.directory
    depth: int = UNLIMITED_DEPTH

    needs = frozenset({Need.INDEGREE, Need.WAITS})

    def seed(self, url: str, weight: int = 1) -> FrontierPosition:
        return FrontierPosition(self._priority(url, 0, 0, 0), 0)

    def placed(
        self, visit: VisitedPage, links: Sequence[LinkSeen], depth: int, counts: Counts
    ) -> list[FrontierPosition | None]:
        priorities = (
            self._priority(link.url, link.indegree, max(visit.indegree, link.father), link.mirrors) for link in links
        )
        return [
            if_better(link, FrontierPosition(priority, depth)) for link, priority in zip(links, priorities, strict=True)
        ]

    def _priority(self, url: str, indegree: int, father: int, mirrors: int) -> int:
        by = Coefficients(self.indegree, self.father, self.mirrors, self.directory)
        return round(POINTS_OF_WEIGHT * float(page_weight(indegree, father, mirrors, directory_depth(url), by)))


@dataclass(frozen=True, slots=True)
class RealTimeQuery(Strategy):
    """WebCrawler's real-time mode: links of the best result first, best anchors first among them; an anchor below
    ``resembling`` is not followed.

    ``VisitedPage.relevance`` is the score of the page in the results, ``LinkSeen.anchor`` the similarity of the anchor
    to the query. After the query was run again, :meth:`place` gives the new positions of the waiting links.

    Source: Pinkerton, "Finding what people want: experiences with the WebCrawler" (1994). Choose it for one question,
    asked now; it forgets nothing, since each new page is indexed.
    """

    resembling: float = 0.1
    depth: int = 5

    needs = frozenset({Need.RELEVANCE, Need.ANCHORS, Need.WAITS})

    def seed(self, url: str, weight: int = 1) -> FrontierPosition:
        return FrontierPosition(score_priority(1.0) * SCORE_STEPS + SCORE_STEPS, 0)

    def placed(
        self, visit: VisitedPage, links: Sequence[LinkSeen], depth: int, counts: Counts
    ) -> list[FrontierPosition | None]:
        placements = (self.place(visit.relevance, link.anchor, depth) for link in links)
        return [placement and if_better(link, placement) for link, placement in zip(links, placements, strict=True)]

    def place(self, answer: float, anchor: float, depth: int) -> FrontierPosition | None:
        """The placement of a link of a page with this score in the latest results; ``None``: it is not followed."""
        if anchor < self.resembling or depth > self.depth:
            return None
        return FrontierPosition(score_priority(answer) * SCORE_STEPS + score_priority(anchor), depth)
