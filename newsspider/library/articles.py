"""Reads one page from its bytes: an article into a record, which ``scrapy extract`` prints as it is; a list, feed or
sitemap into its links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypedDict, cast

from newsspider.core.extraction.dom import UnreadablePageError, parse
from newsspider.core.extraction.keywords import extract_keywords
from newsspider.core.extraction.page_type import probability_of
from newsspider.core.links.feeds import read_feed, read_sitemap
from newsspider.core.links.page_links import links_of
from newsspider.core.links.script_lists import is_json, read_json
from newsspider.core.links.xml_stream import document_kind
from newsspider.core.model import (
    ARTICLE_FIELDS,
    NO_RULES,
    READ_FIELDS,
    ArticleRules,
    Link,
    LinkKind,
    PageType,
    json_value,
)
from newsspider.core.url import canonical
from newsspider.library.records import ArticleRecord
from newsspider.pages.read_page import read_page
from newsspider.store.engine.clock import Clock

NO_URL = "not an http or https URL"


class UnreadPage(TypedDict):
    """A page that could not be read, and why."""

    url: str
    error: str


def read_article(
    body: bytes,
    url: str,
    content_type: str | None = None,
    *,
    now: datetime | None = None,
    rules: ArticleRules = NO_RULES,
) -> ArticleRecord:
    """Read a page from the bytes that its server sent.

    ``content_type`` is the header that came with it, ``now`` the aware moment to which "3 hours ago" refers (default:
    the present one), ``rules`` the XPaths of its site. ``kind`` says what the page is: a list of links has a record,
    too. Raises :exc:`~newsspider.UnreadablePageError` where the text is damaged or none, :exc:`ValueError` for a URL
    that is not http or https.

    >>> paragraph = "全省各地学校今天开学，教师和学生回到课堂，新的课程从这一天开始。"
    >>> body = f"<title>全省学校今天开学</title><h1>全省学校今天开学</h1><p>2024-09-01 08:30</p>{3 * f'<p>{paragraph}</p>'}"
    >>> record = read_article(body.encode("gbk"), "http://edu.example.cn/2024/0901/1.html")
    >>> record["title"], record["published_at"], record["charset"]
    ('全省学校今天开学', '2024-09-01T08:30+08:00', 'gb18030')
    """
    check_page(body, url)
    page = parse(body, url, content_type)
    article, links, kind = read_page(page, now or Clock().utc(), rules, links_of=links_of)
    document = document_kind(body, content_type)
    kind = document or kind
    read = {ARTICLE_FIELDS[name].key: _plain(getattr(article, name)) for name in READ_FIELDS}
    last = {name: read.pop(name) for name in ("images", "comments")}
    record = {
        "url": url,
        **read,
        "keywords": list(extract_keywords(article.title or "", article.text, article.meta_keywords)),
        "charset": page.charset,
        "charset_reason": page.charset_reason.value,
        "kind": kind.value,
        "kind_probability": 1.0 if document else probability_of(kind, page, article, links),
        **last,
        "truncated": article.truncated,
    }
    return cast("ArticleRecord", record)


def read_or_error(
    body: bytes,
    url: str,
    content_type: str | None = None,
    *,
    now: datetime | None = None,
    rules: ArticleRules = NO_RULES,
) -> ArticleRecord | UnreadPage:
    """The same; a page that cannot be read gives its error instead of raising it."""
    if canonical(url) is None:
        return {"url": url, "error": NO_URL}
    try:
        return read_article(body, url, content_type, now=now, rules=rules)
    except UnreadablePageError as error:
        return {"url": url, "error": str(error)}


def check_page(body: bytes, url: str) -> None:
    """Raise :exc:`TypeError` for a page that is no bytes, :exc:`ValueError` for a URL that cannot be fetched."""
    if not isinstance(body, bytes):
        raise TypeError(f"a page is the bytes that its server sent, not {type(body).__name__}: they tell the charset")
    if canonical(url) is None:
        raise ValueError(f"{NO_URL}: {url}")


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(timespec="minutes")
    return None if value == "" else json_value(value)


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
