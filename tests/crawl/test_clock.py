"""Around the clock: lists are polled by what they bring, within the budget, and a crawl goes on with what is due."""

import threading
from functools import partial
from pathlib import Path

from tests.support.events import until
from tests.support.newsroom import ALONE, DAY, HOUR, Desk, Newsroom, later, listing, newsroom, story, watched
from tests.support.portal import rows, start, stop

HOST = "127.0.0.97"
LISTS = {"busy": "list", "quiet": "list"}
FOREVER = ("crawl", "education", "-a", "topic=any", "-a", "forever=1", *ALONE, "-s", "LEDGER_WATCH_SECONDS=0.1")


class Press:
    """Two lists, one of which shows more articles at every look: ``looks`` of it that are answered at most."""

    def __init__(self, room: Newsroom) -> None:
        self.room = room
        self.number = 20
        self.lock = threading.Lock()
        room.pages = {"/busy": self.busy, "/quiet": partial(listing, *self.paths(1, 20))}
        room.pages |= {path: partial(story, path) for path in (*self.paths(1, 20), *self.paths(101, 2000))}

    @staticmethod
    def paths(first: int, last: int) -> list[str]:
        return [f"/2026/{n}.html" for n in range(first, last)]

    def busy(self):
        with self.lock:
            self.number += 2
            return listing(*reversed(self.paths(101, 101 + self.number)))


def command(desk: Desk, *options: str) -> tuple[str, ...]:
    return (*FOREVER, "-a", f"sites={desk.sites}", *options)


def polls(room: Newsroom) -> tuple[int, int]:
    return len(room.hit("/busy")), len(room.hit("/quiet"))


def test_a_list_that_brings_much_is_polled_more_often_than_one_that_brings_nothing(tmp_path: Path) -> None:
    quick = ("-s", "REVISIT_SHORTEST_SECONDS=0.2", "-s", "REVISIT_LONGEST_SECONDS=120", "-s", "REVISIT_REQUESTS_PER_LIST=3600")
    options = (*quick, "-s", "REVISIT_REQUESTS_PER_HOST=3600")
    with watched(HOST, tmp_path, Press, channels=LISTS) as (room, desk):
        process = start(desk.database, *command(desk, *options), log=tmp_path / "log")
        try:
            until(lambda: polls(room)[0] >= 25, process, 240)
        finally:
            code = stop(process)
        busy, quiet = polls(room)
    assert code == 143
    assert quiet <= busy / 2.5
    rates = dict(rows(desk.database, "SELECT name, rate FROM channels"))
    assert rates["busy"] > 20 * rates["quiet"]
    assert rows(desk.database, "SELECT count(*) FROM publication_profiles") == [(1,)]


def test_a_crawl_begins_with_the_lists_that_are_due_and_none_waits_longer_than_the_longest_interval(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, Press, channels=LISTS) as (room, desk):
        channels = dict(LISTS)
        for step, (wait, expected) in enumerate(((0.0, (1, 1)), (0.0, (0, 0)), (30.0, (0, 0)), (DAY + HOUR, (1, 1)))):
            later(desk.database, wait) if wait else None
            channels[f"new{step}"] = "list"  # its article comes behind all lists that are due
            room.pages[f"/new{step}"] = partial(listing, f"/last/{step}.html")
            room.pages[f"/last/{step}.html"] = partial(story, f"/last/{step}.html")
            room.site(tmp_path, **channels)
            room.hits.clear()
            process = start(desk.database, *command(desk), log=tmp_path / "log")
            try:
                until(lambda step=step: bool(room.hit(f"/last/{step}.html")), process, 240)
            finally:
                stop(process)
            assert polls(room) == expected


def test_one_round_polls_every_list_whatever_its_clock_says(tmp_path: Path) -> None:
    with watched(HOST, tmp_path, Press, channels=LISTS) as (room, desk):
        for _ in range(3):
            desk.round()
        assert polls(room) == (3, 3)


def test_with_a_fixed_interval_all_lists_are_polled_alike(tmp_path: Path) -> None:
    with newsroom(HOST) as room:
        Press(room)
        desk = Desk(tmp_path / "news.db", room.site(tmp_path, **LISTS))
        options = ("-s", "REVISIT_POLICY=fixed", "-s", "REVISIT_FIXED_SECONDS=1")
        process = start(desk.database, *command(desk, *options), log=tmp_path / "log")
        try:
            until(lambda: min(polls(room)) >= 5, process, 240)
        finally:
            stop(process)
        busy, quiet = polls(room)
    assert abs(busy - quiet) <= 1
