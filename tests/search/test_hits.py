"""Finding stored articles by a query, on both databases."""

import random
from datetime import UTC, datetime

import pytest
from sqlalchemy import insert, text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import PageType
from newsspider.core.query.parser import RuleError
from newsspider.core.query.query_language import FIELDS, parse_query
from newsspider.core.url import url_key
from newsspider.search.entry_rows import PRESENT_TEXTS, SearchScope
from newsspider.search.facets import count_facets
from newsspider.search.hits import Sort, narrow_query, search
from newsspider.store import pages
from newsspider.store.articles.article_filters import Filters
from newsspider.store.articles.article_records import export_records
from newsspider.store.tables import reprints
from tests.support.samples import NOW, POLLED, lease_on, links, save_article
from tests.support.texts import MARKS, WORDS, generated

DAYS = {n: datetime(2026, 11, n, 8, 0, tzinfo=UTC) for n in range(1, 29)}
TODAY = datetime(2026, 11, 25, 9, 0, tzinfo=UTC)


@pytest.fixture
def articles(conn):
    save_article(conn, "http://a.cn/1", "全国高考改革方案公布", title="高考改革", published_at=DAYS[1], priority=1)
    save_article(conn, "http://a.cn/2", "各地公布高考时间", title="时间", published_at=DAYS[3], priority=9, site="乙", subtopics=("留学",))
    save_article(conn, "http://a.cn/3", "职业教育 100% Vocational_Schools", title="职教", published_at=DAYS[2], topic="other", subtopics=())
    save_article(conn, "http://a.cn/4", "没有日期的高考文章", title="无", published_at=None, crawled_at=DAYS[5], priority=9)


def asked(conn, query, scope=PRESENT_TEXTS, **options):
    return search(conn, parse_query(query, TODAY), scope, now=TODAY.timestamp(), **options)


def urls(result):
    return [hit.record["url"][-1] for hit in result.hits]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("高考", ["4", "2", "1"]),
        ("高考 公布", ["2", "1"]),
        ("高考　改革", ["1"]),
        ("改革 时间", []),
        ("vocational", ["3"]),
        ("VOCATIONAL_s", []),
        ("vocat* school*", ["3"]),
        ("100%", ["3"]),
        ("l考", []),
        ("公布 NEAR/0 高考", ["2"]),
        ("公布 NEAR/2 高考", ["2"]),
        ("公布 NEAR/4 高考", ["2", "1"]),
        ("高考 ONEAR/4 公布", ["1"]),
        ("高考 -公布", ["4"]),
        ("title:高考 OR site:乙", ["2", "1"]),
        ("高考 since:2026-11-03 until:2026-11-03", ["2"]),
        ("subtopic:留学", ["2"]),
        ("until:2026-11-02", ["3", "1"]),
    ],
)
def test_what_is_asked_for_is_found(conn, articles, query, expected):
    result = asked(conn, query)
    assert (urls(result), result.total, result.more) == (expected, len(expected), False)


def test_a_first_source_from_outside_the_bounds_of_time_is_not_shown(conn):
    first, second = (
        save_article(conn, f"http://{host}.cn/1", f"高考改革方案，{host}", title="高考", published_at=DAYS[day]).article_id
        for host, day in (("a", 5), ("b", 24))
    )
    for place, number in enumerate((first, second)):
        conn.execute(insert(reprints).values(article_id=number, group_id=first, is_first=place == 0))
    hits, later_hits = asked(conn, "高考").hits, asked(conn, "高考 since:2026-11-20").hits
    assert [(hit.record["id"], hit.copied_at) for hit in hits] == [(first, int(DAYS[24].timestamp()))]
    assert [(hit.record["id"], hit.copied_at) for hit in later_hits] == [(second, None)]


