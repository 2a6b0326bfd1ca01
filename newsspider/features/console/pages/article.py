"""An article to read, and beside it why it is here, who had it first, and what it said before; and its page as it was
fetched, without anything that runs, loads or leads elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple
from urllib.parse import unquote

from fastapi import APIRouter, HTTPException, Path, Request
from fastapi.responses import HTMLResponse, Response
from lxml import etree, html

from newsspider.core.duplicates.first_source import ChainStep, shown_moment
from newsspider.core.extraction.dom.page import UnreadablePageError, parse
from newsspider.core.model import Region
from newsspider.core.query.snippets import places_of
from newsspider.core.text.characters import printable_text
from newsspider.core.url import url_key
from newsspider.features.console.access import account_of
from newsspider.features.console.api.routing import HIGHEST_ID, api_router
from newsspider.features.console.display import Changes, mark_places
from newsspider.features.console.pages.labelling import title_of, topic_profiles
from newsspider.features.console.pages.marks import existing_article, marks_in
from newsspider.features.console.reading_marks import LONGEST_NOTE, notes_on
from newsspider.features.console.security_headers import SNAPSHOT_POLICY
from newsspider.features.console.view import open_view
from newsspider.store.articles import labels, revisits
from newsspider.store.articles.reprints import group_of_url
from newsspider.store.articles.snapshots import has_pages, pages_of
from newsspider.store.ledger.crawls import keys_of
from newsspider.store.ledger.stored_links import links_from
from newsspider.store.url_history import histories_of

MOST_TERMS = 12
MOST_LINKS = 200
MOST_STEPS = 12  # of the chain of reprints
LONGEST_SUFFIX = 5  # characters of a suffix that tells the kind of a file

LONGEST_SNAPSHOT = 2 << 20  # bytes
DROPPED = frozenset(
    (
        "script",
        "noscript",
        "link",
        "meta",
        "base",
        "iframe",
        "frame",
        "frameset",
        "object",
        "embed",
        "applet",
        "audio",
        "video",
        "source",
        "track",
        "portal",
        "template",
    )
)
KEPT = frozenset(
    (
        "class",
        "id",
        "style",
        "align",
        "valign",
        "width",
        "height",
        "colspan",
        "rowspan",
        "lang",
        "dir",
        "title",
        "alt",
        "color",
        "size",
        "face",
        "bgcolor",
        "border",
        "cellpadding",
        "cellspacing",
    )
)

router = APIRouter()
api = api_router()


@router.get("/articles/{number}")
def article_page(request: Request, number: str, unread: str = "") -> Response:
    """The article with this id, which counts as read from now on, unless the reader has just said otherwise."""
    with open_view(request) as view:
        record = existing_article(view.conn, number)
        account = account_of(request)
        if not unread and "sec-purpose" not in request.headers:  # of a browser that fetches ahead
            request.app.state.opened.add(account, record["id"], view.now.timestamp())
        keys = keys_of(view.conn, record["url"])
        history = next(iter(histories_of(view.conn, record["url"])), None)
        group = group_of_url(view.conn, record["url"])
        terms = record["terms"][:MOST_TERMS]
        steps = group.steps if group is not None else ()
        notes = notes_on(view.conn, account, record["id"])
        links = links_from(view.conn, keys, MOST_LINKS)
        anchors = {link.url: link.anchor for link in links}
        return view.page(
            "article.html",
            record=record,
            terms=terms,
            paragraphs=[
                mark_places(line, places_of(line, terms)) for line in record["text"].split("\n") if line.strip()
            ],
            replies=[[line for line in reply.split("\n") if line.strip()] for reply in record["comments"]],
            attachments=files_of([(url, anchors.get(url, "")) for url in record["attachments"]]),
            images=files_of([(image["url"], image["caption"]) for image in record["images"]]),
            steps=steps[:MOST_STEPS],
            more_steps=max(len(steps) - MOST_STEPS, 0),
            time_of=_time_of,
            likeness=group.likeness if group is not None else {},
            sites={step.copy.url: step.copy.site for step in steps},
            history=history,
            links_in_text=[link for link in links if link.region == Region.BODY],
            other_links=[link for link in links if link.region != Region.BODY],
            has_snapshot=has_pages(view.conn, record["url"]),
            verdict=labels.of_article(view.conn, record["topic"], record["id"]),
            topics=topic_profiles(request.app.state.settings),
            topic_title=title_of(request.app.state.settings, record["topic"]),
            revisions=list(reversed(revisits.revisions_of(view.conn, url_key(record["url"])))),
            changed=Changes().of,
            marks=marks_in(view, [record["id"]])[record["id"]],
            own=next((note for note in notes if note.account == account), None),
            shared_notes=[note for note in notes if note.account != account],
            longest_note=LONGEST_NOTE,
        )


class File(NamedTuple):
    """A picture or an attachment, as far as the article tells: nothing is fetched for it, so its size is not known."""

    url: str
    name: str
    kind: str
    host: str
    is_link: bool


def files_of(files: Iterable[tuple[str, str]]) -> list[File]:
    """The files at these URLs, each with what the page calls it, or else the name in its URL.

    >>> files_of([("http://a.cn/%E9%99%84%E4%BB%B6.DOC?v=1", ""), ("http://a.cn/x.jpg", "开学第一天")])[0]
    File(url='http://a.cn/%E9%99%84%E4%BB%B6.DOC?v=1', name='附件.DOC', kind='DOC', host='a.cn', is_link=True)
    """
    several = []
    for url, said in files:
        is_link = url.startswith(("http://", "https://"))
        host, _, path = url.partition("://")[2].partition("?")[0].partition("#")[0].partition("/")
        name = printable_text(unquote(path.rpartition("/")[2]))
        suffix = name.rpartition(".")[2].upper() if "." in name else ""
        kind = suffix if suffix.isascii() and suffix.isalnum() and len(suffix) <= LONGEST_SUFFIX else ""
        several.append(File(url, said.strip() or name or url, kind, host, is_link))
    return several


def _time_of(step: ChainStep) -> float:
    return shown_moment(step.copy)


@router.get("/articles/{number}/snapshot")
def snapshot(request: Request, number: str) -> Response:
    """The first page of an article, for a sandboxed frame."""
    with open_view(request) as view:
        pages = pages_of(view.conn, existing_article(view.conn, number)["url"])
    if not pages:
        raise HTTPException(404, f"no snapshot is kept of the article {number}")
    page = pages[0]
    if len(page.content) > LONGEST_SNAPSHOT:
        raise HTTPException(404, f"the snapshot has more than {LONGEST_SNAPSHOT} bytes; see scrapy extract --snapshot")
    try:
        text = harmless(page.content, page.url, page.charset)
    except UnreadablePageError as problem:
        raise HTTPException(404, f"the snapshot is no page: {problem}") from None
    headers = {
        "Content-Security-Policy": SNAPSHOT_POLICY,
        "Referrer-Policy": "no-referrer",
        "X-DNS-Prefetch-Control": "off",
    }
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


@api.get("/articles/{number}", summary="One article")
def article(request: Request, number: Annotated[int, Path(ge=1, le=HIGHEST_ID)]) -> dict[str, Any]:
    """Its record, and the chain of its reprints, the first source first."""
    with open_view(request) as view:
        record = existing_article(view.conn, str(number))
        group = group_of_url(view.conn, record["url"])
        return record | {"chain": [] if group is None else group.record()["chain"]}
