"""Focused crawling with online learning: links by their probability of leading to an on-topic article, or a list of
them.

:mod:`newsspider.features.explore.rules.link_probability` estimates the probability. The value of a list is the share of
on-topic articles among the pages to fetch. Every page that is read trains the model, also a failed fetch, and the
waiting links of a host are re-scored whenever the number of its known pages doubles. The crawl tunnels through poor
pages while the energy lasts, one path at a time, and no more once something is found on the host. Unknown hosts that
on-topic pages link to are tried, some early. What a list leads to is learned as the value of its best links, so value
propagates back along the path.

Source: those of :mod:`newsspider.features.explore.rules.link_probability`; Rennie and McCallum, "Using reinforcement
learning to spider the web efficiently" (1999), for the propagation; the energy is that of fish search
(``best_first.py``). Choose it to harvest a topic where anchors are truncated, uninformative or misleading.
"""

from __future__ import annotations

import heapq
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import log2

from newsspider.features.explore.rules.link_probability import (
    UNLEARNED,
    Learned,
    Pair,
    Sight,
    band_of,
    facts_of,
    folder_of,
    names_of,
    probability_of,
    share_of_list,
    weight_changes,
)
from newsspider.features.explore.rules.strategy import (
    UNLIMITED_DEPTH,
    Counts,
    FrontierPosition,
    LinkSeen,
    Need,
    Strategy,
    StrategyState,
    VisitedPage,
    if_better,
    score_priority,
)

ARTICLES_LISTED = 20.0  # articles on a typical list
AGAIN_FROM = 2  # pages of a host or folder before its waiting links are re-scored
BEST_LINKS = 5  # links that determine the value of a list
CHOOSY_SHARE = 0.3  # how much a list's off-topic links cost, as its better links come first: 0 nothing, 1 in full
TRUSTED_PROBABILITY = 0.3  # from this probability a link is followed even without energy
RICH_SHARE = 0.2  # from this share a list is not a poor page
CROWD_LINKS = 6  # links of a poor page that each get the full tunnel value
LEAST_UNKNOWN = 0.6  # lowest value of an unknown host, by the hash of its name; the highest is 1
FADING_FACTOR = 0.9  # factor of an unknown host's value for each poor page
KINS = ("list", "on", "off", "on elsewhere", "off elsewhere", "seed")


