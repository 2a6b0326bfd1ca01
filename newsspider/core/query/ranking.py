"""The order of hits by what they say of a query: BM25 with a heavier title, freshness, page weight and reprints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log, log1p

from newsspider.core.query.tree import Text
from newsspider.core.text.script import plain, simplified
from newsspider.core.text.search_tokens import is_run

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
    # the longest unit is near enough to a phrase, and twenty times faster than to look for all of them in order
    patterns = [(max(text.units, key=len), text.field) for text in wanted]
    fold = simplified if all(is_run(pattern) for pattern, _ in patterns) else plain
    counts = [_counts(hit, patterns, fold) for hit in hits]
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


def _counts(hit: Candidate, patterns: Sequence[tuple[str, str]], fold: Callable[[str], str]) -> list[float]:
    """How often each pattern stands in its field of the hit: in the title :data:`TITLE` times, in an anchor as in the
    body."""
    text = fold(f"{hit.title}\n{hit.body}\n{hit.anchors}")
    begin, end = len(hit.title), len(text) - len(hit.anchors)
    spans = {"": (0, len(text)), "title": (0, begin), "body": (begin, end), "anchor": (end, len(text))}
    counts = []
    for pattern, field in patterns:
        count = text.count(pattern, *spans.get(field, (0, 0)))
        in_title = text.count(pattern, 0, begin) if field in ("", "title") else 0
        counts.append(count + (TITLE - 1) * in_title)
    return counts
