"""Groups similar sentences, so that what many say is read once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from newsspider.core.opinions.tendency import Tendency, Verdict

LIKE = 0.4  # shared pairs of characters, of the pairs of both sentences
COMMON = 200  # groups: a pair that more have finds none, so that 5,000 sentences take no seconds


class Voice(StrEnum):
    """Who speaks: a reader below the news or in a thread, the author of a blog or first post, or an article."""

    COMMENT = "comment"
    POST = "post"
    ARTICLE = "article"


@dataclass(frozen=True, slots=True)
class Opinion:
    """A sentence with its verdict, its voice and the id of the article that has it."""

    sentence: str
    verdict: Verdict
    voice: Voice
    article: int

    @property
    def certainty(self) -> float:
        """The probability of its tendency."""
        return max(self.verdict.shares)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Like sentences of one tendency, the surest first."""

    opinions: tuple[Opinion, ...]

    @property
    def key(self) -> Opinion:
        """The sentence that stands for all."""
        return self.opinions[0]


def clusters(opinions: Iterable[Opinion]) -> list[Cluster]:
    """Groups of similar sentences that praise or blame, the largest first, of equals the one with the surest sentence.
    Each sentence is compared with the surest one of every group."""
    groups: list[list[Opinion]] = []
    sizes: list[int] = []
    holders: dict[str, list[int]] = {}
    judged = [opinion for opinion in opinions if opinion.verdict.tendency in (Tendency.POSITIVE, Tendency.NEGATIVE)]
    for opinion in sorted(judged, key=lambda opinion: -opinion.certainty):
        pairs = {first + second for first, second in pairwise(opinion.sentence)}
        rare = (holding for pair in pairs if len(holding := holders.get(pair, [])) <= COMMON)
        shared = Counter(group for holding in rare for group in holding)
        likeness = {
            group: count / (len(pairs) + sizes[group] - count)
            for group, count in shared.items()
            if groups[group][0].verdict.tendency is opinion.verdict.tendency
        }
        best = max(likeness, key=lambda group: likeness[group], default=-1)
        if best >= 0 and likeness[best] >= LIKE:
            groups[best].append(opinion)
            continue
        for pair in pairs:
            holders.setdefault(pair, []).append(len(groups))
        groups.append([opinion])
        sizes.append(len(pairs))
    return [Cluster(tuple(group)) for group in sorted(groups, key=lambda group: -len(group))]
