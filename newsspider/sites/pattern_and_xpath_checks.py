"""Checks the patterns and XPaths of a site, which strangers choose and which run on every URL or page of it.

An XPath is tried on a small page, as a whole and in parts. libxml2 compiles calls of unknown functions and fails only
when it evaluates them, which earlier predicates may prevent. So every predicate and every call is evaluated by itself,
too. What multiplies with each level of its predicates is refused before anything evaluates it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from re import _parser  # type: ignore[attr-defined] # typeshed has no stub of it
from typing import Any

from lxml import etree, html

from newsspider.core.caching import bounded_cache

LONGEST_RULE = 2000  # characters
DEEPEST_NESTING = 20  # brackets and parentheses in each other
SAMPLE_PAGE = """<html><head><title>t</title><meta name="author" content="a"></head><body><div id="d" class="c"><h1>t</h1>
<p class="c">a<b>b</b><span>c</span></p><ul><li><a href="/1.html" title="t">a</a></li></ul><table><tr><td>d</td></tr></table>
<img src="i" alt="i"></div></body></html>"""
_TOKEN = re.compile(r""""[^"]*"|'[^']*'|(?P<name>(?:[\w.-]+:)?[\w.-]+)\s*\(|[\[\]()]""")
_STEP = re.compile(
    r""""[^"]*"|'[^']*'|(?P<far>//|\.\.|\b(?:and|or|div|mod)/|(?<![\w\]).])/|\bid(?=\s*\()"""
    r"""|(?<![\w-])(?!(?:child|attribute|self)\s*::)[\w-]+\s*::)|[\[\]()]"""
)  # far: to other nodes than the children of one
_OPERATORS = frozenset(("and", "or", "div", "mod"))  # not functions, though a parenthesis may follow
MANY_TURNS = 16  # turns of a repetition, or of two in each other: more take as long as if they had no end
FEW_TURNS = 4  # turns that cost no more than their body written out that many times
_REPEATS = frozenset(("MAX_REPEAT", "MIN_REPEAT"))


@bounded_cache(256, LONGEST_RULE)  # cache: XPaths of site files, checked again in the transaction that stores them
def xpath_problem(text: str, elements: bool = False) -> str:
    """Why an XPath is unusable, or an empty text; with ``elements`` it must select elements, otherwise texts will do.

    >>> xpath_problem("//div[@class='list'"), xpath_problem("//h1"), xpath_problem("count(//a)")
    ('is not an XPath: Invalid predicate', '', 'selects nothing of the page')
    >>> xpath_problem("//div[@class='list'][matches(., 'x')]")
    'is not an XPath: Unregistered function'
    """
    tree = html.document_fromstring(SAMPLE_PAGE)
    try:
        compiled = etree.XPath(text)
        if reason := _excess(text):
            return reason
        value = compiled(tree)
        for part in _parts(text):
            etree.XPath(f"//*[{part}]")(tree)
    except (etree.XPathError, ValueError) as error:
        return f"is not an XPath: {error}"
    nodes = value if isinstance(value, list) else [value]
    if elements and not all(isinstance(item, etree._Element) for item in nodes):
        return "selects no elements"
    return "" if all(isinstance(item, etree._Element | str) for item in nodes) else "selects nothing of the page"


def _excess(text: str) -> str:
    """Why nothing should evaluate an XPath that compiles.

    >>> _excess("//*[count(//*[count(//*)>0])>0]"), _excess("//p[not(ancestor::footer)][a[b]]")
    ('has too many predicates in each other, which takes too long on a large page', '')
    """
    predicates: list[bool] = []  # around a place: whether a step of theirs leads far
    depth = 0
    for token in _STEP.finditer(text):
        depth += (token[0] in ("[", "(")) - (token[0] in ("]", ")"))
        if token[0] == "[":
            predicates.append(False)
        elif token[0] == "]":
            predicates.pop()
        elif token["far"] and predicates:
            predicates[-1] = True
        if sum(predicates) > 1 or depth > DEEPEST_NESTING:
            return "has too many predicates in each other, which takes too long on a large page"
    return ""


def _parts(text: str) -> Iterator[str]:
    """Every predicate, without its brackets, and every call of a function in an XPath that compiles."""
    begun: list[int | None] = []
    for token in _TOKEN.finditer(text):
        name = token["name"]
        if name or token[0] == "(":
            begun.append(token.start() if name and name not in _OPERATORS else None)
        elif token[0] == "[":
            begun.append(token.end())
        elif token[0] in "])" and (start := begun.pop()) is not None:
            yield text[start : token.start() if token[0] == "]" else token.end()]


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
    """Whether a part of a parsed expression, which is repeated ``turns`` times, has too many ways to match."""
    if isinstance(node, tuple) and len(node) == 2 and str(node[0]) in _REPEATS:
        least, most, body = node[1]
        return (least != most and turns > FEW_TURNS and turns * most > MANY_TURNS) or _explodes(body, turns * most)
    if isinstance(node, tuple) and len(node) == 2 and str(node[0]) == "BRANCH" and turns > MANY_TURNS:
        return True
    return isinstance(node, tuple | list | _parser.SubPattern) and any(_explodes(part, turns) for part in node)
