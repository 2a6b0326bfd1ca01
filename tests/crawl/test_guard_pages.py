"""Guards' pages with status 200 are outages of a host: nothing of them is stored, and what they hid is read afterwards."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

from tests.support.guard_pages import GUARD_PAGES, NOTICES
from tests.support.newsroom import HOUR, Answer, Desk, Newsroom, listing, story, title_of, watched, watched_together
from tests.support.portal import rows, scrapy

HOST, NETWORK = "127.0.0.74", "127.0.73"
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
    assert titles(desk, rooms) == whole(rooms)
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


def whole(rooms: Mapping[str, Newsroom]) -> dict[str, list[str]]:
    """The titles of all articles of each room."""
    return {room.name: sorted(title_of(path).replace("座谈会", f"座谈会{room.mark}") for path in PATHS) for room in rooms.values()}


def titles(desk: Desk, rooms: Mapping[str, Newsroom]) -> dict[str, list[str]]:
    """The titles that are stored of each room."""
    stored = rows(desk.database, "SELECT site, title FROM articles ORDER BY site, title")
    return {room.name: sorted(title for site, title in stored if site == room.name) for room in rooms.values()}


@pytest.mark.parametrize("times", [2, 3])
def test_a_text_that_several_links_lead_to_and_that_has_nothing_of_them_is_a_guards(tmp_path: Path, times: int) -> None:
    with watched_together(NETWORK, tmp_path, dict.fromkeys(NOTICES, filled)) as (rooms, desk):
        for kind, room in rooms.items():
            room.out = guarded(NOTICES[kind], times, after_the_list=True)
        desk.round()
        health = scrapy(desk.database, "health", "--json").stdout
        first = titles(desk, rooms)
        for _ in range(2):
            desk.later(0.5 * HOUR)
            desk.round()
    assert {record["site"] for record in map(json.loads, health.splitlines()) if record["health"] == "guarded"} == set(first)
    assert all(set(stored) <= set(whole(rooms)[name]) for name, stored in first.items())
    assert titles(desk, rooms) == whole(rooms)
    assert rows(desk.database, "SELECT url, reason FROM urls WHERE reason IN ('off_topic', 'duplicate', 'guarded')") == []


def test_a_text_of_a_guard_that_lasts_is_never_stored(tmp_path: Path) -> None:
    with watched_together(NETWORK, tmp_path, dict.fromkeys(NOTICES, filled)) as (rooms, desk):
        for kind, room in rooms.items():
            room.out = guarded(NOTICES[kind], 1000, after_the_list=True)
        for wait in (0.3, 0.6, 1.1, 2.1, 4.1):
            desk.round()
            assert rows(desk.database, "SELECT site, title FROM articles") == []
            desk.later(wait * HOUR)
        for room in rooms.values():
            room.out = lambda path: None
        desk.later(8 * HOUR)
        desk.round()
    assert titles(desk, rooms) == whole(rooms)


def test_stored_articles_behind_such_a_text_are_back_after_it_and_never_vanish(tmp_path: Path) -> None:
    with watched_together(NETWORK, tmp_path, dict.fromkeys(NOTICES, filled)) as (rooms, desk):
        desk.round()
        for kind, room in rooms.items():
            room.out = guarded(NOTICES[kind], 1000, after_the_list=True)
        for wait in (1.1, 6, 12):
            desk.later(wait * HOUR)
            desk.round()
        for room in rooms.values():
            room.out = lambda path: None
        for wait in (30, 30):
            desk.later(wait * HOUR)
            desk.round()
    assert titles(desk, rooms) == whole(rooms)
    assert rows(desk.database, "SELECT key FROM missing_articles WHERE misses > 0") == []


SAME = "<p>冬日的阳光照在操场上，孩子们排着队等着跳绳，老师站在旁边数数，笑声传得很远，一直到放学。</p>" * 5


@pytest.mark.parametrize(
    ("links", "reasons"),
    [
        ({"/a/1.html": "操场上的孩子们在跳绳", "/a/2.html": "冬日操场：排着队等跳绳"}, ["duplicate", "stored"]),
        ({"/a/1.html": "寒潮来袭各地停课", "/a/2.html": "操场上的孩子们在跳绳"}, ["duplicate", "stored"]),
        ({"/a/1.html": "寒潮来袭各地停课", "/a/2.html": "寒潮来袭各地停课"}, ["duplicate", "stored"]),
        ({"/a/1.html": "图片", "/a/2.html": "详细内容"}, ["duplicate", "stored"]),
        ({"/a/1.html": "寒潮来袭各地停课"}, ["stored"]),
        ({"/a/1.html": "寒潮来袭各地停课", "/a/2.html": "市长会见外国客人"}, ["guarded", "guarded"]),
    ],
)
def test_one_article_below_two_urls_is_a_duplicate_unless_both_links_speak_of_something_else(
    tmp_path: Path, links: dict[str, str], reasons: list[str]
) -> None:
    def fill(room: Newsroom) -> None:
        items = "".join(f"<li><a href='{path}'>{text}</a><span>2026-11-01</span></li>" for path, text in links.items())
        room.pages = {"/list": lambda: (200, f"<title>教育新闻</title><ul>{items}</ul>", {})}
        room.pages |= dict.fromkeys(links, lambda: (200, f"<title>操场上的一天</title><h1>操场上的一天</h1>{SAME}", {}))

    with watched(HOST, tmp_path, fill) as (_, desk):
        desk.round()
    found = rows(desk.database, "SELECT reason FROM urls WHERE kind <> 'robots' AND update_cycle IS NULL ORDER BY reason")
    assert [reason for (reason,) in found] == reasons
