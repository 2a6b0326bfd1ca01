"""Changes the trees of pages that tests have written, as sites change theirs."""

from collections.abc import Callable

import lxml.html

from newsspider.core.extraction.dom.charset import decode
from newsspider.core.extraction.dom.page import Page, parse

Tree = lxml.html.HtmlElement


def changed(body: bytes, content_type: str, url: str, change: Callable[[Tree], None]) -> Page:
    """The page read again after its tree was changed."""
    tree = lxml.html.document_fromstring(decode(body, content_type).text)
    change(tree)
    return parse(lxml.html.tostring(tree, encoding="utf-8"), url, "text/html; charset=utf-8")


def element(markup: str) -> Tree:
    return lxml.html.fragment_fromstring(markup)


def take_names_away(tree: Tree) -> None:
    for node in tree.iter():
        for name in ("class", "id"):
            node.attrib.pop(name, None)
