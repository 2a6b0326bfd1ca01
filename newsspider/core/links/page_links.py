"""Reads the links of a page: the URL, text, kind and region of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice

from lxml import etree
from lxml.html import HtmlElement

from newsspider.core.extraction.dom.outline import HEADINGS, Line, outline_of
from newsspider.core.extraction.dom.page import Page, select_by_xpath
from newsspider.core.links.article_list import article_anchors, is_button
from newsspider.core.links.link_regions import TITLE_LENGTH, Anchor, place_links, settle_rows
from newsspider.core.links.link_targets import click_targets, is_nofollow, linking_elements, target_of
from newsspider.core.links.list_dates import add_dates, set_full_date
from newsspider.core.links.list_positions import layout_of, selected_elements
from newsspider.core.links.next_page import is_page_number, next_url
from newsspider.core.links.script_lists import script_links, script_markup
from newsspider.core.links.url_shape import domain_of, is_article_url
from newsspider.core.model import Layout, Link, LinkKind, Region
from newsspider.core.text.characters import one_line
from newsspider.core.text.file_names import is_file

_ATTACHMENT, _OTHER, _MAIN = LinkKind.ATTACHMENT, LinkKind.OTHER, Region.MAIN  # faster: used for every link
_MORE = re.compile(
    r"\W*(?:(?:查看|阅读|浏览)?更多|more)\W*", re.I
)  # beside the heading of a block, leads to its channel
_TEXT_TAGS = frozenset(("p", "blockquote"))
_INLINE_TAGS = frozenset(("b", "strong", "span", "font", "em", "u", "i"))
_AROUND_TAGS = frozenset(("p", "li", "dd", "dt", "td", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6"))
_AROUND_PIECES, _AROUND_LENGTH = 60, 300  # pieces of text, characters
_FEW_ARTICLES = 10  # articles; a page that shows this many needs none from its scripts
_MOST_BEFORE = 4  # characters before a headline at the start of a paragraph: a bullet, brackets around a channel
_LEAST_PARAGRAPHS, _LONG_PARAGRAPH = 2, 60  # paragraphs, and the characters of each, that make an article
_LEAST_PARAGRAPH = 40  # characters around its links that make a paragraph prose

LONGEST_TEXT = 512  # characters
SHORTEST_HEADLINE = 6  # characters of a headline within a link
_BLOCKS = (*HEADINGS, "div", "p", "ul", "dl", "table")
_DAY = re.compile(r"[\d\s年月日/.:：-]+")  # in a heading of its own
# Times and counts of views: pieces of a link that are never its title.
_STAMP = re.compile(
    r"[\[(（]?[\d\s年月日/.:：-]{4,}[\])）]?|\d+\s?(?:秒|分钟|小时|天)前|(?:今|昨|前)天(?:\s?\d+:\d+)?"
    r"|\D{0,6}\d+\s?(?:次|条|人)?(?:阅读|评论|浏览|点击|回复|跟[贴帖])?"
)
_TITLED = re.compile(r"(?<!sub)(?<!sub[-_])tit(?!an)|headline|subject|biaoti|(?<![a-z])bt(?![a-z])", re.I)
_MOST_PIECES = 40
# The title attribute of a link to an article in PowerEasy: its title, how often it was read and when it was published.
_RECORD = re.compile(r"(?:文章)?标题\s?[:：]\s?(?P<title>\S.*?)\s?(?:作\s?者|点击数|(?:发表|更新)时间)\s?[:：].*")
_LEAST_CARDS, _CARD_DEPTH, _LONGEST_CARD_TITLE = 3, 8, 60  # cards of a list, elements around a link, characters


@dataclass(frozen=True, slots=True)
class Listing:
    """The links of a list page, and where its lists are."""

    links: tuple[Link, ...]
    layout: Layout


def links_of(
    page: Page,
    regions: Sequence[str] = (),
    next_page: str | None = None,
    article_url: re.Pattern[str] | None = None,
    now: datetime | None = None,
) -> tuple[Link, ...]:
    """Every URL that a page links to, once, in page order, as a browser would request it.

    Only links inside ``regions``, XPaths of blocks, are articles; if they match nothing, the list is detected.
    ``next_page`` is the XPath of the link to the next page, ``article_url`` the pattern that all articles match.
    ``now`` is the moment before which dates without a year are.
    """
    anchors = _anchors(page)
    articles, scripted = _articles_of(page, anchors, regions, article_url)
    if now is not None:
        add_dates(articles, page, now)
    return _links(page, anchors, articles, next_page, scripted)


def listing_of(
    page: Page,
    regions: Sequence[str] = (),
    next_page: str | None = None,
    article_url: re.Pattern[str] | None = None,
    known_paths: Sequence[str] = (),
) -> Listing:
    """The same links, and where the lists are. Links where the lists were before (``known_paths``, else the regions)
    need less evidence."""
    anchors = _anchors(page)
    known_paths = known_paths or regions
    covered = selected_elements(page, known_paths)
    for anchor in anchors:
        anchor.known = anchor.element in covered
    articles, scripted = _articles_of(page, anchors, regions, article_url)
    links = _links(page, anchors, articles, next_page, scripted)
    return Listing(links, layout_of(page, articles, anchors, known_paths))


def _articles_of(
    page: Page, anchors: Sequence[Anchor], regions: Sequence[str], article_url: re.Pattern[str] | None
) -> tuple[list[Anchor], tuple[Link, ...]]:
    """The articles among the links, and those that are only in the scripts."""
    articles = _articles(page, anchors, regions, article_url)
    scripted = _scripted(page, articles, article_url)
    if scripted:  # or a box beside the list would count as the list
        _place(page, anchors, len(scripted))
        articles = _articles(page, anchors, regions, article_url)
    return articles, scripted


def _scripted(page: Page, articles: Sequence[Anchor], article_url: re.Pattern[str] | None) -> tuple[Link, ...]:
    """The articles in the scripts of a page, if it shows fewer itself."""
    if len(articles) >= _FEW_ARTICLES:
        return ()
    links = script_links(page)
    if not links and (inner := script_markup(page)) is not None:
        links = tuple(link for link in links_of(inner) if link.kind is LinkKind.ARTICLE)
    if article_url is not None:
        links = tuple(link for link in links if article_url.search(link.url))
    return links if len(links) > len(articles) else ()


def _articles(
    page: Page, anchors: Sequence[Anchor], regions: Sequence[str], article_url: re.Pattern[str] | None
) -> list[Anchor]:
    inside = _region_anchors(page, regions, anchors, article_url) if regions else None
    return article_anchors(anchors, page.url, article_url) if inside is None else inside


def _links(
    page: Page,
    anchors: Sequence[Anchor],
    articles: Sequence[Anchor],
    next_page: str | None,
    scripted: Sequence[Link] = (),
) -> tuple[Link, ...]:
    chosen = {id(anchor) for anchor in articles}
    settle_rows(anchors, chosen, page.url)
    following = _xpath_url(page, next_page) or next_url(page, anchors)
    own = domain_of(page.url)
    results: dict[str, Link] = {}
    for anchor in anchors:
        kind = LinkKind.ARTICLE if id(anchor) in chosen else _kind(anchor, following, own)
        link = Link(anchor.url, anchor.text, kind, anchor.region, anchor.published_at, is_nofollow(anchor.element))
        key = anchor.url.partition("#")[0]
        results[key] = _better(results[key], link) if key in results else link
    for link in scripted:
        key = link.url.partition("#")[0]
        results[key] = _better(results[key], link) if key in results else link
    if following and following.partition("#")[0] not in results:
        results[following] = Link(following, "", LinkKind.NEXT, Region.NAVIGATION)
    return tuple(results.values())


def page_links(page: Page) -> tuple[Link, ...]:
    """Every URL that a page links to, once, in page order, without its place: for pages that are no lists."""
    results: dict[str, Link] = {}
    for element, url, attached in linking_elements(page):
        if url not in results or results[url].nofollow:
            text = text_of(element)
            kind = _ATTACHMENT if attached or ("." in text and is_file(url, text)) else _OTHER
            results[url] = Link(url, text, kind, _MAIN, None, is_nofollow(element))
    return tuple(results.values())


def texts_around(page: Page) -> dict[str, str]:
    """The text around each link of a page, by URL as in :func:`page_links`: that of its paragraph, list item or cell.

    For a link in none of these it is the text that follows.
    """
    results: dict[str, str] = {}
    blocks: dict[HtmlElement, str] = {}
    for element, url, _ in linking_elements(page):
        if element.tag == "a" and url not in results:
            block = next(element.iterancestors(*_AROUND_TAGS), None)
            if block is not None and block not in blocks:
                blocks[block] = " ".join("".join(islice(block.itertext(), _AROUND_PIECES)).split())[:_AROUND_LENGTH]
            results[url] = (element.tail or "").strip() if block is None else blocks[block]
    return results


def _anchors(page: Page) -> list[Anchor]:
    anchors = [
        Anchor(element, url, text_of(element), shape=is_article_url(url))
        for element, url, _ in linking_elements(page, "meta", clicks=click_targets(page))
    ]
    _take_titles_of_cards(anchors)
    _place(page, anchors)
    return anchors


def _take_titles_of_cards(anchors: Sequence[Anchor]) -> None:
    """Give the pictures and buttons ("查看详情") that alone lead to an article the title of its card: the largest element
    around them without another link. Three such cards are a list."""
    named = {anchor.url for anchor in anchors if _says_where(anchor.text)}
    titles: dict[str, str] = {}  # once a URL: a page may link to one many times
    for anchor in anchors:
        if (
            (anchor.shape is not False or not anchor.text)
            and anchor.element.tag == "a"
            and anchor.url not in named
            and anchor.url not in titles
        ):
            titles[anchor.url] = _title_of_card(anchor.element)
    if len({title for title in titles.values() if title}) >= _LEAST_CARDS:
        for anchor in anchors:
            anchor.text = titles.get(anchor.url) or anchor.text


def _says_where(text: str) -> bool:
    """Whether the text of a link is a title, a number, or the "更多" of a channel."""
    return not is_button(text) or _MORE.fullmatch(text) is not None or any(map(str.isdigit, text))


def _title_of_card(link: HtmlElement) -> str:
    card, href = link, link.get("href")
    for around in islice(link.iterancestors(), _CARD_DEPTH):
        if any(other.get("href") != href for other in around.iter("a")):
            break
        card = around
    heading = _longest_heading(card)
    title = heading if len(heading) >= SHORTEST_HEADLINE else _title_piece(card) or ""
    return title if SHORTEST_HEADLINE <= len(title) <= _LONGEST_CARD_TITLE and not is_button(title) else ""


def _place(page: Page, anchors: Sequence[Anchor], elsewhere: int = 0) -> None:
    """Set the place of all links; ``elsewhere`` is the number of titles in a list that a script fills."""
    place_links(anchors, partial(_is_text, page), elsewhere)
    paragraphs: dict[HtmlElement, bool] = {}
    for anchor in anchors:
        if anchor.region is Region.MAIN and _in_text(anchor, paragraphs):
            anchor.region = Region.BODY


def _is_text(page: Page) -> bool:
    """Whether a page has paragraphs, as articles have. The summary of a linked title is none."""
    lines = outline_of(page).lines
    paragraphs = (
        line
        for index, line in enumerate(lines)
        if not line.linked and len(line.text) >= _LONG_PARAGRAPH and not _is_summary(lines, index)
    )
    return len(list(islice(paragraphs, _LEAST_PARAGRAPHS))) == _LEAST_PARAGRAPHS


def _is_summary(lines: Sequence[Line], index: int) -> bool:
    """Whether a line follows a linked title, perhaps with a date or source between them."""
    for before in reversed(lines[max(index - 2, 0) : index]):
        if before.linked >= TITLE_LENGTH and 2 * before.linked >= len(before.text):
            return True
        if before.tag or len(before.text) >= _LONG_PARAGRAPH:
            return False
    return False


def _in_text(anchor: Anchor, is_prose: dict[HtmlElement, bool]) -> bool:
    """Whether a link is in a paragraph with more text than links; ``is_prose`` caches the verdict for each paragraph.

    A title at the start of a paragraph is a headline with its summary.
    """
    top = anchor.element
    parent = top.getparent()
    while parent is not None and parent.tag in _INLINE_TAGS:
        top, parent = parent, parent.getparent()
    if parent is None or parent.tag not in _TEXT_TAGS:
        return False
    if parent not in is_prose:
        linked = sum(len("".join(link.itertext())) for link in parent.iter("a"))
        is_prose[parent] = len("".join(parent.itertext()).strip()) - linked >= max(_LEAST_PARAGRAPH, linked)
    return is_prose[parent] and not (len(anchor.text) >= TITLE_LENGTH and _opens(anchor.element, top))


def _opens(link: HtmlElement, top: HtmlElement) -> bool:
    """Whether almost nothing but links precedes a link in its paragraph; ``top`` is the paragraph's child with it."""
    length = 0 if link is top else len((top.text or "").strip())
    for element in top.itersiblings(preceding=True):
        length += len((element.tail or "").strip()) + (
            0 if element.tag == "a" else len("".join(element.itertext()).strip())
        )
    above = top.getparent()
    return length + len(((above.text if above is not None else "") or "").strip()) <= _MOST_BEFORE