def test_the_order_is_the_one_that_is_asked_for(conn, articles):
    assert urls(asked(conn, "高考", sort=Sort.PRIORITY)) == ["4", "2", "1"]
    assert urls(asked(conn, "公布", sort=Sort.PRIORITY)) == ["2", "1"]
    assert urls(asked(conn, "公布", sort=Sort.TIME)) == ["2", "1"]
    assert urls(asked(conn, "高考", sort=Sort.RELEVANCE))[0] == "1"


def test_what_links_call_an_article_counts_for_its_relevance(conn, articles):
    assert urls(asked(conn, "公布", sort=Sort.RELEVANCE)) == ["2", "1"]
    of_first = "article_id = (SELECT id FROM articles WHERE url = 'http://a.cn/1')"
    conn.execute(text(f"UPDATE search_entries SET anchors = '方案今天公布\n公布了什么' WHERE {of_first}"))
    assert urls(asked(conn, "公布", sort=Sort.RELEVANCE)) == ["1", "2"]


def test_comments_are_found_only_if_asked_for(conn):
    save_article(conn, "http://a.cn/1", "午餐方案公布", comments=("食堂太贵", "支持\"改革\"\n下次再说"))
    save_article(conn, "http://a.cn/2", "食堂改革")
    assert urls(asked(conn, "食堂")) == urls(asked(conn, "食")) == urls(asked(conn, "-comment:太贵")) == ["2"]
    assert urls(asked(conn, "食堂 NEAR/2 太贵")) == []
    for query in ("comment:食堂", "comment:食", "午餐 comment:太贵", "comment:食堂 NEAR/2 comment:太贵", 'comment:"改革 下次"'):
        assert urls(asked(conn, query)) == ["1"], query
    assert asked(conn, "comment:太贵").hits[0].text == '食堂太贵\n支持"改革"\n下次再说'
    assert asked(conn, "午餐 comment:太贵").hits[0].text == "午餐方案公布"
    save_article(conn, "http://a.cn/1", "午餐方案又公布", comments=("食堂太贵", "太难吃"), now=NOW + 1e5)
    assert urls(asked(conn, "comment:太难吃")) == ["1"]


def test_the_best_linked_page_of_an_article_comes_first_if_asked(conn, articles):
    for host, targets in (("b", "12"), ("c", "12"), ("d", "2")):
        lease = lease_on(conn, f"http://{host}.cn/", kind=PageType.LIST, site="丙", channel="要闻")
        pages.save(conn, PageResult(lease, POLLED, links=links(f"http://a.cn/{name}" for name in targets)), NOW)
    assert urls(asked(conn, "高考", sort=Sort.RANK)) == ["2", "1", "4"]


def test_a_limit_cuts_the_hits_not_the_total(conn, articles):
    result = asked(conn, "高考", limit=1)
    assert (urls(result), result.total) == (["4"], 3)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), "1234"),
        (Filters(since=DAYS[2]), "234"),
        (Filters(until=DAYS[2]), "1"),
        (Filters(site="乙"), "2"),
        (Filters(topic="other"), "3"),
        (Filters(since=DAYS[2], topic="education"), "24"),
        (Filters(subtopic="高考"), "14"),
        (Filters(subtopic="考研"), ""),
    ],
)
def test_fields_of_a_query_are_the_filters_of_the_export(conn, articles, filters, expected):
    assert "".join(record["url"][-1] for record in export_records(conn, filters)) == expected
    bounds = "".join(f" {name}:{value.isoformat()}" for name in ("since", "until") if (value := getattr(filters, name)))
    query = parse_query(bounds.replace("until:2026-11-02T08:00:00", "until:2026-11-02T07:59:00"), TODAY)
    query = narrow_query(query, site=filters.site, topic=filters.topic, subtopic=filters.subtopic)
    assert sorted(urls(search(conn, query))) == list(expected)


