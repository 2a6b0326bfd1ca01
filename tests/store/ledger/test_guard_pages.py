"""Texts of guards in the store: what showed one is taken back and asked again, and the text is known from then on."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import Awaited, PageResult, Settlement, UnlikeAnchor
from newsspider.core.model import Reason, State
from newsspider.core.scheduling.article_revisits import FIRST_SECONDS
from newsspider.core.url import url_key
from newsspider.store import pages
from tests.support.samples import NOW, STORED, article, lease_on, row

FIRST, SECOND, THIRD = (f"http://a.cn/{n}" for n in (1, 2, 3))
ANCHORS = {FIRST: "寒潮来袭各地停课", SECOND: "市长会见外国客人", THIRD: "高考报名明天开始"}
TEXT, HASH = "前面还有三十六位，轮到您时自动打开。", "f" * 32


def show(conn, url, now=NOW, anchor=None, reason=Reason.STORED):
    """Read a page that shows the text below this URL, whatever else is due."""
    conn.execute(text("UPDATE urls SET due_at = NULL WHERE url <> :url"), {"url": url})
    lease = lease_on(conn, url, now, anchor=anchor or ANCHORS[url])
    guarded = Settlement(State.DONE, Reason.GUARDED, status=200, fetched_at=now, detail="小提示", host_pause=True)
    record = article(url, TEXT, title="小提示", anchor=lease.anchor, body_md5=HASH) if reason is Reason.STORED else None
    settlement = replace(STORED, fetched_at=now, body_hash=HASH, reason=reason)
    effects = (UnlikeAnchor("小提示", TEXT, HASH, guarded), Awaited())
    return pages.save(conn, PageResult(lease, settlement, record, effects=effects), now)


def stored(conn):
    return set(conn.execute(text("SELECT url FROM article_urls")).scalars())


KEPT, REFUSED = Reason.STORED, Reason.OFF_TOPIC


@pytest.mark.parametrize("reasons", [(KEPT, KEPT), (REFUSED, KEPT), (REFUSED, REFUSED)])
def test_the_second_url_with_the_text_shows_that_it_is_a_guards_and_both_are_asked_again(conn, reasons):
    assert show(conn, FIRST, reason=reasons[0]).reason is reasons[0]
    assert show(conn, SECOND, NOW + 1, reason=reasons[1]).reason is Reason.GUARDED
    assert stored(conn) == set()
    for url in (FIRST, SECOND):
        assert (row(conn, url).reason, row(conn, url).body_hash) == (Reason.GUARDED, HASH)
        assert row(conn, url).due_at == NOW + 1 + FIRST_SECONDS


def test_the_text_is_known_from_then_on_also_below_the_last_url_that_shows_it(conn):
    show(conn, FIRST)
    show(conn, SECOND, NOW + 1)
    assert show(conn, THIRD, NOW + 2).reason is Reason.GUARDED
    conn.execute(text("UPDATE urls SET reason = 'stored', body_hash = url WHERE url <> :url"), {"url": THIRD})
    assert show(conn, THIRD, NOW + 20_000).reason is Reason.GUARDED
    assert stored(conn) == set()


def test_an_article_that_showed_the_text_once_keeps_what_it_had_before(conn):
    lease = lease_on(conn, FIRST, anchor=ANCHORS[FIRST])
    pages.save(conn, PageResult(lease, STORED, article(FIRST, "正文")), NOW)
    show(conn, FIRST, NOW + 1)
    assert show(conn, SECOND, NOW + 2).reason is Reason.GUARDED
    assert stored(conn) == {FIRST}
    assert row(conn, FIRST).due_at == NOW + 2 + FIRST_SECONDS
    key = url_key(FIRST)
    assert conn.execute(text("SELECT text FROM revisions WHERE key = :key"), {"key": key}).scalars().all() == ["正文"]


@pytest.mark.parametrize(
    ("other", "anchor"),
    [("http://b.cn/2", "市长会见外国客人"), (SECOND, "小提示：前面还有三十六位"), (SECOND, "寒潮来袭各地停课"), (SECOND, "图片")],
)
def test_one_text_on_two_hosts_or_below_a_link_that_has_something_of_it_or_the_same_link_is_none(conn, other, anchor):
    assert show(conn, other, anchor=anchor).reason is Reason.STORED
    assert show(conn, FIRST, NOW + 1).reason is Reason.DUPLICATE
    assert stored(conn) == {FIRST, other}
