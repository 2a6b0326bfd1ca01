"""``scrapy forget``."""

import json

from tests.support.commands import FIRST, SECOND, database, locked, scrapy

__all__ = ["database", "locked", "scrapy"]


def test_a_url_is_forgotten_once_with_its_article(scrapy):
    ran = scrapy("forget", FIRST)
    assert (ran.code, ran.out, ran.err) == (0, "", f"{FIRST} is forgotten\n")
    assert [json.loads(line)["url"] for line in scrapy("export").out.splitlines()] == [SECOND]
    assert scrapy("explain", FIRST).code == 1
    assert scrapy("forget", FIRST).code == 1


def test_wrong_use_is_exit_code_2(scrapy):
    assert scrapy("forget").code == 2
    assert scrapy("forget", "nonsense").code == 2


def test_a_store_that_stays_locked_is_one_sentence_and_exit_code_1(scrapy, locked):
    ran = scrapy("forget", FIRST)
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (1, "", 1)
    assert "database is locked" in ran.err
