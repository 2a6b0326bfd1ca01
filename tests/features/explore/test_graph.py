"""``scrapy graph``."""

import json
import sys

import pytest

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import PageType
from newsspider.store import pages
from newsspider.store.engine.database import open_store
from tests.support.commands import LIST, SECOND, WAITING, database, scrapy
from tests.support.samples import NOW, POLLED, lease_on, links

__all__ = ["database", "scrapy"]

OTHER = "http://c.cn/list/"


@pytest.fixture
def linked(database):
    """Another list shows the article of its own site, that of another, and what the first list shows."""
    engine = open_store(database)
    with engine.begin() as conn:
        lease = lease_on(conn, OTHER, kind=PageType.LIST, site="乙", channel="列表")
        pages.save(conn, PageResult(lease, POLLED, links=links([SECOND, WAITING])), NOW)
    engine.dispose()


def ranked(scrapy):
    ran = scrapy("graph", "rank")
    assert ran.code == 0
    return json.loads(ran.out), ran.err


def shown(scrapy, *words):
    ran = scrapy("graph", "top", *words)
    assert ran.code == 0
    return [line.split()[-1] for line in ran.out.splitlines()]


def test_ranks_are_worked_out_and_what_it_took_is_told(scrapy, linked):
    summary, err = ranked(scrapy)
    assert (summary["pages"], summary["links"], summary["links_of_lists"]) == (4, 3, 3)
    assert summary["sweeps"] > 1
    assert "4/4 100%" in err


def test_the_best_pages_are_shown_by_each_figure(scrapy, linked):
    ranked(scrapy)
    assert shown(scrapy)[:2] == [WAITING, SECOND]
    assert shown(scrapy, "--hubs") == [OTHER, LIST]
    assert shown(scrapy, "--authorities")[0] == WAITING
    assert shown(scrapy, "--weight", "--limit", "1") == [WAITING]
    assert shown(scrapy, "--hubs", "--site", "站") == [LIST]
    assert scrapy("graph", "top", "--site", "教育部").err == "no such page\n"


def test_json_has_all_figures(scrapy, linked):
    ranked(scrapy)
    (row,) = map(json.loads, scrapy("graph", "top", "--json", "--limit", "1").out.splitlines())
    assert (row["url"], row["indegree"], row["father"], row["mirrors"]) == (WAITING, 2, 0, 0)
    assert set(row) > {"site", "kind", "channel", "pagerank", "hub", "authority", "weight", "ranked_at"}


def test_before_they_are_worked_out_there_are_none(scrapy, linked):
    ran = scrapy("graph", "top")
    assert (ran.code, ran.out) == (0, "")
    assert "scrapy graph rank" in ran.err


def test_explain_tells_the_ranks(scrapy, linked):
    assert "weight" not in [line.split()[0] for line in scrapy("explain", SECOND).out.splitlines()]
    ranked(scrapy)
    lines = {line.split()[0]: line for line in scrapy("explain", SECOND).out.splitlines()}
    assert "1 pages link to it" in lines["weight"]
    assert "times the mean, authority" in lines["ranks"]
    assert "hub" in scrapy("explain", OTHER).out


def test_without_scipy_a_sentence_says_what_to_install(scrapy, linked, monkeypatch):
    monkeypatch.setitem(sys.modules, "newsspider.features.explore.graph", None)
    ran = scrapy("graph", "rank")
    assert (ran.code, ran.out) == (2, "")
    assert "pip install 'newsspider[ranks]'" in ran.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "say an action (rank, top), --from URL or --to URL"),
        (("draw",), "invalid choice: 'draw' (choose from 'rank', 'top')"),
        (("rank", "top"), "say: scrapy graph rank"),
        (("rank", "--site", "站"), "unknown option --site; see scrapy graph rank --help"),
        (("top", "--hubs", "--weight"), "--weight: not allowed with argument --hubs"),
        (("top", "--limit", "0"), "above 0"),
        (("top", "--nonsense"), "unknown option --nonsense"),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_code_2(scrapy, words, sentence):
    ran = scrapy("graph", *words)
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err.splitlines()[-1]


def test_the_links_of_a_page_are_shown_with_their_anchors(scrapy, linked):
    ran = scrapy("graph", "--from", OTHER, "--json")
    assert (ran.code, ran.err) == (0, "2 of 2 links\n")
    listed = [json.loads(line) for line in ran.out.splitlines()]
    assert sorted(link["url"] for link in listed) == sorted([SECOND, WAITING])
    assert {link["list"] for link in listed} == {"乙/列表"}
    assert all(link["anchor"] for link in listed)
    assert scrapy("graph", "--from", OTHER, "--limit", "1").err == "1 of 2 links\n"


def test_the_pages_that_link_to_a_page_are_shown(scrapy, linked):
    ran = scrapy("graph", "--to", SECOND)
    lines = ran.out.splitlines()
    assert (ran.code, ran.err) == (0, "1 of 1 links\n")
    assert lines[1].split()[-1] == OTHER
    assert scrapy("graph", "--to", "http://nobody.cn/").err == "0 of 0 links\n"


@pytest.mark.parametrize("words", [("--from", OTHER, "--to", OTHER), ("--from", "no URL"), ("--to", OTHER, "--limit", "no")])
def test_wrong_ends_of_links_are_refused(scrapy, words):
    ran = scrapy("graph", *words)
    assert (ran.code, ran.out) == (2, "")
