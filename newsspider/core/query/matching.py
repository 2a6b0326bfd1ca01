"""Whether a text is what a query asks for, decided on its units: for what no index knows, and for single articles."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from newsspider.core.query.tree import All, Either, Every, Near, Node, Not, Text, Value
from newsspider.core.text.tokenizer import PLACES, beginnings, fields_of, joined, phrase

MOST_PLACES = 100  # of a text in a field that are compared with others for their distance


@dataclass(frozen=True, slots=True)
class Document:
    """Its texts as :func:`~newsspider.core.text.tokenizer.joined` units by field, and the tokens of the others."""

    texts: Mapping[str, str]
    values: Collection[str]


def document(texts: Mapping[str, Collection[str]], values: Collection[str]) -> Document:
    """The document of these units."""
    return Document({field: joined(text_units) for field, text_units in texts.items()}, values)


def matches(node: Node, text: Document) -> bool:
    """Whether the document is what is asked for."""
    if isinstance(node, Text):
        wanted = phrase(node.units, prefix=node.prefix)
        return any(wanted in text.texts.get(field, "") for field in fields_of(node.field))
    if isinstance(node, Value):
        return node.token in text.values
    if isinstance(node, Every):
        return True
    if isinstance(node, All):
        return all(matches(side, text) for side in node.sides)
    if isinstance(node, Either):
        return any(matches(side, text) for side in node.sides)
    if isinstance(node, Not):
        return not matches(node.inner, text)
    both = matches(node.left, text) and matches(node.right, text)  # which costs little, and is mostly wrong
    return both and any(_near(node, text, field) for field in PLACES)


def _near(node: Near, text: Document, field: str) -> bool:
    left, right = list(_places(node.left, text, field)), list(_places(node.right, text, field))
    if not left or not right:
        return False
    begins = beginnings(text.texts[field])
    # by how many characters and words begin before each place
    starts, ends = ([[bisect_left(begins, place[side]) for place in places] for places in (left, right)] for side in (0, 1))
    return _follows(ends[0], starts[1], node.within) or (
        not node.ordered and _follows(ends[1], starts[0], node.within)
    )


def _follows(ends: Iterable[int], starts: Iterable[int], within: int) -> bool:
    """Whether one of these starts is at most so far behind one of these ends."""
    in_order = sorted(ends)
    firsts = ((start, bisect_left(in_order, start - within)) for start in starts)
    return any(first < len(in_order) and in_order[first] <= start for start, first in firsts)


def _places(node: Node, text: Document, field: str) -> Iterator[tuple[int, int]]:
    """The ranges of the texts in a field, without the blanks around them."""
    if isinstance(node, Either):
        for side in node.sides:
            yield from _places(side, text, field)
    elif isinstance(node, Text) and field in fields_of(node.field):
        units = text.texts.get(field, "")
        wanted, at = phrase(node.units, prefix=node.prefix), -1
        for _ in range(MOST_PLACES):
            if (at := units.find(wanted, at + 1)) < 0:
                return
            start = at + (wanted[0] == " ")
            yield start, start + len(wanted.strip())
