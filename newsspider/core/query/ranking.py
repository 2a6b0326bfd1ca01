"""Search ranking: orders hits by relevance: BM25 with a heavier title, freshness, page weight and reprints."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, log, log1p

from newsspider.core.query.query_tree import Text
from newsspider.core.text.characters import spellings_of
from newsspider.core.text.tokenizer import is_run

SATURATION, LENGTH = 1.2, 0.75  # k1 and b of BM25 (Robertson, Zaragoza 2009)
NEWEST_RANKED = 150  # hits that are put in another order than that of time
TITLES_RANKED = 50  # hits in titles that are put in order with them
MOST_RANKED = 4_000  # characters of a text by which it is ranked
TITLE_TIMES = 3.0  # how many times of the body a title counts
HALF_LIFE_DAYS = 30.0  # of freshness
FRESH_SHARE, WEIGHT_SHARE, REPRINTS_SHARE = 0.5, 0.2, 0.1  # shares of freshness, page weight and reprints in the score


@dataclass(frozen=True, slots=True)
class RankedHit:
    """A hit: its texts, when it was published, the weight of its page, and how many other hits are its reprints."""

    title: str
    body: str
    moment: int
    weight: float = 0.0
    reprints: int = 0
    anchors: str = ""  # what links call it, if not by its title


def rank_places(candidates: Iterable[RankedHit], texts: Sequence[Text], now: float) -> list[tuple[int, float]]:
    """The places of the candidates with their scores, best first; of equals the latest first."""
    hits = list(candidates)
    # the longest unit stands for its phrase: counting it is twenty times faster than counting the whole phrase
    among = "\n".join(part for hit in hits for part in (hit.title, hit.body, hit.anchors))
    counters = [_counter(max(text.units, key=len), text.field, among) for text in texts]
    counts = [[counter(hit) for counter in counters] for hit in hits]
    lengths = [len(hit.body) + 1 for hit in hits]
    mean = sum(lengths) / len(hits) if hits else 1.0
    having = [sum(1 for count in counts if count[term]) for term in range(len(texts))]
    rarity = [log1p((len(hits) - number + 0.5) / (number + 0.5)) for number in having]

    def score(place: int) -> float:
        longer = SATURATION * (1 - LENGTH + LENGTH * lengths[place] / mean)
        words = sum(
            weight * count * (SATURATION + 1) / (count + longer)
            for count, weight in zip(counts[place], rarity, strict=True)
        )
        hit = hits[place]
        fresh: float = 0.5 ** (max(0.0, now - hit.moment) / 86_400 / HALF_LIFE_DAYS)
        return words * (
            1
            + FRESH_SHARE * fresh
            + WEIGHT_SHARE * log1p(max(hit.weight, 0.0))
            + REPRINTS_SHARE * log(1 + hit.reprints)
        )

    return sorted(enumerate(map(score, range(len(hits)))), key=lambda pair: (-pair[1], -hits[pair[0]].moment))


def mix_groups(groups: Sequence[object], screen: int, most: int, enough: int) -> list[int]:
    """The first ``enough`` places of a ranked list so that no group fills it: of each ``screen`` places at most
    ``most`` are of one group, or as many as it takes where fewer groups are left; each screen keeps the order of the
    list.

    >>> mix_groups("aaaaabca", 4, 2, 8), mix_groups("aaaaabca", 4, 2, 3)
    ([0, 1, 5, 6, 2, 3, 4, 7], [0, 1, 5])
    """
    chosen: list[int] = []
    left = list(range(len(groups)))
    while left and len(chosen) < enough:
        bound = max(most, ceil(screen / len({groups[place] for place in left})))
        counts, taken = Counter[object](), list[int]()
        for place in left:
            if counts[groups[place]] < bound and len(taken) < screen:
                counts[groups[place]] += 1
                taken.append(place)
        chosen += taken
        done = set(taken)
        left = [place for place in left if place not in done]
    return chosen[:enough]


def _counter(pattern: str, field: str, among: str) -> Callable[[RankedHit], float]:
    """A function that counts a pattern in its field of a hit: in the title it counts :data:`TITLE_TIMES` times,
    one in an anchor text once, as in the body."""
    in_title, in_body, in_anchor = (
        TITLE_TIMES if field in ("", "title") else 0,
        field in ("", "body"),
        field in ("", "anchor"),
    )
    count = _occurrences(pattern, among)

    def counted(hit: RankedHit) -> float:
        total: float = in_title and in_title * count(hit.title)
        if in_body:
            total += count(hit.body)
        return total + count(hit.anchors) if in_anchor and hit.anchors else total

    return counted


def _occurrences(pattern: str, among: str) -> Callable[[str], int]:
    """A function that counts a pattern in a text, whatever its script, width and case; ``among`` are all these texts.
    It takes a fraction of the time of normalising every text."""
    others = [spellings_of(character) for character in pattern]
    rare = [other for other in "".join(others) if other in among]
    if not rare:
        return lambda text: text.count(pattern)
    spelled = re.compile("".join(f"[{character}{other}]" for character, other in zip(pattern, others, strict=True)))
    if not is_run(pattern):  # most of its letters have other spellings in every text
        return lambda text: len(spelled.findall(text))
    return lambda text: len(spelled.findall(text)) if any(other in text for other in rare) else text.count(pattern)
