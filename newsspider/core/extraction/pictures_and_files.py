"""Finds the pictures of an article's text and their captions, and reads a notice that consists of files or pictures
below its title and date. ``core/text/file_names.py`` tells which links lead to files.

A caption between paragraphs also stays in the text, of which ``body/body.py`` chooses the lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import accumulate, islice, takewhile

from newsspider.core.dates.date_reader import url_date
from newsspider.core.extraction.body.body import Body
from newsspider.core.extraction.dom import Line, Outline, Page, Picture
from newsspider.core.extraction.lines.boilerplate_lines import leads_to_neighbour
from newsspider.core.extraction.lines.site_in_title import names_no_article, without_site
from newsspider.core.extraction.lines.text_and_mastheads import CLOCK, LEAST_TEXT
from newsspider.core.extraction.page_type import DAY_PATTERN, ITEM_LETTERS, SHORT_ITEM
from newsspider.core.model import Image
from newsspider.core.text.file_names import is_file, names_file
from newsspider.core.text.phrases import any_of
from newsspider.core.text.text_comparison import stands_in, title_key
from newsspider.core.url import absolute

MOST_PICTURES = 60  # pictures of one article
SMALLEST_PICTURE = 60  # pixels of a side, where the page tells, under which a picture is an icon
LINES_ABOVE_TEXT = 3  # lines above the text in which its first picture stands
# lazy pages put a blank into src
SOURCES = ("data-src", "data-original", "data-lazy-src", "data-url", "original", "src")
# Pictures of the page, not of the text, by "/" and their URL in lower case: a pattern of one case that begins with one
# of few characters is found several times faster.
DECORATION = re.compile(rf"[/_.-](?:(?:{any_of('picture_names')})(?=[/_.\d-]|$)|(?<=^/)data:|(?<=\.)svg(?:$|\?))")
_PIXELS = re.compile(r"\d{1,9}")

DATED_LINES = 6  # lines below the title in which the date stands
NEAR_LINES = 8  # lines below the date in which the first file is named
LINES_TO_NEXT_FILE = 2  # lines from one file to the next
LINES_BELOW_DATE = 3  # lines below the date above which a picture stands
BOX_LETTERS = 100  # letters of the text of a box beside the article
BOX_LINES = 30  # lines below the links to the neighbours in which it begins
MOST_FILES = 300  # files of one notice
LONGEST_TITLE = 400  # letters of <title> that are looked at
_DOCUMENT = re.compile(r"<(?:iframe|embed|object)\b[^<>]*\.pdf|showVsbpdfIframe\(\s*[\"'][^\"'<>]*\.pdf", re.I)
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
SHORTEST_TELLING_CAPTION = 8  # characters of a caption that is the text of a page


def images_of(page: Page, outline: Outline, body: Body, title: str | None = None) -> tuple[Image, ...]:
    """The pictures that stand in the text, each once, with their captions or alternative texts."""
    if not body.lines:
        return ()
    first, last = body.lines[0] - LINES_ABOVE_TEXT, body.lines[-1]
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


def content_images(
    page: Page, outline: Outline, pictures: Iterable[Picture], title: str | None = None
) -> tuple[Image, ...]:
    """The pictures that are not decoration, each once, with their captions."""
    results: dict[str, Image] = {}
    for picture in pictures:
        if (url := _url(page, picture)) is not None and url not in results:
            results[url] = Image(url, caption_of(outline, picture, title))
        if len(results) == MOST_PICTURES:
            break
    return tuple(results.values())


def _url(page: Page, picture: Picture) -> str | None:
    get = picture.element.get
    for size in (get("width"), get("height")):
        if size and (pixels := _PIXELS.match(size)) and not size.endswith("%") and int(pixels[0]) < SMALLEST_PICTURE:
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


def body_with_attachments(
    page: Page, outline: Outline, body: Body, now: datetime
) -> tuple[Body, tuple[Image, ...] | None]:
    """The body and pictures of a page that has no text but files or pictures right below title and date.

    With files, the body is the lines that name them, and the pictures are ``None``. With pictures or an embedded
    document, the body is the line of the title; a document has no pictures. On any other page it is ``body``, and the
    pictures are ``None``. A page that shows no date may have it in its URL.
    """
    at, dated = (0, None) if _has_text(outline, body) else _dated(outline, in_url=url_date(page.url, now) is not None)
    if dated is None:
        return body, None
    lines = outline.lines
    if files := list(islice(_files(page, outline, dated), MOST_FILES)):
        chosen = sorted({*files, *(i for i in body.lines if dated < i <= files[-1])})
        body = Body(tuple(chosen), lines[chosen[0]].node, chosen[0])
        if _has_text(outline, body):
            return body, None
    result = _pictures(page, outline, at, dated)
    if not (result or _DOCUMENT.search(page.text)):
        return body, None
    return Body((at,), lines[at].node, min(dated + 1, len(lines) - 1)), result


def _pictures(page: Page, outline: Outline, at: int, dated: int) -> tuple[Image, ...]:
    """The pictures right below the date, without those that follow the headlines of a list."""
    lines = outline.lines
    near = takewhile(
        lambda line: line == dated or not _leads_elsewhere(lines[line]),
        range(dated, min(dated + LINES_BELOW_DATE, len(lines))),
    )
    reach = max(near) + 1  # the line below the picture
    below = (
        picture
        for picture in outline.pictures
        if dated < picture.line <= reach and not outline.nodes[picture.node].is_side
    )
    return content_images(page, outline, below, lines[at].text)


def _has_text(outline: Outline, body: Body) -> bool:
    """Whether the text is more than the title again and a word or two, and no box below the links to the neighbours."""
    title = title_key(outline.title or "")[:LONGEST_TITLE]
    texts = [outline.lines[at].text for at in body.lines]
    if texts and sum(map(len, texts)) < BOX_LETTERS and _is_below_neighbours(outline, body.lines[0]):
        return False
    lengths = accumulate(len(text) for text in texts if title_key(text) not in title)
    return not title or any(length >= LEAST_TEXT for length in lengths)


def _is_below_neighbours(outline: Outline, at: int) -> bool:
    """Whether the links to the articles before and after this one stand above a line."""
    return any(leads_to_neighbour(line.text) for line in outline.lines[max(0, at - BOX_LINES) : at])


def _leads_elsewhere(line: Line) -> bool:
    """Whether a line is the headline of another page, as those that a list shows below the day."""
    return line.linked >= SHORT_ITEM and line.linked * 2 >= len(line.text)


def _dated(outline: Outline, *, in_url: bool) -> tuple[int, int | None]:
    """The lines of the title, in ``<title>`` and no link, and of its date: the same where that is ``in_url``."""
    lines, title = outline.lines, title_key(outline.title or "")[:LONGEST_TITLE]
    titles = [
        at
        for at, line in enumerate(lines)
        if len(line.text) >= ITEM_LETTERS and not line.linked and stands_in(line.text, title, 0)
    ] or [at for tag, _, at in outline.headings if tag == "h1" and not lines[at].linked]
    for title_at in titles:
        for at in range(title_at + 1, min(title_at + 1 + DATED_LINES, len(lines))):
            text, linked = lines[at].text, lines[at].linked
            is_day = DAY_PATTERN.search(text) and not CLOCK.search(text)
            if is_day and linked < ITEM_LETTERS and not names_file(text):
                return title_at, at
    return (_headline(outline, titles) if in_url else None) or (0, None)


def _headline(outline: Outline, titles: Sequence[int]) -> tuple[int, int] | None:
    """The first of these lines that is ``<title>`` without site and section, as both title and date; ``None`` if none
    is, or if it names no article."""
    headline = title_key(without_site(outline.title or ""))
    at = next((at for at in titles if title_key(outline.lines[at].text) == headline), None)
    return None if at is None or names_no_article(outline.lines[at].text) else (at, at)


def _files(page: Page, outline: Outline, dated: int) -> Iterator[int]:
    """The lines below that of the date that name files, as long as they stand close together."""
    lines = outline.lines
    links = (
        (absolute(page.base_url, link.get("href") or ""), " ".join("".join(link.itertext()).split()))
        for link in page.tree.iter("a")
    )
    names = set(islice((text for url, text in links if url and text and is_file(url, text)), MOST_FILES))
    reach = dated + NEAR_LINES
    for at in range(dated + 1, len(lines)):
        line = lines[at]
        if at > reach or leads_to_neighbour(line.text):
            return
        if line.linked * 2 >= len(line.text) and (names_file(line.text) or any(name in line.text for name in names)):
            reach = at + LINES_TO_NEXT_FILE
            yield at


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
        if len(image.caption) >= SHORTEST_TELLING_CAPTION and _GIVEN.match(image.caption) is None
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
