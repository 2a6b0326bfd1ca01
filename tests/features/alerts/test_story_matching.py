"""Which stories are noted for an alert, in the transaction that stores their articles."""

import json
import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from newsspider.core.duplicates.reprints import fingerprints_of
from newsspider.core.query.matching import indexed_text
from newsspider.core.query.parser import RuleError
from newsspider.core.query.query_language import FIELDS, parse_query
from newsspider.core.text.text_comparison import normalise_text
from newsspider.features.alerts import stored_alerts
from newsspider.features.alerts.story_matching import asks_for
from newsspider.search.hits import articles_with
from newsspider.store.articles import held_articles, rewrites
from newsspider.store.engine.statement import Statement
from newsspider.store.index.contents import of_article
from newsspider.store.pages import keep_unleased
from tests.support.receiver import alert
from tests.support.samples import NOW, article, save_article
from tests.support.texts import MARKS, WORDS, generated

TODAY = datetime(2026, 11, 25, 9, 0, tzinfo=UTC)
LONG = "全国高考改革方案今天公布，各地要认真执行，考生和家长可以在网上查询。"
LONG += "教育部有关负责人回答了记者的提问，介绍了方案的主要内容和时间安排。"


def noted(conn, of=None):
    rows = conn.execute(text("SELECT alert_id, story FROM alert_stories ORDER BY id")).all()
    return [json.loads(row.story)["url"][-1] for row in rows if of is None or row.alert_id == of.id]


def test_an_article_that_is_asked_for_is_noted_once(conn):
    about_exams, about_site = alert(conn), alert(conn, query="site:乙 -高考")
    save_article(conn, "http://a.cn/1", "今年高考时间公布")
    save_article(conn, "http://a.cn/2", "别的新闻", site="乙")
    save_article(conn, "http://a.cn/1", "今年高考时间公布", NOW + 10_000)  # it is visited again
    save_article(conn, "http://a.cn/3", "今年高考时间公布", NOW + 10_000)  # another page shows it
    assert noted(conn, about_exams) == ["1"]
    assert noted(conn, about_site) == ["2"]


def test_without_alerts_a_page_costs_one_extra_query(conn, monkeypatch):
    statements = []
    run = Statement.run
    monkeypatch.setattr(Statement, "run", lambda self, *values: (statements.append(self._sql), run(self, *values))[1])
    save_article(conn, "http://a.cn/1", "今年高考时间公布")
    assert sum("alerts" in sql for sql in statements) == 1
    assert not any("alert_stories" in sql for sql in statements)


def test_a_noted_story_names_the_words_that_matched(conn):
    alert(conn, query="(高考 OR 招生) site:a.cn -电影")
    body = "前面还有很多别的话。" * 5 + "今年高考时间公布，招生计划另行通知。" + "后面也有。" * 30
    save_article(conn, "http://a.cn/1", body, title="高考时间")
    why = json.loads(conn.execute(text("SELECT story FROM alert_stories")).scalar_one())["why"]
    assert (why["in_title"], why["in_text"], why["fields"]) == (["高考"], ["高考", "招生"], ["site:a.cn"])
    assert "高考时间公布" in why["piece"]
    assert why["piece"].startswith("…")
    assert why["piece"].endswith("…")


def test_reprints_are_one_story(conn):
    alert(conn, query="方案")
    for number in range(1, 4):
        body = LONG + "（来源：某网）" * number
        save_article(conn, f"http://a.cn/{number}", body, fingerprints=fingerprints_of(normalise_text(body)))
    assert conn.execute(text("SELECT count(DISTINCT group_id) FROM reprints")).scalar_one() == 1
    assert noted(conn) == ["1"]


def test_a_text_that_changes_is_noted_when_it_is_asked_for(conn):
    alert(conn)
    save_article(conn, "http://a.cn/1", "别的新闻")
    assert noted(conn) == []
    save_article(conn, "http://a.cn/1", "更正：这是今年高考的新闻", NOW + 10_000)
    save_article(conn, "http://a.cn/1", "再次更正：这是今年高考的新闻", NOW + 20_000)
    assert noted(conn) == ["1"]


def test_a_noindex_article_is_noted_once_a_page_without_noindex_has_it(conn):
    alert(conn)
    save_article(conn, "http://a.cn/1", "今年高考时间公布", noindex=True)
    assert noted(conn) == []
    save_article(conn, "http://a.cn/2", "今年高考时间公布")
    assert noted(conn) == ["1"]


def test_an_article_that_was_dropped_and_comes_again_is_not_told_again(conn):
    alert(conn)
    save_article(conn, "http://a.cn/1", "今年高考时间公布")
    conn.execute(text("DELETE FROM article_urls"))
    conn.execute(text("DELETE FROM articles"))
    assert noted(conn) == ["1"]
    save_article(conn, "http://a.cn/2", "今年高考时间公布")
    save_article(conn, "http://a.cn/3", "另一个高考新闻")  # on SQLite it may have the number of the first
    assert noted(conn) == ["1", "3"]


