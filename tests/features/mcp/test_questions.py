"""Thirty questions of an editor, answered by the tools alone: each figure is what SQL counts in the store."""

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Any, NamedTuple

import pytest
from scrapy.utils.project import get_project_settings
from sqlalchemy import Engine, text

from newsspider.features.events.detection_run import analyse_new
from newsspider.store.engine.database import reading, writing
from newsspider.store.sites import sync_shipped
from tests.features.console.conftest import TODAY, backend
from tests.features.mcp.assistants import asked, local
from tests.support.samples import save_article

__all__ = ["backend"]
SITES = {"甲报": "central", "乙教育局": "official", "丙在线": "portal", "丁日报": "local"}
MATTERS = {
    "高考": "今年高考改革方案公布，考生可以多填两个志愿，录取规则另行通知。",
    "食堂": "学校食堂每周公布菜单和进货单，家长委员会随时可以来看。",
    "校车": "校车路线重新划定，早晨第一班提前一刻钟，司机全部换过证。",
    "教师招聘": "教师招聘笔试成绩公布，面试安排在下周，递补名单同时公布。",
}  # fmt: skip
PLACES = (("江苏", "苏州"), ("浙江", "杭州"), ())
DAY = "date(published_ts + 28800, 'unixepoch')"  # in China
SAYS = "(title || text) LIKE '%{}%'"


class Question(NamedTuple):
    """What an editor asks; the tool that is asked, with its arguments; where its answer has it; and the same in SQL."""

    words: str
    tool: str
    given: dict[str, Any]
    answer: Callable[[Any], Any]
    sql: str


def ids(answer: Any) -> list[int]:
    return [hit["id"] for hit in answer["hits"]]


def total(answer: Any) -> int:
    return int(answer["total"])


def per_day(answer: Any) -> dict[str, int]:
    return {day: count for day, count in zip(answer["periods"], answer["series"][0]["articles"], strict=True) if count}


def found(where: str, **given: Any) -> dict[str, Any]:
    return {"query": where, "reprints": True, **given}


def counted(condition: str) -> str:
    return f"SELECT count(*) FROM articles WHERE {condition}"


def grouped(column: str, condition: str = "1") -> str:
    return f"SELECT {column}, count(*) FROM articles WHERE {condition} GROUP BY 1"


def listed(condition: str, limit: int = 50) -> str:
    return f"SELECT id FROM articles WHERE {condition} ORDER BY published_ts DESC, id DESC LIMIT {limit}"


GAOKAO = SAYS.format("高考")
QUESTIONS = [
    Question("库里有多少篇？", "status", {}, lambda a: a["articles"], counted("1")),
    Question("转载只算一次有多少？", "status", {}, lambda a: a["stories"],
             counted("id NOT IN (SELECT article_id FROM reprints WHERE NOT is_first)")),
    Question("各站各有多少？", "status", {}, lambda a: a["articles_by_site"], grouped("site")),
    Question("各子题各有多少？", "status", {}, lambda a: a["articles_by_subtopic"],
             "SELECT name, count(*) FROM subtopics GROUP BY 1"),
    Question("认识多少网址？", "status", {}, lambda a: a["urls"], "SELECT count(*) FROM urls"),
    Question("处理完的网址有多少？", "status", {}, lambda a: a["states"]["done"], "SELECT count(*) FROM urls WHERE state = 'done'"),
    Question("说到高考的有几篇？", "search", found("高考"), total, counted(GAOKAO)),
    Question("最新的五篇高考报道？", "search", found("高考", limit=5), ids, listed(GAOKAO, 5)),
    Question("甲报关于食堂的？", "search", found("食堂 site:甲报"), total, counted(f"{SAYS.format('食堂')} AND site = '甲报'")),
    Question("高考或校车？", "search", found("高考 OR 校车"), total, counted(f"{GAOKAO} OR {SAYS.format('校车')}")),
    Question("说公布而不说高考的？", "search", found("公布 -高考"), total, counted(f"{SAYS.format('公布')} AND NOT {GAOKAO}")),
    Question("标题里有第七条的？", "search", found("title:第7条"), ids, listed("title LIKE '%第7条%'")),
    Question("两个词都有的？", "search", found("校车 司机"), total, counted(f"{SAYS.format('校车')} AND {SAYS.format('司机')}")),
    Question("李四写的？", "search", found("author:李四"), total, counted("authors LIKE '%李四%'")),
    Question("说苏州的？", "search", found("about:苏州"), total, counted("places LIKE '%苏州%'")),
    Question("官方发布的？", "search", found("media:official"), total, counted("media_class = 'official'")),
    Question("二十日以来的？", "search", found("since:2026-11-20"), total, counted(f"{DAY} >= '2026-11-20'")),
    Question("二十日那一天的高考报道？", "search", found("高考 since:2026-11-20 until:2026-11-20"), total,
             counted(f"{GAOKAO} AND {DAY} = '2026-11-20'")),
    Question("今天多少篇？", "news", {}, total, counted(f"{DAY} = '2026-11-25'")),
    Question("前天是哪几篇？", "news", {"day": "2026-11-23", "limit": 50}, lambda a: sorted(ids(a)),
             f"SELECT id FROM articles WHERE {DAY} = '2026-11-23' ORDER BY id"),
    Question("高考报道各站多少？", "counts", {"query": "高考"}, lambda a: a["site"], grouped("site", GAOKAO)),
    Question("高考报道各类媒体多少？", "counts", {"query": "高考"}, lambda a: a["media"], grouped("media_class", GAOKAO)),
    Question("食堂报道哪天多少？", "counts", {"query": "食堂"}, lambda a: a["day"], grouped(DAY, SAYS.format("食堂"))),
    Question("高考的关注度，按天？", "attention", {"queries": ["高考"], "since": "2026-11-10"}, per_day, grouped(DAY, GAOKAO)),
    Question("同期全部报道，按天？", "attention", {"queries": ["高考"], "since": "2026-11-10"},
             lambda a: {day: count for day, count in zip(a["periods"], a["all"], strict=True) if count}, grouped(DAY)),
    Question("食堂报道按站点分？", "attention", {"queries": ["食堂"], "since": "2026-11-10", "split": "site"},
             lambda a: {s["value"]: sum(s["articles"]) for s in a["series"]}, grouped("site", SAYS.format("食堂"))),
    Question("第五篇是谁写的、何时发的？", "article", {"number": 5},
             lambda a: {a["author"][0]: datetime.fromisoformat(a["published_at"]).timestamp()},
             "SELECT json_extract(authors, '$[0]'), published_ts FROM articles WHERE id = 5"),
    Question("第五篇的全文？", "article", {"number": 5}, lambda a: a["text"], "SELECT text FROM articles WHERE id = 5"),
    Question("这一小时的大事有几篇在说？", "events", {"hours": 1}, lambda a: a["events"][0]["articles"],
             "SELECT count(*) FROM event_articles a JOIN event_articles b USING (event_id) WHERE a.article_id = 61"),
    Question("哪些文章说它？", "event", {"number": 61}, lambda a: sorted({node["article"] for node in a["nodes"]}),
             "SELECT b.article_id FROM event_articles a JOIN event_articles b USING (event_id) WHERE a.article_id = 61 ORDER BY 1"),
    Question("关注了多少站点？", "sources", {}, lambda a: len(a["sites"]), "SELECT count(*) FROM sites"),
    Question("为什么没有这一页？", "explain", {"url": "http://s9.cn/copy"}, lambda a: {k["state"]: k["reason"] for k in a["known"]},
             "SELECT state, reason FROM urls WHERE url = 'http://s9.cn/copy'"),
]  # fmt: skip


