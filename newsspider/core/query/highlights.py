"""Where a text has what a query asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable

from newsspider.core.query.tree import Node, wanted_texts
from newsspider.core.text.script import plain

_GAP = r"[\W_]*"  # what may stand between two characters of a phrase


def highlights(text: str, wanted: Node) -> list[tuple[int, int]]:
    """Where each of the texts that are asked for begins and ends in a text, in order, whatever its script."""
    return places_of(text, ("".join(one.units) for one in wanted_texts(wanted)))


def places_of(text: str, phrases: Iterable[str]) -> list[tuple[int, int]]:
    """The same for plain phrases; the longest one where two begin together.

    >>> places_of("幼兒園延時服務", ["幼儿园", "延时 服务"])
    [(0, 3), (3, 7)]
    """
    patterns = [
        _GAP.join(map(re.escape, letters))
        for phrase in sorted(phrases, key=len, reverse=True)
        if (letters := [letter for letter in plain(phrase) if letter.isalnum()])
    ]
    return [match.span() for match in re.finditer("|".join(patterns), plain(text))] if patterns else []
