"""Rounds that come back to stored articles: which visits they make, in which order, and what holds a round."""

import json
from functools import partial
from pathlib import Path

from tests.support.newsroom import (
    DAY,
    HOUR,
    Answer,
    Newsroom,
    later,
    listing,
    newsroom,
    round_of,
    story,
    title_of,
    watched,
)
from tests.support.portal import rows, scrapy

HOST = "127.0.0.94"
PATHS = [f"/2026/{n}.html" for n in range(1, 9)]


def filled(room: Newsroom, *paths: str) -> None:
    listed = paths or tuple(PATHS)
    room.pages = {"/list": partial(listing, *listed), **{path: partial(story, path) for path in listed}}


def fetched_articles(room: Newsroom) -> list[str]:
    """The paths of the articles that were asked for since the last call."""
    paths = [hit.path for hit in room.hits if hit.path.startswith("/2026")]
    room.hits.clear()
    return paths


def test_a_round_makes_the_visits_that_are_due_and_waits_for_no_others(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, filled) as (room, desk):
        visits = []
        for wait in (0, 0.5, 0.6, 5, 18, 48, 96, 24):
            desk.later(wait * HOUR) if wait else None
            done = desk.round()
            assert done.returncode == 0, done.stderr[-3000:]
            visits.append(len(fetched_articles(room)))
    assert visits == [8, 0, 8, 8, 8, 8, 8, 0]
    assert rows(desk.database, "SELECT count(*) FROM urls WHERE due_at IS NOT NULL AND kind = 'article'") == [(0,)]


def test_new_articles_are_fetched_before_old_ones_are_visited_and_limits_hold(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, filled) as (room, desk):
        desk.round()
        desk.later(2 * HOUR)
        new = [f"/2026/10{n}.html" for n in range(3)]
        filled(room, *PATHS, *new)
        fetched_articles(room)
        done = desk.round("-a", "pages=6")
        fetched = fetched_articles(room)
        assert done.returncode != 0, "the limit of pages was reached, and visits are left"
        assert set(fetched[:3]) == set(new)
        assert len(fetched) == 5, "the list is the sixth"
        assert desk.round().returncode == 0
        assert sorted(fetched[3:] + fetched_articles(room)) == sorted(PATHS)


def test_a_site_that_edits_much_is_visited_more_often(tmp_path: Path) -> None:
    text = {"edit": ""}
    with watched(HOST, tmp_path, filled) as (room, desk):
        room.pages |= {path: lambda path=path: story(path, edit=text["edit"] and f"{path}{text['edit']}。") for path in PATHS}
        desk.round()
        for n, wait in enumerate((1.1, 6, 18)):
            text["edit"] = f"这一段第{n}次改过了，现在说的是另外一件事情"
            desk.later(wait * HOUR)
            desk.round()
        assert rows(desk.database, "SELECT visits, changes FROM revisit_counters") == [(24, 24)]
        fetched_articles(room)
        desk.later(20 * HOUR)
        desk.round()
        assert len(fetched_articles(room)) == 8, "the next step is at three days"


def test_a_visit_that_fails_neither_holds_the_round_nor_changes_its_end(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, filled) as (room, desk):
        desk.round()
        desk.later(2 * HOUR)
        room.out = lambda path: (500, "oops", {}) if path in PATHS[:2] else None
        fetched_articles(room)
        done = desk.round("-s", "ROUND_PATIENCE_SECONDS=60", "-s", "RETRY_BASE_SECONDS=5")
        assert done.returncode == 0, done.stderr[-3000:]
        assert len(fetched_articles(room)) == 8, "each is asked for once"
        failures = rows(desk.database, "SELECT state, reason, failures FROM urls WHERE failures > 0")
        assert failures == [("done", "http_status", 1)] * 2


def test_a_visit_that_its_host_does_not_want_is_made_later_behind_what_is_new(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, filled) as (room, desk):
        desk.round()
        desk.later(2 * HOUR)
        room.out = lambda path: (429, "", {"Retry-After": "1"}) if path in PATHS else None
        room.hits.clear()
        assert desk.round().returncode == 0, "no round waits for it"
        put_off = rows(desk.database, "SELECT queue, detail FROM urls WHERE reason = 'put_off'")
        assert set(put_off) == {(3, "rate_limited")}
        room.out = lambda path: None
        desk.later(HOUR)
        new = [f"/2026/10{n}.html" for n in range(3)]
        filled(room, *PATHS, *new)
        fetched_articles(room)
        assert desk.round().returncode == 0
        fetched = fetched_articles(room)
        assert set(fetched[:3]) == set(new)
        assert len(put_off) <= len(fetched[3:])


def test_no_revisits_are_made_where_they_are_disabled_or_to_old_articles(tmp_path: Path) -> None:
    with newsroom(HOST) as room:
        filled(room)
        room.pages |= {path: partial(story, path, when="2026-01-02 08:00") for path in PATHS[:4]}
        sites = room.site(tmp_path, list="list")
        for name, options, expected in (("some", (), 4), ("none", ("-s", "ARTICLE_REVISITS="), 0)):
            database = tmp_path / f"{name}.db"
            round_of(database, sites, *options)
            later(database, 2 * DAY)
            fetched_articles(room)
            round_of(database, sites, *options)
            assert len(fetched_articles(room)) == expected