@pytest.fixture
def month(store: Engine) -> Engine:
    """Sixty articles of ten days, drawn from a seed, and this morning's event, which one page copies and one reprints."""
    chance = Random(20261125)
    fire = "河东县育才小学食堂发生火灾，消防员到场扑救，无人受伤。县教育局正在调查起火原因。学生已经转移，课程照常进行，家长可以放心。"
    with writing(store) as conn:
        sync_shipped(conn, TODAY.timestamp())
        for number in range(1, 61):
            at = TODAY - timedelta(minutes=chance.randrange(45, 60 * 24 * 10))
            site, matter = chance.choice(list(SITES)), chance.choice(list(MATTERS))
            body = f"{MATTERS[matter]}这是本月第{number}条。" + ("另据介绍，校车司机也已到位。" if chance.random() < 0.3 else "")
            save_article(
                conn, f"http://s{number % 9}.cn/{number}", body, title=f"{matter}第{number}条", site=site, media_class=SITES[site],
                authors=(chance.choice(["张三", "李四"]),), places=chance.choice(PLACES), published_at=at, crawled_at=at,
                subtopics=(matter,),
            )  # fmt: skip
        for number, more in enumerate(["", "县长也到了现场，要求各校查找隐患。", ""]):
            at = TODAY - timedelta(minutes=40 - number)
            url = "http://s9.cn/copy" if number == 2 else f"http://s9.cn/{number}"
            save_article(conn, url, fire + more, title="育才小学食堂火灾", site=f"站{number}", published_at=at, crawled_at=at)
    for _ in analyse_new(store):
        pass
    return store


def test_thirty_questions_are_answered_with_the_figures_of_the_store(month: Engine) -> None:
    assert len(QUESTIONS) >= 30
    calls = list(dict.fromkeys((question.tool, str(question.given)) for question in QUESTIONS))
    given = {(question.tool, str(question.given)): question.given for question in QUESTIONS}
    assistant = local(month, get_project_settings())
    answers = dict(zip(calls, asked(assistant, *((tool, given[tool, key]) for tool, key in calls)), strict=True))
    wrong, empty = {}, []
    with reading(month) as conn:
        for question in QUESTIONS:
            rows = [tuple(row) for row in conn.execute(text(question.sql))]
            answer = answers[question.tool, str(question.given)]
            assert not isinstance(answer, str), (question.words, answer)
            said = question.answer(answer)
            true: Any = dict(rows) if isinstance(said, dict) else [row[0] for row in rows] if isinstance(said, list) else rows[0][0]
            if said != true:
                wrong[question.words] = (said, true)
            if not true:
                empty.append(question.words)
    assert wrong == {}
    assert empty == []  # a question that finds nothing asks nothing
