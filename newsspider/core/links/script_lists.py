"""Finds a list that a script fills, in the data or the markup that the page has for it, or in an answer of JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from math import prod
from typing import Any

import jmespath  # type: ignore[import-untyped] # it ships no types
from jmespath.exceptions import JMESPathError  # type: ignore[import-untyped] # it ships no types

from newsspider.core.dates.date_reader import feed_moment, full_date
from newsspider.core.dates.time_and_zone import SHANGHAI
from newsspider.core.extraction.dom.charset import decode
from newsspider.core.extraction.dom.page import Page, UnreadablePageError, parse
from newsspider.core.extraction.dom.script_data import read_literal, script_values
from newsspider.core.links.link_regions import TITLE_LENGTH
from newsspider.core.links.link_targets import target_of
from newsspider.core.links.url_shape import domain_of, is_article_url
from newsspider.core.model import Link, LinkKind, Region
from newsspider.core.text.characters import one_line
from newsspider.core.text.file_names import is_file
from newsspider.core.url import absolute

FEWEST_ITEMS = 3  # items of a list
MOST_ITEMS = 2000  # items of a list that are read
MOST_NODES = 200_000  # values of a page that are searched
LONGEST_TITLE = 200  # characters
SHORTEST_TITLE = 2

_TITLE = re.compile(r"(?:\w*_)?(?:title|headline|subject|name|text|bt|biaoti)|\w*(?:Title|Name|Subject)")
_BEST_TITLE = re.compile(r"title|headline|subject|biaoti", re.I)
_URL = re.compile(r"\w*(?:url|link|href|path|uri)", re.I)
_NO_PAGE = re.compile(
    r"img|image|pic|cover|thumb|icon|logo|avatar|video|audio|share|author|user|media|channel|more|api", re.I
)
_DATE = re.compile(r"\w*(?:time|date|publish\w*|pubdate|created\w*)", re.I)
_ADDRESS = re.compile(r"(?:https?:)?//[\w.-]+/\S|\.{0,2}/\S|[\w./-]+\.s?html?\b|[\w./-]+\?\S+=", re.I)
_UNFILLED = re.compile(r"\{\{|\$\{|<%|%7B%7B|\{\w+\}|'\s*\+", re.I)
_MARKUP = re.compile(r"text/(?:xml|html|template|x-template|x-\w+-template|ng-template)", re.I)
_CDATA = re.compile(r"<!\[CDATA\[|\]\]>")
_LONGEST_MARKUP = 1_000_000  # characters

MOST_COPIES = 1000
_HEAD_BYTES = 400  # bytes by which JSON is recognised
_START = re.compile(
    r"\ufeff?\s*+(?:/\*.{0,40}?\*/\s*+)?"
    r"(?:(?:typeof\s[\w$.\s=!'\"&|]{1,80}&&\s*+)?(?:var\s|window\.)?[\w$.]{1,100}\s*+[(=]\s*+)?"
    r"(?=[{\[]\s*[\"'{\[\]}\w])",
    re.DOTALL,
)


def script_links(page: Page) -> tuple[Link, ...]:
    """The articles of the lists in the scripts of a page, each once, in page order."""
    results: dict[str, Link] = {}
    for items in lists_of(script_values(page)):
        links = [link for item in items[:MOST_ITEMS] if (link := item_link(item, partial(target_of, page=page)))]
        if _are_articles(page, links):
            for link in links:
                results.setdefault(link.url, link)
    return tuple(results.values())


def script_markup(page: Page) -> Page | None:
    """The markup of lists in the scripts of a page, as a page of its own; ``None`` if there is none."""
    pieces = (
        element.text
        for element in page.tree.iter("script")
        if element.text and "<a" in element.text and _MARKUP.match(element.get("type") or "")
    )
    markup = "".join(f"<div>{_CDATA.sub('', piece)}</div>" for piece in pieces if len(piece) < _LONGEST_MARKUP)
    if not markup or _UNFILLED.search(markup):
        return None
    try:
        inner = parse(f"<body>{markup}</body>".encode(), page.url, "text/html; charset=utf-8")
    except UnreadablePageError:
        return None
    return replace(inner, base_url=page.base_url)


def lists_of(values: Iterable[Any]) -> Iterator[Sequence[Mapping[str, Any]]]:
    """The lists of several objects in these values, outer ones first."""
    remaining = MOST_NODES
    for value in values:
        waiting = [value]
        while waiting and remaining:
            node = waiting.pop()
            remaining -= 1
            if isinstance(node, list):
                objects = [item for item in node if isinstance(item, dict)]
                if len(objects) >= FEWEST_ITEMS:
                    yield objects
                waiting += [item for item in reversed(node) if isinstance(item, dict | list)]
            elif isinstance(node, dict):
                waiting += [item for item in reversed(node.values()) if isinstance(item, dict | list)]


def item_link(item: Mapping[str, Any], resolved: Callable[[str], str | None]) -> Link | None:
    """The article of an object in a list, from its own fields or those of an object in it; ``resolved`` makes an
    address absolute."""
    for fields in (item, *(value for value in item.values() if isinstance(value, dict))):
        title, address = _title(fields), _address(fields)
        if title and address and (url := resolved(address)) is not None:
            return Link(url, title, LinkKind.ARTICLE, Region.MAIN, _published(fields))
    return None


def _title(fields: Mapping[str, Any]) -> str:
    names = [key for key, value in fields.items() if isinstance(value, str) and _TITLE.fullmatch(key)]
    names.sort(key=lambda key: _BEST_TITLE.search(key) is None)
    texts = (" ".join(re.sub(r"<[^<>]{1,200}>", "", fields[key]).split()) for key in names)
    return next((one_line(text, LONGEST_TITLE) for text in texts if len(text) >= SHORTEST_TITLE), "")


def _address(fields: Mapping[str, Any]) -> str:
    return next(
        (
            value
            for key, value in fields.items()
            if isinstance(value, str) and _URL.fullmatch(key) and not _NO_PAGE.search(key) and _ADDRESS.match(value)
        ),
        "",
    )


def _published(fields: Mapping[str, Any]) -> datetime | None:
    values = (str(value) for key, value in fields.items() if _DATE.fullmatch(key) and isinstance(value, str | int))
    moment = next((moment for value in values if (moment := full_date(value) or feed_moment(value))), None)
    return moment and moment.astimezone(SHANGHAI)


def _are_articles(page: Page, links: Sequence[Link]) -> bool:
    """Whether most items are articles of the page's own site by title and URL, and not a menu or a list of files."""
    own = domain_of(page.url)
    good = {
        link.url
        for link in links
        if domain_of(link.url) == own
        and not is_file(link.url, link.text)
        and (shape := is_article_url(link.url)) is not False
        and (shape or len(link.text) >= TITLE_LENGTH)
    }
    titled = sum(len(link.text) >= TITLE_LENGTH for link in links)
    return len(good) >= FEWEST_ITEMS and 2 * len(good) > len(links) and 2 * titled > len(links)


def is_json(body: bytes) -> bool:
    """Whether a response begins like JSON or JSONP.

    >>> is_json(b'{"list": []}'), is_json(b'callback([{"a": 1}])'), is_json(b"<html>"), is_json(b"[b]x[/b]")
    (True, True, False, False)
    """
    text = body[:_HEAD_BYTES].decode("utf-8", "replace")
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
        value, _ = read_literal(text, match.end() if match else 0)
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
