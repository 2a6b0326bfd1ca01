"""Sites that make URLs without end: little is wasted on them, and no article beside them is lost."""

import hashlib
import itertools
import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import partial
from pathlib import Path

from tests.support.newsroom import ALONE, DAY, Answer, Newsroom, listing, story, title_of, watched, watched_together
from tests.support.portal import rows, scrapy, start
from tests.support.servers import MIGRATED, Postgres, redis_server

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


LETTERS = str.maketrans("0123456789abcdef", "东西南北中城乡山水江河湖海春夏秋")


def nothing(path: str) -> Answer:
    cells = "".join(f"<td><a href='{path}?d={n}'>{n}</a></td>" for n in range(31))
    return 200, f"<html><head><title>活动安排</title></head><body><table><tr>{cells}</tr></table></body></html>", {}


def calendar(room: Newsroom) -> None:
    first = date(2026, 1, 1)

    def days(visit: int) -> list[str]:
        return [f"/events/{first + timedelta(days=SHOWN * visit + n):%Y-%m-%d}" for n in range(SHOWN)]

    Web(room, days, lambda path: nothing(path) if path.startswith("/events/") else None)


def calendar_on_topic(room: Newsroom) -> None:
    """A page for each day of a year, which says what it is about and that there is nothing."""
    calendar(room)
    web = room.out.__self__  # type: ignore[union-attr]

    def behind(path: str) -> Answer | None:
        title = f"{path[-10:]} 学校教育教学活动安排"
        markup = "<div>2026-01-01 08:00</div><p>教育局当日没有安排中小学校教育教学活动，请查看其他日期。</p>"
        return (200, f"<title>{title}</title><h1>{title}</h1>{markup}", {}) if path.startswith("/events/") else None

    web.behind = behind


def names_without_end(room: Newsroom) -> None:
    """A page for each school, below each of which it says the same."""

    def links(visit: int) -> list[str]:
        return [f"/school/{SHOWN * visit + n}.html" for n in range(SHOWN)]

    def behind(path: str) -> Answer | None:
        title = f"{token(path).translate(LETTERS)}学校教育教学活动介绍"
        markup = "<div>2026-01-01 08:00</div><p>该校暂未提交中小学校教育教学活动介绍，欢迎投稿。</p>"
        return (200, f"<title>{title}</title><h1>{title}</h1>{markup}", {}) if path.startswith("/school/") else None

    Web(room, links, behind)


def session_in_the_path(room: Newsroom) -> None:
    """Each of four articles under a new URL at each visit."""

    def links(visit: int) -> list[str]:
        return [f"/s-{token(visit, n)}/read/{n % 4}.html" for n in range(SHOWN)]

    Web(room, links, lambda path: story(f"/read/{path[-6]}.html") if path.startswith("/s-") else None)


def session_in_the_query(room: Newsroom) -> None:
    def links(visit: int) -> list[str]:
        return [f"/read/{n % 4}.html?visit={token(visit, n)}" for n in range(SHOWN)]

    Web(room, links, lambda path: story(path.partition("?")[0]) if path.startswith("/read/") else None)


def of_fresh_articles(room: Newsroom, address: Callable[[str, int], str]) -> None:
    """Twenty articles, two of them new at each visit, under new addresses each time; beside the real ones, which have constant ones."""

    def links(visit: int) -> list[str]:
        return [address(token(visit), n) for n in range(1000 + 2 * visit, 1020 + 2 * visit)]

    numbers = re.compile(r"/(1\d{3})\.html")
    Web(room, links, lambda path: story(f"/read/{match[1]}.html") if (match := numbers.search(path)) else None)


def fresh_articles_with_session_ids(room: Newsroom) -> None:
    of_fresh_articles(room, lambda session, n: f"/s/{session}/read/{n}.html")


def fresh_articles_with_session_ids_in_the_query(room: Newsroom) -> None:
    of_fresh_articles(room, lambda session, n: f"/read/{n}.html?tk={session}")


def repeated_segments(room: Newsroom) -> None:
    """A relative link that lacks its slash."""

    def links(visit: int) -> list[str]:
        return [f"/{'edu/news/' * (2 + n % 2)}{SHOWN * visit + n}.html" for n in range(SHOWN)]

    Web(room, links, lambda path: nothing(path) if path.startswith("/edu/") else None)


