"""An in-memory index of texts that reports for each new text whether it is a reprint of an earlier one."""

from __future__ import annotations

from dataclasses import dataclass, field

from newsspider.core.duplicates.reprints import SAME, Fingerprints, Found, Likeness, Method, reprint
from newsspider.core.model import Version
from newsspider.core.text.fingerprint import md5_of, normalised


@dataclass(frozen=True, slots=True)
class Placed:
    """The group of a text: the number of its first text, from 0, and the similarity to its closest text."""

    first: int
    likeness: Likeness | None = None  # None: a group of its own
    exact: bool = False


@dataclass(slots=True)
class KnownTexts:
    """The texts so far. As in the store, a few fingerprints of each find candidates, which are then compared."""

    method: Method = field(default_factory=Method)
    _texts: list[Version] = field(default_factory=list)
    _first: list[int] = field(default_factory=list)
    _exact: dict[str, int] = field(default_factory=dict)
    _untitled: dict[str, int] = field(default_factory=dict)  # by the hash of the text without a title
    _postings: dict[int, list[int]] = field(default_factory=dict)

    def add(self, title: str, text: str) -> Placed:
        """Add a text and return its group; a text without letters is a group of its own.

        Texts with the same letters are the same if their titles are. A text without a title joins the first that has
        one.
        """
        letters = normalised(text)
        number = len(self._texts)
        self._texts.append(Version(title, text))
        digest, untitled = md5_of(title, letters), md5_of("", letters)
        first = self._same(digest, untitled) if letters else None
        if first is not None:
            placed = Placed(first, SAME, exact=True)
        else:
            prints = self.method.of(letters, title)
            placed = self._placed(number, prints) if prints.enough else Placed(number)
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

    def _placed(self, number: int, prints: Fingerprints) -> Placed:
        hits = [(value, other) for value in prints.asked for other in self._postings.get(value, ())]
        candidates = Found.by(hits, prints.title)
        best_of_group: dict[int, tuple[float, int, Likeness]] = {}  # by group
        for other in candidates.texts:
            group = self._first[other]
            if group not in best_of_group:
                shared = reprint(prints, self._texts[number], self._texts[other])
                if shared is not None:
                    best_of_group[group] = shared.resemblance, -other, shared
        reprints = {other for _, other in hits if self._first[other] in best_of_group}
        for value in candidates.indexed(prints, reprints):
            self._postings.setdefault(value, []).append(number)
        if not best_of_group:
            return Placed(number)
        _, other, closest = max(best_of_group.values())
        return Placed(
            self._first[-other],
            closest,
            exact=normalised(self._texts[-other].text) == normalised(self._texts[number].text),
        )
