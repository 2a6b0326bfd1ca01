"""Chooses the title that the list page and the article page agree on."""

from __future__ import annotations

import re

from newsspider.core.extraction.dom import Outline, Page
from newsspider.core.extraction.title.title import unlabelled

SHORTEST_ANCHOR = 6  # characters of an anchor text that can be a headline
LONGEST_TITLE = 100  # characters of a line that can be one
CUT = "…."  # a list cuts long headlines

_KEY = re.compile(r"[\W_]+")
_URL = re.compile(r"https?://|^www\.", re.IGNORECASE)


def headline(page: Page, title: str | None, anchor: str) -> str | None:
    """The page's title, or the list's headline if it is another one and stands on the page as a line of its own.

    So the title is right on sites that write their own name into every ``<title>`` and mark no heading. A page without
    any title gets the list's headline.
    """
    anchor_text = unlabelled(anchor.strip())
    listed = anchor_text.rstrip(CUT)
    key = _KEY.sub("", listed)
    if len(key) < SHORTEST_ANCHOR or _URL.search(listed):
        return title
    own = _KEY.sub("", title or "")
    if own and (key in own or own in key):
        return title
    result = _line(page, key, is_whole=listed == anchor_text)
    return result or title or listed


def is_named(outline: Outline, anchor: str) -> bool:
    """Whether the list's headline stands on the page, in its title or in any line; true if it is too short to tell."""
    key = _KEY.sub("", unlabelled(anchor.strip()).rstrip(CUT))
    return len(key) < SHORTEST_ANCHOR or any(
        key in _KEY.sub("", text) for text in (outline.title or "", *(line.text for line in outline.lines))
    )


def _line(page: Page, key: str, *, is_whole: bool) -> str | None:
    """The first text outside links that is this headline, or begins with it where the list cut it."""
    for element in page.tree.iter():
        text = element.text
        if (
            not text
            or len(text) < len(key)
            or len(text) > 3 * LONGEST_TITLE
            or element.tag in ("a", "title", "script", "style")
        ):
            continue
        line = unlabelled(" ".join(text.split()))
        result = _KEY.sub("", line)
        if len(line) <= LONGEST_TITLE and (result == key or (not is_whole and result.startswith(key))):
            return line
    return None