@dataclass(frozen=True, slots=True)
class Focused(Strategy):
    """The priority of a link is its probability. Up to ``energy`` poor pages in a row are tunnelled through, their
    links in page order, each worth ``decay`` of the previous one. An unknown host (at most a seed was read) that an
    on-topic page links to is worth between 0.6 and 1, by its name; each further link to it on that page is worth
    ``decay`` of the previous one. The value falls with each poor page read there, and is 0 once an on-topic page is
    found."""

    energy: int = 3
    decay: float = 0.9
    depth: int = UNLIMITED_DEPTH

    needs = frozenset({Need.RELEVANCE, Need.ANCHORS, Need.WAITS, Need.LEARNED})

    def __post_init__(self) -> None:
        if not 0 <= self.decay <= 1:
            raise ValueError(f"decay lies between 0 and 1, not at {self.decay}")

    def seed(self, url: str, weight: int = 1) -> FrontierPosition:
        return FrontierPosition(score_priority(1.0), 0, StrategyState(energy=self.energy))

    def asks(self, visit: VisitedPage, links: Sequence[LinkSeen]) -> Iterable[str]:
        waiting = [link for link in links if link.waits is not None]
        sights = [*(_sight(link, visit) for link in links), *map(_waiting, waiting), _own(visit)]
        return (*names_of(sights), *_reads(visit), *(_read(link.host) for link in links))

    def asks_again(self, waiting: Sequence[LinkSeen]) -> Iterable[str]:
        return (*names_of(map(_waiting, waiting)), *(_read(link.host) for link in waiting))

    def learned(self, visit: VisitedPage, links: Sequence[LinkSeen], counts: Counts) -> dict[str, Pair]:
        """A page trains with its actual relevance; a list with the share on topic that it seems to show."""
        carried = visit.placement.carried
        if not carried.page:
            return {}  # no page links to it
        target = float(visit.relevant)
        if visit.hub:
            target = _opened(links, _promises([_sight(link, visit) for link in links], counts.learned)[1])
        own = _own(visit)
        change = weight_changes(facts_of(own, carried.share, counts.learned), target, counts.learned)
        counts_read = dict.fromkeys((*(() if visit.hub else (own.beside(),)), *_reads(visit)), Pair(1.0, target))
        return change | counts_read

    def again(self, visit: VisitedPage, counts: Counts) -> str | None:
        """On the host or folder whose number of read pages has just doubled."""
        folder = folder_of(visit.url)
        if _doubled(_read(visit.host), counts.learned):
            return f"{visit.host}/"
        return folder if _doubled(f"read {folder}", counts.learned) else None

    def placed(
        self, visit: VisitedPage, links: Sequence[LinkSeen], depth: int, counts: Counts
    ) -> list[FrontierPosition | None]:
        sights = [_sight(link, visit) for link in links]
        shares, worths = _promises(sights, counts.learned)
        articles = [worth for worth, link in zip(worths, links, strict=True) if not link.hub]
        rich = visit.relevant or (visit.hub and sum(articles) > RICH_SHARE * len(articles))
        parent_state = visit.placement.carried
        energy = self.energy if rich else parent_state.energy - 1
        tunnel_value = parent_state.inherited * min(1.0, CROWD_LINKS / max(1, len(links))) if energy >= 0 else 0.0
        placed: list[FrontierPosition | None] = []
        links_to_host: Counter[str] = Counter()  # links to each host
        for link, sight, share, probability in zip(links, sights, shares, worths, strict=True):
            worth = _of_list(probability) if link.hub else probability
            if energy < 0 and worth < TRUSTED_PROBABILITY:
                placed.append(None)
                continue
            tunnel = round(
                _unknown(link, visit, counts) * self.decay ** links_to_host[link.host]
                if visit.relevant
                else tunnel_value,
                3,
            )
            tunnel_value *= self.decay
            links_to_host[link.host] += 1
            carried = StrategyState(
                max(energy, 0),
                tunnel,
                0,
                sight.band,
                _words(link)[0],
                round(share, 4),
                visit.key,
                int(link.hub),
                KINS.index(sight.kin),
                link.region,
            )
            placed.append(
                _if_better(link, FrontierPosition(score_priority(max(worth, tunnel)), depth, carried), counts.learned)
            )
        return placed

    def replaced(self, waiting: Sequence[LinkSeen], counts: Counts) -> list[FrontierPosition | None]:
        placements: list[FrontierPosition | None] = []
        shares = _shares([_waiting(link) for link in waiting], counts.learned)
        for link, share in zip(waiting, shares, strict=True):
            if link.waits is None or not link.waits.carried.page:
                placements.append(None)
                continue
            carried = replace(link.waits.carried, share=round(share, 4))
            placements.append(_worth_now(link, replace(link.waits, carried=carried), counts.learned))
        return placements


def _promises(sights: Sequence[Sight], learned: Learned) -> tuple[list[float], list[float]]:
    """For each link of a page, the share on topic of its neighbours, and its own probability."""
    shares = _shares(sights, learned)
    return shares, [
        probability_of(facts_of(sight, share, learned), learned) for sight, share in zip(sights, shares, strict=True)
    ]


def _shares(sights: Sequence[Sight], learned: Learned) -> list[float]:
    """For each link, the share on topic of the neighbouring articles on its page."""
    beside: defaultdict[str, list[int]] = defaultdict(list)
    names = [sight.beside() for sight in sights]
    for name, sight in zip(names, sights, strict=True):
        if not sight.hub:
            beside[name].append(sight.band)
    lists = dict.fromkeys(names)
    share_of = {name: share_of_list(learned.get(name, UNLEARNED), beside[name], learned) for name in lists}
    return [share_of[name] for name in names]


