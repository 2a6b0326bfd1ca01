"""Finds the words that one group of articles uses more than another one.

Log-odds with an informative Dirichlet prior: B. Monroe, M. Colaresi, K. Quinn, "Fightin' Words" (2008), section 3.5.1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

PRIOR_WORDS = 500.0  # the prior weighs as much as this many words, spread as in both groups together
LEAST_ARTICLES = 3  # in which a word stands
LEAST_Z = 1.96  # one word in twenty is beyond it by chance


@dataclass(frozen=True, slots=True)
class Contrast:
    """A word, how far its log-odds in the first group are above those in the second, in standard deviations, and in
    how many articles of each it stands."""

    word: str
    z: float
    first: int
    second: int

    def record(self) -> dict[str, str | float | int]:
        """The same as JSON has it."""
        return {"word": self.word, "z": round(self.z, 2), "first": self.first, "second": self.second}


def contrasting_words(first: Mapping[str, int], second: Mapping[str, int]) -> list[Contrast]:
    """The words that one of two groups uses more, those of the first group first, the strongest of all words at both
    ends.

    >>> [(one.word, round(one.z, 1)) for one in contrasting_words({"高考": 90, "泄题": 40}, {"高考": 100, "食堂": 30})]
    [('泄题', 3.4), ('食堂', -2.8)]
    """
    whole_first, whole_second = sum(first.values()), sum(second.values())
    whole = whole_first + whole_second
    found = []
    for word in {**first, **second}:
        here, there = first.get(word, 0), second.get(word, 0)
        prior = PRIOR_WORDS * (here + there) / whole
        others = whole_first + PRIOR_WORDS - here - prior, whole_second + PRIOR_WORDS - there - prior
        if here + there < LEAST_ARTICLES or min(others) <= 0:
            continue
        difference = math.log((here + prior) / others[0]) - math.log((there + prior) / others[1])
        z = difference / math.sqrt(1 / (here + prior) + 1 / (there + prior))
        if abs(z) >= LEAST_Z:
            found.append(Contrast(word, z, here, there))
    return sorted(found, key=lambda one: (-one.z, one.word))
