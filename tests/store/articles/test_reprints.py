"""Near reprints in the store: their groups, their first source, and what remains when one of them goes."""

from random import Random

import pytest
from sqlalchemy import text

from newsspider.core.crawling.visit import PageResult
from newsspider.core.duplicates.reprints import COMMON_TEXTS, fingerprints_of
from newsspider.core.query.query_language import Query
from newsspider.core.query.query_tree import Text
from newsspider.core.url import url_key
from newsspider.search.entry_rows import SearchScope
from newsspider.search.hits import narrow_query, search
from newsspider.store import pages
from newsspider.store.articles.article_records import export_records
from newsspider.store.articles.reprints import group_of_url
from newsspider.store.engine.batch import deferred_steps
from newsspider.store.overview import store_overview
from newsspider.store.url_history import forget_url
from tests.support.samples import NOW, STORED, article, lease_on
from tests.support.stories import STORY, day, save

OTHER = (
    "城南区的樱花昨日进入盛花期，公园管理处延长了开放时间，提醒游客乘坐公共交通工具前往，注意防火和安全，不要攀折花枝。"
    "今年的花期比往年早了将近一周，气象台解释说，入春以来气温偏高，雨水偏少，赏花的人应当抓紧这几天晴好的天气。"
)


def groups(conn):
    """The URLs of each group, that of the first source first."""
    rows = conn.execute(
        text("SELECT r.group_id, a.url FROM reprints r JOIN articles a ON a.id = r.article_id ORDER BY r.is_first DESC, a.id")
    )
    by_group = {}
    for group, url in rows:
        by_group.setdefault(group, []).append(url[7:])
    return sorted(by_group.values())


def test_an_edited_copy_is_stored_and_grouped_not_lost(conn):
    save(conn, "http://a.cn/1", STORY, site="甲", published_at=day(1))
    saved = save(conn, "http://b.cn/1", STORY[1:], site="乙", published_at=day(2))
    save(conn, "http://c.cn/1", OTHER, site="丙")
    assert saved.new_article
    assert groups(conn) == [["a.cn/1", "b.cn/1"]]
    first, copy, other = export_records(conn)
    assert (first["reprint_of"], first["reprints"]) == (None, 1)
    assert (copy["reprint_of"], copy["reprints"]) == ("http://a.cn/1", 1)
    assert (other["reprint_of"], other["reprints"]) == (None, 0)


def test_the_first_source_may_be_found_later(conn):
    save(conn, "http://b.cn/1", STORY[1:], site="乙", published_at=day(2), source="甲")
    save(conn, "http://a.cn/1", STORY, site="甲", published_at=day(1))
    assert groups(conn) == [["a.cn/1", "b.cn/1"]]


def test_copies_that_are_stored_in_one_transaction_come_together(conn):
    bodies = {"http://a.cn/1": "".join(STORY), "http://b.cn/1": "".join(STORY[1:]), "http://c.cn/1": "".join(OTHER)}
    records = [article(url, body, fingerprints=fingerprints_of(body, "标题")) for url, body in bodies.items()]
    read = [(PageResult(lease_on(conn, record.url), STORED, record), NOW) for record in records]
    with deferred_steps(conn):
        pages.save_all(conn, read)
    assert groups(conn) == [["a.cn/1", "b.cn/1"]]


def test_two_halves_come_together_with_the_whole(conn):
    save(conn, "http://a.cn/1", STORY[:3], site="甲", published_at=day(1))
    save(conn, "http://b.cn/1", STORY[2:], site="乙", published_at=day(2))
    assert groups(conn) == []
    save(conn, "http://c.cn/1", STORY, site="丙", published_at=day(3))
    assert groups(conn) == [["a.cn/1", "b.cn/1", "c.cn/1"]]


def test_the_chain_says_who_took_it_from_whom(conn):
    save(conn, "http://a.cn/1", STORY, site="甲日报", published_at=day(1))
    save(conn, "http://b.cn/1", STORY, NOW + 1, site="乙", published_at=day(2), source="甲日报")
    save(conn, "http://c.cn/1", STORY[1:], NOW + 2, site="丙", published_at=day(3), source="晨报")
    steps = [(step.copy.url, step.taken_from, step.outlet) for step in group_of_url(conn, "http://c.cn/1").steps]
    assert steps == [
        ("http://a.cn/1", None, None),
        ("http://b.cn/1", "http://a.cn/1", None),
        ("http://c.cn/1", None, "晨报"),
    ]


def test_another_page_of_the_same_text_may_be_the_first_source(conn):
    save(conn, "http://a.cn/1", STORY, site="甲", published_at=day(5))
    save(conn, "http://b.cn/1", STORY[1:], NOW + 1, site="乙", published_at=day(4))
    assert groups(conn) == [["b.cn/1", "a.cn/1"]]
    save(conn, "http://c.cn/1", STORY, NOW + 2, site="丙", published_at=day(3))
    assert groups(conn) == [["a.cn/1", "b.cn/1"]]
    assert forget_url(conn, url_key("http://c.cn/1"))
    assert groups(conn) == [["b.cn/1", "a.cn/1"]]


