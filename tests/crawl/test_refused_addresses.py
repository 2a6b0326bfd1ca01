"""A crawl whose hosts are at addresses that are not public says what to do, and nobody calls its lists live."""

from functools import partial
from pathlib import Path

from tests.support.newsroom import HOUR, Newsroom, listing, story, watched
from tests.support.portal import scrapy

ARTICLE = "/2026/1.html"


def fill(room: Newsroom) -> None:
    room.pages = {"/list": partial(listing, ARTICLE), ARTICLE: partial(story, ARTICLE)}


def test_a_refused_crawl_names_the_setting_and_its_lists_are_not_live_until_they_are_read(tmp_path: Path) -> None:
    with watched("127.0.0.79", tmp_path, fill) as (room, desk):
        assert desk.round().returncode == 0
        asked = len(room.hits)
        desk.later(12 * HOUR)
        done = desk.round("-s", "ALLOWED_ADDRESSES=127.0.0.1")
        assert done.returncode == 7
        assert "ALLOWED_ADDRESSES, or in the variable NEWSSPIDER_ALLOWED_ADDRESSES" in done.stderr.splitlines()[-1]
        assert len(room.hits) == asked
        health = scrapy(desk.database, "health")
        assert "s/list: not_public" in health.stdout
        assert health.stderr.splitlines()[-1] == "1 lists: 1 not_public"
        desk.later(12 * HOUR)
        assert desk.round().returncode == 0
        assert scrapy(desk.database, "health").stderr.splitlines()[-1] == "1 lists: 1 live"
