"""Reads a page, for the crawl, ``scrapy reread`` and ``scrapy extract`` alike; makes the item of an article from a
response, for spiders and callbacks of one's own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from newsspider.core.extraction.article import extract_article, record_of, retitled_article
from newsspider.core.extraction.dom.charset import decode
from newsspider.core.extraction.dom.page import AGENT, Page, parse, robots_meta
from newsspider.core.extraction.guard_page import guard_line, shows_another_page
from newsspider.core.extraction.page_type import page_type_of
from newsspider.core.extraction.title.title import choose_headline
from newsspider.core.fetching.robots import robots_directives
from newsspider.core.links.page_links import page_links
from newsspider.core.model import NO_RULES, Article, ArticleRules, Link, PageType, StoredArticle
from newsspider.core.relevance.document import Document
from newsspider.core.url import canonical
from newsspider.store.engine.clock import Clock

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

CHARACTERS_SHOWN = 60  # characters of a page in the place of another one


class PageReading(NamedTuple):
    """The article of a page, stored or not, its links and its type."""

    article: Article
    links: tuple[Link, ...]
    kind: PageType

    def guard(self, page: Page, anchor: str) -> str | None:
        """The line by which the page shows that it stands in the place of another one; ``anchor`` is the text of the
        link to it."""
        if self.kind in (PageType.ERROR, PageType.OTHER):
            line = guard_line(page, self.article, len(self.links), anchor)
            if line is not None:
                return line
        if (self.kind.stored or self.kind is PageType.OTHER) and shows_another_page(page, self.article, anchor):
            return f"it has nothing of its link: {(self.article.title or self.article.text)[:CHARACTERS_SHOWN]}"
        return None

    @property
    def is_stored(self) -> bool:
        """Whether the page is an article to store: it has a title and a text."""
        return self.kind.stored and bool(self.article.text and self.article.title)


def read_page(
    page: Page,
    now: datetime,
    rules: ArticleRules = NO_RULES,
    anchor: str = "",
    links_of: Callable[[Page], tuple[Link, ...]] = page_links,
) -> PageReading:
    """Read a page at the time ``now``, which relative dates refer to; ``anchor`` is the text of the link to it."""
    article = extract_article(page, now, rules)
    article = retitled_article(article, choose_headline(page, article.title, anchor))
    links = links_of(page)
    return PageReading(article, links, page_type_of(page, article, links, anchor))


def document_of(record: Mapping[str, Any]) -> Document:
    """The fields of an article that determine its relevance."""
    return Document(
        title=record["title"] or "",
        text=record["text"],
        meta_title=record["meta_title"] or "",
        headings=record["headings"],
        meta_keywords=record["meta_keywords"],
        meta_description=record["meta_description"] or "",
        anchor=record["anchor"],
        url=record["url"],
        site=record["site"],
        channel=record["channel"],
        media=record["media_class"],
        authors=record["authors"],
    )


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
    wishes = robots_meta(page, agent) | robots_directives(headers, agent)
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


def with_encoding(response: AnyResponse, default_charset: str) -> AnyResponse:
    """The same response with the encoding that the reader finds; one without text as it is."""
    from scrapy.http import TextResponse

    if not isinstance(response, TextResponse) or not response.body:
        return response
    return response.replace(encoding=decode(response.body, content_type_of(response), default_charset).charset)