def _region_anchors(
    page: Page, regions: Sequence[str], anchors: Sequence[Anchor], article_url: re.Pattern[str] | None
) -> list[Anchor] | None:
    """The articles among the links inside the regions; ``None`` if no region is on the page."""
    if not any(isinstance(node, etree._Element) for path in regions for node in select_by_xpath(page, path)):
        return None
    inside = selected_elements(page, regions)
    results = [anchor for anchor in anchors if anchor.element in inside and _is_region_article(anchor, article_url)]
    for anchor in results:
        set_full_date(anchor)
    return results


def _is_region_article(anchor: Anchor, article_url: re.Pattern[str] | None) -> bool:
    if article_url is not None:
        return article_url.search(anchor.url) is not None
    shape = is_article_url(anchor.url)
    return bool(shape) or (shape is None and len(anchor.text) >= 4 and not is_page_number(anchor))


def _kind(anchor: Anchor, following: str | None, own: str) -> LinkKind:
    if following is not None and anchor.url == following:
        return LinkKind.NEXT
    if is_file(anchor.url, anchor.text):
        return LinkKind.ATTACHMENT
    if domain_of(anchor.url) != own:
        return LinkKind.OTHER
    listed = anchor.element.tag in ("frame", "iframe", "meta") or is_page_number(anchor) or _MORE.fullmatch(anchor.text)
    return LinkKind.LIST if listed or is_article_url(anchor.url) is False else LinkKind.OTHER