@pytest.mark.parametrize("way", ["its page shows the other's text", "its page is read again"])
def test_a_story_told_of_an_article_is_not_told_again_after_a_merge(conn, way):
    save_article(conn, "http://a.cn/1", "今年高考时间公布")
    alert(conn)
    other = save_article(conn, "http://a.cn/2", "今年高考时间已公布")
    record = article("http://a.cn/2", "今年高考时间公布")
    if way == "its page is read again":
        old_record = article("http://a.cn/2", "今年高考时间已公布")
        again = replace(record, snapshot=old_record.snapshot)
        assert rewrites.rewrite_article(conn, other.article_id, old_record.body_md5, again) is rewrites.Rewritten.MERGED
    else:
        assert save_article(conn, "http://a.cn/2", record.text, NOW + 10_000).duplicate_of == "http://a.cn/1"
    assert save_article(conn, "http://a.cn/1", record.text, NOW + 20_000, title="高考时间").changed == ("title",)
    assert noted(conn) == ["2"]


def test_articles_that_come_without_a_page_are_noted(conn):
    alert(conn)
    keep_unleased(conn, article("http://a.cn/1", "今年高考时间公布"), NOW)
    save_article(conn, "http://a.cn/2", "别的新闻")
    held_article = article("http://a.cn/2", "别的高考新闻")
    held_articles.hold(conn, 1, held_article, NOW, borderline=True)
    assert noted(conn) == ["1"]


def test_dates_of_a_query_count_from_now(conn):
    alert(conn, query="高考 since:3d")
    now = datetime.fromtimestamp(NOW, UTC)
    save_article(conn, "http://a.cn/1", "今年高考时间公布", published_at=now.replace(year=now.year - 1))
    save_article(conn, "http://a.cn/2", "今年的高考时间公布", published_at=now)
    assert noted(conn) == ["2"]


def test_whatever_a_page_says_can_be_noted(conn):
    alert(conn)
    hostile = '高考"\\x00\'<script>\x00\ufffe\u202e\n' + "高" * 300 + "\U0001f600考"
    save_article(conn, "http://a.cn/1", hostile, title=hostile, source=hostile, site=hostile)
    assert noted(conn) == ["1"]


def test_a_removed_alert_leaves_nothing(conn):
    removed_alert = alert(conn)
    save_article(conn, "http://a.cn/1", "今年高考时间公布")
    stored_alerts.remove(conn, removed_alert)
    assert noted(conn) == []


PIECES = [*WORDS, *MARKS, "(", ")", '"', " OR ", " AND ", " NOT ", " -", "*", " NEAR/3 ", " ONEAR/5 ", "GRE",
    *(f"{name}:" for name in FIELDS),
    "site:a.cn", "title:高考", "has:attachment", "kind:article", "subtopic:高考", "source:新华网", "voc*"]  # fmt: skip


def queries(seed, count):
    """So many queries that can be read, of words that stand in the texts."""
    chance = random.Random(seed)
    read = []
    while len(read) < count:
        query = chance.choice(["", " "]).join(chance.choice(PIECES) for _ in range(chance.randint(1, 9)))
        try:
            rule = parse_query(query, TODAY)
        except RuleError:
            continue
        read.append((query, replace(rule, since=None, until=None)))
    return read


def test_an_alert_asks_for_what_the_index_finds(conn):
    for number in range(40):
        body = generated(number, 150).replace("\0", "")
        save_article(
            conn, f"http://{'a' if number % 2 else 'b.edu'}.cn/{number}", body, title=generated(900 + number, 12).replace("\0", ""),
            attachments=("http://a.cn/1.pdf",) if number % 3 == 0 else (), authors=("张三",) if number % 5 else (),
        )  # fmt: skip
    numbers = [row.id for row in conn.execute(text("SELECT id FROM articles ORDER BY id"))]
    contents = {number: of_article(conn, number).content() for number in numbers}
    documents = {number: indexed_text(content.texts, content.values) for number, content in contents.items()}
    matching = 0
    for query, rule in queries(27, 400):
        by_index = set(articles_with(conn, rule.wanted, 0, 1000))
        in_memory = {number for number, entry in documents.items() if asks_for(rule, entry, contents[number].moment)}
        assert in_memory == by_index, query
        matching += bool(in_memory)
    assert matching > 100


@pytest.mark.parametrize("query", ["高考 改革", "title:高考", "高考 NEAR/4 公布"])
def test_the_queries_of_all_alerts_are_read_once_a_minute(conn, query):
    alert(conn, query=query)
    save_article(conn, "http://a.cn/1", "全国高考公布改革方案", title="高考改革")
    assert noted(conn) == ["1"]
