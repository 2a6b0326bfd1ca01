"""``scrapy reread``: stored articles read again from their snapshots."""

import hashlib
import json
import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime

import pytest
from sqlalchemy import make_url, text

from newsspider.core.extraction.lines.boilerplate_lines import FEWEST_ARTICLES, Boilerplate
from newsspider.core.model import ArticlePart
from newsspider.core.url import url_key
from newsspider.store.articles import articles_by_body, rewrites
from newsspider.store.articles.article_records import export_records
from newsspider.store.engine.database import open_store, reading
from newsspider.store.ledger import site_knowledge
from tests.support.commands import scrapy
from tests.support.indexes import index_of, rebuilt
from tests.support.killing import kill_when
from tests.support.process import completed
from tests.support.samples import NOW, article
from tests.support.servers import MIGRATED, new_file

__all__ = ["scrapy"]

LINES = (
    "第{n}号消息：教育部今天发布通知，要求各地做好今年的高考组织工作，确保考试平稳、安全、有序地进行。",
    "通知指出，各地要加强考点的管理和服务，为考生提供良好的考试环境，第{n}考区的老师和同学都收到了准考证。",
    "教育部有关负责人表示，今年将继续深化考试招生制度改革，促进教育公平，更多名额将给农村学生。",
)


def text_of(n: int, start: int = 0) -> str:
    return "\n".join(line.format(n=n) for line in LINES[start:])


def html(n: int, body: str, more: str = "") -> bytes:
    paragraphs = "".join(f"<p>{line}</p>" for line in body.split("\n"))
    return (
        f"<html><head><meta charset=utf-8><title>高考组织工作通知之{n}</title></head><body><h1>高考组织工作通知之{n}</h1>"
        f"<div>2026-11-01 16:30 来源：新华网</div><div class=content>{paragraphs}"
        f'<p><img src="/{n}.jpg" alt="考生走进考点准备考试" width=600 height=400></p></div><div>责任编辑：李明</div>{more}</body></html>'
    ).encode()


def stored(conn, n: int, url: str = "", **values) -> None:
    """An article as a poor reader left it: half of its text, no editor, no picture."""
    url = url or f"http://a.cn/2026/1101/c{n}.html"
    content = values.pop("content", html(n, text_of(n)))
    record = article(
        url, f"半篇{n}", title=f"旧题{n}", content=content, snapshot=hashlib.sha256(content).hexdigest(), keywords=("旧词",)
    )
    articles_by_body.keep(conn, url_key(url), replace(record, **values), NOW + n)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def database(request, tmp_path):
    """The URL of an empty store, which ``scrapy`` uses."""
    if request.param == "sqlite":
        yield new_file(tmp_path / "news.db")
        return
    server = request.getfixturevalue("migrated")
    yield server.create("reread", MIGRATED)
    server.drop("reread")


@pytest.fixture
def store(database):
    engine = open_store(database)
    yield engine
    engine.dispose()


def records(store):
    with reading(store) as conn:
        return list(export_records(conn))


def test_every_field_is_read_again_and_what_the_page_does_not_tell_stays(scrapy, store):
    with store.begin() as conn:
        stored(conn, 1)
    (old,) = records(store)
    ran = scrapy("reread")
    assert (ran.code, json.loads(ran.out)) == (0, {"articles": 1, "changed": 1})
    assert "1/1 100%" in ran.err
    (record,) = records(store)
    assert (record["title"], record["text"], record["editors"]) == ("高考组织工作通知之1", text_of(1), ["李明"])
    assert record["images"] == [{"url": "http://a.cn/1.jpg", "caption": "考生走进考点准备考试"}]
    assert (record["published_at"], record["source"]) == ("2026-11-01T16:30:00+08:00", "新华网")
    assert "高考" in record["keywords"]
    assert record["score"] != old["score"]
    assert (old["subtopics"], record["subtopics"]) == (["高考", "中小学"], ["高考"])
    assert record["body_md5"] != old["body_md5"]
    same = ("url", "site", "channel", "anchor", "media_class", "priority", "crawled_at", "snapshot", "topic", "noindex")
    assert [record[name] for name in same] == [old[name] for name in same]


