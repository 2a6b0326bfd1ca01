"""Tokenizer of Chinese: cuts texts into the tokens of the full-text index, and into words (word segmentation).

Tokens are bigrams of Chinese characters, and other words whole. Script, case and width are ignored
(:func:`~newsspider.core.text.characters.fold_text`). A text is a sequence of *units*: runs of Chinese, Japanese or
Korean characters, and words of other letters and digits; whatever else stands in it only separates them. A run gives
the pair that begins at each of its characters; its last character is a token of its own, so "AB，BC" does not match
ABC, and the position of a token is that of its character. So a phrase is found exactly: it matches where its units
stand in order, the first from any of its characters on, the last up to any.

Words are those of jieba, by rjieba, whose dictionary is not changed. The terms of a topic are joined from neighbouring
words afterwards, longest first, in the calls that name them alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, Self

from newsspider.core.caching import emptied_at_rest
from newsspider.core.text.characters import characters_fingerprint, fold_text

RULES_VERSION = 8  # raise it when an index gets other tokens or columns
LONGEST_WORD = 64  # characters; longer words are cut in pieces
LONGEST_VALUE = 100  # characters of a value of a field
UNITS_AT_ONCE = 1_000  # units that are cut at once

_CJK = (
    "\u3005\u3007\u3041-\u3096\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
OF_WORD = f"[^\\W_{_CJK}]"  # a pattern: a letter or digit of a word, no Chinese character
_UNIT = re.compile(f"[{_CJK}]+|{OF_WORD}{{1,{LONGEST_WORD}}}")
_RUN = re.compile(f"[{_CJK}]")
_ITEM = re.compile(f"[{_CJK}]|[^ {_CJK}]+")  # of joined units
_SEPARATOR = {code: code + 0xFEE0 for code in range(0x21, 0x7F) if not chr(code).isalnum()}  # full width: no separator
PLACES = {"title": "2", "body": "1", "anchor": "3", "comment": "4"}  # text fields, and the prefixes of their tokens
DEFAULT_FIELDS = ("title", "body")  # are searched for a text without a field
JIEBAS_LATIN = re.compile(r"([a-zA-Z0-9]+(?:\.\d+)?%?)")
SHORTEST_TERM = 2  # a term of one character joins nothing


def tokens_version() -> str:
    """The version of the tokens: an index that was built with another one is built again."""
    return f"{RULES_VERSION}.{characters_fingerprint()}"


def units_of_text(text: str) -> list[str]:
    """The runs and words of a text, in order.

    >>> units_of_text("2024年高考，ＧＲＥ考試 results!")
    ['2024', '年高考', 'gre', '考试', 'results']
    """
    return _UNIT.findall(fold_text(text))


def is_run(unit: str) -> bool:
    """Whether a unit is a run of Chinese, Japanese or Korean characters; else it is a word."""
    return _RUN.match(unit) is not None


def character_pairs(run: str) -> list[str]:
    """Each two neighbouring characters of a run."""
    return [first + second for first, second in pairwise(run)]


def index_tokens(text_units: Iterable[str]) -> list[str]:
    """The tokens of these units, in order.

    >>> index_tokens(units_of_text("新高考，GRE"))
    ['新高', '高考', '考', 'gre']
    """
    out: list[str] = []
    begins_run = _RUN.match
    for unit in text_units:
        if begins_run(unit):
            out += character_pairs(unit)
            out.append(unit[-1])
        else:
            out.append(unit)
    return out


def token_text(text_units: Sequence[str]) -> str:
    """The tokens of these units with blanks between; not all of them are in memory at once.

    >>> token_text(units_of_text("新高考，GRE"))
    '新高 高考 考 gre'
    """
    pieces = (text_units[start : start + UNITS_AT_ONCE] for start in range(0, len(text_units), UNITS_AT_ONCE))
    return " ".join(" ".join(index_tokens(piece)) for piece in pieces)


def characters(texts: Mapping[str, Sequence[str]]) -> list[str]:
    """A token for each character of the runs of each field: they find single characters."""
    return [
        PLACES[field] + character
        for field, text_units in texts.items()
        for character in sorted(set("".join(filter(_RUN.match, text_units))))
    ]


def fields_of(field: str) -> tuple[str, ...]:
    """The fields that are searched for a text with this field; title and body if it is empty."""
    return (field,) if field else DEFAULT_FIELDS


def value_token(field: str, value: str) -> str:
    """The one token of a field's value: script, case, width and blanks are ignored.

    >>> value_token("site", "中國教育 - 网"), value_token("lang", "ZH")
    ('site＝中国教育－网', 'lang＝zh')
    """
    folded = "".join(letter for letter in fold_text(value) if letter.isprintable() and not letter.isspace())
    return f"{field}＝{folded[:LONGEST_VALUE].translate(_SEPARATOR)}"


def join_units(text_units: Iterable[str]) -> str:
    """The units with a blank before, between and behind them, in which :func:`phrase_string` finds a phrase."""
    return f" {' '.join(text_units)} "


def beginnings(joined_units: str) -> list[int]:
    """Where each character of a run and each word begins in :func:`join_units` units.

    >>> beginnings(join_units(units_of_text("高考 GRE")))
    [1, 2, 4]
    """
    return [match.start() for match in _ITEM.finditer(joined_units)]


def phrase_string(text_units: Sequence[str], *, prefix: bool = False) -> str:
    """The string to look for in :func:`join_units` units to find this phrase; with ``prefix``, its last word may be the
    beginning of a longer one.

    >>> phrase_string(units_of_text("考试 GRE")), phrase_string(units_of_text("高考"))
    ('考试 gre ', '高考')
    """
    opening = "" if is_run(text_units[0]) else " "
    closing = "" if prefix or is_run(text_units[-1]) else " "
    return f"{opening}{' '.join(text_units)}{closing}"


@dataclass(frozen=True, slots=True)
class JoinedTerms:
    """Terms to join, and every beginning of one: what may still grow into a term."""

    whole: frozenset[str] = frozenset()
    beginnings: frozenset[str] = frozenset()

    @classmethod
    def of(cls, terms: Iterable[str]) -> Self:
        """The terms of which a text may have the parts as words."""
        whole = frozenset(term for term in terms if len(term) >= SHORTEST_TERM)
        return cls(whole, frozenset(beginnings_of(whole)))


NO_TERMS = JoinedTerms()


def cut_words(text: str, terms: JoinedTerms = NO_TERMS) -> list[str]:
    """Return the words of ``text`` in order; their concatenation is ``text`` (spaces and punctuation are words too).

    >>> cut_words("教育部发布通知"), cut_words("强基计划招生", JoinedTerms.of(["强基计划"]))
    (['教育部', '发布', '通知'], ['强基计划', '招生'])
    """
    words = _pieces(text)
    return join_terms(words, terms.whole, terms.beginnings) if terms.whole else words


def cut_by_dictionary(text: str) -> list[str]:
    """The words of ``text`` without guesses: what the dictionary does not know comes character by character.

    >>> cut_words("邀请马云到重庆"), cut_by_dictionary("邀请马云到重庆")
    (['邀请', '马云到', '重庆'], ['邀请', '马', '云', '到', '重庆'])
    """
    return _pieces(text, guess=False)


def beginnings_of(terms: Iterable[str]) -> set[str]:
    """Return every beginning of every term, the term itself included: what :func:`join_terms` may still grow."""
    return {term[:end] for term in terms for end in range(1, len(term) + 1)}


def join_terms(words: list[str], terms: Collection[str], beginnings: Collection[str]) -> list[str]:
    """Return ``words`` with neighbours joined where they make up one of ``terms``: the longest term from the left wins.

    >>> terms = {"强基计划"}
    >>> join_terms(["强基", "计划", "招生"], terms, beginnings_of(terms))
    ['强基计划', '招生']
    """
    result: list[str] = []
    done, count = 0, len(words)
    for at in [place for place, word in enumerate(words) if word in beginnings]:
        if at < done:
            continue
        grown = words[at]
        ahead = end = at + 1
        while ahead < count and (longer := grown + words[ahead]) in beginnings:
            grown = longer
            ahead += 1
            if grown in terms:
                end = ahead
        if end > at + 1:
            result += words[done:at]
            result.append("".join(words[at:end]))
            done = end
    return [*result, *words[done:]]


@emptied_at_rest
@cache  # cache: rjieba, whose dictionary takes 25 MB and is read in 0.1 s
def segmenter() -> Any:
    """The module rjieba. Nobody else may hold it: its dictionary goes with it."""
    import rjieba

    sys.modules.pop("rjieba", None)
    return rjieba


def _pieces(text: str, *, guess: bool = True) -> list[str]:
    """The words of a text. "2-2", "A.D" and "iPhone-15" are cut as jieba does: rjieba keeps such words whole."""
    try:
        words: list[str] = segmenter().cut(text, guess)
    except UnicodeEncodeError:  # a lone surrogate, which no UTF-8 can hold
        words = segmenter().cut(text.encode("utf-8", "replace").decode("utf-8"), guess)
    whole = [place for place, word in enumerate(words) if len(word) > 1 and word.isascii() and not word.isalnum()]
    if not whole:
        return words
    result: list[str] = []
    done = 0
    for place in whole:
        result += words[done:place]
        result += filter(None, JIEBAS_LATIN.split(words[place]))
        done = place + 1
    return [*result, *words[done:]]