def facets(room: Newsroom) -> None:
    names = ("area", "grade", "kind", "order", "price", "school", "size", "year")
    chosen = [combination for size in range(1, 5) for combination in itertools.combinations(names, size)]

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
    urls = [path if ":" in path else base + path for path in paths]
    items = "".join(f"<item><title>学校教育改革座谈会举行{url[-8:]}</title><link>{url}</link></item>" for url in urls)
    return 200, f"<?xml version='1.0'?><rss version='2.0'><channel><title>x</title>{items}</channel></rss>", {"Content-Type": "text/xml"}


MAKES: dict[str, Trap] = {
    "calendar": calendar,
    "calendar on topic": calendar_on_topic,
    "names without end": names_without_end,
    "session ids in the path": session_in_the_path,
    "session ids in the query": session_in_the_query,
    "repeated segments": repeated_segments,
    "facets": facets,
    "endless pagination": endless_pagination,
    "sold links in a feed": sold_links,
}


def test_fresh_articles_under_session_ids_are_read_once_when_the_id_is_known_to_make_no_difference(tmp_path: Path) -> None:
    polls = 8
    makes = {"path": fresh_articles_with_session_ids, "query": fresh_articles_with_session_ids_in_the_query}
    with watched_together("127.0.78", tmp_path, makes) as (rooms, desk):
        for _ in range(polls):
            done = desk.round()
            desk.later(1800)
    assert done.returncode == 0, done.stderr[-2000:]
    for room in rooms.values():
        stored = rows(desk.database, f"SELECT title FROM articles WHERE site = '{room.name}'")
        titles = {title.replace(room.mark, "") for (title,) in stored}
        assert titles >= {title_of(f"/read/{n}.html") for n in range(1002, 1020 + 2 * polls)}, "every article was read"
        assert {title_of(path) for path in EARLY} <= titles
        fetched = {hit.path for hit in room.hits if hit.path != "/list"}
        assert len(fetched) - len(titles) <= MOST_WASTED
        trap = f"SELECT url, detail FROM urls WHERE reason = 'trap' AND url LIKE '{room.base}/%' LIMIT 1"
        ((refused, detail),) = rows(desk.database, trap)
        assert "at {} alone" in detail
        assert f"detail     {detail}" in scrapy(desk.database, "explain", refused).stdout
        assert "{}" in scrapy(desk.database, "sites", "show", room.name).stdout


def test_what_two_folders_show_alike_is_read_once_and_what_differs_there_in_the_end_is_not_lost(tmp_path: Path) -> None:
    alike, apart = range(1000, 1060), range(1100, 1110)
    listed = [alike]

    def read(path: str) -> Answer:
        folder, number = path.split("/")[1], path[-9:-5]
        return story(f"/{'c1' if int(number) in alike else folder}/{number}.html")

    def make(room: Newsroom) -> None:
        Web(
            room, lambda visit: [f"/{folder}/{n}.html" for folder in ("c1", "c2") for n in listed[-1]],
            lambda path: read(path) if path.startswith("/c") else None,
        )  # fmt: skip

    with watched("127.0.0.78", tmp_path, make) as (room, desk):
        desk.round()
        wasted = len(room.hits) - 1 - len(EARLY) - len(alike)
        listed.append(apart)
        desk.round()
        for _ in range(4):
            desk.later(1800)
            desk.round()
    assert wasted == 20
    titles = {title for (title,) in rows(desk.database, "SELECT title FROM articles")}
    assert titles >= {title_of(f"/{folder}/{n}.html") for folder in ("c1", "c2") for n in apart}
    assert len(titles) == len(EARLY) + len(alike) + 2 * len(apart)


