"""Bounds what an article holds, so that no page fills memory or store, and makes the record that is stored of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any

from newsspider.core.extraction.dom import Page
from newsspider.core.model import (
    LONGEST_TEXT,
    LONGEST_TITLE,
    PAGE_FIELDS,
    Article,
    Image,
    Link,
    LinkKind,
    PageType,
    StoredArticle,
)
from newsspider.core.text.characters import one_line, printable
from newsspider.core.url import LONGEST_URL, canonical, same_site

MOST_NAMES, LONGEST_NAME = 50, 100  # authors, editors; characters of each, and of the source
MOST_HEADINGS, LONGEST_HEADING = 500, LONGEST_TITLE
MOST_IMAGES, LONGEST_CAPTION = 500, 512
MOST_ATTACHMENTS = 300
MOST_COMMENTS = 2_000
LONGEST_DESCRIPTION = 4_096


def record_of(
    page: Page,
    article: Article,
    kind: PageType,
    links: Collection[Link],
    moment: datetime,
    *,
    url: str,
    site: str = "",
    channel: str = "",
    media_class: str = "",
    region: str = "",
    anchor: str = "",
    priority: int = 0,
) -> StoredArticle:
    """The record of the article that was read on a page at ``moment``; ``links`` are those of the page.

    What was known before is given by name: the canonical URL, its site and channel, the link to it.

    Keywords, topic and ``body_md5`` are filled later. A canonical URL on another site is ignored.
    """
    own = canonical(article.canonical_url, page.base_url) if article.canonical_url else None
    files = (canonical(link.url) for link in links if link.kind is LinkKind.ATTACHMENT)
    read: dict[str, Any] = {name: getattr(article, name) for name in PAGE_FIELDS}
    read |= {"title": article.title or "", "canonical_url": own if own and same_site(own, url) else url}
    return StoredArticle(
        **read,
        url=url,
        site=site,
        channel=channel,
        media_class=media_class,
        region=region,
        anchor=anchor,
        crawled_at=moment,
        charset=page.charset,
        kind=kind,
        link_count=len(links),
        priority=priority,
        attachments=tuple(
            file for file in islice(files, MOST_ATTACHMENTS) if file is not None and len(file) <= LONGEST_URL
        ),
    )


def limited(article: Article) -> Article:
    """The printable article, each field cut to its limit; :attr:`Article.truncated` is set if title or text was cut."""
    return replace(
        article,
        title=_line(article.title, LONGEST_TITLE),
        authors=_names(article.authors),
        editors=_names(article.editors),
        source=_cut(article.source, LONGEST_NAME),
        text=cut_text(article.text),
        summary=printable(article.summary),
        meta_keywords=tuple(map(printable, article.meta_keywords)),
        meta_description=_cut(article.meta_description, LONGEST_DESCRIPTION),
        meta_title=_line(article.meta_title, LONGEST_TITLE),
        headings=tuple(one_line(heading, LONGEST_HEADING) for heading in article.headings[:MOST_HEADINGS]),
        images=limited_images(article.images),
        comments=_within(map(printable, article.comments[:MOST_COMMENTS]), LONGEST_TEXT),
    )


def cut_text(text: str) -> str:
    """The printable text, no longer than :data:`~newsspider.core.model.LONGEST_TEXT`."""
    return printable(text[:LONGEST_TEXT])


def limited_images(images: Iterable[Image]) -> tuple[Image, ...]:
    """The first images, with their captions cut; without ``data:`` URLs and others that are too long."""
    short = [image for image in images if len(image.url) <= LONGEST_URL]
    return tuple(Image(image.url, one_line(image.caption, LONGEST_CAPTION)) for image in short[:MOST_IMAGES])


def _line(text: str | None, longest: int) -> str | None:
    return one_line(text, longest) or None if text else text


def _cut(text: str | None, longest: int) -> str | None:
    """The same with its line breaks and spaces."""
    return printable(text)[:longest] or None if text else text


def _names(names: Iterable[str]) -> tuple[str, ...]:
    cut = (one_line(name, LONGEST_NAME) for name in names)
    return tuple(name for name in cut if name)[:MOST_NAMES]


def _within(texts: Iterable[str], most: int) -> tuple[str, ...]:
    """The first texts, as many as have no more characters together."""
    results: list[str] = []
    for text in texts:
        most -= len(text)
        if most < 0:
            break
        results.append(text)
    return tuple(results)