def test_the_region_of_the_site_stays_and_the_places_are_found_again(scrapy, store):
    with store.begin() as conn:
        stored(conn, 1, content=html(1, "苏州市教育局今天发布通知。\n" + text_of(1)), region="江苏", places=("北京",))
    assert json.loads(scrapy("reread").out) == {"articles": 1, "changed": 1}
    (record,) = records(store)
    assert (record["region"], record["places"]) == ("江苏", ["苏州"])


def test_a_store_that_was_read_by_this_reader_does_not_change(scrapy, store):
    with store.begin() as conn:
        for n in range(3):
            stored(conn, n)
    scrapy("reread")
    old_records = records(store)
    ran = scrapy("reread")
    assert json.loads(ran.out) == {"articles": 3, "unchanged": 3}
    assert records(store) == old_records


def test_only_what_the_filters_let_through_is_read(scrapy, store):
    with store.begin() as conn:
        stored(conn, 1, site="甲")
        stored(conn, 2, site="乙")
    assert json.loads(scrapy("reread", "--site", "乙").out)["articles"] == 1
    assert [record["title"] for record in records(store)] == ["旧题1", "高考组织工作通知之2"]


def test_articles_of_one_sub_topic_can_be_read_again_alone(scrapy, store):
    with store.begin() as conn:
        stored(conn, 1, subtopics=("留学",))
        stored(conn, 2)
    assert json.loads(scrapy("reread", "--subtopic", "留学").out) == {"articles": 1, "changed": 1}
    assert [(record["title"], record["subtopics"]) for record in records(store)] == [
        ("高考组织工作通知之1", ["高考"]), ("旧题2", ["高考", "中小学"]),
    ]  # fmt: skip


def test_sub_topics_alone_make_a_changed_article(scrapy, store):
    with store.begin() as conn:
        stored(conn, 1)
    scrapy("reread")
    with store.begin() as conn:
        conn.execute(text("UPDATE subtopics SET name = '留学'"))
    assert json.loads(scrapy("reread").out) == {"articles": 1, "changed": 1}
    assert [record["subtopics"] for record in records(store)] == [["高考"]]


def test_an_article_of_a_topic_that_is_not_known_keeps_its_sub_topics(scrapy, store):
    with store.begin() as conn:
        stored(conn, 1, topic="farming", subtopics=("种业", "粮食"))
    assert json.loads(scrapy("reread").out) == {"articles": 1, "changed": 1}
    assert [(record["score"], record["subtopics"]) for record in records(store)] == [(0.8, ["种业", "粮食"])]
    assert json.loads(scrapy("reread").out) == {"articles": 1, "unchanged": 1}


def test_each_article_is_cut_into_words_by_the_dictionary_of_its_own_topic(scrapy, store):
    """As the crawl that stored it did, which knows no terms where it watches everything."""
    body = "\n".join(["县管校聘今天成为大家谈论最多的事情，各地对县管校聘的做法并不相同。", "家长们说，县管校聘关系到每个家庭。", LINES[2]])
    with store.begin() as conn:
        for n, topic in enumerate(("education", "any")):
            stored(conn, n, topic=topic, content=html(n, body.replace("今天", f"{n}日")))
    scrapy("reread")
    keywords = {record["topic"]: record["keywords"] for record in records(store)}
    assert ("县管校聘" in keywords["education"], "县管校聘" in keywords["any"]) == (True, False), keywords


def test_what_cannot_be_read_stays_as_it_is_and_is_counted(scrapy, store):
    with store.begin() as conn:
        stored(conn, 1, snapshot="")
        stored(conn, 2, content=b"<html><body><p>404 Not Found</p></body></html>")
        stored(conn, 3, content=b"<p " + b"a" * 20_000 + b">" + html(3, text_of(3)))
    old_records = records(store)
    assert json.loads(scrapy("reread").out) == {"articles": 3, "no_article": 1, "no_snapshot": 1, "unreadable": 1}
    assert records(store) == old_records


def test_what_is_known_to_stand_around_the_articles_of_a_site_is_left_out(scrapy, store):
    around = "关注我们的公众号，每天了解教育新闻，更多精彩内容等你来看。"
    with store.begin() as conn:
        stored(conn, 1, content=html(1, f"{text_of(1)}\n{around}"))
        stored(conn, 2, site="乙", content=html(2, f"{text_of(2)}\n{around}"))
        site_knowledge.note_boilerplate(conn, "站", [around], NOW)
    assert json.loads(scrapy("reread").out) == {"articles": 2, "changed": 2}
    assert [record["text"] for record in records(store)] == [text_of(1), f"{text_of(2)}\n{around}"]
    scrapy("reread", BOILERPLATE_LEARNED="False")
    assert [record["text"] for record in records(store)] == [f"{text_of(1)}\n{around}", f"{text_of(2)}\n{around}"]


