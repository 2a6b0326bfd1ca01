"""``scrapy hot`` and ``scrapy event``."""

from __future__ import annotations

import json

import pytest

from bench.analysis import store
from bench.event_stream import stream
from newsspider.core.text.columns import columns
from newsspider.store.engine.database import open_store
from tests.commands.reading import database, scrapy

__all__ = ["database", "scrapy"]

DAYS = ("--since", "2026-09-01", "--until", "2026-09-04")


@pytest.fixture
def newsy(database):
    """A store with some days of news."""
    engine = open_store(database)
    store(engine, stream(days=3, noise_a_day=5, seed=2).pages)
    engine.dispose()
    return database


def test_the_largest_events_are_listed_in_80_columns(scrapy, newsy):
    ran = scrapy("hot", "events", *DAYS, "--limit", "3")
    assert ran.code == 0
    assert ran.out.count("  id ") == 3
    assert all(columns(line) <= 80 for line in ran.out.splitlines())
    assert scrapy("hot", "events", *DAYS, "--limit", "3").out == ran.out


def test_an_event_says_who_had_it_first_and_why_each_page_belongs_to_it(scrapy, newsy):
    listed = json.loads(scrapy("hot", "events", *DAYS, "--limit", "1", "--json").out)
    ran = scrapy("event", str(listed["id"]))
    assert ran.code == 0
    assert all(columns(line) <= 80 for line in ran.out.splitlines())
    assert listed["first"]["site"] in ran.out
    assert "began the event with" in ran.out
    event = json.loads(scrapy("event", str(listed["id"]), "--json").out)
    assert len(event["items"]) == event["pages"] == listed["pages"]
    assert all(item["sentence"] and item["words"] for item in event["items"])
    assert event["first"]["at"] == min(item["at"] for item in event["items"])
    article = event["items"][-1]["article"]
    assert json.loads(scrapy("event", str(article), "--json").out) == event


def test_filters_choose_by_site_and_time(scrapy, newsy):
    ran = scrapy("hot", "events", "--site", "晨报", *DAYS, "--json")
    assert all("晨报" in json.loads(line)["sites"] for line in ran.out.splitlines())
    ran = scrapy("hot", "events", "--until", "2026-08-31", "--since", "2026-08-30")
    assert (ran.code, ran.out) == (0, "")
    assert "no event of two articles or more; the last article is of 2026-" in ran.err


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("hot",), "ACTION"),
        (("hot", "events", "--site", "无"), "there is no such site"),
        (("hot", "events", "--since", "x"), "say a date"),
        (("event",), "say the id of one event"),
        (("event", "99999"), "no event has the id '99999'"),
        (("event", "火灾"), "no event has the id '火灾'"),
    ],
)
def test_wrong_use_gets_one_sentence(scrapy, newsy, call, said):
    ran = scrapy(*call)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
