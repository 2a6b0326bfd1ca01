"""Sites that make URLs without end: little is wasted on them, and no article beside them is lost."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.crawl.newsroom import Answer, Desk, Newsroom, listing, story, watched
from tests.crawl.portal import rows, scrapy

MOST_WASTED = 50
SHOWN = 60  # trap links at each visit
EARLY = tuple(f"/2026/1101/{n}.html" for n in range(101, 109))
LATE = tuple(f"/2026/1102/{n}.html" for n in range(201, 205))

Trap = Callable[[Newsroom], None]


class Web:
    """A list of real articles among links into a trap; ``made`` gives the links of each visit, ``room`` what stands there."""

    def __init__(self, room: Newsroom, links: Callable[[int], list[str]], behind: Callable[[str], Answer | None], after: str = "") -> None:
        self.visits = 0
        self.articles = EARLY
        self.links, self.behind, self.after = links, behind, after
        room.out = self.answer

    def answer(self, path: str) -> Answer | None:
        """What is answered to this path."""
        if path == "/list":
            self.visits += 1
            return page_of((*self.articles, *self.links(self.visits)), self.after)
        return self.behind(path) or (story(path) if path in EARLY + LATE else None)


def page_of(paths: tuple[str, ...], after: str = "") -> Answer:
    status, text, headers = listing(*paths)
    return status, text.replace("</body>", f"{after}</body>"), headers


def token(*seeds: object) -> str:
    return hashlib.md5(repr(seeds).encode()).hexdigest()[:10]


def nothing(path: str) -> Answer:
    cells = "".join(f"<td><a href='{path}?d={n}'>{n}</a></td>" for n in range(31))
    return 200, f"<html><head><title>活动安排</title></head><body><table><tr>{cells}</tr></table></body></html>", {}


def calendar(room: Newsroom) -> None:
    first = date(2026, 11, 1)

    def days(visit: int) -> list[str]:
        return [f"/events/{first + timedelta(days=SHOWN * visit + n):%Y-%m-%d}" for n in range(SHOWN)]

    Web(room, days, lambda path: nothing(path) if path.startswith("/events/") else None)


def session_in_the_path(room: Newsroom) -> None:
    """Each of four articles under a new URL at each visit."""

    def links(visit: int) -> list[str]:
        return [f"/s-{token(visit, n)}/read/{n % 4}.html" for n in range(SHOWN)]

    Web(room, links, lambda path: story(f"/read/{path[-6]}.html") if path.startswith("/s-") else None)


def session_in_the_query(room: Newsroom) -> None:
    def links(visit: int) -> list[str]:
        return [f"/read/{n % 4}.html?visit={token(visit, n)}" for n in range(SHOWN)]

    Web(room, links, lambda path: story(path.partition("?")[0]) if path.startswith("/read/") else None)


def repeated_segments(room: Newsroom) -> None:
    """A relative link that lacks its slash."""

    def links(visit: int) -> list[str]:
        return [f"/{'edu/news/' * (2 + n % 2)}{SHOWN * visit + n}.html" for n in range(SHOWN)]

    Web(room, links, lambda path: nothing(path) if path.startswith("/edu/") else None)


def facets(room: Newsroom) -> None:
    names = ("area", "grade", "kind", "order", "price", "school", "size", "year")
    chosen = [each for size in range(1, 5) for each in itertools.combinations(names, size)]

    def links(visit: int) -> list[str]:
        return [f"/show.html?{'&'.join(f'{name}={visit}' for name in chosen[(SHOWN * visit + n) % len(chosen)])}" for n in range(SHOWN)]

    Web(room, links, lambda path: nothing(path) if path.startswith("/show.html?") else None)


def endless_pagination(room: Newsroom) -> None:
    """Each page shows other links, which lead to nothing, and a page further."""

    def behind(path: str) -> Answer | None:
        if path.startswith("/list?page="):
            page = int(path.partition("=")[2])
            return page_of(tuple(f"/item/{page}-{n}.html" for n in range(20)), further(page + 1))
        return nothing(path) if path.startswith("/item/") else None

    Web(room, lambda visit: [], behind, further(2))


def further(page: int) -> str:
    return f"<div class='pages'><a href='/list?page={page}'>下一页</a></div>"


def sold_links(room: Newsroom) -> None:
    """Links that lead off the site, most of them through a page of the site."""

    def links(visit: int) -> list[str]:
        return [f"/go/{SHOWN * visit + n}" for n in range(SHOWN)] + [f"http://127.0.0.99:9/ad/{visit}-{n}.html" for n in range(SHOWN)]

    def behind(path: str) -> Answer | None:
        return (302, "", {"Location": "http://127.0.0.99:9/ad"}) if path.startswith("/go/") else None

    web = Web(room, links, behind)
    room.pages["/feed"] = lambda: feed(room.base, (*web.articles, *links(len(room.hits))))


def feed(base: str, paths: tuple[str, ...]) -> Answer:
    items = "".join(f"<item><title>学校教育改革座谈会举行{path[-8:]}</title><link>{path if ':' in path else base + path}</link></item>" for path in paths)
    return 200, f"<?xml version='1.0'?><rss version='2.0'><channel><title>x</title>{items}</channel></rss>", {"Content-Type": "text/xml"}


MAKES: dict[str, tuple[Trap, dict[str, str]]] = {
    "calendar": (calendar, {"list": "list"}),
    "session ids in the path": (session_in_the_path, {"list": "list"}),
    "session ids in the query": (session_in_the_query, {"list": "list"}),
    "repeated segments": (repeated_segments, {"list": "list"}),
    "facets": (facets, {"list": "list"}),
    "endless pagination": (endless_pagination, {"list": "list"}),
    "sold links in a feed": (sold_links, {"feed": "feed", "list": "list"}),
}


@pytest.fixture(params=MAKES)
def trapped(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Newsroom, Desk]]:
    make, channels = MAKES[request.param]
    with watched("127.0.0.78", tmp_path, make, channels=channels) as found:
        yield found


def test_a_trap_wastes_little_and_costs_no_article(trapped: tuple[Newsroom, Desk]) -> None:
    room, desk = trapped
    desk.round()
    desk.round()
    web = room.out.__self__  # type: ignore[attr-defined]
    web.articles = EARLY + LATE
    done = desk.round()
    desk.round()
    assert done.returncode == 0, done.stderr[-2000:]
    stored = {url.removeprefix(room.base) for (url,) in rows(desk.database, "SELECT url FROM articles")}
    assert set(EARLY + LATE) <= stored
    paths = [hit.path for hit in room.hits if hit.path not in ("/list", "/feed", *EARLY, *LATE)]
    assert 0 < len(paths) <= MOST_WASTED
    sums = rows(desk.database, "SELECT count(*), sum(state = 'done'), sum(state = 'waiting') FROM urls")
    assert sums[0][0] == sums[0][1] + sum(count for _, count in rows(desk.database, "SELECT state, count(*) FROM urls WHERE state <> 'done' GROUP BY state"))
    assert sums[0][2] == 0
    ((refused, detail),) = rows(desk.database, "SELECT url, detail FROM urls WHERE reason = 'trap' AND detail LIKE 'too many%' LIMIT 1")
    told = scrapy(desk.database, "explain", refused)
    assert f"detail     {detail}" in told.stdout
    assert "127.0.0.78" in detail