def test_traps_waste_little_and_cost_no_article(tmp_path: Path) -> None:
    with watched_together("127.0.78", tmp_path, MAKES) as (rooms, desk):
        sold = rooms["sold links in a feed"]
        sold.site(tmp_path / "sites", feed="feed", list="list")
        desk.round()
        desk.round()
        for room in rooms.values():
            room.out.__self__.articles = EARLY + LATE  # type: ignore[attr-defined]
        done = desk.round()
        for _ in range(2):
            desk.later(DAY)
            desk.round()
    assert done.returncode == 0, done.stderr[-2000:]
    urls = {url for (url,) in rows(desk.database, "SELECT url FROM articles")}
    refused = dict(rows(desk.database, "SELECT url, detail FROM urls WHERE reason = 'trap' AND detail LIKE 'too many%'"))
    for kind, room in rooms.items():
        stored = {url.removeprefix(room.base) for url in urls if url.startswith(f"{room.base}/")}
        assert set(EARLY + LATE) <= stored, kind
        wasted = [hit.path for hit in room.hits if hit.path not in stored | {"/list", "/feed"}]
        assert 0 < len(wasted) <= MOST_WASTED, kind
        host = room.base.removeprefix("http://").partition(":")[0]
        details = [detail for url, detail in refused.items() if url.startswith(f"{room.base}/")]
        assert details, kind
        assert all(host in detail for detail in details), kind
    assert rows(desk.database, "SELECT count(*) FROM urls WHERE state IN ('waiting', 'processing')") == [(0,)]
    url, detail = next(iter(refused.items()))
    assert f"detail     {detail}" in scrapy(desk.database, "explain", url).stdout


def all_over(room: Newsroom, mended: list[bool]) -> None:
    """Each link into a folder of its own."""

    def links(visit: int) -> list[str]:
        return [f"/{''.join(chr(103 + int(digit)) for digit in str(1000 * visit + n))}/{n}.html" for n in range(120)]

    def behind(path: str) -> Answer | None:
        return None if path == "/list" else story(path) if mended else (404, "", {})

    web = Web(room, lambda visit: [] if mended else links(visit), behind)
    web.articles = ()


def test_a_site_that_wastes_all_over_is_quarantined_shown_and_released(tmp_path: Path) -> None:
    mended: list[bool] = []
    with watched("127.0.0.78", tmp_path, lambda room: all_over(room, mended), "-s", "TRAP_SITE_FETCHES=30") as (room, desk):
        for _ in range(5):
            desk.round()
        wasted = len(room.hits) - len(room.hit("/list"))
        room.hits.clear()
        desk.round()
        while_quarantined = [hit.path for hit in room.hits]
        status, site_file = scrapy(desk.database, "status"), scrapy(desk.database, "sites", "show", "s")
        released = scrapy(desk.database, "sites", "relearn", "s")
        mended.append(True)
        desk.round()
    assert wasted == 60
    assert while_quarantined == ["/list"]
    assert "s: quarantined, only its lists are polled" in status.stdout
    assert "# quarantined, only its lists are polled since" in site_file.stdout
    assert "URLs that brought nothing are fetched again" in released.stderr
    (stored,), (refused,) = rows(desk.database, "SELECT count(*) FROM articles UNION ALL SELECT sum(reason = 'trap') FROM urls")
    assert (stored, refused) == (720 - 60, 0)


def test_articles_that_were_refused_are_fetched_after_all_once_the_site_is_mended(tmp_path: Path) -> None:
    """A site that answers a page of excuses to everything for a day, with the same addresses as ever."""
    numbers = [tuple(f"/2026/1103/{n}.html" for n in range(100 * part, 100 * part + 40)) for part in range(1, 4)]
    broken = [True]

    def make(room: Newsroom) -> None:
        web = Web(room, lambda visit: [], lambda path: (nothing(path) if broken[0] else story(path)) if path != "/list" else None)
        web.articles = numbers[0]

    with watched("127.0.0.78", tmp_path, make) as (room, desk):
        web = room.out.__self__  # type: ignore[attr-defined]
        desk.round()
        web.articles = numbers[1]
        desk.round()
        assert len(room.hits) - len(room.hit("/list")) == 20
        broken[0] = False
        desk.later(3600)
        desk.round()
    stored = {url.removeprefix(room.base) for (url,) in rows(desk.database, "SELECT url FROM articles")}
    assert stored == set(numbers[0][20:] + numbers[1])


def test_lists_of_articles_off_topic_are_no_trap(tmp_path: Path) -> None:
    sentence = "<p>第{}场足球比赛昨晚结束，主队以三比一取胜，球迷在体育场外庆祝到深夜，教练对防守仍不满意。</p>"
    football = "".join(map(sentence.format, range(8)))

    def other(path: str) -> Answer:
        title = f"足球比赛的结果{path}"
        return 200, f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{football}<p>{path}</p></body></html>", {}

    def make(room: Newsroom) -> None:
        sports = [f"/2026/1101/{n}.html" for n in range(300, 360)]
        Web(room, lambda visit: sports, lambda path: other(path) if path in sports else None)

    with watched("127.0.0.78", tmp_path, make) as (_, desk):
        scrapy(desk.database, "crawl", "education", "-a", f"sites={desk.sites}", *ALONE)
    assert dict(rows(desk.database, "SELECT reason, count(*) FROM urls WHERE kind = 'article' GROUP BY reason")) == {
        "off_topic": 60, "stored": len(EARLY),
    }  # fmt: skip


