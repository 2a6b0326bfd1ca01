"""Finds the terms of a topic in a text in one pass, the longest at each place, from the left."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from newsspider.core.text.script import simplified

# (spelling, name of the term or None for a decoy, whether it must not touch other Latin letters), longest first
_Entry = tuple[str, str | None, bool]


class Lexicon:
    """A set of spellings that name terms.

    A *decoy* is found and thrown away: "提高" keeps "提高考核" from being "高考".
    """

    __slots__ = ("_heads", "_places")

    def __init__(self, spellings: Iterable[tuple[str, str]], decoys: Iterable[str] = ()) -> None:
        names: dict[str, str | None] = {decoy.lower(): None for decoy in decoys}
        names |= {spelling.lower(): name for spelling, name in spellings}
        heads: dict[str, list[_Entry]] = {}
        for spelling in sorted(names, key=len, reverse=True):
            heads.setdefault(spelling[:2], []).append((spelling, names[spelling], spelling.isascii()))
        self._heads = heads
        pairs = [head for head in heads if len(head) > 1]
        first, second = (f"[{re.escape(''.join(sorted({pair[at] for pair in pairs})))}]" if pairs else "(?!)" for at in (0, 1))
        self._places = re.compile(f"{first}(?={second})")  # where a spelling may begin: one place in five

    def find(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Yield (name, start, end) of every term in ``text``, which do not overlap; case and script do not matter.

        >>> list(Lexicon([("高考", "高考"), ("GRE", "GRE")], decoys=["提高"]).find("Green提高考核，gre与高考"))
        [('GRE', 10, 13), ('高考', 14, 16)]
        """
        text = simplified(text).lower()
        taken = 0
        for place in self._places.finditer(text):
            at = place.start()
            if at < taken:
                continue
            for spelling, name, latin in self._heads.get(text[at : at + 2], ()):
                if text.startswith(spelling, at) and not (latin and _touches(text, at, at + len(spelling))):
                    taken = at + len(spelling)
                    if name is not None:
                        yield name, at, taken
                    break


def _touches(text: str, start: int, end: int) -> bool:
    """Whether a Latin letter stands directly before or behind."""
    before, behind = text[start - 1 : start], text[end : end + 1]
    return (before.isascii() and before.isalpha()) or (behind.isascii() and behind.isalpha())
