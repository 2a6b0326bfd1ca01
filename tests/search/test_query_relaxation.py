"""A run of Chinese that is hardly found as it stands is looked for by its words, then by most of them."""

from datetime import UTC, datetime

import pytest

from newsspider.core.query.parser import RuleError
from newsspider.search.entry_rows import PRESENT_TEXTS
from newsspider.search.hits import Sort
from newsspider.search.query_relaxation import looked_up
from newsspider.store.articles.article_filters import Filters
from tests.support.samples import save_article

NOW = datetime(2026, 11, 25, 9, 0, tzinfo=UTC)
QUESTION = "中考体育成绩怎么计算？"


@pytest.fixture
def articles(conn):
    save_article(conn, "http://a.cn/1", "中考总分里，体育成绩怎样计算，方案有规定", title="方案")
    save_article(conn, "http://a.cn/2", "体育成绩计入中考，计算办法公布", title="办法")
    save_article(conn, "http://a.cn/3", "全市中考体育开始，成绩当场公布", title="开考")
    save_article(conn, "http://a.cn/4", "他会计算，也爱体育", title="人物", site="乙")
    save_article(conn, "http://a.cn/5", "体育馆开放", title="开放")
    return conn


def asked(conn, query, sort=Sort.TIME, **options):
    result = looked_up(conn, query, PRESENT_TEXTS, limit=20, sort=sort, now=NOW, **options)
    return [hit.record["url"][-1] for hit in result.found.hits], result.searched_as


def test_articles_with_most_words_of_a_question_are_found_the_best_first(articles):
    urls, searched_as = asked(articles, QUESTION)
    assert searched_as == "3 of 中考 体育 成绩 计算, the best first"
    assert sorted(urls) == ["1", "2", "3"]


def test_words_that_stand_together_as_in_the_question_weigh_more(conn):
    save_article(conn, "http://a.cn/1", "补贴发给教师，农村的先发", title="甲")
    save_article(conn, "http://a.cn/2", "农村教师补贴，从今年起发", title="乙")
    save_article(conn, "http://a.cn/3", "教师发补贴，先从农村的发", title="丙")
    assert asked(conn, "农村教师补贴怎么发放", Sort.RELEVANCE)[0][0] == "2"


@pytest.mark.parametrize(("prefix", "suffix"), [("", "？！"), ("", "……"), ("……", ""), ("", "……？ since:2020-01-01")])
def test_marks_and_bounds_beside_a_question_are_no_words_of_it(articles, prefix, suffix):
    question = QUESTION.rstrip("？")
    result, marked = (
        looked_up(articles, query, PRESENT_TEXTS, limit=20, sort=Sort.RELEVANCE, now=NOW)
        for query in (question, f"{prefix}{question}{suffix}")
    )
    assert marked.query.neighbours == result.query.neighbours != ()
    assert marked.searched_as == result.searched_as


def test_enough_articles_with_fewer_changes_are_shown_as_they_were_asked_for(articles):
    assert asked(articles, "体育")[1] == ""
    assert asked(articles, "体育成绩")[1] == "体育 AND 成绩"
    assert asked(articles, QUESTION, questions=False) == (["2", "1"], "中考 AND 体育 AND 成绩 AND 计算")


@pytest.mark.parametrize("limit", [1, 2, 20])
def test_the_limit_does_not_change_what_is_searched(conn, limit):
    for number in range(7):
        words = "高考改革" if number < 2 else "高考的改革"
        save_article(conn, f"http://a.cn/{number}", f"{words}，第{number}篇", title=str(number))
    result = looked_up(conn, "高考改革", PRESENT_TEXTS, limit=limit, sort=Sort.TIME, now=NOW)
    assert result.searched_as == "高考 AND 改革"
    assert len(result.found.hits) == min(limit, 7)


@pytest.mark.parametrize(
    "query", ['"中考体育成绩怎么计算"', "中考 体育成绩 计算题", "中考 AND 体育 AND 成绩 AND 作文", "title:中考体育成绩怎么计算"]
)
def test_explicit_operators_are_not_rewritten(articles, query):
    assert " of " not in asked(articles, query)[1]


def test_filters_and_bounds_hold_for_a_question_too(articles):
    assert asked(articles, QUESTION, filters=Filters(site="乙"))[0] == ["4"]
    assert asked(articles, QUESTION, filters=Filters(since=NOW))[0] == []


def test_a_long_question_is_answered(articles):
    question = "中考体育成绩计算办法方案总分规定全市公布开始当场" * 8
    assert sorted(asked(articles, question)[0])[:2] == ["1", "2"]


def test_a_query_that_cannot_be_read_is_refused(articles):
    with pytest.raises(RuleError):
        asked(articles, "中考 AND")
