"""Makes the record that is stored of an article from what was read on its page."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from newsspider.core.article_fields import OF_PAGE
from newsspider.core.extraction.dom import Page
from newsspider.core.extraction.limits import MOST_ATTACHMENTS
from newsspider.core.model import Article, Link, LinkKind, PageType, StoredArticle
from newsspider.core.url import LONGEST_URL, canonical, same_site


class Origin(NamedTuple):
    """What is known of a page before it is read: its site and channel, and the link to it. ``url`` is canonical."""

    url: str
    site: str = ""
    channel: str = ""
    media_class: str = ""
    anchor: str = ""
    priority: int = 0


def record_of(
    page: Page, article: Article, kind: PageType, links: Collection[Link], origin: Origin, moment: datetime
) -> StoredArticle:
    """The record of the article that was read on a page at ``moment``; ``links`` are those of the page.

    Keywords, topic and ``body_md5`` are filled later. A canonical URL on another site is ignored.
    """
    own = canonical(article.canonical_url, page.base_url) if article.canonical_url else None
    files = (canonical(link.url) for link in links if link.kind is LinkKind.ATTACHMENT)
    read: dict[str, Any] = {name: getattr(article, name) for name in OF_PAGE}
    read |= {"title": article.title or "", "canonical_url": own if own and same_site(own, origin.url) else origin.url}
    return StoredArticle(
        **read,
        url=origin.url,
        site=origin.site,
        channel=origin.channel,
        media_class=origin.media_class,
        anchor=origin.anchor,
        crawled_at=moment,
        charset=page.charset,
        kind=kind,
        link_count=len(links),
        priority=origin.priority,
        attachments=tuple(
            url for url in islice(files, MOST_ATTACHMENTS) if url is not None and len(url) <= LONGEST_URL
        ),
    )
