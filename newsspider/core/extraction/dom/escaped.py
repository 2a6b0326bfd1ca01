"""Undoes what editors escape once too often: entities in a text, and markup that stands in a text as text."""

from __future__ import annotations

import re
from html import unescape

from lxml import etree, html

_ENTITY = re.compile(r"&(?:amp;)*(?:[A-Za-z]{2,8}\d{0,2}|#\d{2,6}|#[xX][0-9A-Fa-f]{2,5});")
_ABOUT_ENTITIES = re.compile("实体|實體|转义|轉義|字符引用|entit(?:y|ies)|escap", re.IGNORECASE)
_MARKUP = re.compile(r"\s*<(?:p|div|section|article|span|strong|br|h[1-6]|table|ul|ol|blockquote|center|font)\b", re.IGNORECASE)
_PARAGRAPHS = re.compile(r"</(?:p|div|section|h[1-6]|li|td)>|<br", re.IGNORECASE)
_SENTENCE = re.compile(r"[\u4e00-\u9fff][，。！？：；]|[a-z][,.] ")
MOST_ESCAPES = 3  # times that a text may have been escaped


def unescaped(text: str) -> str:
    """A text of a page without the entities that were escaped twice; one that is about entities stays as it is.

    >>> unescaped("&ldquo;双减&rdquo;"), unescaped("R&amp;amp;D"), unescaped("空格的实体是&nbsp;")
    ('“双减”', 'R&D', '空格的实体是&nbsp;')
    """
    for _ in range(MOST_ESCAPES):
        if "&" not in text or _ENTITY.search(text) is None or _ABOUT_ENTITIES.search(text):
            break
        text = _ENTITY.sub(lambda match: unescape(match[0]), text)
    return text


def markup_in(text: str) -> etree._Element | None:
    """The tree of a text that is itself markup with sentences, as where a script was to write it; ``None`` for others,
    like one that names a tag."""
    if _MARKUP.match(text) is None or _PARAGRAPHS.search(text) is None or _SENTENCE.search(text) is None:
        return None
    try:
        root: etree._Element = html.fragment_fromstring(text, create_parent="div")
    except (etree.LxmlError, ValueError):
        return None
    return root
