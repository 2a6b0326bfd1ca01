"""Finds elements that are no links but open a page when clicked, by a script or a data attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree
from lxml.html import HtmlElement

from newsspider.core.extraction.dom.page import Page

_DATA = ("data-url", "data-href", "data-link")
_SIGNS = tuple(f"{name}=" for name in _DATA)
_SCRIPT_SIGNS = ("onclick=", "onClick=", "javascript:")
_SCRIPT_REACH = 120  # characters from the start of a script in which its URL is
_OPENED = re.compile(
    r"(?:location(?:\.href)?\s*=|(?:location\.(?:assign|replace)|(?:open|goto)\w*)\s*\()\s*"
    r"[\"']([^\"'<>\s]{2,2000})[\"']",
    re.I,
)
_SHORTEST_SCRIPT, _LONGEST_SCRIPT = 20, 4000  # characters
_PLACE = re.compile(r"[/.?]")  # an address has one of these
_PROGRAM = re.compile(r"\.(?:js|json|css|png|jpe?g|gif|webp|svg|mp4)\b|/(?:ajax|api)/|callback=", re.I)
_ACTIVE = etree.XPath("//*[@onclick or @data-url or @data-href or @data-link or starts-with(@href, 'javascript:')]")
_ITEMS = frozenset(("a", "li", "div", "tr", "td", "dd", "dl", "p", "span", "h2", "h3", "h4", "section", "article"))


def click_targets(page: Page) -> dict[HtmlElement, str]:
    """The addresses, as written, that elements open when clicked; links with an ``href`` that leads nowhere count, too.

    Elements that contain a link, or are inside one, are left out. The result is kept with the page.
    """
    if page.clicks is None:
        page.clicks = _click_targets(page)
    return page.clicks


def _click_targets(page: Page) -> dict[HtmlElement, str]:
    if not any(sign in page.text for sign in _SIGNS) and not any(_opens(page.text, sign) for sign in _SCRIPT_SIGNS):
        return {}
    nodes = _ACTIVE(page.tree)
    active = (node for node in (nodes if isinstance(nodes, list) else ()) if isinstance(node, HtmlElement))
    return {element: address for element in active if element.tag in _ITEMS and (address := _clicked(element))}


def _clicked(element: HtmlElement) -> str:
    script = element.get("onclick") or element.get("href") or ""
    match = _OPENED.search(script) if _SHORTEST_SCRIPT < len(script) < _LONGEST_SCRIPT else None
    address = match[1] if match else next(filter(None, map(element.get, _DATA)), "")
    if not _PLACE.search(address) or _PROGRAM.search(address):
        return ""
    inner = any(_leads(link) for link in element.iter("a")) or next(element.iterancestors("a"), None) is not None
    return "" if inner else address


def _leads(link: HtmlElement) -> bool:
    href = (link.get("href") or "").strip().lower()
    return bool(href) and href[0] != "#" and not href.startswith("javascript:")


def _opens(markup: str, sign: str) -> bool:
    return any(_OPENED.search(markup, at, at + _SCRIPT_REACH) for at in _places(markup, sign))


def _places(markup: str, sign: str) -> Iterator[int]:
    at = markup.find(sign)
    while at >= 0:
        yield at
        at = markup.find(sign, at + 1)
