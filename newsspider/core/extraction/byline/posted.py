"""Finds who posted an article: behind a link to a profile above the text, or named in a script beside the title."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import islice

from newsspider.core.extraction.dom import Page
from newsspider.core.extraction.dom.page_records import PageRecords
from newsspider.core.text.characters import HAN
from newsspider.core.text.titles import places_of

MOST_LINKS = 400  # links of a page that are looked at
LINE = 100  # characters of a line above the text that may name an account
SHORTEST_NAME, LONGEST_NAME = 2, 20  # characters of a name
NEAR_LETTERS = 1500  # characters of a script around the title in which the names of its author and source stand

PROFILE = re.compile(
    r"space-uid-|//space\.|dispuser|userinfo|viewprofile|home/main\?|u\.php\?|[?&](?:uid|user_?id|authorid)=|"
    r"(?:^|/)(?:user|space|member|profile)-\d|/(?:u|users?|authors?|people|members?|profile)/",
    re.IGNORECASE,
)
# One of these is in every match in lower case, and is found much faster.
_SIGNS = ("space", "u.php", "user", "uid", "author", "profile", "member", "people", "home/main", "/u/")
_VALUE = r"""["']\s*:\s*(?:\{[^{}]{0,80}?"name"\s*:\s*)?"([^"<>{}]{2,120})\""""
AUTHORS = re.compile(r"""["'](?:author|author_?name|writer|reporter)""" + _VALUE, re.IGNORECASE)
SOURCES = re.compile(r"""["'](?:source|source_?name|copy_?from|media_?name)""" + _VALUE, re.IGNORECASE)


def posted_by(page: Page, above: Sequence[str]) -> str | None:
    """The name of the account in the lines ``above`` the text that leads to its profile."""
    lines = [text for text in above if len(text) < LINE]
    if not lines:
        return None
    for element in islice(page.tree.iter("a"), MOST_LINKS):
        href = element.get("href") or ""
        if not any(map(href.lower().__contains__, _SIGNS)) or PROFILE.search(href) is None:
            continue
        name = " ".join("".join(map(str, element.itertext())).split())
        if SHORTEST_NAME <= len(name) <= LONGEST_NAME and any(name in line for line in lines):
            return name
    return None


def scripted_near(page: Page, title: str, names: re.Pattern[str]) -> str | None:
    """The name that a script gives under one of the keys ``names`` next to the title; ``None`` if there is none, or
    only in the record of another article."""
    others: set[str] | None = None
    for title_at, end in places_of(title, page.text):
        near = names.finditer(page.text, max(0, title_at - NEAR_LETTERS), end + NEAR_LETTERS)
        for match in sorted(near, key=lambda match: abs(match.start() - title_at)):
            name = _decoded(match[1])
            if SHORTEST_NAME <= len(name) <= LONGEST_NAME and HAN.search(name):
                others = PageRecords(page, title).values_of_others() if others is None else others
                if name not in others:
                    return name
    return None


def _decoded(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"')).strip()
    except ValueError:
        return ""
