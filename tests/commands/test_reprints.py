import json

import pytest
from sqlalchemy import text

from newsspider.core.fingerprint import body_md5, normalised
from newsspider.core.reprints import Method
from newsspider.store.database import open_store
from tests.commands.reading import FIRST, WAITING, database, scrapy
from tests.store.samples import NOW, save_article
from tests.store.test_reprints import STORY, day

__all__ = ["database", "scrapy"]

ORIGINAL, COPY = "http://c.cn/1", "http://d.cn/1"


@pytest.fixture
def copied(database):
    engine = open_store(database)
    with engine.begin() as conn:
        for url, site, paragraphs, source, at in ((ORIGINAL, "甲报", STORY, None, 1), (COPY, "乙网", STORY[1:], "甲报", 2)):
            body = "\n".join(paragraphs)
            values = {"body_md5": body_md5(body), "fingerprints": Method().of(normalised(body)), "published_at": day(at)}
            save_article(conn, url, body, NOW, title="阳光招生", site=site, source=source, **values)
    engine.dispose()
    return database


def test_a_group_is_told_in_the_order_in_which_it_was_taken(copied, scrapy):
    ran = scrapy("reprints")
    assert (ran.code, ran.err) == (0, "")
    title, first, second, *_ = ran.out.splitlines()
    assert title == "阳光招生"
    assert first == f"  2026-11-01 16:00  甲报  {ORIGINAL}"
    assert second.startswith(f"  2026-11-02 16:00  乙网  {COPY}, from {ORIGINAL}, ")


def test_json_has_the_same_with_all_figures(copied, scrapy):
    told = json.loads(scrapy("reprints", COPY, "--json").out)
    assert [(step["url"], step["taken_from"]) for step in told["chain"]] == [(ORIGINAL, None), (COPY, ORIGINAL)]
    assert told["chain"][1]["containment"] > 0.9
    assert told["chain"][1]["resemblance"] < 0.9


def test_an_article_alone_is_a_chain_of_one_and_no_article_is_none(copied, scrapy):
    assert len(json.loads(scrapy("reprints", FIRST, "--json").out)["chain"]) == 1
    ran = scrapy("reprints", WAITING)
    assert (ran.code, ran.out, ran.err) == (1, "", f"no article is stored of {WAITING}\n")


def test_anew_finds_the_same_groups(copied, scrapy):
    engine = open_store(copied)
    with engine.begin() as conn:
        before = conn.execute(text("SELECT article_id, group_id, is_first FROM reprints ORDER BY article_id")).all()
        conn.execute(text("DELETE FROM reprints"))
        conn.execute(text("DELETE FROM fingerprints"))
    ran = scrapy("reprints", "--anew")
    assert (ran.code, ran.err) == (0, "4 articles grouped anew\n")
    with engine.begin() as conn:
        assert conn.execute(text("SELECT article_id, group_id, is_first FROM reprints ORDER BY article_id")).all() == before
    engine.dispose()
    assert len(before) == 2


@pytest.mark.parametrize("words", [("--anew", FIRST), ("--limit", "0"), ("no address",)])
def test_wrong_use_is_refused_and_changes_nothing(copied, scrapy, words):
    ran = scrapy("reprints", *words)
    assert (ran.code, ran.out, "Traceback" in ran.err) == (2, "", False)
