"""Finds the pictures of an article's text and what the page writes under them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from newsspider.core.extraction.body.body import Body
from newsspider.core.extraction.dom import Line, Outline, Page, Picture
from newsspider.core.model import Image
from newsspider.core.text.phrases import any_of
from newsspider.core.url import absolute

MOST_PICTURES = 60  # pictures of one article
SMALLEST = 60  # pixels of a side, where the page tells, under which a picture is an icon
LONGEST_CAPTION = 80  # characters of a line under a picture
SHORTEST_CAPTION = 4  # characters of what a picture is called by
AROUND = 3  # lines above the text in which its first picture stands
# lazy pages put a blank into src
SOURCES = ("data-src", "data-original", "data-lazy-src", "data-url", "original", "src")
# Pictures of the page, not of the text, by "/" and their URL in lower case: a pattern of one case that begins with one
# of few characters is found several times faster.
DECORATION = re.compile(rf"[/_.-](?:(?:{any_of('picture_names')})(?=[/_.\d-]|$)|(?<=^/)data:|(?<=\.)svg(?:$|\?))")
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
_PIXELS = re.compile(r"\d{1,9}")


def images_of(page: Page, outline: Outline, body: Body, title: str | None = None) -> tuple[Image, ...]:
    """The pictures that stand in the text, each once, with their captions or alternative texts."""
    if not body.lines:
        return ()
    first, last = body.lines[0] - AROUND, body.lines[-1]
    top = outline.nodes[body.node]
    chosen = []
    for picture in outline.pictures:
        node = outline.nodes[picture.node]
        inside = picture.node >= body.node and node.last <= top.last
        if (first <= picture.line <= last or (inside and picture.line == last + 1)) and (
            top.is_side or not node.is_side
        ):
            chosen.append(picture)
    return content_images(page, outline, chosen, title)


def shown_captions(outline: Outline, pictures: Iterable[Image]) -> list[str]:
    """The captions under pictures that say what these show, each once."""
    captions = dict.fromkeys(
        image.caption
        for image in pictures
        if len(image.caption) >= SHORTEST_TEXT and _GIVEN.match(image.caption) is None
    )
    shown = {line.text for line in outline.lines} if captions else frozenset[str]()
    return [caption for caption in captions if caption in shown]


def content_images(
    page: Page, outline: Outline, pictures: Iterable[Picture], title: str | None = None
) -> tuple[Image, ...]:
    """The pictures that are not decoration, each once, with their captions."""
    results: dict[str, Image] = {}
    for picture in pictures:
        if (url := _url(page, picture)) is not None and url not in results:
            results[url] = Image(url, _caption(outline, picture, title))
        if len(results) == MOST_PICTURES:
            break
    return tuple(results.values())


def _url(page: Page, picture: Picture) -> str | None:
    get = picture.element.get
    for size in (get("width"), get("height")):
        if size and (pixels := _PIXELS.match(size)) and not size.endswith("%") and int(pixels[0]) < SMALLEST:
            return None
    declared = next(
        (
            value
            for name in SOURCES
            if (value := (get(name) or "").strip()) and not DECORATION.search(f"/{value.lower()}")
        ),
        None,
    )
    return absolute(page.base_url, declared) if declared else None


def _caption(outline: Outline, picture: Picture, title: str | None) -> str:
    lines = outline.lines
    for at in (picture.line, picture.line + 1):
        if at < len(lines) and _captions(lines[at], outline, nearest=at == picture.line):
            return lines[at].text
    label = (picture.element.get("alt") or picture.element.get("title") or "").strip()
    named = label in (outline.title or "") or label in (title or "")  # many sites write the title there
    return (
        label if SHORTEST_CAPTION < len(label) <= LONGEST_CAPTION and not named and not NO_CAPTION.search(label) else ""
    )


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
