"""Finds the terms of a topic in a text in one pass, the longest at each place, from the left."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from newsspider.core.text.script import plain

# (spelling, name of the term or None for a decoy), longest first
_Entry = tuple[str, str | None]


class Lexicon:
    """A set of spellings that name terms.

    A *decoy* is found and thrown away: "提高" keeps "提高考核" from being "高考".
    """

    __slots__ = ("_heads", "_places")

    def __init__(self, spellings: Iterable[tuple[str, str]], decoys: Iterable[str] = ()) -> None:
        names: dict[str, str | None] = {plain(decoy): None for decoy in decoys}
        names |= {plain(spelling): name for spelling, name in spellings}
        heads: dict[str, list[_Entry]] = {}
        for spelling in sorted(names, key=len, reverse=True):
            heads.setdefault(spelling[:2], []).append((spelling, names[spelling]))
        self._heads = heads
        pairs = [head for head in heads if len(head) > 1]
        first, second = (
            f"[{re.escape(''.join(sorted({pair[at] for pair in pairs})))}]" if pairs else "(?!)" for at in (0, 1)
        )
        self._places = re.compile(f"{first}(?={second})")  # where a spelling may begin: one place in five

    def find(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Yield (name, start, end) of every term in ``text``, which do not overlap; case, script and width do not
        matter.

        >>> list(Lexicon([("高考", "高考"), ("GRE", "GRE")], decoys=["提高"]).find("Green提高考核，gre与高考"))
        [('GRE', 10, 13), ('高考', 14, 16)]
        """
        text = plain(text)
        taken = 0
        for place in self._places.finditer(text):
            at = place.start()
            if at < taken:
                continue
            for spelling, name in self._heads.get(text[at : at + 2], ()):
                if text.startswith(spelling, at) and not _goes_on(text, at, at + len(spelling)):
                    taken = at + len(spelling)
                    if name is not None:
                        yield name, at, taken
                    break


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether what begins or ends as a Latin word or a number is part of a longer one."""
    return (text[start].isascii() and _joins(text[start], text[start - 1 : start], text[start - 2 : start - 1])) or (
        text[end - 1].isascii() and _joins(text[end - 1], text[end : end + 1], text[end + 1 : end + 2])
    )


def _joins(edge: str, side: str, beyond: str) -> bool:
    """Whether an edge goes on beside it: in a letter; a number in a digit, or in a point before one."""
    if not side.isascii():
        return False
    return side.isalpha() or (edge.isdigit() and (side.isdigit() or (side == "." and beyond.isdigit())))
