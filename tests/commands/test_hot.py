"""``scrapy hot`` and ``scrapy event``."""

import json
import time
from pathlib import Path

import pytest
from sqlalchemy import make_url

from bench.analysis import store
from bench.event_stream import stream
from newsspider.core.text.terminal_columns import column_count
from newsspider.features.console.search_counts import note
from newsspider.store.engine.database import open_store
from newsspider.topics.loader import load_topic
from tests.support.commands import database, scrapy, two_articles

__all__ = ["database", "scrapy"]

DAYS = ("--since", "2026-09-01", "--until", "2026-09-04")


@pytest.fixture(scope="module")
def news(tmp_path_factory):
    """The file of a store with some days of news."""
    file = tmp_path_factory.mktemp("news") / "newsspider.db"
    file.write_bytes(two_articles())
    engine = open_store(f"sqlite:///{file}")
    store(engine, stream(days=3, noise_a_day=5, seed=2).pages)
    engine.dispose()
    return file.read_bytes()


@pytest.fixture
def newsy(database, news):
    """A copy of it."""
    Path(make_url(database).database).write_bytes(news)
    return database


def test_the_largest_events_are_listed_in_80_columns(scrapy, newsy):
    ran = scrapy("hot", "events", *DAYS, "--limit", "3")
    assert ran.code == 0
    assert ran.out.count("  id ") == 3
    assert all(column_count(line) <= 80 for line in ran.out.splitlines())
    assert scrapy("hot", "events", *DAYS, "--limit", "3").out == ran.out


def test_an_event_says_who_had_it_first_and_why_each_page_belongs_to_it(scrapy, newsy):
    listed = json.loads(scrapy("hot", "events", *DAYS, "--limit", "1", "--json").out)
    ran = scrapy("event", str(listed["id"]))
    assert ran.code == 0
    assert all(column_count(line) <= 80 for line in ran.out.splitlines())
    assert listed["first"]["site"] in ran.out
    assert "began the event with" in ran.out
    event = json.loads(scrapy("event", str(listed["id"]), "--json").out)
    assert len(event["nodes"]) == event["pages"] == listed["pages"]
    assert all(item["sentence"] and item["words"] for item in event["nodes"])
    assert event["first"]["at"] == min(item["at"] for item in event["nodes"])
    article = event["nodes"][-1]["article"]
    assert json.loads(scrapy("event", str(article), "--json").out) == event


def test_the_criticism_in_an_event_is_shown_with_who_says_it(scrapy, newsy):
    number = str(json.loads(scrapy("hot", "events", *DAYS, "--limit", "1", "--json").out)["id"])
    ran = scrapy("event", number, "--criticism")
    assert ran.code == 0
    assert "sentences criticise" in ran.out
    assert all(column_count(line) <= 80 for line in ran.out.splitlines())
    found = json.loads(scrapy("event", number, "--criticism", "--json").out)
    assert found["sentences"] > 0
    assert found["complete"]
    assert all(group["sentence"] and group["articles"] for group in found["criticism"])


def test_filters_choose_by_site_and_time(scrapy, newsy):
    ran = scrapy("hot", "events", "--site", "晨报", *DAYS, "--json")
    assert all("晨报" in json.loads(line)["sites"] for line in ran.out.splitlines())
    ran = scrapy("hot", "events", "--until", "2026-08-31", "--since", "2026-08-30")
    assert (ran.code, ran.out) == (0, "")
    assert "no event of two articles or more; the last article is of 2026-" in ran.err


def test_the_graph_of_an_event_has_the_pages_and_who_took_from_whom(scrapy, newsy):
    listed = json.loads(scrapy("hot", "events", *DAYS, "--limit", "1", "--json").out)
    event = json.loads(scrapy("event", str(listed["id"]), "--json").out)
    urls = {node["url"]: node["at"] for node in event["nodes"]}
    assert event["edges"]
    assert all(urls[edge["from"]] <= urls[edge["to"]] for edge in event["edges"])
    assert sum(flow["pages"] for flow in event["flows"]["site"]) == len(event["edges"])
    assert "reprint of" in scrapy("event", str(listed["id"])).out


@pytest.mark.parametrize("what", ["headlines", "words", "sources", "events"])
def test_each_list_fits_80_columns_and_has_as_many_lines_of_json_as_entries(scrapy, newsy, what):
    span = "--since", "2026-09-02", "--until", "2026-09-02"
    ran = scrapy("hot", what, *span, "--limit", "4")
    assert (ran.code, ran.out != "") == (0, True)
    assert all(column_count(line) <= 80 for line in ran.out.splitlines())
    rows = [json.loads(line) for line in scrapy("hot", what, *span, "--limit", "4", "--json").out.splitlines()]
    assert 0 < len(rows) <= 4 * 4
    empty = scrapy("hot", what, "--since", "2020-01-01", "--until", "2020-01-02")
    assert (empty.code, empty.out) == (0, "")
    assert "the last article is of 2026-" in empty.err