def test_an_export_is_as_long_as_asked_whatever_is_read_at_once(conn, monkeypatch):
    for number in range(7):
        save_article(conn, f"http://a.cn/{number}", f"第{number}篇", keywords=(f"词{number}",))
    monkeypatch.setattr("newsspider.store.articles.article_records.ARTICLES_AT_ONCE", 3)
    records = list(export_records(conn))
    assert [record["text"] for record in records] == [f"第{number}篇" for number in range(7)]
    assert [record["keywords"] for record in records] == [[f"词{number}"] for number in range(7)]
    assert [len(list(export_records(conn, limit=limit))) for limit in (1, 3, 5, 99)] == [1, 3, 5, 7]


def test_old_versions_and_vanished_articles_are_found_on_request(conn, articles):
    save_article(conn, "http://a.cn/4", "没有日期的文章，改过了", title="无", published_at=None, crawled_at=DAYS[5], now=NOW + 1e5)
    assert urls(asked(conn, "没有日期的高考")) == []
    (hit,) = asked(conn, "没有日期的高考", SearchScope(revisions=True)).hits
    assert (hit.record["url"][-1], hit.revised_at, hit.text) == ("4", NOW + 1e5, "没有日期的高考文章")
    conn.execute(
        text("INSERT INTO missing_articles (key, absence, misses, return_count, vanished_at) VALUES (:key, 'gone', 3, 0, 1)"),
        {"key": url_key("http://a.cn/2")},
    )
    assert urls(asked(conn, "时间")) == []
    assert urls(asked(conn, "时间", SearchScope(vanished=True))) == ["2"]


def test_facets_count_the_hits(conn, articles):
    counted, newest = count_facets(conn, parse_query("高考", TODAY))
    assert newest is None
    assert counted["site"] == [("站", 2), ("乙", 1)]
    assert counted["media"] == [("trade", 3)]
    assert counted["subtopic"] == [("中小学", 2), ("高考", 2), ("留学", 1)]
    assert counted["day"] == [("2026-11-01", 1), ("2026-11-03", 1), ("2026-11-05", 1)]
    assert count_facets(conn, parse_query("高考", TODAY), SearchScope(vanished=True)).counts == counted  # not added up in the database


def test_an_article_counts_once_however_many_of_its_versions_are_found(conn, articles, monkeypatch):
    save_article(conn, "http://a.cn/4", "没有日期的高考文章，改过了", title="无", published_at=None, crawled_at=DAYS[5], now=NOW + 1e5)
    monkeypatch.setattr("newsspider.store.engine.statement.LONGEST_LIST", 1)  # as if thousands were found
    both = asked(conn, "没有日期的高考", SearchScope(revisions=True))
    assert both.total == 2
    assert count_facets(conn, parse_query("没有日期的高考", TODAY), SearchScope(revisions=True)).counts["site"] == [("站", 1)]


@pytest.mark.parametrize("query", ["高考", "高考 NEAR/9 时间"])
def test_facets_say_of_how_many_hits_they_are_where_not_of_all(conn, monkeypatch, query):
    for number in range(5):
        save_article(conn, f"http://a.cn/{number}", f"高考第{number}次公布时间", title=f"第{number}篇", published_at=DAYS[number + 1])
    assert count_facets(conn, parse_query(query, TODAY)).newest is None
    monkeypatch.setattr("newsspider.search.facets.MOST_FACETED", 3)
    monkeypatch.setattr("newsspider.search.facets.MOST_NEAR", 3)
    counted, newest = count_facets(conn, parse_query(query, TODAY))
    assert (newest, sum(count for _, count in counted["site"])) == (3, 3)
    monkeypatch.setattr("newsspider.search.facets.MOST_FACETED", 5)
    monkeypatch.setattr("newsspider.search.facets.MOST_NEAR", 5)
    assert count_facets(conn, parse_query(query, TODAY)).newest is None


@pytest.mark.parametrize("moment", ["2026-11-01T00:00:00+08:00", "2026-11-01T23:59:59+08:00", "1969-12-31T00:00:01+08:00"])
def test_a_day_of_the_facets_is_one_in_china(conn, moment):
    save_article(conn, "http://a.cn/1", "高考", published_at=datetime.fromisoformat(moment))
    assert count_facets(conn, parse_query("高考", TODAY)).counts["day"] == [(moment[:10], 1)]


