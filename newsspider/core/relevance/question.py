"""A question as a topic of its own: how much a page or an anchor resembles it is scored as relevance is."""

from __future__ import annotations

from collections.abc import Iterable

from newsspider.core.relevance.topic import Term, TopicProfile
from newsspider.core.text.words import cut

WEIGHT = 0.5  # of each word: one of them is half of certainty, two are three quarters
SHORTEST = 2  # characters of a word that says something


def parts_of(words: Iterable[str]) -> tuple[str, ...]:
    """The words that a question is made of, each once; a word of one character counts only where there is no other.

    >>> parts_of(["番茄市场价格", "2026"])
    ('番茄', '市场', '价格', '2026')
    """
    whole = tuple(dict.fromkeys(words))
    pieces = dict.fromkeys(piece for word in whole for piece in cut(word) if piece[0].isalnum())
    return tuple(piece for piece in pieces if len(piece) >= SHORTEST) or whole


def profile_of(words: Iterable[str]) -> TopicProfile:
    """The topic that is the question; :func:`newsspider.core.relevance.scoring.score` scores with it.

    >>> from newsspider.core.relevance.scoring import Document, score
    >>> score(profile_of(["番茄市场"]), Document(anchor="番茄丰收")).score
    0.5
    """
    return TopicProfile("question", tuple(Term(part, WEIGHT) for part in parts_of(words)))
