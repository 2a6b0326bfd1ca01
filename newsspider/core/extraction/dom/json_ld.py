"""Reads the JSON-LD of a page, and decides which records in its data are of other articles: recommended, hot, next.

A record is of the page's article if its title is that of the page, or its URL or number is in the URL of the page.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from newsspider.core.extraction.dom.outline import Outline, outline_of
from newsspider.core.extraction.dom.page import Page
from newsspider.core.extraction.dom.script_data import script_values
from newsspider.core.text.text_comparison import title_overlap
from newsspider.core.url import absolute, is_home, same_site

TITLE_KEYS = frozenset(("title", "headline", "subject", "newsTitle", "articleTitle", "docTitle"))
URL_KEYS = (
    "url",
    "link",
    "href",
    "shareUrl",
    "canonicalUrl",
    "articleUrl",
    "newsUrl",
    "pageUrl",
    "docUrl",
    "mainEntityOfPage",
    "@id",
)
ID_KEYS = ("id", "articleId", "articleid", "newsId", "newsid", "docId", "docid", "contentId", "infoId", "aid")
SHORTEST_TITLE = 5  # characters of a name that may be the title of a record
SHORTEST_ID = 5  # digits of a number that says more than the title of its record: years are in many URLs
SAME_TITLE_SHARE = 0.5  # share of the pairs of letters of one title that the other has too
MOST_HEADINGS = 5  # of the page, that may be its title

_TOKEN = re.compile("[0-9A-Za-z]+")
FRAMES = frozenset(("WebSite", "WebPage", "CollectionPage", "ItemList"))  # JSON-LD types of what surrounds an article


@dataclass(frozen=True)
class PageRecords:
    """The records of a page whose article has this ``title``, as far as that is known."""

    page: Page
    title: str = ""

    def own(self, linked_data: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The JSON-LD objects without those of other articles: they have another title, and another object has that of
        the page, or their URL is another one."""
        if not any(map(_titles_of, linked_data)):
            return list(linked_data)
        verdicts = [self._is_own(item) for item in linked_data]
        return [
            item
            for item, verdict in zip(linked_data, verdicts, strict=True)
            if verdict is not False or not (True in verdicts or self._agrees(item) is False)
        ]

    def values_of_others(self, linked_data: Iterable[dict[str, Any]] = ()) -> set[str]:
        """The texts and numbers that only records of other articles have; a record without a title is another's if it
        has a URL or a number that is not the page's."""
        values: dict[bool, set[str]] = {True: set(), False: set()}  # by whether the record is the page's own
        stack: list[tuple[Any, bool]] = [(value, False) for value in (*script_values(self.page), *linked_data)]
        seen: set[int] = set()  # Nuxt's values may hold themselves
        while stack:
            value, within_own = stack.pop()
            if not isinstance(value, dict | list) or id(value) in seen:
                continue
            seen.add(id(value))
            if isinstance(value, list):
                stack.extend((held, False) for held in value)
                continue
            titled = bool(_titles_of(value))
            verdict = True if within_own and not titled else self._is_own(value)
            stack.extend((held, verdict is True and isinstance(held, dict)) for held in value.values())
            if verdict is not None:
                values[verdict].update(_scalars(value, nested=titled or verdict))
        return values[False] - values[True]

    def _is_own(self, record: dict[str, Any]) -> bool | None:
        """Whether a record is of the page's article; ``None`` if it does not say."""
        titles = _titles_of(record)
        if not titles:
            return self._agrees(record)
        whole = f"{self.title} {' '.join(self._names)}"
        if any(
            title_overlap(name, title) >= SAME_TITLE_SHARE or title_overlap(title, whole) >= SAME_TITLE_SHARE
            for title in titles
            for name in (self.title, *self._names)
        ):
            return True
        return self._agrees(record, SHORTEST_ID) or (False if whole.strip() else None)

    def _agrees(self, record: dict[str, Any], shortest: int = 1) -> bool | None:
        """Whether a URL or a number of a record is that of the page; ``None`` if it has none."""
        addresses = [address for address in map(self._address, _urls_of(record)) if address is not None]
        numbers = [
            str(number)
            for key in ID_KEYS
            if isinstance(number := record.get(key), int | str)
            and not isinstance(number, bool)
            and len(str(number)) >= shortest
        ]
        if any(address in self._addresses for address in addresses) or not self._tokens.isdisjoint(numbers):
            return True
        return False if addresses or numbers else None

    @cached_property
    def _names(self) -> tuple[str, ...]:
        """The titles that the page gives itself."""
        outline = outline_of(self.page)
        headings = (text for _, text, _ in outline.headings[:MOST_HEADINGS])
        return tuple(filter(None, (outline.title, self.page.metas.get("og:title"), *headings)))

    @cached_property
    def _addresses(self) -> frozenset[tuple[str, str]]:
        urls = (self.page.url, self.page.canonical, self.page.metas.get("og:url"))
        return frozenset(address for url in urls if url and (address := self._address(url)) is not None)

    @cached_property
    def _tokens(self) -> frozenset[str]:
        return frozenset(token for address in self._addresses for part in address for token in _TOKEN.findall(part))

    def _address(self, text: str) -> tuple[str, str] | None:
        """The path and the query of a URL of the site; ``None`` for the home page, which templates name."""
        url = absolute(self.page.base_url, text)
        if url is None or is_home(url) or not same_site(url, self.page.url):
            return None
        parts = urlsplit(url)
        return parts.path.rstrip("/"), parts.query


def _titles_of(record: dict[str, Any]) -> list[str]:
    names = (record.get(key) for key in TITLE_KEYS)
    return [html.unescape(name) for name in names if isinstance(name, str) and len(name) >= SHORTEST_TITLE]


def _urls_of(record: dict[str, Any]) -> Iterator[str]:
    for key in URL_KEYS:
        url = record.get(key)
        if isinstance(url, dict):
            url = url.get("@id")
        if isinstance(url, str) and url:
            yield url


def _scalars(record: dict[str, Any], *, nested: bool) -> Iterator[str]:
    """The texts and numbers of a record, and of ``nested`` ones without a title: it may hold its text in one."""
    for held in record.values():
        inner = nested and isinstance(held, dict) and TITLE_KEYS.isdisjoint(held)
        yield from (str(value) for value in (held.values() if inner else (held,)) if isinstance(value, str | int))


def linked_data_of(outline: Outline) -> list[dict[str, Any]]:
    """The JSON-LD objects of the page, graphs and lists flattened; broken JSON is left out."""
    results: list[dict[str, Any]] = []
    for text in outline.ld_json:
        try:
            stack = [_loaded(text.strip().rstrip(";"))]
        except (ValueError, RecursionError):
            continue
        while stack:
            value = stack.pop()
            if isinstance(value, list):
                stack.extend(reversed(value))
            elif isinstance(value, dict):
                results.append(value)
                if isinstance(graph := value.get("@graph"), list):
                    stack.extend(reversed(graph))
    return results


def is_frame(item: dict[str, Any]) -> bool:
    """Whether a JSON-LD object describes the page or the site around the article."""
    types = item.get("@type")
    return any(name in FRAMES for name in (types if isinstance(types, list) else [types]) if isinstance(name, str))


def _loaded(text: str) -> Any:
    """The parsed JSON; an escape that spells half a character becomes a question mark."""
    value = json.loads(text, strict=False)
    if "\\u" not in text:
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