def test_the_region_of_the_site_and_the_places_of_an_article_are_searched_and_counted(conn):
    save_article(conn, "http://a.cn/1", "高考报名开始一", region="苏州", places=("杭州",), published_at=DAYS[1])
    save_article(conn, "http://a.cn/2", "高考报名开始二", region="江苏", published_at=DAYS[2])
    save_article(conn, "http://a.cn/3", "高考报名开始三", region="全国", places=("南京", "浙江"), published_at=DAYS[3])
    found = {query: urls(asked(conn, query)) for query in ("region:江苏", "region:苏州市", "about:浙江省", "about:320100 -about:苏州")}
    assert list(found.values()) == [["2", "1"], ["1"], ["3", "1"], ["3"]]
    counted, _ = count_facets(conn, parse_query("高考", TODAY))
    assert counted["region"] == [("江苏", 2), ("全国", 1)]
    assert sorted(counted["about"]) == [("南京", 1), ("杭州", 1), ("江苏", 1), ("浙江", 2)]
    for place, count in counted["about"]:
        assert len(urls(asked(conn, f"about:{place}"))) == count
    with pytest.raises(RuleError, match="no single province or city"):
        parse_query("about:月球", TODAY)


def test_a_hit_has_the_figure_that_it_is_ordered_by(conn, articles):
    for sort in (Sort.RELEVANCE, Sort.PRIORITY, Sort.RANK):
        figures = [hit.figure for hit in asked(conn, "高考", sort=sort).hits]
        assert figures == sorted(figures, reverse=True)
    hits = asked(conn, "高考", sort=Sort.PRIORITY).hits
    assert [hit.figure for hit in hits] == [hit.record["priority"] for hit in hits]


def test_more_hits_than_are_read_are_counted_by_the_index(conn, monkeypatch):
    pages = [save_article(conn, f"http://a.cn/{number}", f"高考第{number}篇文章", title=f"第{number}篇") for number in range(12)]
    assert (asked(conn, "高考", limit=5).total, asked(conn, "高考", limit=5).more) == (12, False)
    hidden = "UPDATE article_urls SET noindex = TRUE WHERE article_id = :id"  # facets and attention leave it out, too
    conn.execute(text(hidden), {"id": pages[7].article_id})
    assert (asked(conn, "高考", limit=5).total, asked(conn, "高考", limit=20).total) == (11, 11)
    monkeypatch.setattr("newsspider.search.hits.MOST_COUNTED", 10)
    assert (asked(conn, "高考", limit=1).total, asked(conn, "高考", limit=1).more) == (9, True)


PIECES = [
    *WORDS, *MARKS, *(f"{name}:" for name in FIELDS), "AND", "OR", "NOT", "-", "(", ")", "（", '"', "“", "NEAR/3", "ONEAR/2",
    "NEAR/", "*", "3d", "today", "2026-11-01", "attachment", "%", "'", "\\", ";", "考", "😀", "\ud800", "㐀", "𠀀", "ab*",
]  # fmt: skip


def test_every_query_is_refused_or_answered(conn):
    for number in range(20):
        save_article(conn, f"http://a.cn/{number}", generated(number, 100).replace("\0", ""), title=f"第{number}篇")
    source, answered = random.Random(2_000), 0
    for _ in range(1_000):  # on each database
        query = source.choice(["", " "]).join(source.choice(PIECES) for _ in range(source.randint(1, 12)))
        try:
            parsed_query = parse_query(query, TODAY)
        except RuleError:
            continue
        scope = SearchScope(source.random() < 0.2, source.random() < 0.2, source.random() < 0.2)
        search(conn, parsed_query, scope, sort=source.choice(list(Sort)), now=TODAY.timestamp())
        answered += 1
    assert answered > 100
