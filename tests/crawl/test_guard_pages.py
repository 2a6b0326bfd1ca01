"""Guards' pages with status 200 are outages of a host: nothing of them is stored, and what they hid is read afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.crawl.guard_pages import GUARD_PAGES
from tests.crawl.newsroom import HOUR, Answer, Newsroom, listing, story, title_of, watched_together
from tests.crawl.portal import rows, scrapy

NETWORK = "127.0.73"
PATHS = [f"/2026/{n}.html" for n in range(300, 304)]


def filled(room: Newsroom) -> None:
    room.pages = {"/list": partial(listing, *PATHS), **{path: partial(story, path) for path in PATHS}}


def guarded(page: str, times: int, *, after_the_list: bool) -> Callable[[str], Answer | None]:
    """Answer the first requests with the page of a guard; if ``after_the_list``, those for articles only."""
    left = times

    def out(path: str) -> Answer | None:
        nonlocal left
        if left == 0 or (after_the_list and path == "/list"):
            return None
        left -= 1
        return 200, page, {}

    return out


def test_a_guard_before_the_first_pages_costs_no_article_and_health_names_it_in_one_round(tmp_path: Path) -> None:
    with watched_together(NETWORK, tmp_path, dict.fromkeys(GUARD_PAGES, filled)) as (rooms, desk):
        for n, (kind, room) in enumerate(rooms.items()):
            listed = n % 2 == 0 or kind == "words that no list has"
            room.out = guarded(GUARD_PAGES[kind], 1 + n % 3, after_the_list=listed)
        assert desk.round().returncode in (0, 6, 9)
        health = scrapy(desk.database, "health", "--json").stdout
        named = {record["site"] for record in map(json.loads, health.splitlines()) if record["health"] == "guarded"}
        assert {kind for kind, room in rooms.items() if room.name not in named} == set()
        for _ in range(3):
            desk.later(0.5 * HOUR)
            desk.round()
    titles = rows(desk.database, "SELECT site, title FROM articles ORDER BY site, title")
    whole = {room.name: sorted(title_of(path).replace("座谈会", f"座谈会{room.mark}") for path in PATHS) for room in rooms.values()}
    stored = {name: sorted(title for site, title in titles if site == name) for name in whole}
    assert stored == whole
    assert rows(desk.database, "SELECT url, reason FROM urls WHERE reason IN ('off_topic', 'duplicate', 'not_an_article')") == []


def test_a_page_behind_a_guard_is_explained_by_what_the_guard_says(tmp_path: Path) -> None:
    with watched_together(NETWORK, tmp_path, {"a firewall": filled}) as (rooms, desk):
        (room,) = rooms.values()
        room.out = lambda path: (200, GUARD_PAGES["a firewall with a number"], {}) if path == PATHS[0] else None
        desk.round()
        explained = scrapy(desk.database, "explain", room.base + PATHS[0]).stdout
    assert "(guarded)" in explained
    assert "应用防火墙" in explained
    assert "in case its article is there by then" in explained
    assert len(room.hit(PATHS[0])) == 5
