"""The page of an article as it was fetched, without anything that runs, loads or leads elsewhere."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from lxml import etree, html

from newsspider.core.extraction.dom.page import UnreadablePage, parse
from newsspider.core.text.numbers import whole_number
from newsspider.features.console.view import opened
from newsspider.store.articles.export import article_of
from newsspider.store.articles.snapshots import pages_of

LONGEST = 2 << 20  # bytes
# The browser takes it for a page of no site: it runs nothing, sends nothing, loads nothing, and only ours may frame it.
POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'"
)
DROPPED = frozenset((
    "script", "noscript", "link", "meta", "base", "iframe", "frame", "frameset", "object", "embed", "applet", "audio",
    "video", "source", "track", "portal", "template",
))  # fmt: skip
KEPT = frozenset((
    "class", "id", "style", "align", "valign", "width", "height", "colspan", "rowspan", "lang", "dir", "title", "alt",
    "color", "size", "face", "bgcolor", "border", "cellpadding", "cellspacing",
))  # fmt: skip

router = APIRouter()


@router.get("/articles/{number}/snapshot")
def snapshot(request: Request, number: str) -> Response:
    """The first page of an article, for a sandboxed frame."""
    with opened(request) as view:
        article_id = whole_number(number)
        record = None if article_id is None else article_of(view.conn, article_id)
        pages = [] if record is None else pages_of(view.conn, record["url"])
    if not pages:
        raise HTTPException(404, f"no snapshot is kept of the article {number}")
    page = pages[0]
    if len(page.content) > LONGEST:
        raise HTTPException(404, f"the snapshot has more than {LONGEST} bytes; see scrapy extract --snapshot")
    try:
        text = harmless(page.content, page.url, page.charset)
    except UnreadablePage as problem:
        raise HTTPException(404, f"the snapshot is no page: {problem}") from None
    headers = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer", "X-DNS-Prefetch-Control": "off"}
    return HTMLResponse(text, headers=headers | {"Cache-Control": "no-store"})


def harmless(content: bytes, url: str, charset: str) -> str:
    """The markup of a page without scripts, frames, media, references and handlers.

    >>> page = b'<p onclick="x()">A <a href="http://a.cn/">B</a><script>x()</script><img src="http://a.cn/1.png"></p>'
    >>> harmless(page, "http://a.cn/", "utf-8").partition("<body>")[2]
    '<p>A <a>B</a><img></p></body></html>'
    """
    tree = parse(content, url, f"text/html; charset={charset}").tree
    dropped = (*DROPPED, etree.Comment, etree.ProcessingInstruction)
    etree.strip_elements(tree, *dropped, with_tail=False)  # drop_tree fails beside characters that no XML may have
    for element in tree.iter(etree.Element):
        for name in set(element.attrib) - KEPT:
            del element.attrib[name]
    return str(html.tostring(tree, encoding="unicode", doctype='<!doctype html><meta charset="utf-8">'))
