"""Turns a search query into a topic profile, so that pages and anchor texts can be scored against it."""

from __future__ import annotations

from collections.abc import Iterable

from newsspider.core.relevance.topic import Term, TopicProfile
from newsspider.core.text.tokenizer import cut_words

WORD_WEIGHT = 0.5  # of each word: one of them scores 0.5, two score 0.75
SHORTEST_WORD = 2  # characters of a word that counts


def parts_of(words: Iterable[str]) -> tuple[str, ...]:
    """The distinct words of a query; single characters count only if there is nothing longer.

    >>> parts_of(["番茄市场价格", "2026"])
    ('番茄', '市场', '价格', '2026')
    """
    distinct = tuple(dict.fromkeys(words))
    pieces = dict.fromkeys(piece for word in distinct for piece in cut_words(word) if piece[0].isalnum())
    return tuple(piece for piece in pieces if len(piece) >= SHORTEST_WORD) or distinct


def profile_of(words: Iterable[str]) -> TopicProfile:
    """The topic profile of a query, for :func:`newsspider.core.relevance.scoring.score`.

    >>> from newsspider.core.relevance.scoring import Document, score
    >>> score(profile_of(["番茄市场"]), Document(anchor="番茄丰收")).score
    0.5
    """
    return TopicProfile("question", tuple(Term(part, WORD_WEIGHT) for part in parts_of(words)))
