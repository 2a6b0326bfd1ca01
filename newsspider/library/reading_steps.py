"""Shows step by step what the reader makes of a page, and which candidates it had."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from newsspider.core.dates.date_reader import machine_stamp, stamp_in, url_date
from newsspider.core.extraction.body.body import body_of
from newsspider.core.extraction.dom import Page, UnreadablePageError, linked_data_of, outline_of, parse
from newsspider.core.extraction.page_type import probability_of
from newsspider.core.extraction.publication_date import OTHER_METAS, PUBLISHED_METAS
from newsspider.core.extraction.title.title import TITLE_METAS
from newsspider.core.links.page_links import links_of
from newsspider.core.links.xml_stream import document_kind
from newsspider.core.model import Article, Link
from newsspider.core.text.text_comparison import title_key
from newsspider.library.articles import read_list
from newsspider.pages.read_page import read_page

MOST_SHOWN, LINKS_SHOWN, TEXT_WIDTH = 12, 3, 70


class Steps(str):
    """A text that a console shows as it is."""

    __slots__ = ()
    __repr__ = str.__str__


def reading_steps(body: bytes, url: str, content_type: str | None = None, *, now: datetime) -> Steps:
    """What a page is and holds, with the candidates for its title and time, its text, and its links by region."""
    return Steps("\n".join(_steps(body, url, content_type, now)))


def _steps(body: bytes, url: str, content_type: str | None, now: datetime) -> Iterator[str]:
    if (document := document_kind(body, content_type)) is not None:
        links = read_list(body, url, content_type).links
        yield from (f"kind       {document}", *_regions(links))
        return
    try:
        page = parse(body, url, content_type)
        article, links, kind = read_page(page, now, links_of=links_of)
    except UnreadablePageError as error:
        yield f"unreadable {error}"
        return
    yield f"charset    {page.charset}, by {page.charset_reason.value}"
    yield f"kind       {kind}, {probability_of(kind, page, article, links):.0%} probable"
    yield f"title      {article.title or 'none'}"
    yield from islice(_titles(page, article.title or ""), MOST_SHOWN)
    yield from _body(page, article)
    yield f"published  {_minute(article.published_at) if article.published_at else 'none'}"
    yield from islice(_moments(page, article.published_at, now), MOST_SHOWN)
    yield f"source     {article.source or 'none'}"
    yield f"authors    {', '.join(article.authors) or 'none'}"
    yield from _regions(links)


def _candidate(place: str, text: str, verdict: str) -> str:
    return f"  {place}: {text[:TEXT_WIDTH]}{f' ({verdict})' if verdict else ''}"


def _titles(page: Page, title: str) -> Iterator[str]:
    outline, chosen = outline_of(page), title_key(title)
    headlines = [str(item["headline"]) for item in linked_data_of(outline) if item.get("headline")]
    places = [("<title>", outline.title or ""), *(("JSON-LD headline", text) for text in headlines)]
    places += [(f"<meta {name}>", page.metas.get(name) or "") for name in TITLE_METAS]
    places += [(f"<{tag}>", text) for tag, text, _ in outline.headings]
    for place, text in places:
        key = title_key(text)
        verdict = "this is it" if key == chosen else "it stands in this" if chosen and chosen in key else ""
        if key:
            yield _candidate(place, text, verdict or ("part of it" if chosen and key in chosen else ""))


def _body(page: Page, article: Article) -> Iterator[str]:
    outline = outline_of(page)
    lines, node = article.text.split("\n"), outline.nodes[body_of(outline).node]
    place = f"<{' '.join((node.tag, node.name)).strip()}>"
    if not article.text:
        yield "body       none: no running text"
        return
    yield f"body       {len(lines)} lines, {len(article.text)} characters, in {place}"
    yield from (f"  {line[:TEXT_WIDTH]}" for line in dict.fromkeys((lines[0], lines[-1])))


def _moments(page: Page, chosen: datetime | None, now: datetime) -> Iterator[str]:
    declared = ((f"<meta {name}>", page.metas.get(name)) for name in (*PUBLISHED_METAS, *OTHER_METAS))
    candidates = (("line", line.text) for line in outline_of(page).lines)
    for place, text in (*declared, *candidates):
        stamp = text and (machine_stamp(text, now) if place != "line" else stamp_in(text, now))
        if text and stamp:
            yield _candidate(place, text, "this is it" if stamp.at == chosen else _minute(stamp.at))
    if stamp := url_date(page.url, now):
        yield _candidate("URL", page.url, stamp.at.date().isoformat())


def _minute(moment: datetime) -> str:
    return moment.isoformat(timespec="minutes")


def _regions(links: tuple[Link, ...]) -> Iterator[str]:
    kinds = Counter((link.region.value, link.kind.value) for link in links)
    yield f"links      {len(links)}"
    for (region, kind), count in sorted(kinds.items()):
        texts = [link.text[:20] or link.url for link in links if (link.region, link.kind) == (region, kind)]
        yield f"  {region} {kind}: {count} ({', '.join(texts[:LINKS_SHOWN])})"
