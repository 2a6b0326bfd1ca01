"""Near-duplicate detection: whether a text is a reprint, by shared fingerprints and by differences.

Fingerprints are of the characters that ``normalise_text`` of ``core/text/text_comparison.py`` leaves, as is the hash of
a body (``content_hashes.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from newsspider.core.caching import bounded_cache
from newsspider.core.duplicates.content_hashes import md5_of
from newsspider.core.duplicates.form_notices import same_form, same_tail
from newsspider.core.model import Version
from newsspider.core.text.text_comparison import normalise_text

GRAM_LETTERS = 6  # k of winnowing: a common run of fewer letters goes unnoticed
WINDOW_GRAMS = 8  # w of winnowing: a common run of w + k - 1 letters is never missed
LEAST_CONTAINMENT = 0.45  # of the smaller text's fingerprints in the larger one, from which a text is a reprint
MIN_FINGERPRINTS = 8  # of the smaller text: some 50 letters; with less, chance and set phrases decide
CHECK_TAIL_BELOW = 0.6  # containment below which a shared ending alone is no reprint
MIN_SIZE_RATIO = 0.36  # smaller to larger text: a digest is no reprint of each of its items
FINGERPRINTS_INDEXED = 24  # smallest fingerprints that are indexed; a copy of half the text shares some 12
FINGERPRINTS_ASKED = 32  # smallest fingerprints that are looked up; some may be too common to count
MIN_SHARED = 4  # of those, before two texts are compared
# sum of 1 / n over the shared fingerprints, n texts having each: stock phrases are shared by many
MIN_SHARED_WEIGHT = 1.0
MAX_BEHIND_BEST = 3  # candidates must share a third of what the best one shares
COMMON_TEXTS = 24  # texts with the same fingerprint: it comes from a form or boilerplate
SAME_INDEXED = 3  # texts of a group that are indexed by the same fingerprint, so that one may be deleted
CANDIDATES_COMPARED = 2  # best candidates that a new text is compared with


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """The fingerprints of a text, ascending, and the fingerprint of the whole title."""

    values: tuple[int, ...]
    title: int | None = None  # None: no title

    @property
    def enough(self) -> bool:
        """Whether there are enough to compare the text."""
        return len(self.values) >= MIN_FINGERPRINTS

    @property
    def asked(self) -> tuple[int, ...]:
        """The fingerprints by which similar texts are looked up, the title's first."""
        smallest = self.values[:FINGERPRINTS_ASKED]
        return smallest if self.title is None else (self.title, *smallest)


@dataclass(frozen=True, slots=True)
class Likeness:
    """The similarity of two texts: the shared fingerprints as shares of the first, the second and both together."""

    of_first: float  # containment of the first in the second, |A & B| / |A|
    of_second: float  # |A & B| / |B|
    resemblance: float  # |A & B| / |A | B|, Broder 1997

    @property
    def containment(self) -> float:
        """Of the smaller text in the larger."""
        return max(self.of_first, self.of_second)

    @property
    def is_reprint(self) -> bool:
        """Whether the larger text contains enough of the smaller one and is not many times its size."""
        smaller_share = min(self.of_first, self.of_second)
        return self.containment >= LEAST_CONTAINMENT and smaller_share >= MIN_SIZE_RATIO * self.containment


SAME_TEXT = Likeness(1.0, 1.0, 1.0)


def likeness(first: Iterable[int], second: Iterable[int]) -> Likeness:
    """Return the similarity of two sets of fingerprints; 0 if one is empty.

    >>> likeness({1, 2, 3, 4}, {3, 4})
    Likeness(of_first=0.5, of_second=1.0, resemblance=0.5)
    """
    first_set, second_set = frozenset(first), frozenset(second)
    shared = len(first_set & second_set)
    if not shared:
        return Likeness(0.0, 0.0, 0.0)
    return Likeness(shared / len(first_set), shared / len(second_set), shared / len(first_set | second_set))


