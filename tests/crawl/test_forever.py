"""Around the clock: what is published is stored within two polls, and sites change while the crawl runs."""

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.support.events import until
from tests.support.newsroom import ALONE, Answer, Newsroom, listing, story, watched
from tests.support.portal import Portal, portal, rows, scrapy, start, stop

ROUND_SECONDS = 3.0  # shorter ones leave the articles little of a busy machine


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Portal]:
    """A portal whose clock this test may turn."""
    with portal(tmp_path, "--plain", "--fast", "--articles", "120") as running:
        yield running


def test_a_crawl_without_end_takes_up_news_and_changed_sites(own: Portal, tmp_path: Path) -> None:
    database, log = tmp_path / "news.db", tmp_path / "log"
    late = sorted(own.sites.glob("*.toml"))[0]
    kept_back = tmp_path / "late.toml"
    late.rename(kept_back)
    options = ("-a", "forever=1", "-a", "topic=any", "-s", "REVISIT_POLICY=fixed", "-s", f"REVISIT_FIXED_SECONDS={ROUND_SECONDS}")
    process = start(database, "crawl", "education", "-a", f"sites={own.sites}", *options, log=log)
    try:
        until(lambda: rows(database, "SELECT count(*) FROM urls WHERE state = 'waiting'")[0][0] == 0
              and rows(database, "SELECT count(*) FROM articles")[0][0] > 20, process)  # fmt: skip

        # what the portal publishes
        published = {page["url"] for page in own.get("/__truth__")["pages"] if page.get("published")}
        polls = dict(rows(database, "SELECT key, fetch_count FROM urls WHERE kind = 'list'"))
        own.post("/__clock__", {"advance": max(own.get("/__clock__")["to_come"][:3])})
        truth = own.get("/__truth__")
        new = {page["url"] for page in truth["pages"] if page.get("published") and page["reachable"]} - published
        watched = {site for (site,) in rows(database, "SELECT name FROM sites")}
        new = {url for url in new if any(page["url"] == url and page["site"] in watched for page in truth["pages"])}
        assert new
        urls = "SELECT url FROM article_urls"
        until(lambda: new <= {url for (url,) in rows(database, urls)}, process)
        rolling = "SELECT max(fetch_count), key FROM urls WHERE kind IN ('list', 'feed') GROUP BY key"
        polled = {key: count for count, key in rows(database, rolling)}
        assert min(polled[key] - polls[key] for key in polls if key in polled) <= 2

        # a site that is added, re-weighted, disabled
        assert scrapy(database, "sites", "add", str(kept_back)).returncode == 0
        added = rows(database, "SELECT name FROM sites WHERE origin = ''")[0][0]
        until(lambda: rows(database, f"SELECT count(*) FROM articles WHERE site = '{added}'")[0][0] > 0, process, 240)
        priorities = f"SELECT max(priority) FROM urls WHERE site = '{added}' AND update_cycle IS NOT NULL"
        heavy = rows(database, priorities)[0][0]
        assert scrapy(database, "sites", "weight", added, "2").returncode == 0
        until(lambda: rows(database, priorities)[0][0] < heavy, process, 10)
        until(lambda: log.read_text("utf-8").count(f"sites changed: {added}") == 2, process, 10)  # one watch sees one change
        assert scrapy(database, "sites", "disable", added).returncode == 0
        until(lambda: log.read_text("utf-8").count(f"sites changed: {added}") == 3, process, 10)
        until(lambda: rows(database, f"SELECT 1 FROM urls WHERE site = '{added}' AND state = 'processing'") == [], process)
        fetches = rows(database, f"SELECT sum(fetch_count) FROM urls WHERE site = '{added}'")
        others = f"SELECT sum(fetch_count) FROM urls WHERE site <> '{added}'"
        now = rows(database, others)[0][0]
        until(lambda: rows(database, others)[0][0] >= now + 10, process)
        assert rows(database, f"SELECT sum(fetch_count) FROM urls WHERE site = '{added}'") == fetches
    finally:
        code = stop(process)
    assert code == 143


def test_a_list_that_was_asked_just_before_a_round_begins_is_not_asked_again_at_its_beginning(tmp_path: Path) -> None:
    cycle, answered = 8.0, []

    def slow() -> Answer:
        """The first answer comes a moment before a round begins."""
        if not answered:
            time.sleep((-time.time() - 0.3) % cycle)
        answered.append(time.time())
        return listing("/1.html")

    def fill(room: Newsroom) -> None:
        room.pages = {"/list": slow, "/1.html": partial(story, "/1.html")}

    options = ("-s", "REVISIT_POLICY=fixed", "-s", f"REVISIT_FIXED_SECONDS={cycle}", "-s", "DOWNLOAD_FIRST_BYTE_SECONDS=20")
    with watched("127.0.0.79", tmp_path, fill) as (_, desk):
        arguments = ("-a", f"sites={desk.sites}", "-a", "forever=1", *options, *ALONE)
        process = start(desk.database, "crawl", "education", *arguments, log=tmp_path / "log")
        try:
            until(lambda: len(answered) > 1, process)
        finally:
            stop(process)
    assert answered[1] - answered[0] > cycle / 8
