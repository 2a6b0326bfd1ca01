"""Which links are offered, and why the others are not."""

import re
from datetime import date

from newsspider.core.fetching.address_guard import AllowedAddresses
from newsspider.core.links.followable import Unoffered, followed_links, marked_nofollow, never_fetched, why_not_offered
from newsspider.core.model import Link, LinkKind, Reason
from tests.support.tables import each

PAGE = "http://www.a.cn/list/"
PATTERN = re.compile(r"mp\.b\.cn/s/")


@each(
    ("link", "reason"),
    [
        (Link("http://www.a.cn/1.html", kind=LinkKind.ARTICLE), None),
        (Link("http://news.a.cn/1.html", kind=LinkKind.ARTICLE), None),
        (Link("http://b.cn/1.html", kind=LinkKind.ARTICLE), Unoffered.OFFSITE),
        (Link("http://mp.b.cn/s/1", kind=LinkKind.ARTICLE), None),
        (Link("http://mp.b.cn/s/1", kind=LinkKind.NEXT), Unoffered.OFFSITE),
        (Link("http://www.a.cn/list/2", kind=LinkKind.NEXT), None),
        (Link("http://www.a.cn/about", kind=LinkKind.OTHER), Unoffered.NOT_AN_ARTICLE),
        (Link("http://www.a.cn/x.pdf", kind=LinkKind.ATTACHMENT), Unoffered.NOT_AN_ARTICLE),
        (Link("http://b.cn/about", kind=LinkKind.LIST), Unoffered.OFFSITE),
        (Link("http://www.a.cn/1.html", kind=LinkKind.ARTICLE, nofollow=True), Unoffered.NOFOLLOW),
    ],
)
def test_a_link_is_offered_or_has_a_reason(link, reason):
    assert why_not_offered(link, PAGE, PATTERN) is reason


@each(
    ("url", "reason"),
    [
        ("http://www.a.cn/1.html", None),
        ("http://www.a.cn/1.mp4", Reason.SUFFIX),
        ("http://www.a.cn/g/g/g/g/g", Reason.TRAP),
        ("http://www.a.cn/?q=" + "x" * 3000, Reason.TRAP),
        ("http://10.0.0.1/1.html", Reason.ADDRESS),
    ],
)
def test_a_url_that_is_never_fetched_has_a_reason(url, reason):
    refusal, detail = never_fetched(url, frozenset({"mp4"}), AllowedAddresses(), date(2026, 11, 23))
    assert refusal is reason
    assert bool(detail) is (reason is Reason.TRAP)


def test_a_page_that_asks_not_to_follow_marks_all_its_links():
    links = (Link("http://a.cn/1"), Link("http://a.cn/2", nofollow=True))
    assert followed_links(links) == links[:1]
    assert [link.url for link in marked_nofollow(links)] == ["http://a.cn/1", "http://a.cn/2"]
    assert followed_links(marked_nofollow(links)) == ()
