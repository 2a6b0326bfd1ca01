"""What links from lists call an article is found by ``anchor:``, whichever was stored first."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import Link, LinkKind, PageType
from newsspider.core.url import url_key
from newsspider.store import pages
from newsspider.store.index import entries
from newsspider.store.index.entries import MOST_ANCHORS
from newsspider.store.url_history import forget_url
from tests.support.indexes import found, index_of, phrase, rebuilt, save
from tests.support.samples import NOW, POLLED_AGAIN, lease_on

ARTICLE = "http://a.cn/1"
SAYS = "明年高考这样考"


def poll(conn, url, *links, now=NOW):
    """Reads a list with these links: an anchor, or an anchor with what is different about its link."""
    several = []
    for link in links:
        anchor, values = (link, {}) if isinstance(link, str) else link
        several.append(Link(ARTICLE, anchor, **{"kind": LinkKind.ARTICLE, **values}))
    lease = lease_on(conn, url, now, kind=PageType.LIST, channel=url)
    return pages.save(conn, PageResult(lease, replace(POLLED_AGAIN, fetched_at=now), links=tuple(several)), now)


def anchors(conn):
    return conn.execute(text("SELECT anchors FROM search_entries WHERE article_id IS NOT NULL")).scalar_one()


@pytest.mark.parametrize("first", ["list", "article"])
def test_other_words_than_the_title_are_found_in_their_field_alone(conn, first):
    steps = [lambda: poll(conn, "http://lists.cn/", SAYS), lambda: save(conn, 1, "改革方案全文", title="高考改革方案公布")]
    for step in steps if first == "list" else reversed(steps):
        step()
    assert len(found(conn, phrase("这样考", "anchor"))) == 1
    assert len(found(conn, phrase("样", "anchor"))) == 1
    assert found(conn, phrase("这样考")) == found(conn, phrase("样")) == found(conn, phrase("方案", "anchor")) == []
    assert index_of(conn) == rebuilt(conn)


@pytest.mark.parametrize(
    "link",
    [
        "高考改革方案公布",
        "高考改革方…",
        "高考改革方案公布 2026-11-24",
        "点击详情",
        (SAYS, {"nofollow": True}),
        (SAYS, {"kind": LinkKind.OTHER}),
    ],
)
def test_what_says_nothing_else_does_not_count(conn, link):
    save(conn, 1, "改革方案全文", title="高考改革方案公布")
    poll(conn, "http://lists.cn/", link)
    assert anchors(conn) == ""


def test_an_article_has_the_first_anchors_each_once(conn, monkeypatch):
    save(conn, 1, "改革方案全文")
    for number in range(MOST_ANCHORS + 3):
        poll(conn, f"http://a{number}.cn/", f"第{number // 2}个别的说法", now=NOW + 100 * number)
    assert anchors(conn).split("\n") == [f"第{number}个别的说法" for number in range((MOST_ANCHORS + 3 + 1) // 2)]
    for number in range(MOST_ANCHORS):
        poll(conn, f"http://b{number}.cn/", f"又一个说法，第{number}个", now=NOW + 10_000 + 100 * number)
    assert len(anchors(conn).split("\n")) == MOST_ANCHORS
    assert index_of(conn) == rebuilt(conn)
    monkeypatch.setattr(entries, "refresh_anchors", None)
    poll(conn, "http://c.cn/", "再来一个别的说法", now=NOW + 1e5)
    poll(conn, "http://a0.cn/", "第0个别的说法", now=NOW + 1e5)


def test_anchors_follow_the_title_and_the_lists(conn):
    poll(conn, "http://lists.cn/", SAYS)
    save(conn, 1, "改革方案全文", title="高考改革方案公布")
    assert anchors(conn) == SAYS
    save(conn, 1, "改革方案全文", title=f"{SAYS}！方案公布", now=NOW + 1e5)
    assert anchors(conn) == ""
    save(conn, 1, "改革方案全文", title="高考改革方案公布", now=NOW + 2e5)
    assert anchors(conn) == SAYS
    forget_url(conn, url_key("http://lists.cn/"))
    assert anchors(conn) == ""
    assert index_of(conn) == rebuilt(conn)
