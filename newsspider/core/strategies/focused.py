"""Focused crawling that learns: the link that most probably leads to an article on topic first, or to a list of them.

What a link promises is told in :mod:`newsspider.core.strategies.link_probability`. A list is worth the share of
articles on topic that fetching it and what it shows would gain. Every page that is read teaches, a link behind which
there is no page too, and what waits on its host is placed again whenever twice as much of it is known. Poor pages are
passed on the way to good ones as long as the energy lasts, one way to its end before the next, and no more of them once
something is found on their host; unknown hosts that pages on topic name are visited, some early. What a list leads to
is learned as the promise of its best links, so the worth of what lies behind a page comes back to the links that lead
there.

Source: those of :mod:`newsspider.core.strategies.link_probability`; Rennie and McCallum, "Using reinforcement learning
to spider the web efficiently" (1999), for the worth that comes back; the energy is that of fish search. Choose it to
harvest a topic where anchors are cut short, say nothing or promise too much.
"""

from __future__ import annotations

import heapq
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import log2

from newsspider.core.strategies.link_probability import (
    NOTHING,
    Learned,
    Pair,
    Sight,
    band_of,
    facts_of,
    folder_of,
    lesson,
    names_of,
    promise,
    share_of_list,
)
from newsspider.core.strategies.order import scored
from newsspider.core.strategies.strategy import (
    NO_COUNTS,
    UNLIMITED,
    Counts,
    LinkSeen,
    Need,
    Placement,
    Strategy,
    StrategyState,
    Visit,
    if_better,
)

LISTED = 20.0  # articles that a list shows
AGAIN_FROM = 2  # pages of a place that say enough to place again what waits there
BEST = 5  # links by which a list is judged
CHOOSY = 0.3  # how much of a list's impurity is met, as its better links are followed first: 0 none, 1 all
TRUSTED = 0.3  # a link of such a promise is followed from a poor page without energy
RICH = 0.2  # a list of such a share is no poor page
CROWD = 6  # links of a poor page among which the worth of the way is not thinned
LEAST_UNKNOWN = 0.6  # worth of the unknown host whose name stands first; that of the last is 1
FADING = 0.9  # what an unknown host is worth after one more poor page, of what it was worth before
KINS = ("list", "on", "off", "on elsewhere", "off elsewhere", "seed")


@dataclass(frozen=True, slots=True)
class Focused(Strategy):
    """The priority of a link is its promise. ``energy`` poor pages in a row may be passed, whose links are tried in
    their order, each worth ``decay`` of the one before. A host of which nothing but a seed was read and that a page
    on topic names is worth between 0.6 and 1, by its name, each further link of that page to it ``decay`` of the one
    before; less with every poor page that is read there, and nothing once one on topic is found."""

    energy: int = 3
    decay: float = 0.9
    depth: int = UNLIMITED

    needs = frozenset({Need.RELEVANCE, Need.ANCHORS, Need.WAITS, Need.LEARNED})

    def __post_init__(self) -> None:
        if not 0 <= self.decay <= 1:
            raise ValueError(f"decay lies between 0 and 1, not at {self.decay}")

    def seed(self, url: str, weight: int = 1) -> Placement:
        return Placement(scored(1.0), 0, StrategyState(energy=self.energy))

    def asks(self, visit: Visit, links: Sequence[LinkSeen]) -> Iterable[str]:
        waiting = [link for link in links if link.waits is not None]
        sights = [*(_sight(link, visit) for link in links), *map(_waiting, waiting), _own(visit)]
        return (*names_of(sights), *_reads(visit), *(_read(link.host) for link in links))

    def asks_again(self, waiting: Sequence[LinkSeen]) -> Iterable[str]:
        return (*names_of(map(_waiting, waiting)), *(_read(link.host) for link in waiting))

    def learned(self, visit: Visit, links: Sequence[LinkSeen], counts: Counts) -> dict[str, Pair]:
        """A page counts as what it turned out to be; a list with the share on topic that it seems to show."""
        carried = visit.placement.carried
        if not carried.page:
            return {}  # nothing showed it
        kept = float(visit.relevant)
        if visit.hub:
            kept = _opened(links, _promises([_sight(link, visit) for link in links], counts.learned)[1])
        own = _own(visit)
        told = lesson(facts_of(own, carried.share, counts.learned), kept, counts.learned)
        read = dict.fromkeys((*(() if visit.hub else (own.beside(),)), *_reads(visit)), Pair(1.0, kept))
        return told | read

    def again(self, visit: Visit, counts: Counts) -> str | None:
        """On the host or in the folder of which twice as many pages are read now."""
        folder = folder_of(visit.url)
        if _doubled(_read(visit.host), counts.learned):
            return f"{visit.host}/"
        return folder if _doubled(f"read {folder}", counts.learned) else None

    def links(self, visit: Visit, links: Sequence[LinkSeen], counts: Counts = NO_COUNTS) -> list[Placement | None]:
        depth = visit.placement.depth + 1
        if depth > self.depth:
            return [None] * len(links)
        sights = [_sight(link, visit) for link in links]
        shares, worths = _promises(sights, counts.learned)
        articles = [worth for worth, link in zip(worths, links, strict=True) if not link.hub]
        rich = visit.relevant or (visit.hub and sum(articles) > RICH * len(articles))
        before = visit.placement.carried
        energy = self.energy if rich else before.energy - 1
        passed = before.inherited * min(1.0, CROWD / max(1, len(links))) if energy >= 0 else 0.0
        placed: list[Placement | None] = []
        named: Counter[str] = Counter()  # links to each host
        for link, sight, share, promised in zip(links, sights, shares, worths, strict=True):
            worth = _of_list(promised) if link.hub else promised
            if energy < 0 and worth < TRUSTED:
                placed.append(None)
                continue
            tunnel = round(
                _unknown(link, visit, counts) * self.decay ** named[link.host] if visit.relevant else passed, 3
            )
            passed *= self.decay
            named[link.host] += 1
            carried = StrategyState(
                max(energy, 0), tunnel, 0, sight.band, _words(link)[0], round(share, 4), visit.key, int(link.hub),
                KINS.index(sight.kin), link.region,
            )  # fmt: skip
            placed.append(_if_better(link, Placement(scored(max(worth, tunnel)), depth, carried), counts.learned))
        return placed

    def replaced(self, waiting: Sequence[LinkSeen], counts: Counts) -> list[Placement | None]:
        found: list[Placement | None] = []
        shares = _shares([_waiting(link) for link in waiting], counts.learned)
        for link, share in zip(waiting, shares, strict=True):
            if link.waits is None or not link.waits.carried.page:
                found.append(None)
                continue
            carried = replace(link.waits.carried, share=round(share, 4))
            found.append(_worth_now(link, replace(link.waits, carried=carried), counts.learned))
        return found


