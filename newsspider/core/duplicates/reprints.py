"""Decides whether one text is a reprint of another: by the fingerprints that they share, and by what differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from newsspider.core.caching import bounded_cache
from newsspider.core.duplicates.forms import Written, same_form, same_tail
from newsspider.core.duplicates.winnowing import fingerprints
from newsspider.core.text.fingerprint import normalised

LEAST_FINGERPRINTS = 8  # of the smaller text: some 50 letters; with less, chance and set phrases decide
SPREAD = 0.6  # containment below which it counts whether two texts share more than how they end
LEAST_SIZE = 0.36  # of the smaller text to the larger: a digest is no reprint of each of its items
INDEXED = 24  # the least fingerprints of a text, by which it is found: of half of it some 12 are shared
ASKED = 32  # the least fingerprints by which others are found: some may be too common to tell
LEAST_SHARED = 4  # of those, before two texts are compared
# of what they share, a fingerprint that n texts have counting 1 / n: stock phrases are shared by many
LEAST_TELLING = 2.0
NOT_FAR_BEHIND = 3  # of the texts that share some, those are compared that share a third of what the best does
COMMON = 24  # texts that are found by one fingerprint: it belongs to a form or to boilerplate
SPARE = 3  # texts of one group that are found by the same fingerprint: any of them may be forgotten
COMPARED = 2  # texts that a new one is compared with at most, those that share most


@dataclass(frozen=True, slots=True)
class Method:
    """How texts are compared: letters of a k-gram, k-grams of a window, and the containment from which one is a
    reprint."""

    k: int = 6
    w: int = 8
    containment: float = 0.45

    def of(self, letters: str) -> Fingerprints:
        """The fingerprints of a text that is normalised already."""
        return Fingerprints(self, fingerprints(letters, self.k, self.w))


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """The fingerprints of a text, rising, and how they were made."""

    method: Method
    values: tuple[int, ...]

    @property
    def enough(self) -> bool:
        """Whether they are enough to know a text by."""
        return len(self.values) >= LEAST_FINGERPRINTS

    @property
    def asked(self) -> tuple[int, ...]:
        """Those by which texts like it are looked for."""
        return self.values[:ASKED]


@dataclass(frozen=True, slots=True)
class Likeness:
    """What two texts share: as shares of the fingerprints of the first, of the second, and of both together."""

    of_first: float  # containment of the first in the second, |A & B| / |A|
    of_second: float  # |A & B| / |B|
    resemblance: float  # |A & B| / |A | B|, Broder 1997

    @property
    def containment(self) -> float:
        """Of the smaller text in the larger."""
        return max(self.of_first, self.of_second)

    def is_reprint(self, least: float) -> bool:
        """Whether so much of the smaller text stands in the larger, and the larger is not many times its size."""
        return self.containment >= least and min(self.of_first, self.of_second) >= LEAST_SIZE * self.containment


SAME = Likeness(1.0, 1.0, 1.0)


def likeness(first: Iterable[int], second: Iterable[int]) -> Likeness:
    """Return what two sets of fingerprints share; nothing is shared with an empty one.

    >>> likeness({1, 2, 3, 4}, {3, 4})
    Likeness(of_first=0.5, of_second=1.0, resemblance=0.5)
    """
    one, other = frozenset(first), frozenset(second)
    shared = len(one & other)
    if not shared:
        return Likeness(0.0, 0.0, 0.0)
    return Likeness(shared / len(one), shared / len(other), shared / len(one | other))


def reprint(prints: Fingerprints, first: Written, second: Written) -> Likeness | None:
    """Return what two texts share if one is a reprint of the other, else ``None``.

    ``prints`` are those of the first; the second is compared as they were made. Two notices on the same form are no
    reprints of each other, however much of the form they share.
    """
    found = likeness(prints.values, _values_of(prints.method, second.text))
    if not found.is_reprint(prints.method.containment):
        return None
    if found.containment < SPREAD and same_tail(first.text, second.text):
        return None
    return None if same_form(first, second) else found


@bounded_cache(1024, 10_000)  # the texts of the day are compared with again and again
def _values_of(method: Method, text: str) -> frozenset[int]:
    return frozenset(method.of(normalised(text)).values)


@dataclass(frozen=True, slots=True)
class Found:
    """What the fingerprints of a new text are known from."""

    holders: Mapping[int, Sequence[int]]  # of a fingerprint: the numbers of the texts that are found by it
    texts: tuple[int, ...]  # worth comparing with, best first

    @classmethod
    def by(cls, postings: Iterable[tuple[int, int]]) -> Found:
        """Read what the index says, pairs of a fingerprint and a text; a fingerprint of too many texts tells
        nothing."""
        holders: dict[int, list[int]] = {}
        for value, text in postings:
            holders.setdefault(value, []).append(text)
        rare = [found for found in holders.values() if len(found) < COMMON]
        shared = Counter(chain.from_iterable(rare))
        telling = {text: 0.0 for text, count in shared.items() if count >= LEAST_SHARED}
        for found in rare if telling else ():
            weight = 1 / len(found)
            for text in found:
                if text in telling:
                    telling[text] += weight
        least = max(LEAST_TELLING, max(telling.values(), default=0.0) / NOT_FAR_BEHIND)
        wanted = sorted((-weight, text) for text, weight in telling.items() if weight >= least)
        return cls(holders, tuple(text for _, text in wanted[:COMPARED]))

    def indexed(self, prints: Fingerprints, reprints: Collection[int]) -> list[int]:
        """The fingerprints by which a new text is to be found; those by which enough of its reprints are found need
        not be."""
        telling = [value for value in prints.asked if len(self.holders.get(value, ())) < COMMON][:INDEXED]
        return [value for value in telling if self._held(value, reprints) < SPARE] if reprints else telling

    def _held(self, value: int, reprints: Collection[int]) -> int:
        return sum(text in reprints for text in self.holders.get(value, ()))
