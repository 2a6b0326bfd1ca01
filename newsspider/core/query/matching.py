"""Decides on the units of a text whether it matches a query, for NEAR, which no index decides, and for single
articles."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsspider.core.query.query_tree import All, Either, Every, Near, Node, Not, Text, Value
from newsspider.core.text.tokenizer import PLACES, beginnings, fields_of, join_units, phrase_string

if TYPE_CHECKING:
    from newsspider.core.query.query_language import Query

MOST_PLACES = 100  # of a text in a field that are compared with others for their distance


@dataclass(frozen=True, slots=True)
class IndexedText:
    """An article: its texts as :func:`~newsspider.core.text.tokenizer.join_units` units by field, and the tokens of its
    other fields."""

    texts: Mapping[str, str]
    values: Collection[str]


def indexed_text(texts: Mapping[str, Collection[str]], values: Collection[str]) -> IndexedText:
    """The document of these units."""
    return IndexedText({field: join_units(text_units) for field, text_units in texts.items()}, values)


def asks_for(query: Query, article: IndexedText, moment: int) -> bool:
    """Whether a query matches an article that was published, or else crawled, at this moment (seconds)."""
    if query.since is not None and moment < int(query.since.timestamp()):
        return False
    if query.until is not None and moment >= int(query.until.timestamp()):
        return False
    return matches_query(query.wanted, article)


def matches_query(node: Node, text: IndexedText) -> bool:
    """Whether a document matches a query."""
    if isinstance(node, Text):
        needle = phrase_string(node.units, prefix=node.prefix)
        return any(needle in text.texts.get(field, "") for field in fields_of(node.field))
    if isinstance(node, Value):
        return node.token in text.values
    if isinstance(node, Every):
        return True
    if isinstance(node, All):
        return all(matches_query(part, text) for part in node.sides)
    if isinstance(node, Either):
        return any(matches_query(part, text) for part in node.sides)
    if isinstance(node, Not):
        return not matches_query(node.inner, text)
    has_both = matches_query(node.left, text) and matches_query(node.right, text)  # cheap, and mostly false
    return has_both and any(_near(node, text, field) for field in PLACES)


def _near(node: Near, text: IndexedText, field: str) -> bool:
    left, right = list(_places(node.left, text, field)), list(_places(node.right, text, field))
    if not left or not right:
        return False
    begins = beginnings(text.texts[field])  # distances count the characters and words that begin between two places
    return _follows(left, right, begins, node.within) or (
        not node.ordered and _follows(right, left, begins, node.within)
    )


def _follows(
    first: Sequence[tuple[int, int]], second: Sequence[tuple[int, int]], begins: Sequence[int], within: int
) -> bool:
    """Whether one of the second places begins at or after the end of one of the first, at most ``within`` behind it."""
    ends, starts = (bisect_left(begins, end) for _, end in first), (bisect_left(begins, start) for start, _ in second)
    in_order = sorted(ends)
    firsts = ((start, bisect_left(in_order, start - within)) for start in starts)
    return any(first < len(in_order) and in_order[first] <= start for start, first in firsts)


def _places(node: Node, text: IndexedText, field: str) -> Iterator[tuple[int, int]]:
    """The ranges of a field that match a text or one of several, without the blanks around them."""
    if isinstance(node, Either):
        for alternative in node.sides:
            yield from _places(alternative, text, field)
    elif isinstance(node, Text) and field in fields_of(node.field):
        units = text.texts.get(field, "")
        needle, at = phrase_string(node.units, prefix=node.prefix), -1
        for _ in range(MOST_PLACES):
            if (at := units.find(needle, at + 1)) < 0:
                return
            start = at + (needle[0] == " ")
            yield start, start + len(needle.strip())
