"""The order of hits by what they say of a query: BM25 with a heavier title, freshness, page weight and reprints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log, log1p

from newsspider.core.query.tree import Text
from newsspider.core.text.script import plain

SATURATION, LENGTH = 1.2, 0.75  # k1 and b of BM25 (Robertson, Zaragoza 2009)
TITLE = 3.0  # how many times of the body a title counts
HALF_LIFE_DAYS = 30.0  # of freshness
FRESH, WEIGHT, REPRINTS = 0.5, 0.2, 0.1  # shares of freshness, page weight and reprints in the score


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hit: its texts, when it was published, the weight of its page, and how many other hits are its reprints."""

    title: str
    body: str
    moment: int
    weight: float = 0.0
    reprints: int = 0
    anchors: str = ""  # what links call it, if not by its title


def ranked(candidates: Iterable[Candidate], wanted: Sequence[Text], now: float) -> list[int]:
    """The places of the candidates, best first; of equals the latest first."""
    hits = list(candidates)
    counts = [_counts(hit, wanted) for hit in hits]
    lengths = [len(hit.body) + 1 for hit in hits]
    mean = sum(lengths) / len(hits) if hits else 1.0
    having = [sum(1 for count in counts if count[term]) for term in range(len(wanted))]
    rarity = [log1p((len(hits) - number + 0.5) / (number + 0.5)) for number in having]

    def score(place: int) -> float:
        longer = SATURATION * (1 - LENGTH + LENGTH * lengths[place] / mean)
        words = sum(
            weight * count * (SATURATION + 1) / (count + longer)
            for count, weight in zip(counts[place], rarity, strict=True)
        )
        hit = hits[place]
        fresh: float = 0.5 ** (max(0.0, now - hit.moment) / 86_400 / HALF_LIFE_DAYS)
        return words * (1 + FRESH * fresh + WEIGHT * log1p(max(hit.weight, 0.0)) + REPRINTS * log(1 + hit.reprints))

    return sorted(range(len(hits)), key=lambda place: (-score(place), -hits[place].moment))


def _counts(hit: Candidate, wanted: Sequence[Text]) -> list[float]:
    """How often each text stands in the hit: in its title :data:`TITLE` times, in an anchor as in the body."""
    texts = [("title", TITLE, plain(hit.title)), ("body", 1, plain(hit.body)), ("anchor", 1, plain(hit.anchors))]
    counts = []
    for text in wanted:
        pattern = max(text.units, key=len)  # near enough, and twenty times faster than to look for all of them in order
        counts.append(sum(times * words.count(pattern) for field, times, words in texts if text.field in ("", field)))
    return counts
