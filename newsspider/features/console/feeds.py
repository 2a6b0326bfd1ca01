"""Any query as a feed: RSS 2.0, Atom (RFC 4287) and JSON Feed 1.1."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from typing import Any
from urllib.parse import quote, urlencode
from xml.etree.ElementTree import Element, SubElement, register_namespace, tostring

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import JSONResponse, Response

from newsspider.core.text.characters import printable_text
from newsspider.features.console.access import account_of, owner_of
from newsspider.features.console.api.routing import Tagged
from newsspider.features.console.collections import all_collections
from newsspider.features.console.rate_limits import limit_costly
from newsspider.features.console.saved_searches import saved_searches
from newsspider.features.console.view import View, open_view
from newsspider.hooks import plugins
from newsspider.search.entry_rows import SearchScope
from newsspider.search.feed_urls import feed_url
from newsspider.search.hits import Sort
from newsspider.search.query_relaxation import looked_up
from newsspider.sites.opml import opml_head, opml_text

FEED_ENTRIES = 50
SECRET = frozenset("?#")  # what follows in the URL of a hub may be secret; such hubs were stored once
SAFE = "/:?&=%#[]@!$()*+,;~"  # in an address that stands in a header
ATOM = "http://www.w3.org/2005/Atom"
CONTENT = "http://purl.org/rss/1.0/modules/content/"  # RSS has the summary as the description, the whole text in this

register_namespace("atom", ATOM)
register_namespace("content", CONTENT)
router = APIRouter(route_class=Tagged)


@router.get("/feeds/opml")
def subscriptions(request: Request, text: str = "") -> Response:
    """The feeds of the queries that one follows or saved, and of all collections, as OPML for a feed reader; ``text``
    asks for feeds of whole texts."""
    with open_view(request) as view:
        queries = {row.query: row.name for row in all_collections(view.conn) if row.query}
        for followed in plugins().hook.followed_queries(conn=view.conn, account=owner_of(request)):
            queries |= followed
        queries |= {row.query: row.name for row in saved_searches(view.conn, account_of(request))}
        base = str(request.base_url).rstrip("/")
        root, body = opml_head("新闻蛛")
        for query, name in {"": "新闻蛛", **queries}.items():
            address, home = feed_url(base, "atom", query, whole=bool(text)), _home(base, query)
            SubElement(body, "outline", type="rss", text=printable_text(name), xmlUrl=address, htmlUrl=home)
    return Response(opml_text(root), media_type="text/x-opml; charset=utf-8")


@router.get("/feeds/{form}", dependencies=[Depends(limit_costly)])
def feed(request: Request, form: str, q: str = "", text: str = "") -> Response:
    """The newest articles of a query, with their summaries, or with the whole ``text``."""
    if form not in FORMS:
        raise HTTPException(404, f"there is no feed {form!r}: {', '.join(FORMS)}")
    with open_view(request) as view:
        result = looked_up(
            view.conn, q, SearchScope(), limit=FEED_ENTRIES, sort=Sort.TIME, now=view.now, questions=False
        )
        base, own, hubs = str(request.base_url).rstrip("/"), str(request.url), _hubs(view, q)
        if hubs:
            own = feed_url(request.app.state.settings["CONSOLE_URL"] or base, form, q, whole=bool(text))
        entries = [_entry(base, hit.record, whole=bool(text)) for hit in result.found.hits]
        title = f"新闻蛛：{q}" if q else "新闻蛛"
        answer = FORMS[form](title, _home(base, q), own, entries, view, hubs)
        links = [f'<{quote(hub, safe=SAFE)}>; rel="hub"' for hub in hubs]
        answer.headers["Link"] = ", ".join([*links, f'<{quote(own, safe=SAFE)}>; rel="self"'])
        answer.headers["Last-Modified"] = format_datetime(_changed_at(entries, view).astimezone(UTC), usegmt=True)
        return answer


def _home(base: str, query: str) -> str:
    """The page of a query; ``base`` already has the path that a proxy puts before all."""
    return f"{base}/search?{urlencode({'q': query})}"


def _hubs(view: View, query: str) -> list[str]:
    """The hubs of WebSub that hear of this query."""
    found = plugins().hook.hubs(conn=view.conn, query=query, now=view.now.timestamp())
    return sorted({hub for of_plugin in found for hub in of_plugin if SECRET.isdisjoint(hub)})


def _entry(base: str, record: dict[str, Any], *, whole: bool) -> dict[str, Any]:
    """One article in the words of JSON Feed. Readers take the whole text as HTML, so that its paragraphs stay."""
    published = record["published_at"] or record["crawled_at"]
    paragraphs = [escape(printable_text(line)) for line in record["text"].split("\n") if line.strip()] if whole else []
    html = {"content_html": "".join(f"<p>{line}</p>" for line in paragraphs)} if paragraphs else {}
    return html | {
        "id": f"{base}/articles/{record['id']}",
        "url": record["url"],
        "title": record["title"],
        "content_text": record["text"] if whole else record["summary"] or "",
        "summary": record["summary"] or "",
        "date_published": _with_seconds(published),
        "date_modified": _with_seconds(max(published, record["crawled_at"], key=datetime.fromisoformat)),
        "authors": [{"name": name} for name in record["author"] or [record["source"] or record["site"]]],
        "tags": record["subtopics"],
        "language": record["language"] or "zh",
    }


def _changed_at(entries: Sequence[dict[str, Any]], view: View) -> datetime:
    """When the feed changed last; if it is empty, when the day began."""
    began = view.now.replace(hour=0, minute=0, second=0, microsecond=0)
    return max((datetime.fromisoformat(entry["date_modified"]) for entry in entries), default=began)


def _with_seconds(moment: str) -> str:
    return datetime.fromisoformat(moment).isoformat(timespec="seconds")


def _json(
    title: str, home: str, own: str, entries: Sequence[dict[str, Any]], view: View, hubs: Sequence[str]
) -> Response:
    version = "https://jsonfeed.org/version/1.1"
    content: dict[str, Any] = {"version": version, "title": title, "home_page_url": home, "feed_url": own}
    content["items"] = list(entries)
    if hubs:
        content["hubs"] = [{"type": "WebSub", "url": hub} for hub in hubs]
    return JSONResponse(content, media_type="application/feed+json")


def _rss(
    title: str, home: str, own: str, entries: Sequence[dict[str, Any]], view: View, hubs: Sequence[str]
) -> Response:
    root = Element("rss", version="2.0")
    channel = SubElement(root, "channel")
    changed = format_datetime(_changed_at(entries, view))
    _texts(channel, title=title, link=home, description=title, language="zh", lastBuildDate=changed)
    SubElement(channel, f"{{{ATOM}}}link", rel="self", href=printable_text(own), type="application/rss+xml")
    for hub in hubs:
        SubElement(channel, f"{{{ATOM}}}link", rel="hub", href=printable_text(hub))
    for entry in entries:
        item = SubElement(channel, "item")
        moment = format_datetime(datetime.fromisoformat(entry["date_published"]))
        _texts(item, title=entry["title"], link=entry["url"], description=entry["summary"], pubDate=moment)
        if whole := entry.get("content_html"):
            SubElement(item, f"{{{CONTENT}}}encoded").text = whole
        SubElement(item, "guid", isPermaLink="false").text = entry["id"]
        for tag in entry["tags"]:
            SubElement(item, "category").text = printable_text(tag)
    return Response(tostring(root, "utf-8", xml_declaration=True), media_type="application/rss+xml")


def _atom(
    title: str, home: str, own: str, entries: Sequence[dict[str, Any]], view: View, hubs: Sequence[str]
) -> Response:
    root = Element(f"{{{ATOM}}}feed")
    _atom_texts(root, title=title, id=own, updated=_changed_at(entries, view).isoformat(timespec="seconds"))
    SubElement(root, f"{{{ATOM}}}link", href=printable_text(home))
    SubElement(root, f"{{{ATOM}}}link", rel="self", href=printable_text(own))
    for hub in hubs:
        SubElement(root, f"{{{ATOM}}}link", rel="hub", href=printable_text(hub))
    for entry in entries:
        item = SubElement(root, f"{{{ATOM}}}entry")
        published, updated = entry["date_published"], entry["date_modified"]
        _atom_texts(item, title=entry["title"], id=entry["id"], updated=updated, published=published)
        SubElement(item, f"{{{ATOM}}}link", href=printable_text(entry["url"]))
        if whole := entry.get("content_html"):
            SubElement(item, f"{{{ATOM}}}summary").text = printable_text(entry["summary"])
            SubElement(item, f"{{{ATOM}}}content", type="html").text = whole
        else:
            SubElement(item, f"{{{ATOM}}}content", type="text").text = printable_text(entry["content_text"])
        for author in entry["authors"]:
            _atom_texts(SubElement(item, f"{{{ATOM}}}author"), name=author["name"])
        for tag in entry["tags"]:
            SubElement(item, f"{{{ATOM}}}category", term=printable_text(tag))
    return Response(tostring(root, "utf-8", xml_declaration=True), media_type="application/atom+xml")


def _texts(parent: Element, **values: str) -> None:
    for name, value in values.items():
        SubElement(parent, name).text = printable_text(value)


def _atom_texts(parent: Element, **values: str) -> None:
    for name, value in values.items():
        SubElement(parent, f"{{{ATOM}}}{name}").text = printable_text(value)


FORMS = {"rss": _rss, "atom": _atom, "json": _json}
