"""What explore crawls found of list pages, as the store tells it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import LinkKind, PageType, Reason
from newsspider.core.url import url_key
from newsspider.features.explore.rules.suggestions import Had, Thresholds
from newsspider.features.explore.suggested_lists import crawls_of, lists, watched_articles
from newsspider.store import pages
from tests.support.explored import SITE, Crawl
from tests.support.samples import NOW, POLLED, STORED, lease_on, links, save_article
from tests.support.stories import STORY

HOST = "http://a.cn/"


@pytest.fixture
def crawl(conn) -> Crawl:
    return Crawl(conn)


def urls(*numbers: int, host: str = HOST) -> list[str]:
    return [f"{host}{number}.html" for number in numbers]


def keys(*numbers: int) -> set[int]:
    return set(map(url_key, urls(*numbers)))


def test_a_list_has_the_articles_that_it_shows_by_what_became_of_them(crawl):
    crawl.list(f"{HOST}edu/", urls(1, 2, 3, 4, 5))
    crawl.keep(urls(1)[0])
    crawl.keep(urls(2)[0])
    crawl.refuse(urls(3)[0])
    crawl.page(urls(4)[0], replace(STORED, reason=Reason.NOT_AN_ARTICLE, kind=PageType.OTHER))
    (listed,) = crawl.found().values()
    assert (listed.kept.keys(), listed.refused, listed.shown) == (keys(1, 2), keys(3), keys(1, 2, 3, 4, 5))
    assert (listed.kind, listed.visited_at, listed.read) == (PageType.LIST, NOW, 3)


def test_a_page_that_is_no_list_is_told_by_nobody(crawl):
    crawl.keep(urls(1)[0])
    crawl.list(f"{HOST}about/", urls(1), PageType.OTHER)
    crawl.list(f"{HOST}rss.xml", urls(1), PageType.FEED)
    assert crawl.found().keys() == {f"{HOST}rss.xml"}


def test_only_links_to_articles_of_its_own_site_count(crawl):
    crawl.list(f"{HOST}edu/", urls(1), more=[*links(urls(2), LinkKind.LIST), *links(urls(3, host="http://b.cn/"))])
    for url in (*urls(1, 2), *urls(3, host="http://b.cn/")):
        crawl.keep(url)
    (listed,) = crawl.found().values()
    assert listed.shown == keys(1)


def test_lists_of_which_too_little_was_read_come_without_their_articles(crawl):
    crawl.list(f"{HOST}edu/", urls(1, 2))
    crawl.keep(urls(1)[0])
    assert [listed.shown for listed in crawl.found(2).values()] == [frozenset()]


def test_lists_with_too_little_on_topic_come_without_their_articles(crawl, conn):
    for url in (*urls(*range(4)), *urls(*range(10, 13))):
        crawl.keep(url)
    crawl.list(f"{HOST}edu/", urls(*range(4)))
    crawl.list(f"{HOST}few/", urls(*range(10, 13)))
    counts = {listed.url: len(listed.shown) for listed in lists(conn, [SITE], Thresholds(0.3, 3))}
    assert counts == {f"{HOST}edu/": 4, f"{HOST}few/": 3}
    counts = {listed.url: len(listed.shown) for listed in lists(conn, [SITE], Thresholds(0.45, 3))}
    assert counts == {f"{HOST}edu/": 4, f"{HOST}few/": 0}


def test_a_page_that_another_names_as_its_next_is_a_further_one(crawl):
    crawl.list(f"{HOST}edu/", urls(1), more=links([f"{HOST}edu/b.html"], LinkKind.NEXT))
    crawl.list(f"{HOST}edu/b.html", urls(2))
    for url in urls(1, 2):
        crawl.keep(url)
    assert {url: listed.further for url, listed in crawl.found().items()} == {f"{HOST}edu/": False, f"{HOST}edu/b.html": True}


def test_times_and_reprints_of_its_articles_are_told(crawl):
    crawl.list(f"{HOST}edu/", urls(1, 2, 3, 4))
    body = "\n".join(STORY * 2)
    crawl.keep("http://b.cn/first", body, published_at=datetime(2026, 10, 1, tzinfo=UTC))
    crawl.keep(urls(1)[0], body[:-20], published_at=datetime(2026, 11, 1, tzinfo=UTC), body_md5="other")
    crawl.keep(urls(2)[0], source="新华社")
    crawl.keep(urls(3)[0], source="示例网", title="标题_示例网")
    crawl.keep(urls(4)[0])
    (listed,) = crawl.found().values()
    by_url = {url: listed.kept[url_key(url)] for url in urls(1, 2, 3, 4)}
    assert by_url[urls(1)[0]].published_at == datetime(2026, 11, 1, tzinfo=UTC).timestamp()
    assert [item.original for item in by_url.values()] == [True, False, True, True], "nobody looked for near reprints"


def test_the_same_text_elsewhere_and_earlier_makes_it_a_reprint(crawl):
    crawl.list(f"{HOST}edu/", urls(1, 2))
    crawl.keep("http://b.cn/first", "同一篇文章的正文", published_at=datetime(2026, 10, 1, tzinfo=UTC))
    crawl.keep(urls(1)[0], "同一篇文章的正文", published_at=datetime(2026, 11, 1, tzinfo=UTC))
    crawl.keep(urls(2)[0])
    (listed,) = crawl.found().values()
    assert [listed.kept[key].original for key in map(url_key, urls(1, 2))] == [False, True]


def test_a_group_of_reprints_has_one_original(crawl, conn):
    crawl.list(f"{HOST}edu/", urls(1, 2))
    for number, day in ((1, 5), (2, 3)):
        crawl.keep(urls(number)[0], published_at=datetime(2026, 11, day, tzinfo=UTC))
    for row in conn.execute(text("SELECT id FROM articles")).all():
        conn.execute(text("INSERT INTO reprints (article_id, group_id, is_first) VALUES (:id, 1, false)"), {"id": row.id})
    (listed,) = crawl.found().values()
    assert [listed.kept[key].original for key in map(url_key, urls(1, 2))] == [False, True]


def test_what_a_later_visit_shows_first_is_new(crawl):
    crawl.list(f"{HOST}edu/", urls(1, 2))
    crawl.list(f"{HOST}edu/", urls(1, 2, 3), now=NOW + 86_400)
    for url in urls(1, 2, 3):
        crawl.keep(url, published_at=None, now=NOW + 86_400)
    (listed,) = crawl.found().values()
    assert (listed.later, listed.first_visit_at, listed.a_day) == (1, NOW, 1.0)


def test_an_article_that_is_as_before_counts_if_it_is_stored(crawl):
    crawl.list(f"{HOST}edu/", urls(1, 2, 3))
    crawl.keep(urls(1)[0])
    for url in urls(2, 3):
        crawl.refuse(url)
    for url in urls(1, 2):
        crawl.page(url, replace(STORED, reason=Reason.UNCHANGED, status=304), now=NOW + 10)
    (listed,) = crawl.found().values()
    assert (listed.kept.keys(), listed.refused) == (keys(1), keys(2, 3))


def test_of_two_crawls_the_one_that_read_more_of_a_list_is_believed(crawl, conn):
    other = Crawl(conn, "explore:other")
    for explored in (crawl, other):
        explored.list(f"{HOST}edu/", urls(1, 2, 3))
    crawl.keep(urls(1)[0])
    other.keep(urls(2)[0])
    other.refuse(urls(3)[0])
    (listed,) = lists(conn, [SITE, "explore:other"], Thresholds(0.0, 1))
    assert (listed.kept.keys(), listed.refused) == (keys(2), keys(3))


@pytest.mark.parametrize(("name", "choosing"), [("breadth-first", False), ("webcrawler", False), ("focused", True), ("fish", True)])
def test_it_is_known_whether_a_crawl_reads_first_what_promises_most(conn, name, choosing):
    crawl = Crawl(conn, name=name)
    crawl.list(f"{HOST}edu/", urls(1))
    assert [listed.choosing for listed in crawl.found(0).values()] == [choosing]


def test_an_article_that_a_watched_list_showed_is_had(crawl, conn):
    crawl.list(f"{HOST}edu/", urls(1, 2, 3))
    crawl.keep(urls(1)[0])
    lease = lease_on(conn, f"{HOST}home", kind=PageType.LIST, site="站", channel="要闻")
    pages.save(conn, PageResult(lease, POLLED, links=links(urls(2))), NOW)
    assert watched_articles(conn, crawl.found().values()) == Had(keys(2), set())


def test_a_text_that_a_watched_list_showed_at_another_url_is_had_of_that_site(crawl, conn):
    phone, other = "http://m.a.cn/", "http://b.cn/"
    for host in (phone, other):
        crawl.list(f"{host}edu/", urls(1, 2, host=host))
        crawl.keep(urls(1, host=host)[0], "同一篇正文")
    save_article(conn, urls(1)[0], "同一篇正文")
    lease = lease_on(conn, f"{HOST}home", kind=PageType.LIST, site="站", channel="要闻")
    pages.save(conn, PageResult(lease, POLLED, links=links(urls(1))), NOW)
    had = watched_articles(conn, crawl.found().values())
    (text_of_both,) = {copy.text for listed in crawl.found().values() for copy in listed.kept.values()}
    assert had == Had(set(), {("a.cn", text_of_both)})


def test_crawls_are_found_by_their_name(crawl, conn):
    Crawl(conn, "query:高考")
    Crawl(conn, "explore:more")
    assert sorted(crawls_of(conn)) == ["explore:more", SITE]
    assert crawls_of(conn, "web") == crawls_of(conn, SITE) == [SITE]
    assert crawls_of(conn, "query:高考") == ["query:高考"]
    assert crawls_of(conn, "nothing") == []


def test_lists_are_found_by_an_index_and_links_by_their_keys(store, backend):
    if backend != "sqlite":
        pytest.skip("the plan of SQLite")
    from newsspider.features.explore import suggested_lists

    with store.connect() as conn:
        for statement in (suggested_lists._LISTS, suggested_lists._COUNTS):
            sql = statement._compiled_for(conn)[0]
            plan = [row[3] for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", ("explore:web",))]
            assert not [step for step in plan if step.startswith("SCAN")], plan
            assert any("ix_urls_explore_depth" in step for step in plan), plan
