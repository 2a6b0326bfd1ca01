"""Eighty articles over a week: which of them are said to have changed, and which to have vanished."""

import json
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from tests.support.newsroom import HOUR, Answer, Newsroom, later, listing, newsroom, round_of, story, watched_together
from tests.support.portal import rows, scrapy

PUBLISHED_AT = f"{datetime.now(UTC) - timedelta(days=5):%Y-%m-%d} 08:00"  # articles of a month ago are not visited again
EDITED, AROUND, REMOVED, FLICKERING = 25, 20, 20, 15
LISTS = 6
# Hours between two rounds: the steps of the ladder, and the looks at what is missing.
WAITS = (1.1, 1.6, 1.6, 1.8, 1.6, 1.6, 1.6, 1.6, 12, 1.6, 1.6, 1.6, 1.6, 48, 1.6, 1.6, 1.6, 1.6, 96, 1.6, 1.6)
END = "</div><div class='footer'>"  # of the text
LEFT_OUT = [
    (404, "<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>", {}),
    (410, "", {}),
    (200, "<html><head><title>提示信息</title></head><body><p>您访问的文章不存在或已被删除</p></body></html>", {}),
    (302, "", {"Location": "/"}),
    (301, "", {"Location": "/list0"}),
    (302, "", {"Location": "/passport/login?from=1"}),
    (200, "<html><head><title>用户登录</title></head><body><form><input type=password name=p></form><p>请先登录</p></body></html>", {}),
]


