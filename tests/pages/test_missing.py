"""What an answer means for a stored article that is visited again: real requests and responses, no crawl."""

import pytest
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadTimeoutError
from twisted.python.failure import Failure

from newsspider.core.crawling.visit import Lease, Missed, Moved, PageResult
from newsspider.core.duplicates.content_hashes import body_md5
from newsspider.core.fetching.politeness import KnownResponse
from newsspider.core.model import PageType, Reason, State
from newsspider.core.scheduling.vanished import Absence
from newsspider.crawl.crawl import Crawl
from newsspider.pages.router import PageReader, page_reader
from newsspider.sites.loader import load_site
from tests.support.crawler import URL, crawler, lease_of_kind, request_of, response_of

__all__ = ["crawler"]

STORED = lease_of_kind(fetch_count=1, revisit=True, stored_at=0.0)
NEW = lease_of_kind()
SITE = """
name = "a"
home = "http://a.example/"
weight = 5
media_class = "portal"
[[channels]]
name = "要闻"
url = "http://a.example/yaowen/"
weight = 5
kind = "list"
"""
PARAGRAPH = "<p>教育部门今天召开座谈会，各地学校的教师和学生参加了会议，会上讨论了课程与考试的安排。</p>"
HEAD = "<html><head><meta charset=utf-8><title>座谈会召开</title></head><body><h1>座谈会召开</h1>"
HEADLINES = "".join(
    f"<li><a href='/2024/{n}.html'>各地学校举行教育改革座谈会第{n}场</a><span>2024-11-0{n}</span></li>" for n in range(1, 10)
)
FRONT = f"<html><head><title>教育新闻首页</title></head><body><ul>{HEADLINES}</ul></body></html>"
FEED = "<?xml version='1.0'?><rss version='2.0'><channel><title>t</title><item><link>http://a.example/2</link></item></channel></rss>"
TEASER = f"{HEAD}{PARAGRAPH * 4}<p>订阅后阅读全文</p></body></html>"


@pytest.fixture
def reader(crawler: Crawler) -> PageReader:
    crawl = Crawl.of(crawler)
    crawl.sites.replace({"a": load_site(SITE, "a.toml")})
    return page_reader(crawler)


def answered(reader: PageReader, lease: Lease, body: str = "", status: int = 200, **headers: str) -> PageResult:
    headers = {"Content_Type": "text/html; charset=utf-8", **headers}
    return reader.result(response_of(request_of(lease), body.encode(), status, **headers))


@pytest.mark.parametrize(
    ("status", "headers", "body", "absence"),
    [
        (404, {}, "", Absence.NOT_FOUND),
        (410, {}, "", Absence.GONE),
        (451, {}, "", Absence.GONE),
        (401, {}, "", Absence.LOGIN),
        (402, {}, "", Absence.PAYWALL),
        (302, {"Location": "/"}, "", Absence.HOME_PAGE),
        (301, {"Location": "http://a.example/yaowen/"}, "", Absence.HOME_PAGE),
        (302, {"Location": "http://passport.example.com/login"}, "", Absence.LOGIN),
        (200, {}, "<title>提示</title><p>您访问的文章不存在或已被删除</p>", Absence.SOFT_404),
        (200, {}, '<meta http-equiv="refresh" content="0; url=/">', Absence.HOME_PAGE),
        (200, {}, TEASER, Absence.PAYWALL),
        (200, {}, FRONT, Absence.HOME_PAGE),
    ],
)
def test_a_missing_stored_article_is_recorded_with_the_kind_of_absence(
    reader: PageReader, status: int, headers: dict[str, str], body: str, absence: Absence | None
) -> None:
    result = answered(reader, STORED, body, status, **headers)
    assert (missed.absence if (missed := result.effect(Missed)) else None) is absence
    assert result.article is None
    if absence is not None:
        assert (result.settlement.state, result.settlement.reason) == (State.DONE, Reason.MISSED)
        assert result.offers == ()