@pytest.mark.parametrize("order", [range(8), range(7, -1, -1), (3, 0, 6, 1, 7, 5, 2, 4)])
def test_the_order_in_which_pages_came_makes_no_difference_once_they_are_read_again(scrapy, store, order):
    """A crawl leaves out a line only once it has learned it: the first articles keep it until then."""
    around, site = "关注我们的公众号，每天了解教育新闻，更多精彩内容等你来看。", Boilerplate()

    def own(n: int) -> str:
        return "\n".join(line.format(n=n) for line in LINES[:2])

    with store.begin() as conn:
        for n in order:
            whole = f"{own(n)}\n{around}"
            site_knowledge.note_boilerplate(conn, "站", site.learn(whole), NOW)
            stored(conn, n, text=site.without(whole), content=html(n, whole))
    assert sum(around in record["text"] for record in records(store)) == FEWEST_ARTICLES - 1
    assert json.loads(scrapy("reread").out) == {"articles": 8, "changed": 8}
    again = records(store)
    assert sorted(record["text"] for record in again) == [own(n) for n in range(8)]
    assert json.loads(scrapy("reread").out) == {"articles": 8, "unchanged": 8}
    assert records(store) == again


def test_articles_that_turn_out_to_be_one_become_one(scrapy, store):
    with store.begin() as conn:
        stored(conn, 1, content=html(7, text_of(7)))
        stored(conn, 2, url="http://b.cn/2", content=html(7, text_of(7), "<p>版权声明</p>"))
    assert json.loads(scrapy("reread").out) == {"articles": 2, "changed": 1, "merged": 1}
    (record,) = records(store)
    assert record["urls"] == ["http://a.cn/2026/1101/c1.html", "http://b.cn/2"]
    with store.connect() as conn:
        assert conn.execute(text("SELECT count(*) FROM snapshots")).scalar() == 1


def further(n: int, number: int) -> tuple[ArticlePart, bytes]:
    content = html(n, f"第{number}页的正文：各地教育部门随后作了部署，学校也向家长发出了致考生和家长的一封信。" * 2)
    return ArticlePart(f"http://a.cn/2026/1101/c{n}_{number}.html", hashlib.sha256(content).hexdigest()), content


def in_pages(conn, n: int, *, archived: bool = True) -> None:
    first = html(n, text_of(n), f"<a href='c{n}_2.html'>下一页</a>")
    stored(conn, n, content=first)
    part, content = further(n, 2)
    part = part if archived else replace(part, snapshot="")
    stored(conn, n, text="全文", body_md5=hashlib.md5(f"{n}".encode()).hexdigest(), content=content if archived else b"",
           snapshot=hashlib.sha256(first).hexdigest(), parts=(part,))  # fmt: skip


def test_an_article_in_pages_is_joined_again(scrapy, store):
    with store.begin() as conn:
        in_pages(conn, 4)
    assert json.loads(scrapy("reread").out) == {"articles": 1, "changed": 1}
    (record,) = records(store)
    assert record["text"].split("\n")[0] == LINES[0].format(n=4)
    assert record["text"].split("\n")[-1].startswith("第2页的正文")
    assert record["parts"] == ["http://a.cn/2026/1101/c4_2.html"]


def test_an_article_with_a_missing_page_keeps_its_text(scrapy, store):
    with store.begin() as conn:
        in_pages(conn, 4, archived=False)
        stored(conn, 5, text="两页的全文", content=html(5, text_of(5), "<a href='c5_2.html'>下一页</a>"))  # of an older version
    assert json.loads(scrapy("reread").out) == {"articles": 2, "changed": 2}
    assert [(record["text"], record["title"]) for record in records(store)] == [
        ("全文", "高考组织工作通知之4"), ("两页的全文", "高考组织工作通知之5"),
    ]  # fmt: skip


