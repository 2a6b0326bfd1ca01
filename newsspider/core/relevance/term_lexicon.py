"""Finds the terms of a topic in a text: the longest spelling, none within a decoy or within a longer Latin word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from newsspider.core.text.characters import fold_text

# (spelling, name of the term or None for a decoy), longest first
_Entry = tuple[str, str | None]


class Lexicon:
    """A set of spellings that name terms.

    A *decoy* is found and thrown away: "提高" keeps "提高考核" from being "高考".
    """

    __slots__ = ("_heads", "_places")

    def __init__(self, spellings: Iterable[tuple[str, str]], decoys: Iterable[str] = ()) -> None:
        names: dict[str, str | None] = {fold_text(decoy): None for decoy in decoys}
        names |= {fold_text(spelling): name for spelling, name in spellings}
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
        text = fold_text(text)
        last_end = 0
        for place in self._places.finditer(text):
            at = place.start()
            if at < last_end:
                continue
            for spelling, name in self._heads.get(text[at : at + 2], ()):
                if text.startswith(spelling, at) and not _is_inside_word(text, at, at + len(spelling)):
                    last_end = at + len(spelling)
                    if name is not None:
                        yield name, at, last_end
                    break


def _is_inside_word(text: str, start: int, end: int) -> bool:
    """Whether a match begins or ends inside a longer Latin word or number."""
    return (text[start].isascii() and _joins(text[start], text[start - 1 : start], text[start - 2 : start - 1])) or (
        text[end - 1].isascii() and _joins(text[end - 1], text[end : end + 1], text[end + 1 : end + 2])
    )


def _joins(edge: str, neighbour: str, beyond: str) -> bool:
    """Whether the character at an edge is continued by its neighbour: by a letter; a digit also by a digit, or by a
    decimal point with a digit ``beyond`` it."""
    if not neighbour.isascii():
        return False
    return neighbour.isalpha() or (edge.isdigit() and (neighbour.isdigit() or (neighbour == "." and beyond.isdigit())))
