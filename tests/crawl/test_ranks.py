"""A crawl around the clock ranks the pages by the links between them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.support.events import until
from tests.support.newsroom import ALONE, Newsroom, listing, story, watched
from tests.support.portal import cold, rows, start, stop

HOST = "127.0.0.119"
PATHS = [f"/2026/{number}.html" for number in range(1, 6)]


class Press:
    """Two lists that show some articles together."""

    def __init__(self, room: Newsroom) -> None:
        room.pages = {"/one": partial(listing, *PATHS), "/two": partial(listing, *PATHS[2:])}
        room.pages |= {path: partial(story, path) for path in PATHS}


def test_a_crawl_makes_ranks_that_are_missing_or_old_around_the_clock_too(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, Press, channels={"one": "list", "two": "list"}) as (_, desk):
        crawl = ("crawl", "education", "-a", "topic=any", "-a", f"sites={desk.sites}", *ALONE)
        assert cold(desk.database, *crawl).returncode == 0
        assert rows(desk.database, "SELECT count(*) FROM ranks") == [(0,)], "there was no link when it began"
        log = tmp_path / "log"
        log.touch()
        process = start(desk.database, *crawl, "-a", "forever=1", log=log)
        try:
            until(lambda: "ranks of 7 pages by 8 links" in log.read_text("utf-8"), process, 240)
        finally:
            code = stop(process)
        assert code == 143
        [(began_at,)] = rows(desk.database, "SELECT began_at FROM batch_jobs WHERE kind = 'rank'")
        assert cold(desk.database, *crawl).returncode == 0
        assert rows(desk.database, "SELECT began_at FROM batch_jobs WHERE kind = 'rank'") == [(began_at,)], "they are fresh"
    assert rows(desk.database, "SELECT count(*) FROM ranks") == [(7,)]
    best = "SELECT count(*) FROM ranks WHERE indegree = 2 AND authority > (SELECT max(authority) FROM ranks WHERE indegree < 2)"
    assert rows(desk.database, best) == [(3,)]


def test_a_round_makes_ranks_too_unless_it_ends_before(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, Press, channels={"one": "list", "two": "list"}) as (_, desk):
        for _ in range(20):
            assert desk.round().returncode == 0
            if rows(desk.database, "SELECT count(*) FROM ranks") == [(7,)]:
                break
    assert rows(desk.database, "SELECT count(*) FROM ranks") == [(7,)]