def test_headlines_come_in_the_order_of_their_scores_with_the_sites_that_made_them(scrapy, newsy):
    rows = [json.loads(line) for line in scrapy("hot", "headlines", *DAYS, "--json").out.splitlines()]
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)
    assert all(row["why"] and row["headline"] == row["title"] for row in rows)


def test_a_planted_word_is_hot_on_its_day_and_says_which_articles_have_it(scrapy, database):
    engine = open_store(database)
    news = stream(days=9, happenings_a_day=2, noise_a_day=10, seed=4)
    store(engine, news.pages)
    engine.dispose()
    day = min(news.bursts)
    span = "--since", f"2026-09-{day + 1:02}", "--until", f"2026-09-{day + 1:02}"
    words = [json.loads(line) for line in scrapy("hot", "words", *span, "--limit", "5", "--json").out.splitlines()]
    planted = [
        word for word in words if any(burst in word["word"] or word["word"] in burst for burst in news.bursts[day])
    ]
    assert planted
    assert planted[0]["articles"] > 3 * planted[0]["expected"]
    assert all(reason["article"] and reason["sentence"] for reason in planted[0]["why"])


def test_terms_beside_the_own_ones_of_a_topic_stand_in_several_events(scrapy, newsy):
    ran = scrapy("hot", "terms", "--topic", "education", *DAYS, "--limit", "50", "--json")
    rows = [json.loads(line) for line in ran.out.splitlines()]
    own = list(load_topic("education", trained=False).spellings())
    assert rows
    for row in rows:
        assert row["events"] >= 3
        assert row["articles"] >= row["events"]
        assert not any(term in row["word"] for term in own)
        assert len({reason["article"] for reason in row["why"]}) == len(row["why"]) == 3
    printed = scrapy("hot", "terms", "--topic", "education", *DAYS, "--limit", "5").out
    assert printed.startswith(f"{rows[0]['word']}  {rows[0]['events']} events, {rows[0]['articles']} articles\n")
    assert all(column_count(line) <= 80 for line in printed.splitlines())


def test_shares_are_of_the_time_asked_for_and_the_time_before(scrapy, newsy):
    span = "--since", "2026-09-02", "--until", "2026-09-02"
    rows = [json.loads(line) for line in scrapy("hot", "sources", *span, "--limit", "50", "--json").out.splitlines()]
    sites = [row for row in rows if row["facet"] == "site"]
    assert sum(row["articles"] for row in sites) == sites[0]["of"]
    assert {row["facet"] for row in rows} >= {"site", "source", "media"}


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (("hot",), "ACTION"),
        (("hot", "events", "--site", "无"), "there is no such site"),
        (("hot", "events", "--since", "x"), "say a date"),
        (("hot", "words", "--beside", "无"), "--beside 无"),
        (("hot", "terms"), "say whose terms are left out: --topic education"),
        (("hot", "words", "--since", "2999-01-01"), "is not over yet"),
        (("event",), "say the id of one event"),
        (("event", "99999"), "no event has the id '99999'"),
        (("event", "火灾"), "no event has the id '火灾'"),
    ],
)
def test_wrong_use_gets_one_sentence(scrapy, newsy, call, sentence):
    ran = scrapy(*call)
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err


def test_searches_of_the_console_are_listed(scrapy, database):
    engine = open_store(database)
    assert scrapy("hot", "searches").err == "no query was asked three times in the last seven days\n"
    with engine.begin() as conn:
        note(conn, {"高考": 12, "双减": 3, "某人": 2}, time.time())
    engine.dispose()
    assert scrapy("hot", "searches").out == "    12  高考\n     3  双减\n"
    assert json.loads(scrapy("hot", "searches", "--json", "--limit", "1").out) == {"query": "高考", "searches": 12}


def test_an_event_is_split_named_and_merged_again_at_the_terminal(scrapy, newsy):
    def shown(*args):
        return json.loads(scrapy("event", *args, "--json").out)

    whole = json.loads(scrapy("hot", "events", *DAYS, "--limit", "1", "--json").out)
    number = str(whole["id"])
    articles = sorted({item["article"] for item in shown(number)["nodes"]})
    apart = articles[-2:]
    rest = shown(number, "--split", ",".join(map(str, apart)), "--title", "另一个名称")
    assert sorted({item["article"] for item in rest["nodes"]}) == articles[:-2]
    assert rest["title"] == "另一个名称"
    assert scrapy("hot", "events", *DAYS, "--rebuild", "--json").code == 0
    assert sorted({item["article"] for item in shown(str(apart[0]))["nodes"]}) == apart
    assert shown(number, "--undo")["pages"] == whole["pages"]
    assert shown(number, "--undo")["title"] == "另一个名称"
    assert shown(number, "--merge", str(apart[0]), "--title", "") | whole == shown(number)
