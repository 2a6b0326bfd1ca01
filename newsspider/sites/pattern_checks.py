"""Checks the patterns of a site, which are searched in every URL of its pages: strangers choose these."""

from __future__ import annotations

import re
from re import _parser  # type: ignore[attr-defined] # typeshed has no stub of it
from typing import Any

MANY = 16  # turns of a repetition, or of two in each other: more take as long as if they had no end
FEW = 4  # turns that cost no more than to write their body out so often
_REPEATS = frozenset(("MAX_REPEAT", "MIN_REPEAT"))


def pattern_problem(text: str) -> str:
    """Why a regular expression is unusable, or an empty text. One that repeats a choice or a repetition without end may
    try more ways than anybody can wait for.

    >>> pattern_problem(r"/\\d{6}/t\\d+_\\d+\\.html?$"), pattern_problem("(")
    ('', 'is not a regular expression: missing ), unterminated subpattern at position 0')
    >>> pattern_problem(r"/(?:[^/]+/){2}t(\\d{1,2}_){1,8}"), pattern_problem("(a{0,9}){0,9}$") != ""
    ('', True)
    >>> pattern_problem("(a+)+$"), pattern_problem("(?:ab|ab)*$") == pattern_problem("(a+)+$")
    ('repeats what repeats itself or is a choice, which can take for ever', True)
    """
    try:
        re.compile(text)
        explodes = _explodes(_parser.parse(text), 1)
    except (re.error, RecursionError, OverflowError) as error:
        return f"is not a regular expression: {error}"
    return "repeats what repeats itself or is a choice, which can take for ever" if explodes else ""


def _explodes(node: Any, turns: int) -> bool:
    """Whether a part of a parsed expression, which is repeated so often, has too many ways to match."""
    if isinstance(node, tuple) and len(node) == 2 and str(node[0]) in _REPEATS:
        least, most, body = node[1]
        return (least != most and turns > FEW and turns * most > MANY) or _explodes(body, turns * most)
    if isinstance(node, tuple) and len(node) == 2 and str(node[0]) == "BRANCH" and turns > MANY:
        return True
    return isinstance(node, tuple | list | _parser.SubPattern) and any(_explodes(part, turns) for part in node)
