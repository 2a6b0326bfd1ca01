"""What a response for robots.txt means: a guard's page is no file without rules."""

from typing import Any

import pytest
from scrapy.crawler import Crawler

from newsspider.core.crawling.visit import PageResult
from newsspider.core.fetching.robots import Robots, RobotsText
from newsspider.core.model import PageType, Reason
from newsspider.pages.router import page_reader
from tests.support.crawler import crawler, lease_of_kind, request_of, response_of
from tests.support.guard_pages import GUARD_PAGES

__all__ = ["crawler"]

UNKNOWN = "words that no list has"  # only the link to such a page shows that it is a guard's
LINKS = "".join(f"<li><a href=/2026/{n}.html>各地学校举行教育改革座谈会第{n}场</a></li>" for n in range(20))


def read(crawler: Crawler, body: str, status: int = 200, **of_lease: Any) -> PageResult:
    lease = lease_of_kind(PageType.ROBOTS, url="http://a.example/robots.txt", **of_lease)
    return page_reader(crawler).result(response_of(request_of(lease), body.encode(), status))


@pytest.mark.parametrize("kind", sorted(GUARD_PAGES.keys() - {UNKNOWN}))
def test_a_guards_page_is_an_unreachable_robots_txt(crawler: Crawler, kind: str) -> None:
    first, last = read(crawler, GUARD_PAGES[kind]), read(crawler, GUARD_PAGES[kind], failures=9)
    assert first.effect(RobotsText) is None, "it is asked again before the host is closed"
    assert (first.settlement.reason, first.settlement.detail[:9]) == (Reason.RETRY, "guarded: ")
    assert first.settlement.due_at is not None
    assert Robots.read(last.effect(RobotsText)).closed


@pytest.mark.parametrize("kind", sorted(GUARD_PAGES.keys() - {UNKNOWN}))
def test_a_guards_page_for_which_the_host_was_closed_is_a_file_without_rules(crawler: Crawler, kind: str) -> None:
    policy = page_reader(crawler).host_policy
    policy.remember("a.example", RobotsText(None, b"", 0.0))
    retried, last = (read(crawler, GUARD_PAGES[kind], failures=failures, guarded=True) for failures in (0, 9))
    assert retried.settlement.reason is Reason.RETRY
    assert last.settlement.reason is Reason.ROBOTS_READ
    assert Robots.read(last.effect(RobotsText)).allowed("http://a.example/2026/1.html", "newsspider")
    policy.remember("a.example", RobotsText(200, b"User-agent: *\nDisallow: /a", 0.0))
    assert read(crawler, GUARD_PAGES[kind], failures=9, guarded=True).settlement.reason is Reason.GUARDED


def test_a_host_that_was_closed_for_anything_else_stays_closed_at_its_first_guards_page(crawler: Crawler) -> None:
    page_reader(crawler).host_policy.remember("a.example", RobotsText(503, b"", 0.0))
    first = read(crawler, GUARD_PAGES[min(GUARD_PAGES.keys() - {UNKNOWN})], failures=9)
    assert first.settlement.reason is Reason.GUARDED
    assert Robots.read(first.effect(RobotsText)).closed


@pytest.mark.parametrize(
    ("body", "allowed"),
    [
        ("", True),
        ("# 访问过于频繁的爬虫会被限制\nUser-agent: *\nDisallow: /a", True),
        ("User-agent: *\nDisallow: /", False),
        ("<!doctype html><title>404 Not Found</title><h1>404 Not Found</h1>", True),
        ("<html><title>页面不存在</title><p>您访问的页面不存在，五秒之后回到首页。</p></html>", True),
        ("<html><title>教育时报</title><body>欢迎访问教育时报网站</body></html>", True),
        (f"<html><title>教育时报</title><p>访问过于频繁</p><ul>{LINKS}</ul></html>", True),
        (GUARD_PAGES[UNKNOWN], True),
        ("<title>教育云</title><script>document.cookie</script><div id=app></div><script src=/a.js></script>", True),
        ("请求过于频繁，请稍后再试\nUser-agent: *\nDisallow: /", False),
        ("Sitemap: http://a.example/sitemap.xml", True),
    ],
)
def test_any_other_text_gives_its_rules_and_a_page_of_html_gives_none(crawler: Crawler, body: str, allowed: bool) -> None:
    result = read(crawler, body)
    assert result.settlement.reason is Reason.ROBOTS_READ
    assert Robots.read(result.effect(RobotsText)).allowed("http://a.example/2026/1.html", "newsspider") is allowed
