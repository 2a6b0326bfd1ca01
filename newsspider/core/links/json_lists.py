"""Reads the response of a list API: JSON, or JSON in a function call (JSONP) or an assignment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import prod
from typing import Any

import jmespath  # type: ignore[import-untyped] # it ships no types
from jmespath.exceptions import JMESPathError  # type: ignore[import-untyped] # it ships no types

from newsspider.core.extraction.dom.charset import decode
from newsspider.core.extraction.dom.page import UnreadablePageError
from newsspider.core.extraction.dom.script_data import literal
from newsspider.core.links.script_lists import FEWEST_ITEMS, MOST_ITEMS, item_link, lists_of
from newsspider.core.model import Link
from newsspider.core.url import absolute

MOST_COPIES = 1000
_HEAD = 400  # bytes by which JSON is recognised
_START = re.compile(
    r"\ufeff?\s*+(?:/\*.{0,40}?\*/\s*+)?"
    r"(?:(?:typeof\s[\w$.\s=!'\"&|]{1,80}&&\s*+)?(?:var\s|window\.)?[\w$.]{1,100}\s*+[(=]\s*+)?"
    r"(?=[{\[]\s*[\"'{\[\]}\w])",
    re.DOTALL,
)


def is_json(body: bytes) -> bool:
    """Whether a response begins like JSON or JSONP.

    >>> is_json(b'{"list": []}'), is_json(b'callback([{"a": 1}])'), is_json(b"<html>"), is_json(b"[b]x[/b]")
    (True, True, False, False)
    """
    text = body[:_HEAD].decode("utf-8", "replace")
    match = _START.match(text)
    return match is not None and text[match.end() :].lstrip("{[ \r\n\t")[:1] in ("", '"', "'", "}", "]")


def read_json(body: bytes, url: str, items: str | None = None, content_type: str | None = None) -> tuple[Link, ...]:
    """The articles of a response, each once, in its order. ``items`` is the JMESPath of its list of objects, each with
    ``title``, ``url`` and perhaps a date; without it the lists are detected.

    Raises :exc:`~newsspider.core.extraction.dom.page.UnreadablePageError` if the response is broken or has no such
    list.
    """
    text = decode(body, content_type, "utf-8").text
    match = _START.match(text)
    try:
        value, _ = literal(text, match.end() if match else 0)
    except ValueError:
        raise UnreadablePageError("neither JSON nor JSONP") from None
    lists = lists_of([value]) if items is None else [_selected(items, value)]
    results: dict[str, Link] = {}
    for objects in lists:
        links = [
            link for item in objects[:MOST_ITEMS] if (link := item_link(item, lambda address: absolute(url, address)))
        ]
        for link in links if items is not None or len(links) >= FEWEST_ITEMS else ():
            results.setdefault(link.url, link)
    return tuple(results.values())


def items_problem(text: str) -> str:
    """Why a JMESPath is unusable; an empty text: it is usable.

    >>> items_problem("data.list[]"), items_problem("data.[")[:18]
    ('', 'is not a JMESPath:')
    """
    try:
        copies = _copies(jmespath.compile(text).parsed)
    except (JMESPathError, RecursionError) as error:
        return f"is not a JMESPath: {str(error).splitlines()[0]}"
    return f"makes {copies} copies of what it reads; {MOST_COPIES} are allowed" if copies > MOST_COPIES else ""


def _copies(node: Any) -> int:
    """How many copies of its input a parsed JMESPath may make: the sum over the parts of a list or an object, and the
    product over parts in sequence."""
    if not isinstance(node, dict) or node["type"] == "literal":
        return 1
    parts = [_copies(part) for part in node["children"]]
    return max(sum(parts), 1) if str(node["type"]).startswith("multi_select") else prod(parts)


def _selected(items: str, value: Any) -> list[Mapping[str, Any]]:
    try:
        selected = jmespath.search(items, value)
    except (JMESPathError, RecursionError) as error:
        raise UnreadablePageError(f"{items} fails on the answer: {str(error).splitlines()[0]}") from None
    if not isinstance(selected, list):
        raise UnreadablePageError(f"{items} selects no list in the answer")
    return [item for item in selected if isinstance(item, dict)]