@dataclass
class Week:
    """The pages of the newsroom at an hour of the week."""

    hour: float = 0.0
    asked: dict[str, int] = field(default_factory=dict)

    def edited(self, path: str, number: int) -> Answer:
        """One of five kinds of edits, at one of five moments."""
        if self.hour < (0.5, 3, 12, 40, 100)[number % 5]:
            return story(path)
        status, text, headers = story(path)
        kinds = (
            ("<p>第", "<p>更正：第", 1),
            (END, f"<p>另据补充报道，当地教育部门表示将在下月公布细则，并公开征求意见。</p>{END}", 1),
            ("今年的教育改革座谈会", "去年的教育改革座谈会", 1),
            ("会上讨论了课程、招生与考试的安排，", "", 1),
            ("今年", "明年", -1),
        )
        return status, text.replace(*kinds[number // 5 % 5]), headers

    def around(self, path: str, number: int) -> Answer:
        """The same text each time, with other things around it."""
        dice = random.Random(f"{path} {self.hour}")
        numbers = [dice.randrange(10**6) for _ in range(6)]
        links = "".join(f"<li><a href='/2025/{n}.html'>教育新闻{n}今日发布</a></li>" for n in numbers)
        counter = f"<span class='count'>阅读 {dice.randrange(10**5)}</span>"
        sold = f"<a href='/ad/{dice.randrange(99)}'>广告{dice.randrange(99)}</a>"
        status, text, headers = story(path, around=sold, when=PUBLISHED_AT)
        text = text.replace("来源：教育时报", f"来源：教育时报 {counter}")
        more = (
            f"<div class='related'><h3>相关阅读</h3><ul>{links}</ul></div>",
            f"<p>浏览次数：{dice.randrange(10**5)}</p>",
            f"<div class='hot'><h3>热门排行</h3><ol>{links}</ol></div>{counter}",
            f"<!-- {dice.random()} --><script>var t={dice.random()};</script>",
        )[number % 4]
        inside = number % 4 == 1  # the counter stands in the element of the text
        return status, text.replace(END, f"{more}{END}" if inside else END.replace("</div>", f"</div>{more}")), headers

    def removed(self, path: str, number: int) -> Answer:
        """Gone for good, from one of four moments on, in one of seven ways."""
        return story(path) if self.hour < (0.5, 4, 20, 60)[number % 4] else LEFT_OUT[number % len(LEFT_OUT)]

    def flickering(self, path: str, number: int) -> Answer:
        """Away at every third visit by chance, at every second one, or for five hours in one go."""
        self.asked[path] = visit = self.asked.get(path, 0) + 1
        away = (random.Random(f"{path} {visit}").random() < 0.3, visit % 2 == 0, 6 <= self.hour <= 11)[number % 3]
        return (404, "<h1>404 Not Found</h1>", {}) if away and visit > 1 else story(path)


def filled(room: Newsroom, week: Week) -> dict[str, list[str]]:
    """The URLs of the articles by what becomes of them."""
    kinds = [(week.edited, EDITED), (week.around, AROUND), (week.removed, REMOVED), (week.flickering, FLICKERING)]
    urls: dict[str, list[str]] = {}
    for kind, count in kinds:
        for number in range(count):
            path = f"/2026/{kind.__name__}/{number + 100}.html"
            room.pages[path] = partial(kind, path, number)
            urls.setdefault(kind.__name__, []).append(room.base + path)
    paths = list(room.pages)
    random.Random(1).shuffle(paths)
    for place in range(LISTS):
        listed = paths[place::LISTS]
        room.pages[f"/list{place}"] = partial(listing, *listed)
    room.pages["/"] = lambda: (200, "<html><head><title>首页</title></head><body><a href='/list0'>要闻</a></body></html>", {})
    room.pages["/passport/login?from=1"] = lambda: LEFT_OUT[-1]
    return urls


def test_a_week_of_edits_removals_and_flickers_is_told_as_it_was(tmp_path: Path) -> None:
    database, week = tmp_path / "news.db", Week()
    with newsroom("127.0.0.92") as room:
        pages = filled(room, week)
        sites = room.site(tmp_path, **{f"list{place}": "list" for place in range(LISTS)})
        assert round_of(database, sites).returncode == 0
        assert rows(database, "SELECT count(*) FROM article_urls") == [(EDITED + AROUND + REMOVED + FLICKERING,)]
        for hours in WAITS:
            week.hour += hours
            later(database, hours * HOUR)
            done = round_of(database, sites)
            assert done.returncode == 0, done.stderr[-3000:]
    events = [json.loads(line) for line in scrapy(database, "changes", "--json").stdout.splitlines()]
    changed = {event["url"] for event in events if event["event"] == "changed"}
    vanished = {event["url"] for event in events if event["event"] == "vanished"}
    assert changed == set(pages["edited"])
    assert all(event["parts"] == ["text"] for event in events if event["event"] == "changed")
    assert vanished <= set(pages["removed"]), "no other page has vanished"
    assert len(vanished) >= 0.95 * REMOVED
    lists = [hit for hit in room.hits if hit.path.startswith("/list")]
    assert sum(hit.status == 304 for hit in lists[LISTS:]) >= 0.95 * len(lists[LISTS:])
    assert {event["absence"] for event in events if event["event"] == "vanished"} == {
        "not_found", "gone", "soft_404", "home_page", "login",
    }  # fmt: skip


OUTAGES: dict[str, Answer] = {
    "404": (404, "<h1>404 Not Found</h1>", {}),
    "500": (500, "oops", {}),
    "to the home page": (302, "", {"Location": "/"}),
    "a notice": (200, "<html><head><title>提示信息</title></head><body><p>您访问的页面不存在</p></body></html>", {}),
}
MISSED = "SELECT count(*) FROM missing_articles JOIN article_urls USING (key) WHERE canonical_url LIKE '{base}/%'"


def thirty_articles(room: Newsroom) -> None:
    """A list of as many articles."""
    paths = [f"/2026/{number}.html" for number in range(1, 31)]
    room.pages = {"/list": partial(listing, *paths), **{path: partial(story, path) for path in paths}}
    room.pages["/"] = lambda: (200, "<html><head><title>首页</title></head><body>欢迎</body></html>", {})


def test_sites_that_are_out_for_six_hours_lose_no_article(tmp_path: Path) -> None:
    fills = dict.fromkeys(OUTAGES, thirty_articles)
    with watched_together("127.0.93", tmp_path, fills, "-s", "RETRY_TIMES=0") as (rooms, desk):
        desk.round()
        desk.later(5 * HOUR)
        for kind, room in rooms.items():
            room.out = partial(lambda out, path: None if path == "/" else out, OUTAGES[kind])
        for _ in range(5):
            desk.later(1.2 * HOUR)
            desk.round()
        missed = {kind: rows(desk.database, MISSED.format(base=room.base))[0][0] for kind, room in rooms.items()}
        assert missed == {kind: 0 if kind == "500" else 30 for kind in OUTAGES}, "the outages were seen"
        for room in rooms.values():
            room.out = lambda path: None
        for hours in (0.5, 20, 150):
            desk.later(hours * HOUR)
            assert desk.round().returncode == 0
    assert scrapy(desk.database, "changes").stdout == ""
    assert rows(desk.database, "SELECT count(*) FROM missing_articles WHERE missing_since IS NOT NULL") == [(0,)]
