"""Finds where the lists of a page are, as XPaths, and whether they have moved since the last visit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lxml import etree
from lxml.html import HtmlElement

from newsspider.core.extraction.dom.page import Page, select_by_xpath
from newsspider.core.links.link_regions import ITEM_TAGS, Anchor
from newsspider.core.links.link_targets import click_targets
from newsspider.core.model import Layout, Standing

LEAST_ITEMS = 3  # links of a list that is worth remembering
XPATHS_REMEMBERED = 24  # XPaths of a channel, including those of older designs
MOST_PATHS = 12
# shares of a page's articles that must be in its lists: to learn their places, and to keep known ones
LEARN_SHARE, KEEP_SHARE = 0.5, 0.25
_ITEMS_COMPARED = 40  # items of a list whose class names are compared
_HIGHEST_ELEMENT = 8  # elements above a link that its XPath may name
_SPARE_SHARE = 0.02  # share of the links in a list that may be no articles


def layout_of(
    page: Page, articles: Sequence[Anchor], anchors: Sequence[Anchor], known_paths: Sequence[str] = ()
) -> Layout:
    """Where the lists of a page are, judged by the ``articles`` among its links, compared with the ``known_paths``.

    Lists have moved only if almost no article is where they were; an additional block is no new layout."""
    count = len({anchor.url for anchor in articles})
    if known_paths and len({anchor.url for anchor in articles if anchor.known}) > KEEP_SHARE * count:
        return Layout(Standing.KEPT, tuple(known_paths))
    paths = _paths(page, articles, anchors) if count >= LEAST_ITEMS else ()
    if paths and paths != tuple(known_paths):
        return Layout(Standing.MOVED if known_paths else Standing.LEARNED, paths)
    if known_paths:
        there = bool(paths) or any(anchor.known for anchor in anchors)
        return Layout(Standing.KEPT if there else Standing.LOST, tuple(known_paths))
    return Layout(Standing.UNKNOWN)


def selected_elements(page: Page, paths: Iterable[str]) -> set[HtmlElement]:
    """The elements that XPaths select, with all their descendants; an XPath that fails on the page selects none."""
    results: set[HtmlElement] = set()
    page_wide = bool(paths) and bool(click_targets(page))
    for path in paths:
        for node in select_by_xpath(page, path):
            if isinstance(node, etree._Element):
                results.update(node.iter() if page_wide else node.iter("a", "area"))
    return results


def _paths(page: Page, articles: Sequence[Anchor], anchors: Sequence[Anchor]) -> tuple[str, ...]:
    """The XPaths of the page's lists, the longest list first; empty if they hold too few of its articles."""
    groups: dict[str, list[Anchor]] = {}
    for anchor in articles:
        groups.setdefault(anchor.path, []).append(anchor)
    sizes = {path: len({anchor.url for anchor in group}) for path, group in groups.items()}
    large = sorted((path for path in groups if sizes[path] >= LEAST_ITEMS), key=sizes.__getitem__, reverse=True)
    article_urls = {anchor.url for anchor in articles}
    others = {anchor.element for anchor in anchors if anchor.url not in article_urls}
    paths: list[str] = []
    covered: set[HtmlElement] = set()
    for path in large:
        if len(paths) < MOST_PATHS and any(anchor.element not in covered for anchor in groups[path]):
            result, there = _path(page, [anchor.element for anchor in groups[path]], others)
            paths.append(result)
            covered |= there
    covered_articles = len({anchor.url for anchor in articles if anchor.element in covered})
    return tuple(paths) if covered_articles >= LEARN_SHARE * len(article_urls) else ()


def _path(page: Page, links: Sequence[HtmlElement], others: set[HtmlElement]) -> tuple[str, set[HtmlElement]]:
    """The shortest XPath from a named element that selects these links and almost none of the ``others``, and the links
    it selects."""
    some = links[:: max(1, len(links) // _ITEMS_COMPARED)]
    tag = str(some[0].tag)
    places = {sum(1 for _ in link.itersiblings(tag, preceding=True)) + 1 for link in some}
    tails = [f"/{tag}", f"/{tag}[{min(places)}]"] if len(places) == 1 else [f"/{tag}"]
    tried = []
    for tail in tails:
        path, result = _above(page, some, tail, others)
        if result is not None:
            return path, result
        tried.append(path)
    return tried[0], selected_elements(page, tried[:1])


def _above(
    page: Page, links: Sequence[HtmlElement], path: str, others: set[HtmlElement]
) -> tuple[str, set[HtmlElement] | None]:
    """The XPath of the links from the closest ancestors that make it precise, and what it selects; ``None`` if none
    of the ancestors does."""
    level = links
    for _ in range(_HIGHEST_ELEMENT):
        above = [parent for element in level if (parent := element.getparent()) is not None]
        if len(above) < len(level):
            break
        level = above
        step = _step(level)
        path = f"/{step}{path}"
        if "[" in step:
            result = selected_elements(page, [f"/{path}"])
            if len(result & others) <= _SPARE_SHARE * len(result):
                return f"/{path}", result
    return (path if level[0].getparent() is None else f"/{path}"), None


def _step(level: Sequence[HtmlElement]) -> str:
    """One step of an XPath: a tag, with an id or class that all elements of this level share and that holds no counter."""
    tag = str(level[0].tag)
    ids = {element.get("id") for element in level}
    (shared_id,) = ids if len(ids) == 1 else (None,)
    if shared_id and _is_name(shared_id):
        return f'{tag}[@id="{shared_id}"]'
    if tag in ITEM_TAGS:
        return tag
    shared = [name for name in (level[0].get("class") or "").split() if _is_name(name)]
    for element in level[1:]:
        names = (element.get("class") or "").split()
        shared = [name for name in shared if name in names]
    return f'{tag}[contains(concat(" ", normalize-space(@class), " "), " {shared[0]} ")]' if shared else tag


def _is_name(name: str) -> bool:
    return len(name) < 40 and '"' not in name and sum(map(str.isdigit, name)) < 3
