"""What is scored against a topic, and its fields as rules test them: the texts as words, and the other values.
``document_of`` in ``pages/read_page.py`` fills it from what was read of a page."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from newsspider.core.text.characters import fold_text
from newsspider.core.text.tokenizer import cut_by_dictionary, cut_words

MIN_GUESSED_WORD = 2  # characters of a word inside what the segmenter guessed


@dataclass(frozen=True, slots=True)
class Document:
    """The text that is scored against a topic: an article, or only the anchor text of a link."""

    title: str = ""
    text: str = ""
    # The tags of the page: _tag_odds in scoring.py judges them.
    meta_title: str = ""  # the text of <title>
    headings: Sequence[str] = ()
    meta_keywords: Sequence[str] = ()
    meta_description: str = ""

    anchor: str = ""  # the text of the link that leads to the page
    url: str = ""
    site: str = ""
    channel: str = ""
    media: str = ""  # the media class of the site
    authors: Sequence[str] = ()

    @property
    def headline(self) -> str:
        """The title, or the anchor text of the link that leads to the page."""
        return self.title or self.meta_title or self.anchor

    @property
    def is_headline_only(self) -> bool:
        return not (self.text or self.headings or self.meta_keywords or self.meta_description)


class Place(NamedTuple):
    """The position of a match: the indices of its first and last word, and its character range."""

    first: int
    last: int
    start: int
    end: int

    def between(self, other: Place) -> int | None:
        """The number of words between both; ``None`` if they overlap."""
        if self.start < other.end and other.start < self.end:
            return None
        return max(0, self.first - other.last - 1, other.first - self.last - 1)


@dataclass(slots=True)
class Cut:
    """A segmented text: how many words begin before each boundary."""

    text: str
    # offset of a word boundary -> number of words that begin before it, spaces and punctuation not counted
    words_before: dict[int, int]
    _certain: frozenset[int] | None = field(init=False, default=None)

    @classmethod
    def of(cls, text: str) -> Cut:
        """Segment a normalised text. A rule may name a part of a term of its topic, so no term is joined."""
        words = cut_words(text)
        counts = accumulate((word[0].isalnum() for word in words), initial=0)
        return cls(text, dict(zip(_borders(words), counts, strict=True)))

    @property
    def certain(self) -> frozenset[int]:
        """The boundaries without the segmenter's guesses. Computed on demand, because it costs as much as the rest."""
        if self._certain is None:
            self._certain = frozenset(_borders(cut_by_dictionary(self.text)))
        return self._certain

    def find(self, pattern: re.Pattern[str], *, inside: bool) -> list[Place]:
        """Every position where a word or phrase occurs."""
        places = []
        match = pattern.search(self.text)
        while match:
            at, end = match.span()
            if inside or self._is_at_borders(at, end):
                places.append(Place(self._count_before(at, -1), self._count_before(end, 1) - 1, at, end))
            match = pattern.search(self.text, at + 1)
        return places

    def _is_at_borders(self, at: int, end: int) -> bool:
        if at in self.words_before and end in self.words_before:
            return True
        return end - at >= MIN_GUESSED_WORD and at in self.certain and end in self.certain

    def _count_before(self, offset: int, step: int) -> int:
        while offset not in self.words_before:
            offset += step
        return self.words_before[offset]


def _borders(words: Sequence[str]) -> Iterator[int]:
    return accumulate(map(len, words), initial=0)


@dataclass(slots=True)
class Facts:
    """The fields of a document that rules test. Title and body are segmented on demand: texts without a word of a
    rule cost little.

    A link shows fewer fields than its article. A test of one of the ``unknown_fields`` has the result ``presumed``,
    chosen so that it helps the rule to match.
    """

    title: str = ""
    body: str = ""
    url: str = ""
    site: str = ""
    channel: str = ""
    media: str = ""
    authors: Sequence[str] = ()
    unknown_fields: Collection[str] = ()
    presumed: bool = True
    _plain: dict[str, str] = field(init=False, default_factory=dict)
    _cut: dict[str, Cut] = field(init=False, default_factory=dict)

    def plain(self, name: str) -> str:
        """Title or body, normalised for comparison."""
        text = self._plain.get(name)
        if text is None:
            text = self._plain[name] = fold_text(self.title if name == "title" else self.body)
        return text

    def cut(self, name: str) -> Cut:
        if name not in self._cut:
            self._cut[name] = Cut.of(self.plain(name))
        return self._cut[name]

    def has(self, name: str, value: str) -> bool:
        """Whether a value field matches this normalised value."""
        if name in self.unknown_fields:
            return self.presumed
        match name:
            case "url":
                return value in fold_text(self.url) or value in fold_text(unquote(self.url))
            case "site":
                host = _host(self.url)
                return value == as_line(self.site) or host == value or host.endswith("." + value.lstrip("."))
            case "author":
                return value in map(as_line, self.authors)
            case "channel":
                return value in as_line(self.channel)
            case _:
                return value == as_line(self.media)

    def negated(self) -> Facts:
        """The facts inside a NOT: unknown fields have the opposite result."""
        return replace(self, presumed=not self.presumed) if self.unknown_fields else self


def as_line(text: str) -> str:
    """A value normalised for comparison: one line, one case, script and width."""
    return " ".join(fold_text(text).split())


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:  # no URL: "http://[::1"
        return ""
