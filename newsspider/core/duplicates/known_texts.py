"""Keeps texts in memory and says of each new one whether it is a reprint of one before."""

from __future__ import annotations

from dataclasses import dataclass, field

from newsspider.core.duplicates.forms import Written
from newsspider.core.duplicates.reprints import SAME, Fingerprints, Found, Likeness, Method, reprint
from newsspider.core.text.fingerprint import md5_of, normalised


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a text belongs: the number of the first text of its group, from 0; the likeness is that to the closest
    of its texts."""

    first: int
    likeness: Likeness | None = None  # None: it is like no other
    exact: bool = False


@dataclass(slots=True)
class KnownTexts:
    """The texts so far, found again as the store finds them: a few fingerprints of each, then the texts themselves."""

    method: Method = field(default_factory=Method)
    _texts: list[Written] = field(default_factory=list)
    _first: list[int] = field(default_factory=list)
    _exact: dict[str, int] = field(default_factory=dict)
    _untold: dict[str, int] = field(default_factory=dict)  # by what a text would be named that has no title
    _postings: dict[int, list[int]] = field(default_factory=dict)

    def add(self, title: str, text: str) -> Placed:
        """Take a text up and say where it belongs; a text without letters belongs nowhere else.

        Of short texts that point elsewhere, those with the same letters are the same if their titles are; those without
        a title go with the first that has one.
        """
        letters = normalised(text)
        number = len(self._texts)
        self._texts.append(Written(title, text))
        name, untold = md5_of(title, letters), md5_of("", letters)
        first = self._same(name, untold) if letters else None
        if first is not None:
            placed = Placed(first, SAME, exact=True)
        else:
            prints = self.method.of(letters)
            placed = self._placed(number, prints) if prints.enough else Placed(number)
        self._first.append(placed.first)
        if letters:
            if name != untold or first is None:
                self._exact[name] = placed.first
            self._untold.setdefault(untold, placed.first)
        return placed

    def _same(self, name: str, untold: str) -> int | None:
        """The first text of this name; a title is given once to those of the same letters that have none."""
        if name in self._exact:
            return self._exact[name]
        return self._untold.get(untold) if name == untold else self._exact.pop(untold, None)

    def _placed(self, number: int, prints: Fingerprints) -> Placed:
        asked = [(value, other) for value in prints.asked for other in self._postings.get(value, ())]
        found = Found.by(asked)
        alike: dict[int, tuple[float, int, Likeness]] = {}  # of each group
        for other in found.texts:
            group = self._first[other]
            if group not in alike:
                shared = reprint(prints, self._texts[number], self._texts[other])
                if shared is not None:
                    alike[group] = shared.resemblance, -other, shared
        reprints = {other for _, other in asked if self._first[other] in alike}
        for value in found.indexed(prints, reprints):
            self._postings.setdefault(value, []).append(number)
        if not alike:
            return Placed(number)
        _, other, closest = max(alike.values())
        return Placed(
            self._first[-other],
            closest,
            exact=normalised(self._texts[-other].text) == normalised(self._texts[number].text),
        )