def _better(first: Link, second: Link) -> Link:
    """Of two links to one URL, the article, then the one with more text; nofollow only if both are."""
    is_better = len(first.text) < len(second.text) <= 60 and ("#" not in second.url or "#" in first.url)
    better = second if is_better else first
    if (first.kind is LinkKind.ARTICLE) != (second.kind is LinkKind.ARTICLE):
        better = first if first.kind is LinkKind.ARTICLE else second
    return better._replace(nofollow=False) if better.nofollow and not (first.nofollow and second.nofollow) else better


def _xpath_url(page: Page, path: str | None) -> str | None:
    for node in select_by_xpath(page, path) if path else ():
        href = node if isinstance(node, str) else node.get("href") if isinstance(node, etree._Element) else None
        if href and (url := target_of(str(href), page)) is not None:
            return url
    return None


def text_of(element: HtmlElement) -> str:
    """The text of a link. If the page truncated it, the title attribute is used; for a picture, its alternative text.

    For a link around a whole row, with date and summary, it is the heading, the title attribute or the first piece that
    may be a title.
    """
    text = " ".join(("".join(element.itertext()) if len(element) else element.text or "").split())
    if not text or text[-1] in ".…":
        cut = not text or text.endswith(("...", "…"))
        text = (_attribute(element) if cut else "") or text
    if not text:
        images = element.iter("img", "area")
        text = next((alt for image in images if (alt := " ".join((image.get("alt") or "").split()))), "")
    text = _headline(element, text) if len(element) and len(text) > SHORTEST_HEADLINE else text
    return text if len(text) <= LONGEST_TEXT and text.isprintable() else one_line(text, LONGEST_TEXT)


