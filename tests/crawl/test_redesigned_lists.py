"""A channel that is redesigned between two crawls: no article is missed, and the change is reported once."""

import json
from pathlib import Path

from tests.support.portal import rows, scrapy
from tests.support.serving import QUICK, Answer, article, served, site

OLD = '//ul[contains(concat(" ", normalize-space(@class), " "), " news ")]/li/a'
NEW = '//div[@id="stream"]/dl/dt/a'


def page(first: int, head: str, row: str, tail: str) -> Answer:
    titles = {number: "开学" if number == 6 else f"教育部发布第{number}号课程改革文件" for number in range(first, first + 5)}
    items = "".join(row.format(number, title) for number, title in titles.items())
    return 200, f"<html><head><title>教育新闻</title></head><body><a href='/'>首页</a>{head}{items}{tail}</body></html>", {}


def test_a_channel_that_is_made_anew_is_read_all_the_same_and_told_once(tmp_path: Path) -> None:
    rounds = [
        page(1, '<ul class="news">', '<li><a href="/{0:04}.html">{1}</a></li>', "</ul>"),
        page(4, '<div id="stream">', '<dl><dt><a href="/{0:04}.html">{1}</a></dt><dd>文件已经发布。</dd></dl>', "</div>"),
    ]

    def play(path: str, times: int) -> Answer:
        match path:
            case "/robots.txt":
                return 404, "", {}
            case "/a/":
                return rounds[(times - 1) // 2]
        return article(int(path[-9:-5]))

    database = tmp_path / "n.db"
    with served("127.0.0.92", play) as (base, _):
        sites = site(tmp_path, base, {"/a/": 9})
        runs = [scrapy(database, "crawl", "education", "-a", f"sites={sites}", *QUICK) for _ in range(4)]
        status = scrapy(database, "status", "--json")
        name = rows(database, "SELECT site FROM channels WHERE url LIKE '%/a/'")[0][0]
        site_file = scrapy(database, "sites", "show", name)
    assert [done.returncode for done in runs] == [0] * 4, runs[-1].stderr[-2000:]
    warned = [sum("WARNING" in line and "redesigned" in line and f"{base}/a/" in line for line in run.stderr.splitlines()) for run in runs]
    assert warned == [0, 0, 1, 0]
    assert rows(database, "SELECT count(*) FROM urls WHERE kind = 'article'") == [(8,)]
    (moved,) = json.loads(status.stdout)["lists_that_moved"]
    assert (moved["list_paths"], moved["list_moves"], moved["list_lost_at"]) == ([NEW], 1, None)
    assert f"#     {NEW}" in site_file.stdout.splitlines()
    assert OLD not in site_file.stdout
