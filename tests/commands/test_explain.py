"""``scrapy explain``."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.fetching.robots import RobotsText
from newsspider.core.model import Link, LinkKind, PageType, Reason, State
from newsspider.sites.model import Channel, ChannelKind, from_home
from newsspider.store import ledger, pages, sites
from newsspider.store.engine.database import open_store
from tests.support.commands import FIRST, LIST, WAITING, database, scrapy
from tests.support.samples import NOW, POLLED, lease_on

__all__ = ["database", "scrapy"]


def told(ran):
    assert ran.code == 0
    url, *lines = ran.out.splitlines()
    return url, {line.split()[0]: " ".join(line.split()[1:]) for line in lines}


def test_every_state_and_every_reason_has_its_sentence():
    assert all(word.sentence for word in (*State, *Reason))


def test_a_waiting_url_tells_where_it_was_found_and_what_it_waits_for(scrapy):
    url, lines = told(scrapy("explain", WAITING))
    assert url == WAITING
    assert lines["state"] == "waiting to be fetched: it was found and has not been fetched yet (found)"
    assert lines["found"].endswith(f"on {LIST}")
    assert (lines["anchor"], lines["fetched"]) == ("等待", "never")
    assert lines["link"] == f"{LIST} as 锚文字"
    assert "delay 2.50 s because of crawl_delay" in lines["host"]
    assert "HTTP status 200" in lines["robots"]


def test_an_article_is_told_with_its_page(scrapy):
    _, lines = told(scrapy("explain", FIRST.replace("http://a.cn", "HTTP://A.cn:80") + "#top"))
    assert lines["state"].endswith("its article is stored (stored)")
    assert lines["article"].startswith("高考改革方案发布")
    assert lines["relevance"] == "0.80 for education (boolean)"
    assert lines["due"] == "not again"
    assert "HTTP status 200" in lines["fetched"]


def test_a_robots_txt_that_fails_is_told_with_the_rules_which_serve_meanwhile(scrapy, database):
    _, lines = told(scrapy("explain", WAITING))
    assert lines["rules"].endswith(", 0 bytes")
    engine = open_store(database)
    with engine.begin() as conn:
        ledger.keep_robots(conn, "a.cn", RobotsText(503, b"sorry", NOW + 90_000))
    engine.dispose()
    _, lines = told(scrapy("explain", WAITING))
    assert "HTTP status 503" in lines["robots"]
    assert lines["rules"].endswith(", 0 bytes, which serves meanwhile")


def test_a_list_is_told_with_the_rate_that_is_expected_of_it(scrapy, database):
    _, lines = told(scrapy("explain", LIST))
    assert "rate" not in lines
    site = replace(from_home("http://a.cn/"), name="站", channels=(Channel("要闻", LIST, 5, ChannelKind.LIST),))
    engine = open_store(database)
    with engine.begin() as conn:
        sites.put(conn, site, NOW)
        conn.execute(text("UPDATE channels SET rate = 12.34, last_new = 3"))
    engine.dispose()
    _, lines = told(scrapy("explain", LIST))
    assert lines["rate"] == "12.3 new URLs a day are expected of it, 3 at the last poll"


@pytest.mark.parametrize(
    ("url", "kind", "nofollow", "because"),
    [
        ("http://other.cn/1.html", LinkKind.ARTICLE, False, "outside the watched site, and no article pattern names it (offsite): 2 links"),
        ("http://a.cn/9.html", LinkKind.ARTICLE, True, "the link or its page asks not to follow it (nofollow): 2 links"),
        ("http://a.cn/about", LinkKind.OTHER, False, "by its place and anchor text not a link to an article (not_an_article): 2 links"),
        ("http://a.cn/v.mp4", LinkKind.ATTACHMENT, False, "files with its suffix are not fetched (suffix): 2 links"),
        ("http://a.cn/g/g/g/g/g", LinkKind.OTHER, False, 'it looks like a trap for crawlers (path repeats "g" 5 times): 2 links'),
        ("http://10.0.0.1/", LinkKind.ARTICLE, False, "its host is at an address that is not public (address): 2 links"),
        ("http://a.cn/list_9", LinkKind.NEXT, False, "a further page of a list: followed only while the list shows new articles: 2 links"),
    ],
)
def test_a_url_that_was_never_offered_is_found_by_the_links_to_it(scrapy, database, url, kind, nofollow, because):
    engine = open_store(database)
    with engine.begin() as conn:
        for page in ("http://a.cn/list2", "http://a.cn/list3"):
            lease = lease_on(conn, page, kind=PageType.LIST, site="站", channel="要闻")
            pages.save(conn, PageResult(lease, POLLED, links=(Link(url, "某处", kind, nofollow=nofollow),)), NOW)
    engine.dispose()
    ran = scrapy("explain", url)
    assert (ran.code, ran.err) == (0, "")
    assert f"  because    {because}\n" in ran.out
    assert "  linked     on 2 pages, 2 lists among them\n" in ran.out
    assert f"  link       http://a.cn/list2 as 某处 ({kind} in main{', nofollow' if nofollow else ''})\n" in ran.out


def test_an_unknown_url_is_said_to_be_unknown(scrapy):
    ran = scrapy("explain", "http://unknown.cn/")
    assert (ran.code, ran.out) == (1, "")
    assert "is not known" in ran.err


@pytest.mark.parametrize("words", [(), ("a", "b"), ("mailto:a@b.cn",), ("nonsense",)])
def test_wrong_use_is_exit_code_2(scrapy, words):
    ran = scrapy("explain", *words)
    assert (ran.code, ran.out) == (2, "")
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("url", ["https://www.moe.gov.cn/", "https://www.moe.gov.cn", "http://www.moe.gov.cn/"])
def test_the_home_page_of_a_watched_site_is_explained_though_it_was_never_fetched(scrapy, url):
    scrapy("sites", "list")  # which takes the shipped sites over
    ran = scrapy("explain", url)
    assert (ran.code, ran.err) == (0, "")
    assert "home page  of the watched site 教育部" in ran.out
    assert "  channel    新闻, weight" in ran.out
    assert scrapy("explain", "https://www.moe.gov.cn/nothing").code == 1
