"""Checks the patterns of a site, which are searched in every URL of its pages: strangers choose these."""

from __future__ import annotations

import re
from re import _compiler, _parser  # type: ignore[attr-defined] # typeshed has no stub of them
from typing import Any

MANY = 16  # a repetition with more turns counts as one without end
SLOW = "has several repetitions without end that can take each other's characters, which is slow: say [^/]* for .*"
_REPEATS = frozenset(("MAX_REPEAT", "MIN_REPEAT"))
_PARTS = {"SUBPATTERN": 3, "ATOMIC_GROUP": None, "ASSERT": 1, "ASSERT_NOT": 1}  # where the content stands
_URL = frozenset(map(chr, range(33, 127)))  # the characters of URLs
_ANYTHING = ("ANYTHING", None)


def pattern_problem(text: str) -> str:
    """Why a regular expression is unusable, or an empty text. One that repeats a choice or a repetition without end may
    try more ways than anybody can wait for; with each repetition that can take what the next part needs, the time grows
    by the length of the URL.

    >>> pattern_problem(r"/\\d{6}/t\\d+_\\d+\\.html?$"), pattern_problem("(")
    ('', 'is not a regular expression: missing ), unterminated subpattern at position 0')
    >>> pattern_problem("(a+)+$"), pattern_problem("(?:ab|ab)*$") == pattern_problem("(a+)+$")
    ('repeats what repeats itself or is a choice, which can take for ever', True)
    """
    try:
        re.compile(text)
        parsed = _parser.parse(text)
        if _explodes(parsed, within=False):
            return "repeats what repeats itself or is a choice, which can take for ever"
        row = _parts(parsed)
        return SLOW if _rivals(row) > (2 if _begins_once(row) else 1) else ""
    except (re.error, RecursionError, OverflowError) as error:
        return f"is not a regular expression: {error}"


def _explodes(node: Any, *, within: bool) -> bool:
    """Whether a part of a parsed expression has several ways to match, ``within`` a repetition without end."""
    if isinstance(node, tuple) and len(node) == 2 and str(node[0]) in _REPEATS:
        least, most, body = node[1]
        return (within and least != most) or _explodes(body, within=within or most > MANY)
    if isinstance(node, tuple) and len(node) == 2 and str(node[0]) == "BRANCH" and within:
        return True
    return isinstance(node, tuple | list | _parser.SubPattern) and any(_explodes(part, within=within) for part in node)


def _parts(parsed: Any) -> list[Any]:
    """The parts of an expression in a row: groups are dissolved, what stands several times stands twice."""
    row: list[Any] = []
    for part in parsed:
        name, value = str(part[0]), part[1]
        if name in _PARTS:
            row += _parts(value if _PARTS[name] is None else value[_PARTS[name]])
        elif name == "BRANCH":
            for choice in value[1]:
                row += [*_parts(choice), _ANYTHING]
        elif name in _REPEATS and value[1] <= MANY:
            row += _parts(value[2]) * min(value[1], 2)
        else:
            row.append(part)
    return row


def _rivals(row: list[Any]) -> int:
    """How many repetitions without end can take characters that the next part needs, or what follows one of these."""
    count, needed = 0, frozenset[str]()
    for at, (name, value) in enumerate(row):
        if str(name) in _REPEATS:
            own, following = _characters(_parts(value[2])), _next(row[at + 1 :])
            takes_the_rest = not following and own == _URL
            if not takes_the_rest and own & (following | needed):
                count, needed = count + 1, needed | following
    return count


def _begins_once(row: list[Any]) -> bool:
    """Whether no place of a URL is read from two beginnings: the first part is ``^``, or no repetition takes it."""
    if not row or str(row[0][0]) == "AT":
        return True
    taken = frozenset().union(*(_characters(_parts(value[2])) for name, value in row if str(name) in _REPEATS))
    return not _characters(row[:1]) & taken


def _next(row: list[Any]) -> frozenset[str]:
    """The characters with which the first part that matches some can begin; none at the end."""
    for part in row:
        if str(part[0]) != "AT":
            repeats = str(part[0]) in _REPEATS
            begin = _characters(_parts(part[1][2]) if repeats else [part])
            return begin | _next(row[row.index(part) + 1 :]) if repeats and part[1][0] == 0 else begin
    return frozenset()


def _characters(row: list[Any]) -> frozenset[str]:
    """The characters of URLs that one of these parts matches."""
    characters: frozenset[str] = frozenset()
    for part in row:
        if str(part[0]) in {"LITERAL", "NOT_LITERAL", "IN", "ANY"}:
            pattern = _compiler.compile(_parser.SubPattern(_parser.State(), [part]))
            characters |= {character for character in _URL if pattern.fullmatch(character)}
        else:
            characters = _URL
    return characters