GONE: dict[str, Answer] = {"404": (404, "", {}), "410": (410, "", {}), "a page that is none": page_of(())}


def test_a_feed_or_sitemap_that_is_gone_is_asked_ever_more_seldom_and_shown(tmp_path: Path) -> None:
    xml = ("feed", "sitemap")

    def make(room: Newsroom, answer: Answer) -> None:
        room.pages.update({"/list": lambda: listing(*EARLY), **{path: partial(story, path) for path in EARLY}})
        room.pages.update({f"/{kind}": lambda: answer for kind in xml})

    fills = {name: partial(make, answer=answer) for name, answer in GONE.items()}
    with watched_together("127.0.78", tmp_path, fills, channels={"list": "list"} | {kind: kind for kind in xml}) as (rooms, desk):
        lists = {(name, kind): partial(room.hit, f"/{kind}") for name, room in rooms.items() for kind in xml}

        def request_counts() -> dict[tuple[str, str], int]:
            return {key: len(hits()) for key, hits in lists.items()}

        for _ in range(5):
            desk.round()
        at_once, status = request_counts(), scrapy(desk.database, "status").stdout
        explained = {(name, kind): scrapy(desk.database, "explain", f"{rooms[name].base}/{kind}").stdout for name, kind in lists}
        after = [at_once]
        for _ in range(7):
            for _ in range(2):
                desk.later(DAY / 2)
                desk.round()
            after.append(request_counts())
        for room in rooms.values():
            scrapy(desk.database, "sites", "relearn", room.name)
        desk.round()
        counts_again = request_counts()
    for name, kind in lists:
        key = (name, kind)
        assert at_once[key] == 3, key
        assert [later[key] - earlier[key] for earlier, later in itertools.pairwise(after)][-3:] == [1, 1, 1], key
        assert counts_again[key] == after[-1][key] + 1, key
        assert f"{rooms[name].name}: gone, asked seldom:" in status
        assert f"{rooms[name].base}/{kind}" in status
        assert f"({'unreadable' if GONE[name][0] == 200 else 'http_status'})" in explained[key], key
    assert rows(desk.database, "SELECT count(*) FROM articles") == [(len(GONE) * len(EARLY),)]


def test_a_feed_that_is_a_list_of_articles_in_truth_is_read_as_one(tmp_path: Path) -> None:
    def make(room: Newsroom) -> None:
        room.pages.update({"/xml": lambda: listing(*EARLY), **{path: partial(story, path) for path in EARLY}})

    with watched("127.0.0.78", tmp_path, make, channels={"xml": "sitemap"}) as (_, desk):
        done = desk.round()
    assert done.returncode == 0
    assert rows(desk.database, "SELECT count(*) FROM articles") == [(len(EARLY),)]


def test_two_workers_of_a_fleet_waste_no_more(tmp_path: Path, migrated: Postgres) -> None:
    url = migrated.create("traps", MIGRATED)
    try:
        with redis_server() as redis, watched("127.0.0.78", tmp_path, calendar) as (room, desk):
            room.out.__self__.articles = EARLY + LATE  # type: ignore[attr-defined]
            crawl = ("crawl", "education", "-a", f"sites={desk.sites}", "-a", "topic=any", *ALONE, "-s", f"REDIS_URL={redis.url}")
            for n in range(2):
                workers = [start(url, *crawl, log=tmp_path / f"{n}{name}") for name in "ab"]
                assert [worker.wait(240) for worker in workers] == [0, 0]
            stored = {path.removeprefix(room.base) for (path,) in rows(url, "SELECT url FROM articles")}
            wasted = [hit.path for hit in room.hits if hit.path.startswith("/events/")]
            assert rows(url, "SELECT count(*) FROM urls WHERE state <> 'done' AND update_cycle IS NULL") == [(0,)]
            assert rows(url, "SELECT wasted FROM url_patterns WHERE pattern LIKE '%/events/%'") == [(len(wasted),)]
    finally:
        migrated.drop("traps")
    assert stored == set(EARLY + LATE)
    assert len(wasted) == len(set(wasted)) <= MOST_WASTED
