"""The rules of a topic: a condition, and what follows when a document matches it. The language of conditions:

    高考 AND NOT 电影          both words, the second one absent; AND may be left out
    title:教师 OR "乡村 教育"   a word of the title; a phrase of consecutive words
    (校长 OR 教师) NEAR/5 贪污   at most 5 words between, in either order
    *考研*                     also inside a longer word; without stars only whole words match
    url:/gaokao/ site:edu.cn author:张三 channel:高考 media:official

A word without a field is searched in title and body. The segmenter decides what a word is, with the topic's terms in
its dictionary, so "提高考核" does not contain "高考"; where the segmenter only guessed a word ("马云到"), the rule's words
inside it match. Spaces and line breaks inside a phrase are ignored; spaces and punctuation do not count as words for
NEAR/n. ``url:`` matches any part of the URL, ``site:`` a site's name or the end of its host, ``channel:`` a part of
the channel's name, ``author:`` and ``media:`` the whole name. AND binds tighter than OR; parentheses group. Case,
Chinese script, and the width of letters, brackets, colons and quotation marks are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from math import log
from textwrap import shorten

from newsspider.core.query.parser import (
    FIELD,
    MISWRITTEN_OPERATOR,
    QUOTES,
    STAR,
    DescentParser,
    RuleError,
    Token,
    field_of,
    tokens_of,
)
from newsspider.core.relevance.document import Facts, Place, as_line

LONGEST_LABEL = 40  # characters
CERTAIN_WEIGHT = 0.99  # a weight of 1 would be infinite evidence

# an operator or a separator inside a word, where a space is missing
OPERATOR_IN_WORD = re.compile(r"(?<=[\u4e00-\u9fff*])(?:AND|OR|NOT|NEAR/\d+)(?=[\u4e00-\u9fff*])|[|，、；;]|&&")
_JOINT = re.compile(r"\s+|(?<=[!-~])(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])(?=[!-~])")  # where a text may have spaces
WORD_FIELDS = ("title", "body")
VALUE_FIELDS = ("site", "url", "author", "channel", "media")

Holds = Callable[[Facts], bool]


class RuleVerdict(StrEnum):
    """What a matching rule does."""

    WEIGH = "weigh"  # evidence for or against the topic, as a term is
    KEEP = "keep"  # the document is relevant, whatever its score, unless another rule drops it
    DROP = "drop"  # the document is irrelevant


@dataclass(frozen=True, slots=True)
class TopicRule:
    """A condition and its verdict. ``weight`` is in -1 to 1, like that of a term; below 0 is against the topic."""

    when: str
    verdict: RuleVerdict = RuleVerdict.WEIGH
    weight: float = 0.0
    name: str = ""
    holds: Holds = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "holds", parsed(self.when))

    @property
    def label(self) -> str:
        """The rule's name, or the start of its condition."""
        return self.name or shorten(self.when, LONGEST_LABEL, placeholder="...")


def matching_rules(
    rules: Iterable[TopicRule], facts: Facts
) -> tuple[float, Sequence[str], Mapping[RuleVerdict, Sequence[str]]]:
    """The log odds and labels of the weighing rules that match, and the labels of the others by verdict."""
    odds = 0.0
    weighing: list[str] = []
    verdicts: dict[RuleVerdict, list[str]] = {}
    for rule in rules:
        if not rule.holds(facts):
            continue
        if rule.verdict is RuleVerdict.WEIGH:
            odds -= log(1 - min(abs(rule.weight), CERTAIN_WEIGHT)) * (1 if rule.weight > 0 else -1)
            weighing.append(rule.label)
        else:
            verdicts.setdefault(rule.verdict, []).append(rule.label)
    return odds, weighing, verdicts


@dataclass(frozen=True, slots=True)
class _Word:
    """A word or phrase in title or body. ``start`` is the word, or the first word of the phrase."""

    fields: tuple[str, ...]
    start: str
    pattern: re.Pattern[str]
    inside: bool

    def places(self, facts: Facts, name: str) -> list[Place]:
        if name not in self.fields or self.start not in facts.plain(name):
            return []
        return facts.cut(name).find(self.pattern, inside=self.inside)

    def __call__(self, facts: Facts) -> bool:
        return any(self._matches(facts, name) for name in self.fields)

    def _matches(self, facts: Facts, name: str) -> bool:
        text = facts.plain(name)
        if self.start not in text or not self.pattern.search(text):  # most texts contain no word of a rule
            return False
        return self.inside or bool(facts.cut(name).find(self.pattern, inside=False))


@dataclass(frozen=True, slots=True)
class _Either:
    """One of several words, usable as an operand of NEAR/n."""

    words: tuple[_Word | _Either, ...]

    def places(self, facts: Facts, name: str) -> list[Place]:
        return [place for word in self.words for place in word.places(facts, name)]

    def __call__(self, facts: Facts) -> bool:
        return any(word(facts) for word in self.words)