def reprint_likeness(prints: Fingerprints, first: Version, second: Version) -> Likeness | None:
    """Return the similarity of two texts if one is a reprint of the other, else ``None``. ``prints`` are the
    fingerprints of the first. Two notices on the same form are no reprints, however much of it they share."""
    shared = likeness(prints.values, _values_of(second.text))
    if not shared.is_reprint:
        return None
    if shared.containment < CHECK_TAIL_BELOW and same_tail(first.text, second.text):
        return None
    return None if same_form(first, second) else shared


@bounded_cache(256, 10_000)  # cache: texts and their fingerprints; those of the day are compared with again and again
def _values_of(text: str) -> frozenset[int]:
    return frozenset(fingerprints(normalise_text(text)))


@dataclass(frozen=True, slots=True)
class ReprintCandidates:
    """The candidates for the fingerprints of a new text."""

    holders: Mapping[int, Sequence[int]]  # from a fingerprint to the numbers of the texts that have it
    texts: tuple[int, ...]  # candidates for comparison, best first

    @classmethod
    def by(cls, postings: Iterable[tuple[int, int]], title: int | None = None) -> ReprintCandidates:
        """Read pairs of a fingerprint and a text from the index; fingerprints of too many texts are ignored.

        The same title makes a candidate by itself: most fingerprints of a notice come from its form.
        """
        holders: dict[int, list[int]] = {}
        for value, text in postings:
            holders.setdefault(value, []).append(text)
        rare = [holder for holder in holders.values() if len(holder) < COMMON_TEXTS]
        titled = holders.get(title, ()) if title is not None else ()
        titled = titled if len(titled) < COMMON_TEXTS else ()
        shared = Counter(chain.from_iterable(rare))
        for text in titled:
            shared[text] += MIN_SHARED
        weight_of = {text: 0.0 for text, count in shared.items() if count >= MIN_SHARED}
        for holder in rare if weight_of else ():
            weight = 1 / len(holder)
            for text in holder:
                if text in weight_of:
                    weight_of[text] += weight
        for text in titled:
            weight_of[text] += MIN_SHARED_WEIGHT
        least = max(MIN_SHARED_WEIGHT, max(weight_of.values(), default=0.0) / MAX_BEHIND_BEST)
        candidates = sorted((-weight, text) for text, weight in weight_of.items() if weight >= least)
        return cls(holders, tuple(text for _, text in candidates[:CANDIDATES_COMPARED]))

    def indexed(self, prints: Fingerprints, reprints: Collection[int]) -> list[int]:
        """The fingerprints under which to index a new text, without those that lead to enough of its reprints."""
        rare = [value for value in prints.asked if len(self.holders.get(value, ())) < COMMON_TEXTS][
            :FINGERPRINTS_INDEXED
        ]
        return [value for value in rare if self._held(value, reprints) < SAME_INDEXED] if reprints else rare

    def _held(self, value: int, reprints: Collection[int]) -> int:
        return sum(text in reprints for text in self.holders.get(value, ()))


HASH_BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, with well-mixed bits: 2^64 over the golden ratio

HASH_MIX = np.uint64(0xD6E8FEB86659FD93)  # the same, to mix a hash into its upper half

HASH_HALF = np.uint64(32)


def fingerprints(letters: str, k: int = GRAM_LETTERS, w: int = WINDOW_GRAMS) -> tuple[int, ...]:
    """Return the fingerprints of a text: distinct signed 32-bit numbers, ascending, the same on every machine.

    A text of less than ``w + k - 1`` letters is one window; one of less than ``k`` letters has no fingerprint.

    >>> fingerprints("教育部公布高考招生政策", 4, 4) == fingerprints("教育部公布高考招生政策", 4, 4)
    True
    >>> fingerprints("高考", 4, 4)
    ()
    """
    hashes = _hashes(letters, k)
    if not len(hashes):
        return ()
    window = min(w, len(hashes))
    least, width = hashes, 1  # the minimum of every window, by doubling its width
    while 2 * width <= window:
        least = np.minimum(least[:-width], least[width:])
        width *= 2
    if rest := window - width:
        least = np.minimum(least[:-rest], least[rest:])
    changes = np.flatnonzero(least[1:] != least[:-1])  # the same k-gram is the minimum of many windows
    return tuple(sorted({int(least[-1]), *least[changes].tolist()}))


