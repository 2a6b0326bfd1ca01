"""Loads the phrase lists of ``core/extraction/words``: one phrase a line, ``#`` begins a comment.

Each phrase has an example in ``tests/core/extraction/phrases`` that is judged otherwise without it. The terms of a
topic are found by ``core/relevance/term_lexicon.py``.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_PACKAGE = "newsspider.core.extraction"


@cache
def phrases(name: str) -> tuple[str, ...]:
    """The phrases of ``words/<name>.txt`` in the order of the file; most lists allow the syntax of regular expressions.

    >>> phrases("double_surnames")[:3]
    ('欧阳', '上官', '司马')
    """
    text = files(_PACKAGE).joinpath("words", f"{name}.txt").read_text("utf-8")
    return tuple(line for raw in text.splitlines() if (line := raw.strip()) and not line.startswith("#"))


def any_of(name: str) -> str:
    """A regular expression that matches any phrase of a list, earlier ones first.

    >>> any_of("double_surnames")[:8]
    '欧阳|上官|司马'
    """
    return "|".join(phrases(name))


# The words and characters that say nothing about the subject of a Chinese text.
STOP_WORDS = frozenset(phrases("stop_words"))
# Besides those: characters that join no two words into one term.
STOP_CHARACTERS = frozenset(phrases("stop_characters"))
