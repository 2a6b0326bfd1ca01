"""What rules ask of a document: its texts as words, and the values of its other fields."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from newsspider.core.text.script import plain
from newsspider.core.text.words import cut, cut_as_known

LEAST_UNCUT = 2  # characters of a word that counts in what the segmenter guessed at


class Place(NamedTuple):
    """Where a word stands: the numbers of the first and the last word that it is or lies in, its first character and
    what is behind it."""

    first: int
    last: int
    start: int
    end: int

    def between(self, other: Place) -> int | None:
        """How many words stand between both; ``None`` if they share a character."""
        if self.start < other.end and other.start < self.end:
            return None
        return max(0, self.first - other.last - 1, other.first - self.last - 1)


@dataclass(slots=True)
class Cut:
    """A text as its words: how many words begin before each border."""

    text: str
    # the offset of a border between words -> how many words begin before it; blanks and punctuation are none
    place: dict[int, int]
    _known: frozenset[int] | None = field(init=False, default=None)

    @classmethod
    def of(cls, text: str) -> Cut:
        """Of a plain text."""
        words = cut(text)
        counts = accumulate((word[0].isalnum() for word in words), initial=0)
        return cls(text, dict(zip(_borders(words), counts, strict=True)))

    @property
    def known(self) -> frozenset[int]:
        """The borders where no word is guessed at; seldom asked for, and as much work as the others."""
        if self._known is None:
            self._known = frozenset(_borders(cut_as_known(self.text)))
        return self._known

    def find(self, pattern: re.Pattern[str], *, inside: bool) -> list[Place]:
        """Each place where a word or phrase stands."""
        found = []
        match = pattern.search(self.text)
        while match:
            at, end = match.span()
            if inside or self._stands(at, end):
                found.append(Place(self._words_before(at, -1), self._words_before(end, 1) - 1, at, end))
            match = pattern.search(self.text, at + 1)
        return found

    def _stands(self, at: int, end: int) -> bool:
        if at in self.place and end in self.place:
            return True
        return end - at >= LEAST_UNCUT and at in self.known and end in self.known

    def _words_before(self, offset: int, step: int) -> int:
        while offset not in self.place:
            offset += step
        return self.place[offset]


def _borders(words: Sequence[str]) -> Iterator[int]:
    return accumulate(map(len, words), initial=0)


@dataclass(slots=True)
class Facts:
    """What rules ask of a document. Title and body are cut when a word stands in them, so without one they cost little.

    A link tells less than its article: what is asked of a field that is ``untold`` is presumed, or not, as that helps a
    rule to hold.
    """

    title: str = ""
    body: str = ""
    url: str = ""
    site: str = ""
    channel: str = ""
    media: str = ""
    authors: Sequence[str] = ()
    untold: Collection[str] = ()
    presumed: bool = True
    _plain: dict[str, str] = field(init=False, default_factory=dict)
    _cut: dict[str, Cut] = field(init=False, default_factory=dict)

    def plain(self, name: str) -> str:
        """Title or body as words are compared."""
        found = self._plain.get(name)
        if found is None:
            found = self._plain[name] = plain(self.title if name == "title" else self.body)
        return found

    def cut(self, name: str) -> Cut:
        if name not in self._cut:
            self._cut[name] = Cut.of(self.plain(name))
        return self._cut[name]

    def has(self, name: str, value: str) -> bool:
        """Whether a field that is no text has this value, which is plain."""
        if name in self.untold:
            return self.presumed
        match name:
            case "url":
                return value in plain(self.url) or value in plain(unquote(self.url))
            case "site":
                host = _host(self.url)
                return value == as_line(self.site) or host == value or host.endswith("." + value.lstrip("."))
            case "author":
                return value in map(as_line, self.authors)
            case "channel":
                return value in as_line(self.channel)
            case _:
                return value == as_line(self.media)

    def denied(self) -> Facts:
        """The facts as they help a rule not to hold."""
        return replace(self, presumed=not self.presumed) if self.untold else self


def as_line(text: str) -> str:
    """A text as values are compared: in one line, of one case, script and width."""
    return " ".join(plain(text).split())


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:  # no URL: "http://[::1"
        return ""
