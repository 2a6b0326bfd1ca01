from datetime import UTC, datetime
from typing import Any

from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.record import record_of
from newsspider.core.model import Article, Link, LinkKind, PageType
from tests.support.tables import each

URL = "http://news.example.cn/2026/c1.html"
MOMENT = datetime(2026, 11, 1, tzinfo=UTC)
PAGE = parse("<h1>标题</h1>".encode(), URL, "text/html; charset=utf-8")


@each(
    ("declared", "stored"),
    [
        (None, URL),
        ("/2026/c1.html#top", URL),
        ("http://www.example.cn/c1.html", "http://www.example.cn/c1.html"),
        ("http://other.cn/c1.html", URL),
    ],
)
def test_a_canonical_url_is_believed_on_the_same_site_only(declared: str | None, stored: str) -> None:
    assert record_of(PAGE, Article(canonical_url=declared), PageType.ARTICLE, (), MOMENT, url=URL).canonical_url == stored


def test_attachments_are_links_of_that_kind_by_their_canonical_urls_and_all_links_count() -> None:
    links = (Link("HTTP://a.cn/1.pdf#p2", kind=LinkKind.ATTACHMENT), Link("mailto:a@a.cn", kind=LinkKind.ATTACHMENT), Link("http://a.cn/2"))
    record = record_of(PAGE, Article(), PageType.ARTICLE, links, MOMENT, url=URL)
    assert (record.attachments, record.link_count) == (("http://a.cn/1.pdf",), 3)


def test_the_record_keeps_the_site_and_the_origin_of_the_page() -> None:
    known: dict[str, Any] = {"url": URL, "site": "某某网", "channel": "要闻", "media_class": "portal", "anchor": "链接", "priority": 7}
    record = record_of(PAGE, Article(title="标题"), PageType.BLOG, (), MOMENT, **known)
    assert {name: getattr(record, name) for name in known} == known
    assert (record.title, record.kind, record.crawled_at, record.charset, record.keywords) == ("标题", PageType.BLOG, MOMENT, "utf-8", ())