@pytest.mark.parametrize("body", ["<title>欢迎</title><p>欢迎</p><a href='/'>首页</a>", FEED])
def test_a_stored_article_keeps_its_kind_in_the_ledger_when_its_page_changes_once(reader: PageReader, body: str) -> None:
    revisited, new = answered(reader, STORED, body), answered(reader, NEW, body)
    assert (revisited.settlement.reason, new.settlement.reason) == (Reason.NOT_AN_ARTICLE, Reason.NOT_AN_ARTICLE)
    assert revisited.settlement.kind is None, "the kind of the row is kept, and with it its queue"
    assert new.settlement.kind in (PageType.OTHER, PageType.FEED)


@pytest.mark.parametrize(("status", "body"), [(404, ""), (200, TEASER), (200, FRONT), (301, "")])
def test_what_was_never_stored_is_not_missed(reader: PageReader, status: int, body: str) -> None:
    assert answered(reader, NEW, body, status, Location="/").effect(Missed) is None


@pytest.mark.parametrize("status", [403, 500])
def test_an_answer_that_says_nothing_of_the_article_is_a_failed_visit(reader: PageReader, status: int) -> None:
    result = answered(reader, STORED, "", status)
    assert result.effect(Missed) is None
    assert (result.settlement.state, result.settlement.reason, result.settlement.failures) == (State.DONE, Reason.HTTP_STATUS, 1)
    assert result.settlement.due_at is not None


def test_a_redirect_to_another_article_is_followed_as_ever(reader: PageReader) -> None:
    result = answered(reader, STORED, "", 301, Location="/2024/2.html")
    assert result.effect(Missed) is None
    assert [offer.url for offer in result.offers] == ["http://a.example/2024/2.html"]


@pytest.mark.parametrize(("target", "read"), [("/404.html", True), ("http://b.example/404.html", False)])
def test_an_error_page_that_a_stored_article_leads_to_is_read_where_it_is_followed(reader: PageReader, target: str, read: bool) -> None:
    for result in (
        answered(reader, STORED, "", 302, Location=target),
        answered(reader, STORED, f"<script>location.href='{target}'</script>"),
    ):
        absence = result.effect(Moved) if read else result.effect(Missed)
        assert absence is not None
        assert absence.absence is Absence.SOFT_404
        assert [offer.url for offer in result.offers] == (["http://a.example/404.html"] if read else [])


@pytest.mark.parametrize("article", ["info/1023/404.htm", "sso/2024/1.html"])
def test_a_redirect_to_the_same_page_at_https_is_followed_whatever_the_page_is_called(reader: PageReader, article: str) -> None:
    lease = lease_of_kind(url=f"http://www.a.example/{article}")
    result = answered(reader, lease, "", 301, Location=f"https://a.example/{article}")
    assert [offer.url for offer in result.offers] == [f"https://a.example/{article}"]


def test_an_article_that_always_looked_like_a_teaser_is_there_as_long_as_it_stays_the_same(reader: PageReader) -> None:
    first = answered(reader, NEW, TEASER)
    assert first.article is not None
    revisit = lease_of_kind(stored_at=0.0, known=KnownResponse(content=body_md5(first.article.title, first.article.text)))
    assert answered(reader, revisit, TEASER).effect(Missed) is None


def test_a_host_that_does_not_answer_is_no_sign(reader: PageReader) -> None:
    failure = Failure(DownloadTimeoutError())
    failure.request = request_of(STORED)
    result = reader.failure(failure)
    assert result.effect(Missed) is None
    assert (result.settlement.state, result.settlement.reason) == (State.DONE, Reason.TIMEOUT)


def test_a_missing_list_page_is_a_failed_list(reader: PageReader) -> None:
    result = answered(reader, lease_of_kind(PageType.LIST, URL, update_cycle=60.0), "", 404)
    assert (result.effect(Missed), result.settlement.reason) == (None, Reason.HTTP_STATUS)
