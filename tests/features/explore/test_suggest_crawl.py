"""From a web that nobody knows to a site that is watched: explore, suggest, add, poll."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.support.portal import rows, scrapy
from tests.support.serving import Answer, served

HOST = "127.0.0.66"
QUICK = ("-s", "DELAY_MIN_SECONDS=0", "-s", "DELAY_FACTOR=0", "-s", "RETRY_TIMES=1", "-s", "ROUND_PATIENCE_SECONDS=3")
ABOUT = "第{n}所学校的教师和学生参加了今年的教育改革座谈会，会上讨论了课程、招生与考试的安排，家长也谈了看法。"
ELSE = "第{n}场足球比赛昨晚结束，主队以三比一取胜，球迷在体育场外庆祝到深夜，教练对防守仍不满意。"
TITLES = {"edu": "学校教育改革座谈会第{n}场举行", "ball": "足球联赛第{n}轮主队取胜"}
NAME = "示例教育网"
SECTIONS = {"首页": "/", "教育": "/edu/", "高考": "/edu/gaokao/", "体育": "/ball/", "学校": "/tag?name=school", "找": "/search?q=gaokao"}


class Newspaper:
    """A site with two sections, a part of one of them, further pages, tags and a search. ``edu`` are the numbers of its articles on
    education, the latest first."""

    def __init__(self) -> None:
        self.edu = list(range(30, 0, -1))
        self.ball = list(range(130, 110, -1))

    def play(self, path: str, _: int) -> Answer:
        """What the server answers."""
        pages: dict[str, Callable[[], str]] = {
            "/": lambda: self.list("首页", [*self.edu[:3], *self.ball[:3]]),
            "/edu/": lambda: self.list("教育", self.edu[:15], '<a href="/edu/index_1.html">下一页</a>'),
            "/edu/index_1.html": lambda: self.list("教育", self.edu[15:]),
            "/edu/gaokao/": lambda: self.list("高考", self.edu[:12:2]),
            "/ball/": lambda: self.list("体育", self.ball),
            "/tag?name=school": lambda: self.list("标签", self.edu[:14]),
            "/search?q=gaokao": lambda: self.list("搜索", self.edu[:10]),
        }
        if path in pages:
            return 200, pages[path](), {}
        number = int(path[-8:-5]) if path.startswith("/2026/") else 0
        return (200, self.article(number), {}) if number in (*self.edu, *self.ball) else (404, "no such page", {})

    def list(self, title: str, numbers: list[int], more: str = "") -> str:
        """A list page, with all sections above it."""
        head = "".join(f'<a href="{url}">{name}</a> ' for name, url in SECTIONS.items())
        items = "".join(f'<li><a href="/2026/t{n:03}.html">{self.title(n)}</a></li>' for n in numbers)
        return _page(f"{title}_{NAME}", f'<div class="nav">{head}</div><ul>{items}</ul><div class="pages">{more}</div>')

    def title(self, number: int) -> str:
        """The headline of an article."""
        return TITLES["edu" if number < 100 else "ball"].format(n=number)

    def article(self, number: int) -> str:
        """An article; one is published every six hours."""
        latest = max(self.edu) if number < 100 else max(self.ball)
        published_at = datetime.now(UTC) + timedelta(hours=8 - 6 * (latest - number + 1))
        text = "".join(f"<p>{(ABOUT if number < 100 else ELSE).format(n=f'{number}之{line}')}</p>" for line in range(8))
        title = self.title(number)
        return _page(f"{title}_{NAME}", f"<h1>{title}</h1><p>{published_at:%Y-%m-%d %H:%M} 来源：{NAME}</p>{text}")


def _page(title: str, body: str) -> str:
    return f"<html><head><meta charset=utf-8><title>{title}</title></head><body>{body}</body></html>"


def run(database: Path, *words: str, code: int = 0) -> str:
    done = scrapy(database, *words)
    assert done.returncode == code, (words, done.stdout, done.stderr[-3000:])
    return done.stdout


def test_what_was_explored_is_suggested_added_and_polled(tmp_path: Path) -> None:
    database, paper = tmp_path / "n.db", Newspaper()
    shipped_sites = [json.loads(line)["name"] for line in run(database, "sites", "list", "--json").splitlines()]
    run(database, "sites", "disable", *shipped_sites)
    with served(HOST, paper.play) as (base, requests):
        run(database, "crawl", "explore", "-a", "strategy=focused", "-a", f"seeds={base}/", "-a", "name=web", *QUICK)
        assert {"/search?q=gaokao", "/ball/", "/edu/index_1.html", "/tag?name=school"} <= requests.keys(), "it went everywhere"

        (suggestion,) = map(json.loads, run(database, "sites", "suggest", "--json").splitlines())
        assert (suggestion["url"], suggestion["new"], suggestion["name"], suggestion["kind"]) == (f"{base}/edu/", True, "教育", "list")
        assert (suggestion["on_topic"], suggestion["read"], suggestion["shown"], suggestion["original"]) == (15, 15, 15, 1.0)
        assert 3.5 < suggestion["a_day"] < 4.5
        table = run(database, "sites", "suggest", "--toml", str(tmp_path / "found"))
        assert f"{base}/edu/" in table

        (file,) = (tmp_path / "found").iterdir()
        run(database, "sites", "add", str(file))
        assert run(database, "sites", "suggest") == ""

        paper.edu.insert(0, 31)
        requests_before = requests.copy()
        run(database, "crawl", "education", *QUICK)
        assert requests["/edu/"] == requests_before["/edu/"] + 1
        assert requests["/2026/t031.html"] == 1
    site = base.removeprefix("http://")
    assert rows(database, "SELECT site, channel FROM articles WHERE url LIKE '%/t031.html'") == [(site, "教育")]
    assert rows(database, "SELECT name, last_status FROM channels WHERE polls > 0") == [("教育", 200)]