def parsed(rule: str) -> Holds:
    """Parse ``rule`` into a test of a document; raises :exc:`RuleError`.

    >>> holds = parsed("高考 NEAR/2 作弊 AND NOT site:example.com")
    >>> holds(Facts(title="高考严防作弊")), holds(Facts(title="提高考核，作弊"))
    (True, False)
    """
    return _RuleReader(list(tokens_of(rule)), len(rule) + 1).whole()


def values_asked(rule: str) -> Iterator[tuple[str, str, int]]:
    """Each value field that a rule tests, with the wanted value and its position (from 1).

    >>> list(values_asked('高考 AND NOT site:edu.cn "url:x"'))
    [('site', 'edu.cn', 17)]
    """
    for token in tokens_of(rule):
        name, rest, at = field_of(token)
        if name in VALUE_FIELDS:
            yield name, as_line(rest.strip(QUOTES)), at


class _RuleReader(DescentParser[Holds]):
    def test(self, token: Token) -> Holds:
        return _test(token)

    def either(self, conditions: list[Holds]) -> Holds:
        words = tuple(condition for condition in conditions if isinstance(condition, _Word | _Either))
        if len(words) == len(conditions):
            return _Either(words)
        return lambda facts: any(condition(facts) for condition in conditions)

    def every(self, conditions: list[Holds]) -> Holds:
        return lambda facts: all(condition(facts) for condition in conditions)

    def without(self, inner: Holds) -> Holds:
        return lambda facts: not inner(facts.negated())

    def is_operand(self, condition: Holds) -> bool:
        return isinstance(condition, _Word | _Either)

    def beside(self, left: Holds, right: Holds, operator: Token) -> Holds:
        if not _fields(left) & _fields(right):  # type: ignore[arg-type]
            raise RuleError(operator.at, "what stands in the title is never near what stands in the body")
        return _near(left, right, int(operator.text.removeprefix("NEAR/")))  # type: ignore[arg-type]


def _test(token: Token) -> Holds:
    name, rest, at = field_of(token)
    if name and name not in (*WORD_FIELDS, *VALUE_FIELDS):
        allowed = ", ".join((*WORD_FIELDS, *VALUE_FIELDS))
        field_written = token.text.removesuffix(rest)[:-1]
        raise RuleError(
            token.at,
            f"{field_written!r} is no field; the fields are {allowed}; a word with a colon needs quotation marks",
        )
    quoted = rest.startswith(tuple(QUOTES))
    value = as_line(rest[1:-1] if quoted else rest)
    if name in VALUE_FIELDS:
        if not value:
            raise RuleError(at, f"{name}: is followed by nothing")
        if STAR in value and not quoted:
            raise RuleError(at, f"{name}: takes no star, unless one is meant, in quotation marks")
        return lambda facts: facts.has(name, value)
    if not quoted and MISWRITTEN_OPERATOR.fullmatch(value):
        raise RuleError(
            at, f"{rest} is no operator: AND, OR, NOT and NEAR/n, as NEAR/5, are; as a word it needs quotation marks"
        )
    if not quoted and FIELD.match(rest):
        raise RuleError(at, f"a field within {name}:; a word with a colon needs quotation marks")
    if not quoted and (misplaced := OPERATOR_IN_WORD.search(rest)):
        raise RuleError(
            at + misplaced.start(),
            f"{misplaced[0]} within a word: an operator needs blanks around it, a text quotation marks",
        )
    word = value.strip(STAR).strip()
    if not word or not (quoted or any(letter.isalnum() for letter in word)):
        raise RuleError(at, "a word is missing")
    if STAR in word and not quoted:
        raise RuleError(at, "a star stands at an end of a word")
    pieces = _JOINT.split(word)
    return _Word((name,) if name else WORD_FIELDS, pieces[0], _pattern(pieces), STAR in (value[0], value[-1]))


def _pattern(pieces: Sequence[str]) -> re.Pattern[str]:
    """A pattern for the pieces in order, with spaces between; optional beside a Chinese character."""
    pattern = re.escape(pieces[0])
    for previous, piece in pairwise(pieces):
        pattern += (r"\s+" if previous[-1].isascii() and piece[0].isascii() else r"\s*") + re.escape(piece)
    return re.compile(pattern)


def _fields(operand: _Word | _Either) -> set[str]:
    if isinstance(operand, _Word):
        return set(operand.fields)
    return {name for word in operand.words for name in _fields(word)}


def _near(left: _Word | _Either, right: _Word | _Either, limit: int) -> Holds:
    def holds(facts: Facts) -> bool:
        for name in WORD_FIELDS:
            right_places = right.places(facts, name)
            for left_place in left.places(facts, name) if right_places else ():
                if any(
                    (distance := left_place.between(right_place)) is not None and distance <= limit
                    for right_place in right_places
                ):
                    return True
        return False

    return holds
