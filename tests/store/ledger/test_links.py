"""The links of pages are stored with what their pages ask now."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import Link, LinkKind, PageType
from newsspider.core.url import url_key
from newsspider.store import pages
from newsspider.store.exploring import graph
from newsspider.store.ledger import links
from tests.store.samples import NOW, POLLED, lease_on, offer

LIST, ONE, TWO = "http://a.cn/list", "http://a.cn/1", "http://a.cn/2"


def link(url: str, *, nofollow: bool = False) -> Link:
    return Link(url, "锚文字", LinkKind.ARTICLE, nofollow=nofollow)


def shown(conn, *found, page=LIST, at=NOW):
    lease = lease_on(conn, page, at, kind=PageType.LIST, site="站", channel="要闻")
    pages.save(conn, PageResult(lease, POLLED, links=found, offers=(offer(ONE), offer(TWO))), at)
    return lease


def stored(conn):
    return {row.url: bool(row.nofollow) for row in conn.execute(text("SELECT url, nofollow FROM links"))}


def again(lease, *found):
    return list(links.rows_of(PageResult(lease, POLLED, links=found), {ONE: url_key(ONE), TWO: url_key(TWO)}, NOW + 9, "站/要闻"))


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("after", [False, True])
def test_a_link_is_marked_as_its_page_has_it_now(conn, before, after):
    lease = shown(conn, link(ONE, nofollow=before), link(TWO))
    assert stored(conn) == {ONE: before, TWO: False}
    links.add(conn, again(lease, link(ONE, nofollow=after)))
    assert stored(conn) == {ONE: after, TWO: False}


def test_a_url_that_a_page_links_to_twice_is_marked_only_if_both_links_are(conn):
    shown(conn, link(ONE, nofollow=True), link(ONE), link(TWO, nofollow=True), link(TWO, nofollow=True))
    assert stored(conn) == {ONE: False, TWO: True}


def test_marked_links_are_no_part_of_the_graph(conn):
    shown(conn, link(ONE), link(TWO, nofollow=True))
    assert list(graph.read(conn).keys) == sorted([url_key(LIST), url_key(ONE)])


def test_the_links_to_a_url_are_counted_and_those_of_lists_come_first(conn):
    lease = lease_on(conn, "http://b.cn/article", site="站", channel="要闻")
    links.add(conn, list(links.rows_of(PageResult(lease, POLLED, links=(link(ONE),)), {ONE: url_key(ONE)}, NOW - 9, None)))
    shown(conn, link(ONE, nofollow=True))
    (first,) = links.leading_to(conn, [url_key(ONE), 7], 1)
    assert (first.page, first.channel, bool(first.nofollow), first.pages, first.lists) == (LIST, "站/要闻", True, 2, 1)
    assert [row.page for row in links.leading_to(conn, [url_key(ONE)], 9)] == [LIST, "http://b.cn/article"]
    assert links.leading_to(conn, [7], 9) == []
