"""The links of pages are stored with what their pages ask now."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import Link, LinkKind, PageType
from newsspider.core.url import url_key
from newsspider.features.explore import graph
from newsspider.store import pages
from newsspider.store.ledger import links as ledger_links
from newsspider.store.ledger.stored_links import links_to
from tests.support.samples import NOW, POLLED, STORED, article, lease_on, offer, stored_links

LIST, ONE, TWO = "http://a.cn/list", "http://a.cn/1", "http://a.cn/2"


def link(url: str, *, nofollow: bool = False) -> Link:
    return Link(url, "锚文字", LinkKind.ARTICLE, nofollow=nofollow)


def shown(conn, *links, page=LIST, at=NOW):
    lease = lease_on(conn, page, at, kind=PageType.LIST, site="站", channel="要闻")
    pages.save(conn, PageResult(lease, POLLED, links=links, offers=(offer(ONE), offer(TWO))), at)
    return lease


def stored(conn):
    return {row.url: bool(row.nofollow) for row in stored_links(conn)}


def an_article(conn, *links, page="http://b.cn/article", at=NOW):
    lease = lease_on(conn, page, at, site="站", channel="要闻")
    pages.save(conn, PageResult(lease, STORED, article(page), links=links), at)


@pytest.mark.parametrize("old_mark", [False, True])
@pytest.mark.parametrize("new_mark", [False, True])
@pytest.mark.parametrize("save", [shown, an_article])
def test_a_link_is_marked_as_its_page_has_it_now(conn, save, old_mark, new_mark):
    save(conn, link(ONE, nofollow=old_mark), link(TWO))
    assert stored(conn) == {ONE: old_mark, TWO: False}
    save(conn, link(ONE, nofollow=new_mark), at=NOW + 9)
    assert stored(conn) == {ONE: new_mark, TWO: False}


@pytest.mark.parametrize("save", [shown, an_article])
def test_a_page_keeps_its_links_and_gets_those_that_are_new(conn, save):
    save(conn, link(ONE))
    first = stored_links(conn)
    save(conn, link(ONE)._replace(text="别的"), at=NOW + 9)
    assert stored_links(conn) == first
    save(conn, link(TWO), at=NOW + 18)
    assert {row.url: row.found_at for row in stored_links(conn)} == {ONE: NOW, TWO: NOW + 18}


@pytest.mark.parametrize("page", [LIST, "http://b.cn/article"])
def test_links_of_a_refused_result_are_new_for_the_next_of_its_page(conn, page):
    lease = lease_on(conn, page, NOW, kind=PageType.LIST if page == LIST else PageType.ARTICLE, site="站", channel="要闻")
    results = [
        PageResult(lease, POLLED, links=(link(ONE),))
        if page == LIST
        else PageResult(lease, STORED, article(page), links=(link(ONE),))
        for lease in (replace(lease, token=lease.token - 1), lease)
    ]
    saved = pages.save_all(conn, [(result, NOW) for result in results])
    assert [page.settled for page in saved] == [False, True]
    assert stored(conn) == {ONE: False}


def test_a_link_that_many_pages_show_is_stored_once(conn):
    for number in range(3):
        an_article(conn, link(ONE), link(TWO), page=f"http://b.cn/{number}")
    shown(conn, link(ONE), link(TWO)._replace(text="别的"))
    assert len(stored_links(conn)) == 8
    assert conn.execute(text("SELECT count(*) FROM distinct_links")).scalar() == 3


def test_two_links_of_one_hash_are_told_apart(conn, monkeypatch):
    first, second = "http://a.cn/n/1001.htm", "http://a.cn/n/1002.htm"
    monkeypatch.setattr(ledger_links, "text_key", lambda text: 5)
    ledger_links.form_of.cache_clear()
    an_article(conn, link(first), link(second))
    an_article(conn, link(second), page="http://b.cn/2")
    ledger_links.form_of.cache_clear()
    assert len({form for (form,) in conn.execute(text("SELECT form FROM distinct_links"))}) == 1
    assert sorted(row.url for row in stored_links(conn)) == [first, second, second]


def test_a_url_that_a_page_links_to_twice_is_marked_only_if_both_links_are(conn):
    shown(conn, link(ONE, nofollow=True), link(ONE), link(TWO, nofollow=True), link(TWO, nofollow=True))
    assert stored(conn) == {ONE: False, TWO: True}


def test_marked_links_are_no_part_of_the_graph(conn):
    shown(conn, link(ONE), link(TWO, nofollow=True))
    assert list(graph.read_graph(conn).keys) == sorted([url_key(LIST), url_key(ONE)])


def test_the_links_to_a_url_are_counted_and_those_of_lists_come_first(conn):
    an_article(conn, link(ONE), at=NOW - 9)
    shown(conn, link(ONE, nofollow=True))
    (first,) = links_to(conn, [url_key(ONE), 7], 1)
    assert (first.page, first.channel, bool(first.nofollow), first.pages, first.lists) == (LIST, "站/要闻", True, 2, 1)
    assert [row.page for row in links_to(conn, [url_key(ONE)], 9)] == [LIST, "http://b.cn/article"]
    assert links_to(conn, [7], 9) == []