def test_a_search_shows_and_counts_one_article_a_group(conn):
    save(conn, "http://a.cn/1", STORY, site="甲", published_at=day(1))
    save(conn, "http://b.cn/1", STORY[1:], site="乙", published_at=day(2))
    save(conn, "http://c.cn/1", "报名现场的另一篇文章，" + OTHER, site="丙", published_at=day(3))
    query = Query(Text(("报名现场",)))
    result = search(conn, query)
    assert (result.total, [hit.record["url"][7:] for hit in result.hits]) == (2, ["c.cn/1", "a.cn/1"])
    every = search(conn, query, SearchScope(reprints=True))
    assert (every.total, len(every.hits)) == (3, 3)
    (hit,) = search(conn, narrow_query(query, site="乙")).hits
    assert (hit.record["url"], hit.first) == ("http://b.cn/1", ("甲", int(day(1).timestamp())))


def test_near_reprints_are_one_story_in_the_counts(conn):
    save(conn, "http://a.cn/1", STORY, site="甲")
    save(conn, "http://b.cn/1", STORY[1:], site="乙")
    save(conn, "http://c.cn/1", OTHER, site="丙")
    counts = store_overview(conn, NOW)
    assert (counts["articles"], counts["stories"]) == (3, 2)


def test_a_group_of_one_is_none(conn):
    save(conn, "http://a.cn/1", STORY, site="甲")
    save(conn, "http://b.cn/1", STORY[1:], site="乙")
    assert forget_url(conn, url_key("http://a.cn/1"))
    assert groups(conn) == []
    save(conn, "http://c.cn/1", STORY[:4], site="丙")
    assert groups(conn) == [["b.cn/1", "c.cn/1"]]


def test_an_article_that_was_rewritten_leaves_its_group_and_its_fingerprints(conn):
    save(conn, "http://a.cn/1", STORY, site="甲")
    save(conn, "http://b.cn/1", STORY[1:], site="乙")
    save(conn, "http://b.cn/1", OTHER, NOW + 60, site="乙")
    assert groups(conn) == []
    save(conn, "http://c.cn/1", OTHER + "，".join(STORY[:1]), NOW + 61, site="丙")
    assert groups(conn) == [["b.cn/1", "c.cn/1"]]


def test_a_group_does_not_meet_the_reprints_of_the_new_text_of_its_earliest_article(conn):
    save(conn, "http://a.cn/1", STORY, site="甲")
    save(conn, "http://b.cn/1", STORY[1:], site="乙")
    save(conn, "http://c.cn/1", STORY[:4], site="丙")
    save(conn, "http://a.cn/1", OTHER, NOW + 60, site="甲")
    assert groups(conn) == [["b.cn/1", "c.cn/1"]]
    save(conn, "http://d.cn/1", OTHER + "，".join(STORY[:1]), NOW + 61, site="丁")
    assert groups(conn) == [["a.cn/1", "d.cn/1"], ["b.cn/1", "c.cn/1"]]


def test_leftovers_of_a_deleted_article_are_removed_when_they_are_found(conn):
    save(conn, "http://a.cn/1", STORY)
    conn.execute(text("DELETE FROM articles"))
    orphans = conn.execute(text("SELECT count(*) FROM fingerprints")).scalar()
    saved = save(conn, "http://b.cn/1", STORY[:4])
    assert orphans
    assert set(conn.execute(text("SELECT article_id FROM fingerprints")).scalars()) >= {saved.article_id}
    assert groups(conn) == []


def test_a_form_does_not_fill_the_index(conn):
    form = "".join(STORY[:3])
    for number in range(COMMON_TEXTS + 8):
        letters = Random(number)
        own = "".join(chr(0x4E00 + letters.randrange(3000)) for _ in range(250))
        save(conn, f"http://f{number}.cn/1", f"{own}。{form}")
    worst = conn.execute(text("SELECT max(n) FROM (SELECT count(*) AS n FROM fingerprints GROUP BY value) AS f")).scalar()
    assert worst == COMMON_TEXTS


def test_many_reprints_of_one_story_stay_one_group_and_are_still_found(conn):
    for number in range(20):
        mark = f"{'子丑寅卯辰巳午未申酉'[number % 10] * 3}{'甲乙'[number // 10]}报道"
        save(conn, f"http://r{number}.cn/1", [*STORY, mark], site=f"站{number}")
    assert [len(group) for group in groups(conn)] == [20]
    worst = conn.execute(text("SELECT max(n) FROM (SELECT count(*) AS n FROM fingerprints GROUP BY value) AS f")).scalar()
    assert worst < 10


@pytest.mark.parametrize("body", ["图片新闻", "高考今日开考"])
def test_short_texts_are_reprints_only_if_they_are_the_same(conn, body):
    save(conn, "http://a.cn/1", body, site="甲")
    save(conn, "http://b.cn/1", f"{body}了", site="乙")
    assert groups(conn) == []
