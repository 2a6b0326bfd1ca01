"""Finds the authors that a page's metadata or scripts name, and the account that posted an article."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from newsspider.core.extraction.body.nearby_lines import Surroundings
from newsspider.core.extraction.dom import Outline, Page
from newsspider.core.extraction.dom.page_records import PageRecords
from newsspider.core.extraction.lines.person_names import is_latin_name, is_pen_name, is_person
from newsspider.core.text.characters import HAN
from newsspider.core.text.titles import places_of

MOST_AUTHORS = 6  # authors of one article
EDITOR = re.compile(r"编辑|责编|編輯|責任|校对|审核")  # many sites name the editor in <meta name="author">
SIGNATURE = 40  # characters of a line of the text that may be a byline wherever it stands
AUTHOR_METAS = (
    "author",
    "article:author",
    "og:article:author",
    "dc.creator",
    "byl",
    "mediaid:author",
    "citation_authors",
)
ITEM_AUTHOR = re.compile(r"itemprop=[\"']?author")
ACCOUNT = re.compile(  # class and id names of the name of whoever posted it
    r"(?:author|nick|user|account|media|up)[-_]?name|nickname|(?<![a-z])writer(?![a-z])", re.IGNORECASE
)
CALLED = re.compile(
    r"原创作者|原創作者|(?:本文|文章|作品)作者"
)  # ... which is an author only where the page calls it so
POSTED = re.compile(r"发表于|發表於|楼主|樓主")  # ... or, in a forum, where it is a real name
NEAR_LINES = 6  # lines from the title on in which both stand
_WORD = re.compile(r"[\s,，|｜·]+(?:作者)?")  # what sets the name of an account apart in a line above its text
_LIST = re.compile(r"[,，、;；&]|\sand\s")
_BREAK = re.compile(r"[\s、,，/／&＆;；|:：︰﹕]+")
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


def declared_authors(page: Page, linked_data: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    """The authors that JSON-LD, <meta> or microdata name: those of the first that names any."""
    declared = [_writers(item) for item in linked_data]
    declared += [[page.metas[key]] for key in AUTHOR_METAS if key in page.metas] + [_marked_up(page)]
    for texts in declared:
        if names := tuple(dict.fromkeys(name for text in texts for name in _declared_names(text.strip()))):
            return names
    return tuple(name for texts in declared for name in map(str.strip, texts) if is_pen_name(name))


def _writers(item: dict[str, Any]) -> list[str]:
    """The persons whom a JSON-LD object calls its authors."""
    declared = item.get("author")
    names = []
    for writer in declared if isinstance(declared, list) else [declared]:
        name = writer
        if isinstance(writer, dict):
            types = writer.get("@type", "Person")
            name = writer.get("name") if "Person" in (types if isinstance(types, list) else [types]) else None
        if isinstance(name, str):
            names.append(name)
    return names


def _marked_up(page: Page) -> list[str]:
    """The name of the first author of microdata."""
    if "itemprop" not in page.text or ITEM_AUTHOR.search(page.text) is None:  # the first is found much faster
        return []
    for author in page.tree.iterfind(".//*[@itemprop='author']"):
        for element in (*author.iterfind(".//*[@itemprop='name']"), author):
            if name := " ".join((element.get("content") or "".join(element.itertext())).split()):
                return [name]
    return []


def _declared_names(text: str) -> tuple[str, ...]:
    if EDITOR.search(text):
        return ()
    listed = tuple(part for part in map(str.strip, _LIST.split(text)) if part)
    return tuple(part for part in _BREAK.split(text) if is_person(part)) or (
        listed if listed and all(map(is_latin, listed)) else ()
    )


def is_latin(text: str) -> bool:
    """Whether a text of the metadata looks like a name in Latin letters, which may all be lower case or capitals."""
    return is_latin_name(text if " " in text and not text.isupper() else text.title())


def posting_account(outline: Outline, around: Surroundings, declared: Iterable[str]) -> tuple[str, ...]:
    """The account that posted the article: named in the metadata and above the text, or labelled as its author."""
    words = {word for text in around.above if len(text) <= SIGNATURE for word in _WORD.split(text) if HAN.search(word)}
    if named_above := tuple(dict.fromkeys(name for name in declared if name in words or name in around.above)):
        return named_above[:MOST_AUTHORS]
    lines = outline.lines[around.heading : around.heading + NEAR_LINES]
    if any(POSTED.search(text) for text in around.above):
        return tuple(line.text for line in lines if line.linked == len(line.text) and is_person(line.text))[:1]
    if any(CALLED.search(line.text) for line in lines):
        for line in lines:
            if len(line.text) <= 12 and ACCOUNT.search(outline.nodes[line.node].name) and is_pen_name(line.text):
                return (line.text,)
    return ()


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
