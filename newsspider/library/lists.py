"""Reads the links of a saved page, feed or sitemap."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from newsspider.core.extraction.dom import parse
from newsspider.core.links.feeds import read_feed, read_sitemap
from newsspider.core.links.page_links import links_of
from newsspider.core.links.script_lists import is_json, read_json
from newsspider.core.links.xml_stream import document_kind
from newsspider.core.model import Link, LinkKind, PageType
from newsspider.library.articles import check_page
from newsspider.store.engine.clock import Clock


@dataclass(frozen=True, slots=True)
class ListPage:
    """The links of a page, each URL once, in page order."""

    links: tuple[Link, ...]

    @property
    def articles(self) -> tuple[Link, ...]:
        """Those that lead to articles."""
        return tuple(link for link in self.links if link.kind is LinkKind.ARTICLE)

    @property
    def next_page(self) -> str | None:
        """The URL at which the list goes on."""
        return next((link.url for link in self.links if link.kind is LinkKind.NEXT), None)


def read_list(
    body: bytes,
    url: str,
    content_type: str | None = None,
    *,
    regions: Sequence[str] = (),
    next_page: str | None = None,
    article_url: re.Pattern[str] | None = None,
    items: str | None = None,
    now: datetime | None = None,
) -> ListPage:
    """Read the links of a page, a feed, a sitemap or the answer of a list API from the bytes that its server sent.

    ``regions`` are XPaths of the blocks whose links count, ``next_page`` the XPath of the link to the next page,
    ``article_url`` the pattern that all articles match, ``items`` the JMESPath of the list in an answer in JSON or
    JSONP; without them the list is found. ``now`` is the aware moment before which dates without a year are (default:
    the clock). The sitemaps of a sitemap index are lists. Raises :exc:`~newsspider.UnreadablePageError` where a page
    cannot be parsed, :exc:`ValueError` for a URL that is not http or https.

    >>> titles = ("全省中小学今天开学上课", "乡村教师培训计划今年启动", "职业院校技能大赛昨日闭幕")
    >>> items = "".join(f'<li><a href="/2024/0901/{n}.html">{title}</a></li>' for n, title in enumerate(titles, 1001))
    >>> page = read_list(f"<ul>{items}</ul><a href='index_2.html'>下一页</a>".encode(), "http://edu.example.cn/news/")
    >>> len(page.articles), page.articles[0].text, page.next_page
    (3, '全省中小学今天开学上课', 'http://edu.example.cn/news/index_2.html')
    """
    check_page(body, url)
    kind = document_kind(body, content_type)
    if kind is PageType.FEED:
        return ListPage(read_feed(body, url))
    if kind is PageType.SITEMAP:
        sitemap = read_sitemap(body, url)
        return ListPage(sitemap.urls + tuple(Link(other, "", LinkKind.LIST) for other in sitemap.sitemaps))
    if is_json(body):
        return ListPage(read_json(body, url, items, content_type))
    return ListPage(links_of(parse(body, url, content_type), regions, next_page, article_url, now or Clock().utc()))
