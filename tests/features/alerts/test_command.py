"""``scrapy alerts`` as people use it."""

import json
import re

import pytest
from sqlalchemy import text

from newsspider.core.text.terminal_columns import column_count
from newsspider.features.alerts import deliveries
from newsspider.features.console import accounts
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import open_store, writing
from tests.support.commands import database, scrapy
from tests.support.receiver import Receiver
from tests.support.samples import NOW, save_article

__all__ = ["database", "scrapy"]


@pytest.fixture
def receiver():
    with Receiver() as there:
        yield there


def store(database: str, number: int, now: float = NOW) -> None:
    """An article comes in."""
    engine = open_store(database)
    with writing(engine) as conn:
        save_article(conn, f"http://d.cn/{number}", f"第{number}条关于奥数竞赛的新闻", now + number / 1000, title=f"奥数 {number}")
    engine.dispose()


def test_an_alert_from_its_preview_to_its_removal(scrapy, database, receiver):
    assert "0 stories in 7 days" in scrapy("alerts", "preview", "--query", "奥数").err
    added = scrapy("alerts", "add", "maths", "--query", "奥数", "--to", receiver.url, "--per", "reprints")
    assert added.code == 0
    secret = re.search(r"whsec_\S+", added.out)
    assert secret
    assert "奥数" in scrapy("alerts", "list").out
    (record,) = map(json.loads, scrapy("alerts", "list", "--json").out.splitlines())
    assert (record["name"], record["sent"], record["channels"]) == ("maths", 0, [receiver.url.replace("hook", "…")])
    tried = scrapy("alerts", "test", "maths")
    assert (tried.code, "took it" in tried.out, len(receiver.taken)) == (0, True, 1)
    store(database, 1)
    store(database, 2)
    ran = scrapy("alerts", "run", "--once")
    assert (ran.code, ran.out) == (0, f"2 sent: maths to {receiver.url.replace('hook', '…')}\n")
    assert scrapy("alerts", "run", "--once").out == "nothing was due\n"
    assert sorted(receiver.titles()[1:]) == ["奥数 1", "奥数 2"]
    sent = scrapy("alerts", "deliveries", "maths")
    assert sent.out.count("sent ") == 2
    shown = scrapy("alerts", "preview", "--query", "新闻 竞赛").out + sent.out
    assert [line for line in shown.splitlines() if column_count(line) > 80] == []
    listings = (("list",), ("list", "--json"), ("deliveries",), ("deliveries", "--json"))
    everything = "".join(scrapy("alerts", *words).out for words in listings)
    assert secret[0] not in everything
    assert "/hook" not in everything
    scrapy("alerts", "mute", "maths", "--for", "1d")
    store(database, 3, Clock().now())
    scrapy("alerts", "run", "--once")
    scrapy("alerts", "mute", "maths", "--off")
    scrapy("alerts", "run", "--once")
    assert len(receiver.taken) == 3
    assert scrapy("alerts", "remove", "maths").code == 0
    assert scrapy("alerts", "list").out == ""


def test_what_is_given_up_is_named_and_sent_again(scrapy, database, receiver):
    receiver.answer = lambda key: 410
    scrapy("alerts", "add", "maths", "--query", "奥数", "--to", receiver.url)
    assert scrapy("alerts", "test", "maths").code == 1
    scrapy("alerts", "remove", "maths")
    scrapy("alerts", "add", "maths", "--query", "奥数", "--to", receiver.url, "--per", "reprints")
    store(database, 1)
    channel = receiver.url.replace("hook", "…")
    failed = f"1 failed: maths to {channel}; scrapy alerts deliveries maths says why\n"
    ran = scrapy("alerts", "run", "--once")
    assert (ran.code, ran.out) == (1, failed)
    assert ran.err.strip().endswith("1 of 1 messages were not sent")
    assert "HTTP 410 Gone" in scrapy("alerts", "deliveries", "--state", "dead").out
    receiver.answer = lambda key: 200
    assert scrapy("alerts", "deliveries", "--resend", "").code == 2
    assert "0 messages are sent again" in scrapy("alerts", "deliveries", "--resend", "all", "--owner", "bob").err
    assert scrapy("alerts", "deliveries", "--owner", "bob").out == ""
    assert "1 messages are sent again" in scrapy("alerts", "deliveries", "--resend", "all").err
    scrapy("alerts", "run", "--once")
    engine = open_store(database)
    with engine.connect() as conn:
        assert [row.state for row in deliveries.listed(conn)] == ["sent"]
    engine.dispose()


def test_an_alert_of_another_release_is_listed_and_removed(scrapy, database):
    scrapy("alerts", "add", "maths", "--query", "奥数", "--to", "console")
    engine = open_store(database)
    with writing(engine) as conn:
        conn.execute(text("UPDATE alerts SET kind = 'trend'"))
    engine.dispose()
    listed = scrapy("alerts", "list")
    assert "maths: nothing: this release does not know its kind; remove it" in listed.out
    assert scrapy("alerts", "run", "--once").code == 0
    assert scrapy("alerts", "remove", "maths").code == 0
    assert scrapy("alerts", "list").out == ""


def test_an_alert_belongs_to_an_account_that_there_is(scrapy, database):
    words = ("alerts", "add", "maths", "--query", "奥数", "--to", "console", "--owner", "王芳")
    ran = scrapy(*words)
    assert (ran.code, "--owner '王芳': there is no such account; see scrapy accounts list" in ran.err) == (2, True)
    engine = open_store(database)
    with writing(engine) as conn:
        accounts.add(conn, "王芳", accounts.Role.READER, "x", NOW)
    engine.dispose()
    assert scrapy(*words).out.endswith("see scrapy alerts preview maths --owner '王芳'\n")
    named = scrapy("alerts", "add", "two words", *words[3:])
    assert "see scrapy alerts preview 'two words' --owner '王芳'" in named.out
    briefing = scrapy("alerts", "brief", "a day", "--to", "console")
    assert briefing.out.endswith("see scrapy alerts send 'a day'\n")


def test_a_phrase_that_is_nowhere_gets_its_words_as_a_hint(scrapy, database):
    engine = open_store(database)
    with writing(engine) as conn:
        save_article(conn, "http://d.cn/9", "延时服务在幼儿园里开始收费", NOW)
    engine.dispose()
    hint = scrapy("alerts", "preview", "--query", "幼儿园延时服务").err
    assert "as words" in hint
    assert "it finds 1 articles" in hint
