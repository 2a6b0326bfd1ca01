"""Conditional requests, and hosts whose answers to them cannot be trusted."""

import sqlite3
from collections import Counter
from contextlib import closing
from functools import partial
from pathlib import Path

from tests.support.newsroom import HOUR, Answer, Newsroom, Validators, listing, story, watched
from tests.support.portal import rows, scrapy

HOST = "127.0.0.91"
PATHS = [f"/2026/{n}.html" for n in range(1, 13)]
FEED = "<?xml version='1.0'?><rss version='2.0'><channel><title>f</title>{}</channel></rss>"
SITEMAP = "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{}</urlset>"


def filled(room: Newsroom) -> None:
    """Fill a newsroom with a list, a feed and a sitemap."""
    items = "".join(f"<item><title>t</title><link>{room.base}{path}</link></item>" for path in PATHS)
    places = "".join(f"<url><loc>{room.base}{path}</loc></url>" for path in PATHS)
    room.pages = {
        "/list": lambda: listing(*PATHS),
        "/feed": lambda: (200, FEED.format(items), {"Content-Type": "application/rss+xml"}),
        "/sitemap": lambda: (200, SITEMAP.format(places), {"Content-Type": "text/xml"}),
        **{path: partial(story, path) for path in PATHS},
    }


def test_lists_feeds_sitemaps_and_articles_that_have_not_changed_are_answered_304(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, filled, channels={kind: kind for kind in ("list", "feed", "sitemap")}) as (room, desk):
        assert desk.round().returncode == 0
        assert [hit.status for hit in room.hits] == [200] * 15
        desk.later(2 * HOUR)
        room.hits.clear()
        done = desk.round()
        assert done.returncode == 0, done.stderr[-3000:]
    assert len(room.hits) == 15
    assert {hit.path for hit in room.hits} == set(room.pages)
    assert {hit.status for hit in room.hits} == {304}
    visited = rows(desk.database, "SELECT kind, reason, fetch_count FROM urls WHERE kind <> 'robots'")
    assert len(visited) == 15
    assert {fetched for *_, fetched in visited} == {2}
    assert rows(desk.database, "SELECT last_links FROM channels WHERE name = 'list'") == [(12,)]


def test_a_host_that_says_304_to_what_has_changed_is_found_out_and_asked_in_full(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, filled) as (room, desk):
        room.validators = Validators.STALE
        listed = PATHS[:6]
        room.pages["/list"] = lambda: listing(*listed)
        desk.round()
        listed = PATHS[:7]
        desk.round()
        assert not room.hit(PATHS[6]), "the host says that the list has not changed"
        with closing(sqlite3.connect(desk.database)) as conn, conn:
            conn.execute("UPDATE urls SET fetch_count = 59")  # as if it had said so for long
        desk.round()
        assert len(room.hit(PATHS[6])) == 1, "a look without conditions brings what is new"
        assert not distrusted(desk.database), "the list may have changed just now"
        desk.round()
        assert distrusted(desk.database)
        listed = PATHS[:8]
        room.hits.clear()
        desk.round()
        assert len(room.hit(PATHS[7])) == 1
        assert not any(hit.conditional for hit in room.hits)
    assert "it answers 304 for pages that have changed" in scrapy(desk.database, "sites", "show", "s").stdout
    assert "hosts asked without validators" in scrapy(desk.database, "status").stdout
    assert "it answered 304 for a page" in scrapy(desk.database, "explain", room.base + PATHS[0]).stdout
    assert scrapy(desk.database, "sites", "relearn", "s").returncode == 0
    assert not distrusted(desk.database)


def distrusted(database: Path) -> bool:
    return rows(database, "SELECT count(*) FROM hosts WHERE wrong_304_at IS NOT NULL") != [(0,)]


def test_a_list_is_read_in_full_once_an_article_on_it_is_forgotten(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, filled) as (room, desk):
        desk.round()
        assert scrapy(desk.database, "forget", room.base + PATHS[3]).returncode == 0
        desk.round()
    assert len(room.hit(PATHS[3])) == 2


def test_a_304_to_a_request_that_named_no_validators_is_a_failed_fetch_that_is_made_again(tmp_path: Path) -> None:
    """One cache in front of the site answers so for a while, to lists and articles alike."""
    times: Counter[str] = Counter()

    def cached(path: str) -> Answer | None:
        times[path] += 1
        return (304, "", {}) if times[path] == 1 and path in ("/list", PATHS[0]) else None

    with watched(HOST, tmp_path, filled, "-s", "RETRY_BASE_SECONDS=0.1", "-s", "RETRY_TIMES=3", channels={"list": "list"}) as (room, desk):
        room.out = cached
        done = desk.round()
        assert done.returncode == 0, done.stderr[-2000:]
        stored = {url.removeprefix(room.base) for (url,) in rows(desk.database, "SELECT url FROM articles")}
    assert stored == set(PATHS)
    assert [[hit.status for hit in room.hit(path)] for path in ("/list", PATHS[0])] == [[304, 200], [304, 200]]


def test_a_list_that_always_answers_304_unasked_is_an_unread_list_that_is_explained(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, filled, "-s", "RETRY_BASE_SECONDS=0.1", "-s", "RETRY_TIMES=1", channels={"list": "list"}) as (room, desk):
        room.out = lambda path: (304, "", {}) if path == "/list" else None
        done = desk.round()
        explained = scrapy(desk.database, "explain", f"{room.base}/list").stdout
    assert done.returncode == 7, done.stderr[-2000:]
    assert "304 to a request that named no validators" in explained
    assert len(room.hit("/list")) == 2