def _if_better(link: LinkSeen, placement: FrontierPosition, learned: Learned) -> FrontierPosition | None:
    """The placement of a link; a waiting URL keeps the better position, longest anchor text and higher energy."""
    waits = link.waits
    if waits is None:
        return if_better(link, placement)
    new, old = placement.carried, waits.carried
    if old.page and new.said > old.said:
        waits = _worth_now(link, replace(waits, carried=replace(old, band=new.band, said=new.said)), learned)
    better = placement if placement.priority > waits.priority else waits
    carried = replace(better.carried, energy=max(new.energy, old.energy), inherited=max(new.inherited, old.inherited))
    moved = replace(better, depth=min(placement.depth, waits.depth), carried=carried)
    return None if moved == link.waits else moved


def _worth_now(link: LinkSeen, waits: FrontierPosition, learned: Learned) -> FrontierPosition:
    """The placement of a waiting URL by its state and what is learned now. A host where something was found is no
    longer unknown; each poor page read there lowers its value."""
    carried = waits.carried
    worth = probability_of(
        facts_of(_carried(link.url, carried, hub=bool(carried.hub)), carried.share, learned), learned
    )
    read = learned.get(_read(link.host), UNLEARNED)
    unknown = 0.0 if read.second >= 1 else carried.inherited * FADING_FACTOR**read.first
    return replace(waits, priority=score_priority(max(_of_list(worth) if carried.hub else worth, unknown)))


def _unknown(link: LinkSeen, visit: VisitedPage, counts: Counts) -> float:
    """The value of a host of which at most a seed was read: uniform between the bounds, by the hash of its name."""
    if link.host == visit.host or counts.learned.get(_read(link.host), UNLEARNED).first:
        return 0.0
    return LEAST_UNKNOWN + (1 - LEAST_UNKNOWN) * (zlib.crc32(link.host.encode()) % 1000) / 1000


def _opened(links: Sequence[LinkSeen], worths: Sequence[float]) -> float:
    """What a list leads to: the mean probability of its best links that no page has shown before."""
    new = (worth for link, worth in zip(links, worths, strict=True) if not link.fetched and link.waits is None)
    return sum(heapq.nlargest(BEST_LINKS, new)) / BEST_LINKS


def _of_list(share: float) -> float:
    """The harvest rate of following a list with this share: its on-topic articles per fetch, the list included."""
    good = ARTICLES_LISTED * share
    return float(share**CHOOSY_SHARE * good / (good + 1))


def _doubled(place: str, learned: Learned) -> bool:
    read = learned.get(place, UNLEARNED).first
    return read >= AGAIN_FROM and log2(read).is_integer()


def _read(host: str) -> str:
    """The name under which the pages read of a host are counted."""
    return f"read {host}/"


def _reads(visit: VisitedPage) -> tuple[str, ...]:
    """The names under which the pages read of its host and folder are counted."""
    return _read(visit.host), f"read {folder_of(visit.url)}"


def _sight(link: LinkSeen, visit: VisitedPage) -> Sight:
    return Sight(link.url, _words(link)[1], visit.key, _kin(link, visit), link.region, link.hub)


def _waiting(link: LinkSeen) -> Sight:
    carried = link.waits.carried if link.waits is not None else StrategyState()
    return _carried(link.url, carried, hub=bool(carried.hub))


def _own(visit: VisitedPage) -> Sight:
    """The page itself, as the link by which it was found; a list if it turned out to be one."""
    return _carried(visit.url, visit.placement.carried, hub=visit.hub)


def _carried(url: str, carried: StrategyState, *, hub: bool) -> Sight:
    return Sight(url, carried.band, carried.page, KINS[carried.kin], carried.region, hub)


def _words(link: LinkSeen) -> tuple[int, int]:
    """The length and band of the longest anchor text of a link."""
    waits = link.waits.carried if link.waits is not None else StrategyState()
    return max((len(link.text), band_of(max(link.anchor, link.context), link.text)), (waits.said, waits.band))


def _kin(link: LinkSeen, visit: VisitedPage) -> str:
    if visit.hub:
        return "list" if visit.placement.carried.page else "seed"
    own, to = folder_of(visit.url), folder_of(link.url)
    # the same folder, or a list above it
    near = own == to or (link.hub and to.count("/") > 1 and own.startswith(to))
    return ("on" if visit.relevant else "off") + ("" if near else " elsewhere")