def test_an_article_that_comes_back_is_said_to(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, filled, "-s", "VANISHED_MISSES=2", "-s", "VANISHED_HOURS=2") as (room, desk):
        desk.round()
        room.out = lambda path: (410, "", {}) if path == PATHS[0] else None
        for wait in (1.1, 2.1):
            desk.later(wait * HOUR)
            done = desk.round()
        assert f"vanished: {room.base}{PATHS[0]}" in done.stderr
        assert "vanished" in scrapy(desk.database, "explain", room.base + PATHS[0]).stdout
        room.out = lambda path: None
        desk.later(3 * HOUR)
        done = desk.round()
        assert f"back after it had vanished: {room.base}{PATHS[0]}" in done.stderr
    events = [json.loads(line)["event"] for line in scrapy(desk.database, "changes", "--json").stdout.splitlines()]
    assert events == ["returned", "vanished"]


def test_snapshots_of_what_vanished_long_ago_are_removed_when_a_crawl_begins(tmp_path: Path) -> None:
    patience = ("-s", "VANISHED_MISSES=1", "-s", "VANISHED_HOURS=0", "-s", "VANISHED_DELETE_DAYS=2")
    with watched(HOST, tmp_path, filled, *patience) as (room, desk):
        desk.round()
        room.out = lambda path: (404, "", {}) if path == PATHS[0] else None
        snapshots = rows(desk.database, "SELECT count(*) FROM snapshots")[0][0]
        for wait in (2, 24, 24.5):
            desk.later(wait * HOUR)
            done = desk.round()
    assert "the snapshots of 1 articles were removed" in done.stderr
    assert rows(desk.database, "SELECT count(*) FROM snapshots") == [(snapshots - 1,)]


def test_the_home_page_at_the_url_of_an_article_is_no_list_to_poll_but_a_sign_that_it_has_vanished(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, filled, "-s", "VANISHED_MISSES=2", "-s", "VANISHED_HOURS=2") as (room, desk):
        desk.round()
        room.out = lambda path: listing(*PATHS) if path == PATHS[0] else None
        for wait in (1.1, 2.1):
            desk.later(wait * HOUR)
            done = desk.round()
            assert done.returncode == 0, done.stderr[-3000:]
        assert f"vanished: {room.base}{PATHS[0]}" in done.stderr
    assert rows(desk.database, f"SELECT kind, reason, detail FROM urls WHERE url = '{room.base}{PATHS[0]}'") == [
        ("article", "gone", "home_page")
    ]


def test_an_article_that_has_vanished_is_not_there_again_because_another_page_at_its_url_has_not_changed(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, filled, "-s", "VANISHED_MISSES=1", "-s", "VANISHED_HOURS=0") as (room, desk):
        desk.round()
        player = f"<title>{title_of(PATHS[0])}</title><p>本文只有视频，请用客户端观看。</p><a href='/'>首页</a>"
        answers = [(410, "", {}), *[(200, player, {})] * 2]
        for wait, answer in zip((1.1, 6, 18), answers, strict=True):
            room.out = lambda path, answer=answer: answer if path == PATHS[0] else None
            desk.later(wait * HOUR)
            room.hits.clear()
            assert desk.round().returncode == 0
    assert [(hit.status, hit.conditional) for hit in room.hit(PATHS[0])] == [(200, False)]
    assert rows(desk.database, "SELECT count(*) FROM missing_articles WHERE vanished_at IS NOT NULL") == [(1,)]


def test_an_edit_on_a_further_page_is_seen_though_the_first_one_has_not_changed(tmp_path: Path) -> None:
    title = "教育改革座谈会纪要"

    def part(number: int, edit: str = "") -> Answer:
        lines = [f"第{number}页第{n}段：学校的教师和学生参加了今年的座谈会，讨论了课程、招生与考试的安排{edit}。" for n in range(5)]
        onward = "<a href='/2026/9_2.html'>下一页</a>" if number == 1 else "<a href='/2026/9.html'>上一页</a>"
        text = "".join(f"<p>{line}</p>" for line in lines)
        body = f"<h1>{title}</h1><div>2026-11-01 10:00</div><div class=content>{text}</div>{onward}"
        return 200, f"<html><head><title>{title}</title></head><body>{body}</body></html>", {}

    def fill(room: Newsroom) -> None:
        room.pages = {"/list": partial(listing, "/2026/9.html"), "/2026/9.html": partial(part, 1), "/2026/9_2.html": partial(part, 2)}

    with watched(HOST, tmp_path, fill) as (room, desk):
        for wait in (1.1, 6):
            desk.round()
            desk.later(wait * HOUR)
        room.pages["/2026/9_2.html"] = partial(part, 2, "，并作了更正")
        desk.round()
        changes = scrapy(desk.database, "changes").stdout
    assert changes.count("changed: text") == 1, changes
    assert rows(desk.database, "SELECT count(*) FROM articles WHERE text LIKE '%并作了更正%' AND text LIKE '%第1页第0段%'") == [(1,)]