def _promises(sights: Sequence[Sight], learned: Learned) -> tuple[list[float], list[float]]:
    """Of each link of a page the share on topic of what stands beside it, and its own promise."""
    shares = _shares(sights, learned)
    return shares, [
        promise(facts_of(sight, share, learned), learned) for sight, share in zip(sights, shares, strict=True)
    ]


def _shares(sights: Sequence[Sight], learned: Learned) -> list[float]:
    """For each link, the share on topic of the articles that its page shows beside it."""
    beside: defaultdict[str, list[int]] = defaultdict(list)
    names = [sight.beside() for sight in sights]
    for name, sight in zip(names, sights, strict=True):
        if not sight.hub:
            beside[name].append(sight.band)
    found = {name: share_of_list(learned.get(name, NOTHING), beside[name], learned) for name in dict.fromkeys(names)}
    return [found[name] for name in names]


def _if_better(link: LinkSeen, placement: Placement, learned: Learned) -> Placement | None:
    """The placement of a link; what waits already stays where it promises more, by the words that say most and with
    the better energy."""
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


def _worth_now(link: LinkSeen, waits: Placement, learned: Learned) -> Placement:
    """What waits, placed by what it carries and by what is learned now; a host where something was found is unknown
    no more, and worth less with each poor page that was read there."""
    carried = waits.carried
    worth = promise(facts_of(_carried(link.url, carried, hub=bool(carried.hub)), carried.share, learned), learned)
    read = learned.get(_read(link.host), NOTHING)
    unknown = 0.0 if read.second >= 1 else carried.inherited * FADING**read.first
    return replace(waits, priority=scored(max(_of_list(worth) if carried.hub else worth, unknown)))


def _unknown(link: LinkSeen, visit: Visit, counts: Counts) -> float:
    """What a host is worth of which nothing was read yet, or a seed alone: spread evenly, by its name."""
    if link.host == visit.host or counts.learned.get(_read(link.host), NOTHING).first:
        return 0.0
    return LEAST_UNKNOWN + (1 - LEAST_UNKNOWN) * (zlib.crc32(link.host.encode()) % 1000) / 1000


def _opened(links: Sequence[LinkSeen], worths: Sequence[float]) -> float:
    """What a list leads to: the mean promise of the best links that it shows first."""
    new = (worth for link, worth in zip(links, worths, strict=True) if not link.fetched and link.waits is None)
    return sum(heapq.nlargest(BEST, new)) / BEST


def _of_list(share: float) -> float:
    """The harvest of following a list of such a share: its articles on topic among the fetches that it takes, the
    list being one."""
    good = LISTED * share
    return float(share**CHOOSY * good / (good + 1))


def _doubled(place: str, learned: Learned) -> bool:
    read = learned.get(place, NOTHING).first
    return read >= AGAIN_FROM and log2(read).is_integer()


def _read(host: str) -> str:
    """The name under which the reads of a host are counted."""
    return f"read {host}/"


def _reads(visit: Visit) -> tuple[str, ...]:
    """The names under which the reads of its host and of its folder are counted."""
    return _read(visit.host), f"read {folder_of(visit.url)}"


def _sight(link: LinkSeen, visit: Visit) -> Sight:
    return Sight(link.url, _words(link)[1], visit.key, _kin(link, visit), link.region, link.hub)


def _waiting(link: LinkSeen) -> Sight:
    carried = link.waits.carried if link.waits is not None else StrategyState()
    return _carried(link.url, carried, hub=bool(carried.hub))


def _own(visit: Visit) -> Sight:
    """The page itself, as the link by which it was found; a list if it turned out to be one."""
    return _carried(visit.url, visit.placement.carried, hub=visit.hub)


def _carried(url: str, carried: StrategyState, *, hub: bool) -> Sight:
    return Sight(url, carried.band, carried.page, KINS[carried.kin], carried.region, hub)


def _words(link: LinkSeen) -> tuple[int, int]:
    """The length of the longest words by which a link was seen, and their band."""
    waits = link.waits.carried if link.waits is not None else StrategyState()
    return max((len(link.text), band_of(max(link.anchor, link.context), link.text)), (waits.said, waits.band))


def _kin(link: LinkSeen, visit: Visit) -> str:
    if visit.hub:
        return "list" if visit.placement.carried.page else "seed"
    own, to = folder_of(visit.url), folder_of(link.url)
    # the folder is the same, or the list's holds it
    near = own == to or (link.hub and to.count("/") > 1 and own.startswith(to))
    return ("on" if visit.relevant else "off") + ("" if near else " elsewhere")
