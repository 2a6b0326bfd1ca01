"""``scrapy search``."""

import json

import pytest

from newsspider.core.text.terminal_columns import column_count
from tests.support.commands import FIRST, SECOND, database, scrapy

__all__ = ["database", "scrapy"]


def test_an_article_is_shown_in_80_columns_with_the_words_in_their_place(scrapy):
    ran = scrapy("search", "高考", "改革")
    assert (ran.code, ran.err) == (0, "1 of 1 articles\n")
    when, where, url, piece, _ = ran.out.split("\n", 4)
    assert when.startswith("2026-11-01 16:30  高考改革方案发布")
    assert when.endswith("…")
    assert "站, 新华网, priority 5" in where
    assert url.strip() == FIRST
    assert "高考" in piece
    assert max(column_count(line) for line in ran.out.splitlines()) <= 80


def test_json_lines_are_the_records_of_the_export(scrapy):
    ran = scrapy("search", "开学", "--json")
    (record,) = map(json.loads, ran.out.splitlines())
    assert (record["url"], record["site"], record["urls"]) == (SECOND, "乙", [SECOND])


def test_nothing_found_is_no_failure(scrapy):
    ran = scrapy("search", "没有这个词")
    assert (ran.code, ran.out, ran.err) == (0, "", "0 of 0 articles\n")


@pytest.mark.parametrize("query", ["长" * 200, " ".join("ab" * 30)[:200], " ".join("高考改革方案" * 9)[:200]])
def test_a_query_of_the_longest_length_is_answered(scrapy, query):
    assert scrapy("search", query).code == 0


def test_names_that_have_no_article_yet_can_be_asked_for(scrapy):
    for words in (("--site", "教育部"), ("--topic", "flood"), ("--subtopic", "职业教育")):
        assert scrapy("search", "开学", *words).err == "0 of 0 articles\n"


def test_filters_narrow_a_search(scrapy):
    assert scrapy("search", "lang:zh", "--site", "乙").err == "1 of 1 articles\n"
    assert scrapy("search", "lang:zh", "--subtopic", "留学").err == "1 of 1 articles\n"
    assert scrapy("search", "lang:zh", "--since", "2026-11-02").err == "0 of 0 articles\n"
    assert scrapy("search", "lang:zh", "--until", "2026-11-01").err == "2 of 2 articles\n"
    assert scrapy("search", "lang:zh", "--limit", "1").err == "1 of 2 articles\n"


def test_a_run_of_chinese_that_is_not_found_is_searched_as_its_words(scrapy):
    ran = scrapy("search", "方案高考")
    assert ran.err == "searched as 方案 AND 高考\n1 of 1 articles\n"
    assert "【高考】" in ran.out


def test_facets_are_printed_below_the_hits(scrapy):
    assert scrapy("search", "lang:zh", "--facets").out.splitlines()[-4:-2] == ["site: 乙 1, 站 1", "media: trade 2"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "what to search for"),
        (("  ",), "what to search for"),
        (("长" * 50_000,), "the query, at character 1001: a query has at most 1,000 characters, not 50,000"),
        (("a b " * 100,), "at most 64 words and phrases, not 200"),
        (("高考", "AND"), "the query, at character 7: a word is missing at the end"),
        (("a", "--site", "无此站"), "there is no such site"),
        (("a", "--topic", "nope"), "there is no such topic"),
        (("a", "--subtopic", "无此"), "no topic has such a part"),
        (("a", "--since", "2026-11-02", "--until", "2026-11-01"), "--since 2026-11-02 is behind --until 2026-11-01"),
        (("a", "--sort", "best"), "time, relevance, priority, rank"),
        (("a", "--limit", "0"), "above 0"),
        (("a", "--limit", "many"), "above 0"),
        (("a", "--since", "tomorrow"), "date like"),
        (("a", "--nonsense"), "unknown option --nonsense"),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_code_2(scrapy, words, sentence):
    ran = scrapy("search", *words)
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err.splitlines()[-1]
    assert "Traceback" not in ran.err


def test_a_copy_of_the_index_is_for_postgresql(scrapy):
    for value, sentence in (
        ("http://127.0.0.1:1/news", "SEARCH_INDEX is for a store on PostgreSQL"),
        ("news", "say a URL like https://host:9200/news"),
    ):
        ran = scrapy("search", "高考", "-s", f"SEARCH_INDEX={value}")
        assert (ran.code, ran.out) == (2, "")
        assert sentence in ran.err
