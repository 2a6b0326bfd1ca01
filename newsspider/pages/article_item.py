"""Makes the item of an article from a response, for spiders and callbacks of one's own."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

from newsspider.core.extraction.article import record_of
from newsspider.core.extraction.dom.charset import decode
from newsspider.core.extraction.dom.page import AGENT, Page, parse, robots_meta
from newsspider.core.fetching.robots import directives
from newsspider.core.model import PageType, StoredArticle
from newsspider.core.url import canonical
from newsspider.pages.read_page import read_page
from newsspider.store.engine.clock import Clock

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.settings import BaseSettings


def article_item(response: Response, settings: BaseSettings | None = None, **fields: Any) -> StoredArticle:
    """The article of a page as the reader reads it; ``fields`` replace what it reads, and what the store has of the page
    from an earlier visit. ``settings`` are those of the
    spider, for ``ROBOTS_AGENT`` and ``DEFAULT_CHARSET``; without them these have their defaults.

    Raises :exc:`~newsspider.UnreadablePageError` for a page without text, :exc:`ValueError` where the article has no
    title or no text.
    """
    now = Clock().utc()
    page = page_of(response, settings)
    reading = read_page(page, now)
    kind = reading.kind if reading.kind.stored else PageType.ARTICLE
    url = canonical(response.url) or response.url
    item = record_of(page, reading.article, kind, reading.links, now, url=url)
    agent = settings["ROBOTS_AGENT"] if settings else AGENT
    headers = [header.decode("latin-1") for header in response.headers.getlist("X-Robots-Tag")]
    wishes = robots_meta(page, agent) | directives(headers, agent)
    item.noindex = "noindex" in wishes
    item.content = b"" if "noarchive" in wishes else response.body
    item = dataclasses.replace(item, **fields, named=frozenset(fields), one_page=True)
    for name in ("title", "text"):
        if not getattr(item, name):
            raise ValueError(f"{url} has no {name}: say {name}=...")
    return item


def page_of(response: Response, settings: BaseSettings | None = None) -> Page:
    """The parsed page of a response. Setting: ``DEFAULT_CHARSET``."""
    charset = {"default_charset": settings["DEFAULT_CHARSET"]} if settings else {}
    return parse(response.body, response.url, content_type_of(response), **charset)


def content_type_of(response: Response) -> str:
    """The ``Content-Type`` header, or empty."""
    return (response.headers.get("Content-Type") or b"").decode("latin-1")


AnyResponse = TypeVar("AnyResponse", bound="Response")


def decoded(response: AnyResponse, default_charset: str) -> AnyResponse:
    """The same response with the encoding that the reader finds; one without text as it is."""
    from scrapy.http import TextResponse

    if not isinstance(response, TextResponse) or not response.body:
        return response
    return response.replace(encoding=decode(response.body, content_type_of(response), default_charset).charset)
