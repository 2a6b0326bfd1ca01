"""Finds the words of a query in a text, to highlight them and to cut the snippet that stands below a hit."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from newsspider.core.query.query_tree import Node, wanted_texts
from newsspider.core.text.characters import fold_text
from newsspider.core.text.tokenizer import OF_WORD

_GAP = r"[\W_]*"  # what may stand between two characters of a phrase
_OF_WORD = re.compile(OF_WORD)


def find_highlights(text: str, query: Node) -> list[tuple[int, int]]:
    """The ranges of a text that match the words and phrases of a query, in order, whatever their script."""
    return _phrase_places(text, [("".join(part.units), part.prefix) for part in wanted_texts(query)])


class Snippet(NamedTuple):
    """A piece of a text; the ranges of it that match a query; whether text before it and behind it is left out."""

    text: str
    places: list[tuple[int, int]]
    cut_before: bool
    cut_behind: bool


def make_snippet(text: str, query: Node, before: int, length: int) -> Snippet:
    """At most ``length`` characters of a text, of which up to ``before`` stand before the first match. The lengths are
    those of ``features/console/pages/search.py`` and, at the terminal, ``cli/hit_lines.py``."""
    flat = " ".join(text.split())
    places = find_highlights(flat, query)
    start = max(min((begin for begin, _ in places), default=0) - before, 0)
    end = start + length
    inside = [(begin - start, min(last, end) - start) for begin, last in places if begin < end]
    return Snippet(flat[start:end], inside, start > 0, end < len(flat))


def places_of(text: str, phrases: Iterable[str]) -> list[tuple[int, int]]:
    """The same for plain phrases; the longest one where two begin together. Latin words are whole words.

    >>> places_of("幼兒園延時服務", ["幼儿园", "延时 服务"]), places_of("Shanghai用AI教学", ["ai"])
    ([(0, 3), (3, 7)], [(9, 11)])
    """
    return _phrase_places(text, [(phrase, False) for phrase in phrases])


def _phrase_places(text: str, phrases: list[tuple[str, bool]]) -> list[tuple[int, int]]:
    patterns = [
        _pattern(letters, prefix=prefix)
        for phrase, prefix in sorted(phrases, key=lambda pair: -len(pair[0]))
        if (letters := [letter for letter in fold_text(phrase) if letter.isalnum()])
    ]
    return [match.span() for match in re.finditer("|".join(patterns), fold_text(text))] if patterns else []


def _pattern(letters: list[str], *, prefix: bool) -> str:
    start = f"(?<!{OF_WORD})" if _OF_WORD.match(letters[0]) else ""
    end = f"(?!{OF_WORD})" if _OF_WORD.match(letters[-1]) and not prefix else ""
    return f"{start}{_GAP.join(map(re.escape, letters))}{end}"