def _attribute(element: HtmlElement) -> str:
    text = " ".join((element.get("title") or element.get("data-title") or "").split())
    return match["title"] if (match := _RECORD.fullmatch(text)) else text


def _headline(element: HtmlElement, text: str) -> str:
    """The title in a link with blocks: the title attribute, if it is in ``text`` or completes a truncated heading, else
    the heading, else the piece that may be a title; that piece also in a link with a date but no blocks."""
    title = _attribute(element)
    is_title = len(title) >= SHORTEST_HEADLINE
    if next(element.iter(*_BLOCKS), None) is None:
        dated = len(element) > 1 and (text[0].isdigit() or text[-1].isdigit())
        return (title if is_title and title in text else _title_piece(element) or text) if dated else text
    heading = _longest_heading(element)
    if is_title and (title in text or (heading and title.startswith(heading.rstrip(".…")))):
        return title
    if len(heading) >= SHORTEST_HEADLINE:
        return heading
    return _title_piece(element) or text


def _longest_heading(element: HtmlElement) -> str:
    """The longest heading in an element that is no day; empty without one."""
    headings = (" ".join("".join(heading.itertext()).split()) for heading in element.iter(*HEADINGS))
    return max((heading for heading in headings if not _DAY.fullmatch(heading)), key=len, default="")


