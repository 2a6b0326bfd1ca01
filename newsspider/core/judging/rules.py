"""The language of rules: which documents a condition holds for.

    高考 AND NOT 电影          both words, the second one absent; AND may be left out
    title:教师 OR "乡村 教育"   a word of the title; a phrase, whose words follow each other
    (校长 OR 教师) NEAR/5 贪污   at most 5 words between, in either order
    *考研*                     inside a longer word too; without stars a word is a whole word, or several
    url:/gaokao/ site:edu.cn author:张三 channel:高考 media:official

A word without a field is looked for in title and body. Words are those that the segmenter cuts, the topic's own joined, so
"提高考核" does not hold "高考". ``url:`` is any piece of the URL, ``site:`` a site's name or the end of its host, ``channel:``
a piece of the channel's name, ``author:`` and ``media:`` the whole name. AND binds closer than OR; parentheses group.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate
from urllib.parse import urlsplit

from newsspider.core.text.script import simplified
from newsspider.core.text.words import cut

TOKENS = re.compile(r'\s*(?:[()]|(?:[a-z]+:)?(?:"[^"]*"|[^\s()"]+))')  # parentheses; words, phrases and operators
NEAR = re.compile(r"NEAR/\d{1,3}")
WORD_FIELDS = ("title", "body")
VALUE_FIELDS = ("site", "url", "author", "channel", "media")
OPERATORS = ("AND", "OR", "NOT")
STAR = "*"


class Verdict(StrEnum):
    """What a rule that holds does."""

    WEIGH = "weigh"  # speaks for the topic, or against it, as a term does
    KEEP = "keep"  # the document is relevant, whatever else is said of it
    DROP = "drop"  # it is not


class BadRule(ValueError):  # noqa: N818 - the sentence "a bad rule" is what people read
    """A rule that cannot be read: at which character (from 1), and why."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(f"at character {at}: {reason}")
        self.at = at
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Cut:
    """A text as its words: where each character's word begins, in words."""

    text: str
    place: dict[int, int]  # the offset at which a word begins -> its number; the end of the text is one more

    @classmethod
    def of(cls, plain: str) -> Cut:
        """Of a text in simplified characters and lower case."""
        starts = [0, *accumulate(map(len, cut(plain)))]
        return cls(plain, {start: number for number, start in enumerate(starts)})

    def find(self, word: str, *, inside: bool) -> list[tuple[int, int]]:
        """The (first, last) word numbers of each place where ``word`` stands."""
        found = []
        at = self.text.find(word)
        while at >= 0:
            end = at + len(word)
            if inside:
                found.append((self._word_at(at), self._word_at(end - 1)))
            elif at in self.place and end in self.place:
                found.append((self.place[at], self.place[end] - 1))
            at = self.text.find(word, at + 1)
        return found

    def _word_at(self, offset: int) -> int:
        while offset not in self.place:
            offset -= 1
        return self.place[offset]


@dataclass(slots=True)
class Facts:
    """What rules ask of a document. Title and body are cut when a word stands in them, so without one they cost little."""

    title: str = ""
    body: str = ""
    url: str = ""
    site: str = ""
    channel: str = ""
    media: str = ""
    authors: Sequence[str] = ()
    _plain: dict[str, str] = field(init=False, default_factory=dict)
    _cut: dict[str, Cut] = field(init=False, default_factory=dict)

    def plain(self, name: str) -> str:
        """Title or body in simplified characters and lower case."""
        found = self._plain.get(name)
        if found is None:
            found = self._plain[name] = simplified(self.title if name == "title" else self.body).lower()
        return found

    def cut(self, name: str) -> Cut:
        if name not in self._cut:
            self._cut[name] = Cut.of(self.plain(name))
        return self._cut[name]

    def has(self, name: str, value: str) -> bool:
        """Whether a field that is no text has this value (in lower case)."""
        match name:
            case "url":
                return value in self.url.lower()
            case "site":
                host = urlsplit(self.url).hostname or ""
                return value == self.site.lower() or host == value or host.endswith("." + value.lstrip("."))
            case "author":
                return value in (author.lower() for author in self.authors)
            case "channel":
                return value in self.channel.lower()
            case _:
                return value == self.media.lower()


