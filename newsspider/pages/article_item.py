"""Makes the item of an article from a response, for spiders and callbacks of one's own."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from newsspider.core.extraction.dom.page import Page, parse, robots_meta
from newsspider.core.extraction.record import Origin, record_of
from newsspider.core.fetching.robots import directives
from newsspider.core.model import PageType, StoredArticle
from newsspider.core.url import canonical
from newsspider.pages.read_page import read_page
from newsspider.store.engine.clock import Clock

if TYPE_CHECKING:
    from scrapy.http import Response

AGENT = "newsspider"  # the token for which the page may have directives


def article_item(response: Response, **fields: Any) -> StoredArticle:
    """The article of a page as the reader reads it; ``fields`` replace what it reads.

    Raises :exc:`~newsspider.UnreadablePage` for a page without text, :exc:`ValueError` where the article has no title
    or no text.
    """
    now = Clock().utc()
    page = page_of(response)
    reading = read_page(page, now)
    kind = reading.kind if reading.kind.stored else PageType.ARTICLE
    url = canonical(response.url) or response.url
    item = record_of(page, reading.article, kind, reading.links, Origin(url), now)
    told = (header.decode("latin-1") for header in response.headers.getlist("X-Robots-Tag"))
    asked = robots_meta(page, AGENT) | directives(list(told), AGENT)
    item.noindex = "noindex" in asked
    item.content = b"" if "noarchive" in asked else response.body
    item = dataclasses.replace(item, **fields)
    for name in ("title", "text"):
        if not getattr(item, name):
            raise ValueError(f"{url} has no {name}: say {name}=...")
    return item


def page_of(response: Response) -> Page:
    """The parsed page of a response."""
    return parse(response.body, response.url, content_type_of(response))


def content_type_of(response: Response) -> str:
    """The ``Content-Type`` header, or empty."""
    return (response.headers.get("Content-Type") or b"").decode("latin-1")