def _title_piece(element: HtmlElement) -> str | None:
    """The piece of a link with the class of a title, or the first that may be one; ``None`` if it is one piece."""
    pieces: list[tuple[str, bool]] = []
    for piece in _pieces(element):
        pieces.append(piece)
        if len(pieces) == _MOST_PIECES:
            break
    if len(pieces) < 2:
        return None
    candidates = [(text, named) for text, named in pieces if not _STAMP.fullmatch(text)]
    named = next((text for text, named in candidates if named), None)
    return named or next((text for text, _ in candidates if len(text) >= SHORTEST_HEADLINE), None)


def _pieces(element: HtmlElement) -> Iterator[tuple[str, bool]]:
    """The separate texts in an element, in order, each with whether its element has the class of a title."""
    tagged = (child for child in element if isinstance(child.tag, str))
    children = [child for child in tagged if any(not text.isspace() for text in child.itertext())]
    apart = not (element.text or "").strip() and not any((child.tail or "").strip() for child in element)
    if not children or not apart or not _is_divided(children):
        text = " ".join("".join(element.itertext()).split())
        if text:
            yield text, _TITLED.search(element.get("class") or "") is not None
        return
    for child in children:
        yield from _pieces(child)


def _is_divided(children: list[HtmlElement]) -> bool:
    """Whether children are separate texts: blocks, a single child, or pieces with a date. Others may be emphasised
    words of one title."""
    if len(children) == 1 or any(child.tag in _BLOCKS for child in children):
        return True
    return any(_STAMP.fullmatch(" ".join("".join(child.itertext()).split())) for child in children)
