"""The query language of the search: the rule language of topics, read as what stands in stored articles.

高考 志愿                 both; a run of Chinese is a phrase of its characters
"新 高考" OR vocation*    a phrase; words that begin so
高考 -电影 NOT site:x.cn  without
(校长 OR 教师) NEAR/5 贪污    at most 5 characters between, in either order; ONEAR/5 in this order
title:教师 source:新华社 media:central region:江苏 about:苏州 subtopic:高考 since:3d until:2026-11-01 has:attachment
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from newsspider.core.query.parser import (
    MISWRITTEN_OPERATOR,
    QUOTES,
    STAR,
    DescentParser,
    RuleError,
    Token,
    field_of,
    tokens_of,
)
from newsspider.core.query.query_dates import EXAMPLES, moment_of
from newsspider.core.query.query_tree import All, Either, Every, Near, Node, Not, Text, Value, parts_of_query
from newsspider.core.text.phrases import STOP_WORDS
from newsspider.core.text.regions import region_name
from newsspider.core.text.tokenizer import PLACES, cut_words, is_run, units_of_text, value_token

LONGEST_QUERY = 1_000  # characters of a query
MOST_TEXTS = 64  # words and phrases of a query
SHORTEST_PREFIX = 2  # characters before a star
HALF = re.compile("[“”]")
QUOTED = re.compile(f'"[^"]*"|＂[^＂]*＂|“[^“”]*”|{HALF.pattern}')

TEXT_FIELDS = tuple(PLACES)
VALUE_FIELDS = ("site", "source", "author", "media", "region", "about", "topic", "subtopic", "lang", "kind", "has")
REGION_FIELDS = ("region", "about")  # a province or city of the site; of what the article is about
MOMENT_FIELDS = ("since", "until")
FIELDS = (*TEXT_FIELDS, *VALUE_FIELDS, *MOMENT_FIELDS)


@dataclass(frozen=True, slots=True)
class Query:
    """What an article must have (``wanted``) and when it must have been published: at or after ``since``, before
    ``until``. An article that also has ``neighbours`` is more relevant."""

    wanted: Node
    since: datetime | None = None
    until: datetime | None = None
    neighbours: tuple[Text, ...] = ()

    def covers(self, moment: float) -> bool:
        """Whether a moment, in seconds since the epoch, is within the bounds."""
        return (self.since is None or moment >= int(self.since.timestamp())) and (
            self.until is None or moment < int(self.until.timestamp())
        )


@dataclass(frozen=True, slots=True)
class FieldTest:
    """A test of a field, or a bound of time, that holds for a whole query, and its place there."""

    field: str
    value: str
    excludes: bool
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class _Moment(Every):
    """A bound of the time of publication."""

    name: str = ""
    value: datetime | None = None
    at: int = 0


def parse_query(query: str, now: datetime, *, as_words: bool = False) -> Query:
    """The query as a tree; raises :exc:`RuleError` with the place of what cannot be read.

    With ``as_words`` a run of Chinese that is not quoted is all of its words instead of a phrase.
    """
    if len(query) > LONGEST_QUERY:
        raise RuleError(LONGEST_QUERY + 1, f"a query has at most {LONGEST_QUERY:,} characters, not {len(query):,}")
    tokens = list(_with_not(query))
    reader = _QueryReader(tokens, len(query) + 1, now, as_words=as_words)
    tree = reader.whole() if tokens else Every()
    texts = [part for part in parts_of_query(tree) if isinstance(part, Text | Value)]
    if len(texts) > MOST_TEXTS:
        raise RuleError(1, f"a query has at most {MOST_TEXTS} words and phrases, not {len(texts)}")
    return _bounded(tree)


def words_of(query: str) -> str:
    """The query with its runs of Chinese as words, as :func:`parse_query` reads it ``as_words``.

    >>> words_of("北京天气 OR GRE")
    '(北京 AND 天气) OR GRE'
    """
    pieces = []
    for token in _with_not(query):
        words = _words(token)
        pieces.append(f"({' AND '.join(words)})" if len(words) > 1 else token.text)
    text = " ".join(pieces).replace("( ", "(").replace(" )", ")")
    return text[1:-1] if len(pieces) == 1 and text.startswith("(") else text


def conjunction(query: str, *tests: str) -> str:
    """The query that finds what this one finds and for which all these tests hold, too.

    >>> conjunction("高考 OR 职教", "since:3d"), conjunction("高考", "since:3d"), conjunction("", "since:3d")
    ('(高考 OR 职教) since:3d', '高考 since:3d', 'since:3d')
    >>> conjunction("(高考 OR 职教) since:3d", "site:甲")
    '(高考 OR 职教) since:3d site:甲'
    """
    depth, has_sides = 0, False
    for token in _with_not(query):
        depth += (token.text == "(") - (token.text == ")")
        has_sides |= token.text == "OR" and not depth
    return " ".join((f"({query})" if has_sides else query, *tests)).strip()


def field_tests(query: str) -> list[FieldTest]:
    """The tests of values and the bounds of time that hold for the whole query; none if it is an OR; raises
    :exc:`RuleError`.

    >>> [(test.field, test.value, test.excludes) for test in field_tests('高考 site:"甲 乙" -lang:en (media:local)')]
    [('site', '甲 乙', False), ('lang', 'en', True)]
    >>> field_tests("高考 OR site:甲")
    []
    """
    tokens, depth, tests = list(_with_not(query)), 0, list[FieldTest]()
    for place, token in enumerate(tokens):
        depth += (token.text == "(") - (token.text == ")")
        if depth:
            continue
        if token.text == "OR":
            return []
        field, value, _ = field_of(token)
        if field in VALUE_FIELDS + MOMENT_FIELDS and value:
            before = [before.text for before in tokens[:place]]
            first = len(before)
            while before and before[first - 1 : first] == ["NOT"]:
                first -= 1
            excludes = (place - first) % 2 == 1
            first -= before[first - 1 : first] == ["AND"]
            value = value[1:-1] if value[0] in QUOTES else value
            tests.append(FieldTest(field, value, excludes, tokens[first].at - 1, token.at - 1 + len(token.text)))
    return tests


def without_tests(query: str, tests: Sequence[FieldTest]) -> str:
    """The query without these of its tests.

    >>> query = "site:甲 AND 高考 AND -lang:en since:3d"
    >>> [without_tests(query, [test]) for test in field_tests(query)], without_tests(query, field_tests(query))
    (['高考 AND -lang:en since:3d', 'site:甲 AND 高考 since:3d', 'site:甲 AND 高考 AND -lang:en'], '高考')
    """
    for test in sorted(tests, key=lambda test: -test.begin):
        query = f"{query[: test.begin].rstrip()} {query[test.end :].lstrip()}".strip()
    return query.removeprefix("AND ").strip()


def value_test(field: str, value: str) -> str:
    """The query of the articles whose field has this value.

    >>> value_test("site", "中国 教育"), value_test("site", '甲"乙')
    ('site:"中国 教育"', 'site:“甲"乙”')
    """
    return f"{field}:{quoted_phrase(value)}"


def quoted_phrase(text: str) -> str:
    """The text in quotation marks of a kind that it does not have; if it has both kinds, its straight ones are dropped.

    >>> quoted_phrase("新 高考"), quoted_phrase('双"减'), quoted_phrase('“双"减”')
    ('"新 高考"', '“双"减”', '"“双减”"')
    """
    if '"' in text and not HALF.search(text):
        return f"“{text}”"
    straight = text.replace('"', "")
    return f'"{straight}"'


def neighbours_of(run: str) -> tuple[Text, ...]:
    """Each pair of neighbouring words of a run of Chinese as a phrase: a text that has two words together is more
    relevant than one that has them apart (Metzler and Croft 2005).

    >>> [text.units for text in neighbours_of("教师补贴多少")]
    [('教师补贴',), ('补贴多少',)]
    """
    return tuple(Text(tuple(units_of_text(first + second))) for first, second in pairwise(cut_words(run)))


def _with_not(query: str) -> list[Token]:
    """The tokens, with a minus before a word or a parenthesis as NOT.

    People paste headlines, so unpaired Chinese quotation marks and marks that stand alone beside words are dropped.
    """
    tokens: list[Token] = []
    for token in _without_marks(_without_halves(query)):
        if token.text.startswith("-"):
            rest = token.text[1:]
            tokens.append(Token("NOT", token.at))
            tokens += [Token(rest, token.at + 1)] if rest else []
        else:
            tokens.append(token)
    return tokens


def _without_halves(query: str) -> str:
    return QUOTED.sub(lambda quoted: quoted[0] if len(quoted[0]) > 1 else " ", query)


def _without_marks(query: str) -> list[Token]:
    """The tokens that are words, parentheses, or a minus with something right behind it."""
    tokens = list(tokens_of(query))
    words = [
        token
        for token in tokens
        if token.text in {"(", ")"}
        or units_of_text(token.text)
        or (token.text == "-" and query[token.at : token.at + 1].strip())
    ]
    return words if any(units_of_text(token.text) for token in words) else tokens


def _bounded(tree: Node) -> Query:
    """The query of a tree: its bounds of time, which must stand at the top level, are taken out of the tree."""
    nodes = tree.sides if isinstance(tree, All) else (tree,)
    bounds = [node for node in nodes if isinstance(node, _Moment)]
    others = tuple(node for node in nodes if not isinstance(node, _Moment))
    rest: Node = All(others) if len(others) > 1 else others[0] if others else Every()
    if inner := next((part for part in parts_of_query(rest) if isinstance(part, _Moment)), None):
        raise RuleError(
            inner.at, f"{inner.name}: counts for the whole query; it cannot stand within OR, NOT or parentheses"
        )
    since = [bound.value for bound in bounds if bound.name == "since" and bound.value]
    until = [bound.value for bound in bounds if bound.name == "until" and bound.value]
    return Query(rest, max(since, default=None), min(until, default=None))


def _region(word: str, at: int) -> str:
    """The short name of a region by its code or name: 江苏 of 320000 and 江苏省."""
    name = region_name(word.strip())
    if name is None:
        raise RuleError(at, f"{word!r} names no single province or city; say 江苏, 苏州市 or a code of GB/T 2260")
    return name


def _words(token: Token) -> list[str]:
    """The words of an unquoted run of Chinese without a field, stop words left out; empty for any other token."""
    if field_of(token)[0] or token.text[0] in QUOTES or STAR in token.text:
        return []
    runs = units_of_text(token.text)
    if len(runs) != 1 or not is_run(runs[0]):
        return []
    words = list(dict.fromkeys(word for word in cut_words(token.text) if len(word) > 1 and word[0].isalnum()))
    return [word for word in words if word not in STOP_WORDS] or words


class _QueryReader(DescentParser[Node]):
    near_names = ("NEAR", "ONEAR")
    most_nested = 20

    def __init__(self, tokens: list[Token], end: int, now: datetime, *, as_words: bool) -> None:
        super().__init__(tokens, end)
        self.now = now
        self.as_words = as_words

    def either(self, nodes: list[Node]) -> Node:
        return Either(tuple(nodes))

    def every(self, nodes: list[Node]) -> Node:
        return All(tuple(inner for node in nodes for inner in (node.sides if isinstance(node, All) else (node,))))

    def without(self, inner: Node) -> Node:
        return Not(inner)

    def is_operand(self, node: Node) -> bool:
        return isinstance(node, Text) or (isinstance(node, Either) and all(map(self.is_operand, node.sides)))

    def beside(self, left: Node, right: Node, operator: Token) -> Node:
        name, _, within = operator.text.partition("/")
        return Near(left, right, int(within), ordered=name == "ONEAR")

    def test(self, token: Token) -> Node:
        name, rest, at = field_of(token)
        if name and name not in FIELDS and not name.isascii():  # of a pasted headline: 教师减负：青河市清理90项
            name, rest, at = "", token.text, token.at
        if name and name not in FIELDS:
            written = token.text.removesuffix(rest)[:-1]
            raise RuleError(
                token.at,
                f"{written!r} is no field; the fields are {', '.join(FIELDS)}; a word with a colon needs quotation marks",
            )
        quoted = rest.startswith(tuple(QUOTES))
        value = rest[1:-1] if quoted else rest
        if not name and not quoted and MISWRITTEN_OPERATOR.fullmatch(value):
            raise RuleError(
                at,
                f"{rest} is no operator: AND, OR, NOT and NEAR/n, as NEAR/5, are; as a word it needs quotation marks",
            )
        if name in MOMENT_FIELDS:
            return self._moment(name, value, at)
        if name in VALUE_FIELDS:
            if not value.strip():
                raise RuleError(at, f"{name}: is followed by nothing")
            return Value(value_token(name, _region(value, at) if name in REGION_FIELDS else value))
        return self._text(token, name, value, at, quoted=quoted)

    def _text(self, token: Token, name: str, value: str, at: int, *, quoted: bool) -> Node:
        text_units = units_of_text(value)
        if not text_units:
            raise RuleError(at, "a word is missing: marks alone are not searched for")
        prefix = not quoted and value.endswith(STAR) and not is_run(text_units[-1])
        if prefix and len(text_units[-1]) < SHORTEST_PREFIX:
            raise RuleError(at, f"at least {SHORTEST_PREFIX} characters stand before a star")
        words = _words(token) if self.as_words else []
        if len(words) > 1:
            return All(tuple(Text(tuple(units_of_text(word))) for word in words))
        return Text(tuple(text_units), name, prefix)

    def _moment(self, name: str, value: str, at: int) -> Node:
        try:
            return _Moment(name, moment_of(value, self.now, last=name == "until"), at)
        except (ValueError, OverflowError):
            raise RuleError(at, f"{value!r} is no date; say {EXAMPLES}") from None
