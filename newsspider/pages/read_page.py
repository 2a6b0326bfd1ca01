"""Reads a page, for the crawl, ``scrapy reread`` and ``scrapy extract`` alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from newsspider.core.extraction.article import read, retitled
from newsspider.core.extraction.dom.page import Page
from newsspider.core.extraction.guard_page import guard_line, shows_another_page
from newsspider.core.extraction.page_type import page_type_of
from newsspider.core.extraction.title.title import headline
from newsspider.core.links.page_links import page_links
from newsspider.core.model import NO_RULES, Article, Link, PageType, Rules
from newsspider.core.relevance.document import Document

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
    rules: Rules = NO_RULES,
    anchor: str = "",
    links_of: Callable[[Page], tuple[Link, ...]] = page_links,
) -> PageReading:
    """Read a page at the time ``now``, which relative dates refer to; ``anchor`` is the text of the link to it."""
    article = read(page, now, rules)
    article = retitled(article, headline(page, article.title, anchor))
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