def fingerprints_of(letters: str, title: str = "") -> Fingerprints:
    """The fingerprints of a normalised text and of its title, as it is written."""
    heading = normalise_text(title)
    whole = fingerprints(heading, len(heading), 1) if heading else ()
    return Fingerprints(fingerprints(letters), *whole)


def _hashes(letters: str, k: int) -> NDArray[np.int32]:
    """A hash of every k-gram, in order."""
    codes = np.frombuffer(letters.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    count = max(len(codes) - k + 1, 0)
    hashes = codes[:count].copy()
    for place in range(1, k):  # a polynomial hash, modulo 2^64
        hashes *= HASH_BASE
        hashes += codes[place : place + count]
    hashes ^= hashes >> HASH_HALF
    hashes *= HASH_MIX
    return (hashes >> HASH_HALF).astype(np.uint32).view(np.int32)


@dataclass(frozen=True, slots=True)
class PlacedText:
    """The group of a text: the number of its first text, from 0, and the similarity to its closest text."""

    first: int
    likeness: Likeness | None = None  # None: a group of its own
    exact: bool = False


@dataclass(slots=True)
class KnownTexts:
    """The texts so far. As in the store, a few fingerprints of each find candidates, which are then compared."""

    _texts: list[Version] = field(default_factory=list)
    _first: list[int] = field(default_factory=list)
    _exact: dict[str, int] = field(default_factory=dict)
    _untitled: dict[str, int] = field(default_factory=dict)  # by the hash of the text without a title
    _postings: dict[int, list[int]] = field(default_factory=dict)

    def add(self, title: str, text: str) -> PlacedText:
        """Add a text and return its group; a text without letters is a group of its own.

        Texts with the same letters are the same if their titles are. A text without a title joins the first that has
        one.
        """
        letters = normalise_text(text)
        number = len(self._texts)
        self._texts.append(Version(title, text))
        digest, untitled = md5_of(title, letters), md5_of("", letters)
        first = self._same(digest, untitled) if letters else None
        if first is not None:
            placed = PlacedText(first, SAME_TEXT, exact=True)
        else:
            prints = fingerprints_of(letters, title)
            placed = self._placed(number, prints) if prints.enough else PlacedText(number)
        self._first.append(placed.first)
        if letters:
            if digest != untitled or first is None:
                self._exact[digest] = placed.first
            self._untitled.setdefault(untitled, placed.first)
        return placed

    def _same(self, digest: str, untitled: str) -> int | None:
        """The first text with this hash; a title is assigned once to an identical text without one."""
        if digest in self._exact:
            return self._exact[digest]
        return self._untitled.get(untitled) if digest == untitled else self._exact.pop(untitled, None)

    def _placed(self, number: int, prints: Fingerprints) -> PlacedText:
        hits = [(value, other) for value in prints.asked for other in self._postings.get(value, ())]
        candidates = ReprintCandidates.by(hits, prints.title)
        best_of_group: dict[int, tuple[float, int, Likeness]] = {}  # by group
        for other in candidates.texts:
            group = self._first[other]
            if group not in best_of_group:
                shared = reprint_likeness(prints, self._texts[number], self._texts[other])
                if shared is not None:
                    best_of_group[group] = shared.resemblance, -other, shared
        reprints = {other for _, other in hits if self._first[other] in best_of_group}
        for value in candidates.indexed(prints, reprints):
            self._postings.setdefault(value, []).append(number)
        if not best_of_group:
            return PlacedText(number)
        _, other, closest = max(best_of_group.values())
        return PlacedText(
            self._first[-other],
            closest,
            exact=normalise_text(self._texts[-other].text) == normalise_text(self._texts[number].text),
        )
