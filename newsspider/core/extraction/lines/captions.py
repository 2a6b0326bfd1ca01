"""Captions: what a page writes under a picture, and which lines are such.

A caption between paragraphs also stays in the text, of which ``body/body.py`` chooses the lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from newsspider.core.extraction.dom import Line, Outline, Picture
from newsspider.core.model import Image

LONGEST_CAPTION = 80  # characters of a line under a picture
SHORTEST_CAPTION = 4  # characters of what a picture is called by
CAPTIONED = re.compile(
    r"caption|img[-_]?(?:desc|note|txt|text|info)|(?:photo|pic)[-_]?(?:desc|note|txt|text|info)|tuzhu|tushuo", re.I
)
CAPTION = re.compile(
    r"^[△▲▼↑■●（(【]?\s*(?:图\s?[为片注\d：:]|资料图|圖\s?[為片說：:]|图源|供图)"
    r"|(?:摄|攝|供图|供圖|资料图|资料照|資料照)\s*[)）]?$"
)
NO_CAPTION = re.compile(
    r"\.(?:jpe?g|png|gif|webp)|^[\w.-]+$(?<=[\x00-\x7f])|点击|查看|原图|^(?:图片|照片|image)", re.IGNORECASE
)
# Who took or gave a picture says nothing of what it shows.
_GIVEN = re.compile(r"[\W_]*(?:图源|图片来源|圖片來源|来源|來源|供图|供圖|摄影|攝影|资料图片?|資料圖片?)")
SHORTEST_TEXT = 8  # characters of a caption that is the text of a page


def caption_of(outline: Outline, picture: Picture, title: str | None) -> str:
    """The caption of a picture, else its alternative text; empty if it has neither."""
    lines = outline.lines
    for at in (picture.line, picture.line + 1):
        if at < len(lines) and _captions(lines[at], outline, nearest=at == picture.line):
            return lines[at].text
    label = (picture.element.get("alt") or picture.element.get("title") or "").strip()
    named = label in (outline.title or "") or label in (title or "")  # many sites write the title there
    return (
        label if SHORTEST_CAPTION < len(label) <= LONGEST_CAPTION and not named and not NO_CAPTION.search(label) else ""
    )


def shown_captions(outline: Outline, pictures: Iterable[Image]) -> list[str]:
    """The captions under pictures that say what these show, each once."""
    captions = dict.fromkeys(
        image.caption
        for image in pictures
        if len(image.caption) >= SHORTEST_TEXT and _GIVEN.match(image.caption) is None
    )
    shown = {line.text for line in outline.lines} if captions else frozenset[str]()
    return [caption for caption in captions if caption in shown]


def _captions(line: Line, outline: Outline, *, nearest: bool) -> bool:
    """Whether a line under a picture is its caption: by its element's name, or by its words."""
    if len(line.text) > LONGEST_CAPTION:
        return False
    node = outline.nodes[line.node]
    return (
        node.tag == "figcaption"
        or CAPTIONED.search(node.name) is not None
        or (nearest and CAPTION.search(line.text) is not None)
    )
