"""Where a text has what a query asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable

from newsspider.core.query.tree import Node, wanted_texts
from newsspider.core.text.script import plain
from newsspider.core.text.tokenizer import OF_WORD

_GAP = r"[\W_]*"  # what may stand between two characters of a phrase
_OF_WORD = re.compile(OF_WORD)


def highlights(text: str, wanted: Node) -> list[tuple[int, int]]:
    """Where each of the texts that are asked for begins and ends in a text, in order, whatever its script."""
    return _places(text, [("".join(one.units), one.prefix) for one in wanted_texts(wanted)])


def places_of(text: str, phrases: Iterable[str]) -> list[tuple[int, int]]:
    """The same for plain phrases; the longest one where two begin together. Latin words are whole words.

    >>> places_of("幼兒園延時服務", ["幼儿园", "延时 服务"]), places_of("Shanghai用AI教学", ["ai"])
    ([(0, 3), (3, 7)], [(9, 11)])
    """
    return _places(text, [(phrase, False) for phrase in phrases])


def _places(text: str, phrases: list[tuple[str, bool]]) -> list[tuple[int, int]]:
    patterns = [
        _pattern(letters, prefix=prefix)
        for phrase, prefix in sorted(phrases, key=lambda pair: -len(pair[0]))
        if (letters := [letter for letter in plain(phrase) if letter.isalnum()])
    ]
    return [match.span() for match in re.finditer("|".join(patterns), plain(text))] if patterns else []


def _pattern(letters: list[str], *, prefix: bool) -> str:
    before = f"(?<!{OF_WORD})" if _OF_WORD.match(letters[0]) else ""
    behind = f"(?!{OF_WORD})" if _OF_WORD.match(letters[-1]) and not prefix else ""
    return f"{before}{_GAP.join(map(re.escape, letters))}{behind}"
