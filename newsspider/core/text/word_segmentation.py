"""Cuts Chinese text into words as jieba does, by rjieba.

Its dictionary is not changed. The terms of a topic are joined from neighbouring words afterwards, longest first, in the
calls that name them alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

from newsspider.core.caching import emptied_at_rest

JIEBAS_LATIN = re.compile(r"([a-zA-Z0-9]+(?:\.\d+)?%?)")
SHORTEST_TERM = 2  # a term of one character joins nothing


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms to join, and every beginning of one: what may still grow into a term."""

    whole: frozenset[str] = frozenset()
    beginnings: frozenset[str] = frozenset()

    @classmethod
    def of(cls, terms: Iterable[str]) -> Self:
        """The terms of which a text may have the parts as words."""
        whole = frozenset(term for term in terms if len(term) >= SHORTEST_TERM)
        return cls(whole, frozenset(beginnings_of(whole)))


NO_TERMS = Terms()


def cut(text: str, terms: Terms = NO_TERMS) -> list[str]:
    """Return the words of ``text`` in order; their concatenation is ``text`` (spaces and punctuation are words too).

    >>> cut("教育部发布通知"), cut("强基计划招生", Terms.of(["强基计划"]))
    (['教育部', '发布', '通知'], ['强基计划', '招生'])
    """
    words = _pieces(text)
    return joined(words, terms.whole, terms.beginnings) if terms.whole else words


def cut_by_dictionary(text: str) -> list[str]:
    """The words of ``text`` without guesses: what the dictionary does not know comes character by character.

    >>> cut("邀请马云到重庆"), cut_by_dictionary("邀请马云到重庆")
    (['邀请', '马云到', '重庆'], ['邀请', '马', '云', '到', '重庆'])
    """
    return _pieces(text, guess=False)


def beginnings_of(terms: Iterable[str]) -> set[str]:
    """Return every beginning of every term, the term itself included: what :func:`joined` may still grow."""
    return {term[:end] for term in terms for end in range(1, len(term) + 1)}


def joined(words: list[str], terms: Collection[str], beginnings: Collection[str]) -> list[str]:
    """Return ``words`` with neighbours joined where they make up one of ``terms``: the longest term from the left wins.

    >>> terms = {"强基计划"}
    >>> joined(["强基", "计划", "招生"], terms, beginnings_of(terms))
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
    try:
        return _in_jiebas_pieces(segmenter().cut(text, guess))
    except UnicodeEncodeError:  # a lone surrogate, which no UTF-8 can hold
        return _in_jiebas_pieces(segmenter().cut(text.encode("utf-8", "replace").decode("utf-8"), guess))


def _in_jiebas_pieces(words: list[str]) -> list[str]:
    """Cut "2-2", "A.D" and "iPhone-15" as jieba does: rjieba keeps such words whole."""
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