def test_a_limited_run_is_resumed_unless_it_is_restarted(scrapy, store):
    with store.begin() as conn:
        for n in range(5):
            stored(conn, n)
    assert json.loads(scrapy("reread", "--limit", "2").out) == {"articles": 2, "changed": 2}
    ran = scrapy("reread")
    assert json.loads(ran.out) == {"articles": 5, "changed": 5}
    assert "resuming after 2 articles" in ran.err
    scrapy("reread", "--limit", "2")
    assert json.loads(scrapy("reread", "--restart").out) == {"articles": 5, "unchanged": 5}


@pytest.mark.slow
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_run_that_is_killed_in_the_middle_reads_every_article_once(database, store):
    count = 600
    with store.begin() as conn:
        for n in range(count):
            stored(conn, n)
        conn.execute(text("CREATE TABLE written (id INTEGER)"))
        conn.execute(
            text("CREATE TRIGGER noting AFTER UPDATE OF text ON articles BEGIN INSERT INTO written VALUES (new.id); END")
        )
    file = str(make_url(database).database)
    kill_when(lambda: _done(file) >= 100, database, "reread")
    middle = _done(file)
    assert 0 < middle < count
    with store.begin() as conn:
        assert index_of(conn) == rebuilt(conn)
    environment = {**os.environ, "NEWSSPIDER_DATABASE_URL": database}
    again = completed(["reread"], environment, 240)
    assert again.returncode == 0
    assert f"resuming after {middle} articles" in again.stderr
    assert json.loads(again.stdout) == {"articles": count, "changed": count}
    with closing(sqlite3.connect(file)) as conn:
        assert conn.execute("SELECT count(*), count(DISTINCT id) FROM written").fetchone() == (count, count)
        assert conn.execute("SELECT count(*) FROM batch_jobs WHERE kind = 'reread' AND finished_at IS NOT NULL").fetchone() == (1,)
    assert all(record["text"] == text_of(n) for n, record in enumerate(records(store)))


def _done(file: str) -> int:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10)) as conn:
        row = conn.execute("SELECT figures FROM batch_jobs WHERE kind = 'reread'").fetchone()
    return sum(json.loads(row[0]).values()) if row else 0


def test_two_at_once_do_not_write_an_article_twice(scrapy, store):
    with store.begin() as conn:
        for n in range(3):
            stored(conn, n)
    scrapy("reread", "--limit", "1")
    with store.begin() as conn:
        from newsspider.store.articles.article_filters import NO_FILTERS
        from newsspider.store.articles.batch_jobs import OvertakenError, advance_pass, begin_reread

        first, second = begin_reread(conn, NO_FILTERS, NOW), begin_reread(conn, NO_FILTERS, NOW)
        advance_pass(conn, first, first.after_id + 1, first.figures)
        with pytest.raises(OvertakenError):
            advance_pass(conn, second, second.after_id + 1, second.figures)


def test_an_article_that_a_crawl_stored_again_meanwhile_is_left_to_it(store):
    with store.begin() as conn:
        stored(conn, 1)
        (row,) = conn.execute(text("SELECT id, body_md5 FROM articles"))
        stored(conn, 1, text="新的正文", body_md5="0" * 32)
        read = article("http://a.cn/2026/1101/c1.html", "旧页重读", crawled_at=datetime.now().astimezone())
        assert rewrites.rewrite_article(conn, row.id, row.body_md5, read) is rewrites.Rewritten.NEWER
    assert [record["text"] for record in records(store)] == ["新的正文"]


@pytest.mark.parametrize("words", [["all"], ["--limit", "none"], ["--since", "soon"]])
def test_wrong_use_is_one_sentence(scrapy, words):
    ran = scrapy("reread", *words)
    assert (ran.code, ran.out) == (2, "")


def test_two_short_notices_in_the_same_words_stay_two(scrapy, store):
    with store.begin() as conn:
        for n, whom in enumerate(("教师", "学生")):
            title, notice = f"{whom}获奖名单的公布", "现将评选出来的名单予以公布，请看附件。" * 2
            page = f"<title>{title}</title><h1>{title}</h1><div>2024-03-05</div><p>{notice}</p>"
            stored(conn, n, title=whom, content=page.encode())
    assert json.loads(scrapy("reread").out) == {"articles": 2, "changed": 2}
    first, second = records(store)
    assert (first["text"], first["title"]) == (second["text"], "教师获奖名单的公布")