Holds = Callable[[Facts], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition and what follows where it holds; ``weight`` is that of a term, below 0 against the topic."""

    when: str
    verdict: Verdict = Verdict.WEIGH
    weight: float = 0.0
    name: str = ""
    holds: Holds = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "holds", parsed(self.when))


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    at: int  # from 1


@dataclass(frozen=True, slots=True)
class _Word:
    """A word or phrase in one of the fields that are texts."""

    fields: tuple[str, ...]
    text: str
    inside: bool

    def places(self, facts: Facts, name: str) -> list[tuple[int, int]]:
        if name not in self.fields or self.text not in facts.plain(name):
            return []
        return facts.cut(name).find(self.text, inside=self.inside)

    def __call__(self, facts: Facts) -> bool:
        for name in self.fields:  # in most texts no word of a rule stands at all
            if self.text in facts.plain(name) and (self.inside or facts.cut(name).find(self.text, inside=False)):
                return True
        return False


@dataclass(frozen=True, slots=True)
class _Either:
    """One of several words: as good as a word between NEAR/n."""

    words: tuple[_Word | _Either, ...]

    def places(self, facts: Facts, name: str) -> list[tuple[int, int]]:
        return [place for word in self.words for place in word.places(facts, name)]

    def __call__(self, facts: Facts) -> bool:
        return any(word(facts) for word in self.words)


def parsed(rule: str) -> Holds:
    """Return the test that ``rule`` stands for; raises :exc:`BadRule`.

    >>> holds = parsed("高考 NEAR/2 作弊 AND NOT site:example.com")
    >>> holds(Facts(title="高考严防作弊")), holds(Facts(title="提高考核，作弊"))
    (True, False)
    """
    reader = _Reader(list(_tokens(rule)), len(rule) + 1)
    holds = reader.any_of()
    if (extra := reader.ahead()) is not None:
        raise BadRule(extra.at, "nothing was opened that this could close")
    return holds


def _tokens(rule: str) -> Iterator[_Token]:
    at = 0
    rule = rule.rstrip()
    while at < len(rule):
        found = TOKENS.match(rule, at)
        if found is None:
            at += len(rule[at:]) - len(rule[at:].lstrip())
            raise BadRule(at + 1, "a quotation mark that nothing closes" if rule[at] == '"' else "nothing that can be read")
        start = found.end() - len(found.group().lstrip())
        yield _Token(rule[start : found.end()], start + 1)
        at = found.end()


class _Reader:
    """Reads tokens from the left, one function a level of the grammar."""

    def __init__(self, tokens: list[_Token], end: int) -> None:
        self.tokens = tokens
        self.next = 0
        self.end = end

    def ahead(self) -> _Token | None:
        return self.tokens[self.next] if self.next < len(self.tokens) else None

    def take(self, *texts: str) -> _Token | None:
        token = self.ahead()
        if token is None or token.text not in texts:
            return None
        self.next += 1
        return token

    def any_of(self) -> Holds:
        sides = [self.all_of()]
        while self.take("OR"):
            sides.append(self.all_of())
        if len(sides) == 1:
            return sides[0]
        words = tuple(side for side in sides if isinstance(side, _Word | _Either))
        return _Either(words) if len(words) == len(sides) else lambda facts: any(side(facts) for side in sides)

    def all_of(self) -> Holds:
        sides = [self.unless()]
        while self.take("AND") or ((token := self.ahead()) and token.text not in {"OR", ")"}):
            sides.append(self.unless())
        return sides[0] if len(sides) == 1 else lambda facts: all(side(facts) for side in sides)

    def unless(self) -> Holds:
        if self.take("NOT"):
            inner = self.unless()
            return lambda facts: not inner(facts)
        return self.near()

    def near(self) -> Holds:
        token = self.ahead()
        holds = self.atom()
        while (operator := self.ahead()) and NEAR.fullmatch(operator.text):
            self.next += 1
            following = self.ahead()
            other = self.atom()
            for side, place in ((holds, token), (other, following)):
                if not isinstance(side, _Word | _Either):
                    raise BadRule(place.at if place else self.end, "NEAR/n stands between words or phrases of title or body")
            holds = _near(holds, other, int(operator.text.removeprefix("NEAR/")))  # type: ignore[arg-type]
        return holds

    def atom(self) -> Holds:
        token = self.ahead()
        if token is None:
            raise BadRule(self.end, "a word is missing at the end")
        self.next += 1
        if token.text == "(":
            inner = self.any_of()
            if self.take(")") is None:
                raise BadRule(token.at, "a parenthesis that nothing closes")
            return inner
        if token.text in {*OPERATORS, ")"} or NEAR.fullmatch(token.text):
            raise BadRule(token.at, f"a word is missing before {token.text}")
        return _test(token)


def _test(token: _Token) -> Holds:
    name, colon, rest = token.text.partition(":")
    if not colon or not name.isalpha() or not name.isascii() or not name.islower():
        name, rest = "", token.text
    elif name not in (*WORD_FIELDS, *VALUE_FIELDS):
        raise BadRule(token.at, f"{name!r} is no field; the fields are {', '.join((*WORD_FIELDS, *VALUE_FIELDS))}")
    at = token.at + len(token.text) - len(rest)
    value = simplified(rest.strip('"')).lower().strip()
    if name in VALUE_FIELDS:
        if not value:
            raise BadRule(at, f"{name}: is followed by nothing")
        return lambda facts: facts.has(name, value)
    inside = STAR in value
    words = "".join(value.split()) if not value.isascii() else value
    if not words.strip(STAR):
        raise BadRule(at, "a word is missing")
    return _Word((name,) if name else WORD_FIELDS, words.strip(STAR), inside)


def _near(one: _Word | _Either, other: _Word | _Either, most: int) -> Holds:
    def holds(facts: Facts) -> bool:
        for name in WORD_FIELDS:
            others = other.places(facts, name)
            for start, end in one.places(facts, name) if others else ():
                if any(max(start - last, first - end) - 1 <= most for first, last in others):
                    return True
        return False

    return holds
