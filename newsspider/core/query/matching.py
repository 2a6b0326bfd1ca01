"""Decides on the units of a text whether it matches a query, for NEAR, which no index decides, and for single articles;
and finds the words of a query in a text, to highlight them and to cut a snippet."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsspider.core.query.query_tree import All, Either, Every, Near, Node, Not, Text, Value
from newsspider.core.text.tokenizer import PLACES, beginnings, fields_of, joined, phrase

if TYPE_CHECKING:
    from newsspider.core.query.query_language import Query
import re
from collections.abc import Iterable
from typing import NamedTuple

from newsspider.core.query.query_tree import wanted_texts
from newsspider.core.text.chinese_characters import plain
from newsspider.core.text.tokenizer import OF_WORD

MOST_PLACES = 100  # of a text in a field that are compared with others for their distance
_GAP = r"[\W_]*"  # what may stand between two characters of a phrase
_OF_WORD = re.compile(OF_WORD)


@dataclass(frozen=True, slots=True)
class Document:
    """An article: its texts as :func:`~newsspider.core.text.tokenizer.joined` units by field, and the tokens of its
    other fields."""

    texts: Mapping[str, str]
    values: Collection[str]


def document(texts: Mapping[str, Collection[str]], values: Collection[str]) -> Document:
    """The document of these units."""
    return Document({field: joined(text_units) for field, text_units in texts.items()}, values)


def asks_for(query: Query, article: Document, moment: int) -> bool:
    """Whether a query matches an article that was published, or else crawled, at this moment (seconds)."""
    if query.since is not None and moment < int(query.since.timestamp()):
        return False
    if query.until is not None and moment >= int(query.until.timestamp()):
        return False
    return matches(query.wanted, article)


def matches(node: Node, text: Document) -> bool:
    """Whether a document matches a query."""
    if isinstance(node, Text):
        needle = phrase(node.units, prefix=node.prefix)
        return any(needle in text.texts.get(field, "") for field in fields_of(node.field))
    if isinstance(node, Value):
        return node.token in text.values
    if isinstance(node, Every):
        return True
    if isinstance(node, All):
        return all(matches(part, text) for part in node.sides)
    if isinstance(node, Either):
        return any(matches(part, text) for part in node.sides)
    if isinstance(node, Not):
        return not matches(node.inner, text)
    has_both = matches(node.left, text) and matches(node.right, text)  # cheap, and mostly false
    return has_both and any(_near(node, text, field) for field in PLACES)


def _near(node: Near, text: Document, field: str) -> bool:
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


def _places(node: Node, text: Document, field: str) -> Iterator[tuple[int, int]]:
    """The ranges of a field that match a text or one of several, without the blanks around them."""
    if isinstance(node, Either):
        for alternative in node.sides:
            yield from _places(alternative, text, field)
    elif isinstance(node, Text) and field in fields_of(node.field):
        units = text.texts.get(field, "")
        needle, at = phrase(node.units, prefix=node.prefix), -1
        for _ in range(MOST_PLACES):
            if (at := units.find(needle, at + 1)) < 0:
                return
            start = at + (needle[0] == " ")
            yield start, start + len(needle.strip())


def highlights(text: str, query: Node) -> list[tuple[int, int]]:
    """The ranges of a text that match the words and phrases of a query, in order, whatever their script."""
    return _phrase_places(text, [("".join(part.units), part.prefix) for part in wanted_texts(query)])


class Snippet(NamedTuple):
    """A piece of a text; the ranges of it that match a query; whether text before it and behind it is left out."""

    text: str
    places: list[tuple[int, int]]
    cut_before: bool
    cut_behind: bool


def snippet(text: str, query: Node, before: int, length: int) -> Snippet:
    """At most ``length`` characters of a text, of which up to ``before`` stand before the first match."""
    flat = " ".join(text.split())
    places = highlights(flat, query)
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
        if (letters := [letter for letter in plain(phrase) if letter.isalnum()])
    ]
    return [match.span() for match in re.finditer("|".join(patterns), plain(text))] if patterns else []


def _pattern(letters: list[str], *, prefix: bool) -> str:
    start = f"(?<!{OF_WORD})" if _OF_WORD.match(letters[0]) else ""
    end = f"(?!{OF_WORD})" if _OF_WORD.match(letters[-1]) and not prefix else ""
    return f"{start}{_GAP.join(map(re.escape, letters))}{end}"
