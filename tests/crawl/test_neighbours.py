"""Whole crawls: neighbouring articles stay separate, and the pages of one article are joined in whatever order they are read."""

from pathlib import Path

import pytest

from tests.support.portal import rows, scrapy
from tests.support.serving import QUICK, Answer, served, site

TITLES = (
    "教育部部署春季高考改革试点工作", "清华大学公布新一届博士招生简章", "国家体育总局公布青少年训练名单", "上海中小学秋季开学时间确定公布",
    "北京义务教育入学政策发布解读", "江苏省中考命题改革方案公布说明",
)  # fmt: skip
FORMS = ("/show_{}.html", "/archives/{}/", "/?p={}", "/news/{}")
SPLIT = "浙江高考综合改革方案全文公布"
DIGITS = "零一二三四五六七八九"


def body(name: str) -> list[str]:
    named = "".join(DIGITS[int(letter)] if letter.isdigit() else letter for letter in name)
    return [f"{named}的第{line}段：学校的教师和学生参加了今年的座谈会，会上讨论了课程、招生与考试的安排。" for line in "一二三四"]


def article(title: str, name: str, links: str) -> Answer:
    text = "".join(f"<p>{line}</p>" for line in body(name))
    return 200, (
        f"<html><head><meta charset=utf-8><title>{title}_某某网</title></head><body><h1>{title}</h1>"
        f"<div>2026-11-20 10:00 来源：某某日报</div>"
        f"<div class=content>{text}</div><div class=pages>{links}</div></body></html>"
    ), {}


def listing(items: list[tuple[str, str]]) -> Answer:
    list_items = "".join(f'<li><a href="{path}">{title}</a> 2026-11-20</li>' for path, title in items)
    return 200, f"<html><head><meta charset=utf-8><title>新闻列表</title></head><body><ul class=list>{list_items}</ul></body></html>", {}


def crawl(database: Path, sites: Path) -> None:
    done = scrapy(database, "crawl", "education", "-a", f"sites={sites}", "-a", "topic=any", *QUICK)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("listed", [len(TITLES), 4])
def test_neighbours_are_never_joined_whoever_reads_them_first(tmp_path: Path, listed: int) -> None:
    numbers = range(11, 11 + len(TITLES))

    def play(path: str, _: int) -> Answer:
        if path.startswith("/list"):
            form = FORMS[int(path[5])]
            return listing([(form.format(n), TITLES[n - 11]) for n in reversed(numbers[:listed])])
        for at, form in enumerate(FORMS):
            for n in numbers:
                if path == form.format(n):
                    return article(TITLES[n - 11], f"{at}之{n}", f'<a href="{form.format(n + 1)}">下一页</a>')
        return 404, "", {}

    with served("127.0.0.116", play) as (base, _):
        sites = site(tmp_path, base, {f"/list{at}.html": 5 for at in range(len(FORMS))})
        for _ in range(2):
            crawl(tmp_path / "n.db", sites)
    articles = rows(tmp_path / "n.db", "SELECT url, title, text FROM articles")
    assert {str(url).removeprefix(base): (title, text) for url, title, text in articles} == {
        form.format(n): (TITLES[n - 11], "\n".join(body(f"{at}之{n}"))) for at, form in enumerate(FORMS) for n in numbers[:listed]
    }
    assert rows(tmp_path / "n.db", "SELECT url FROM urls WHERE reason = 'joined'") == []


def test_a_further_page_of_another_title_is_stored_as_the_article_that_it_is(tmp_path: Path) -> None:
    def play(path: str, _: int) -> Answer:
        match path:
            case "/list.html":
                return listing([("/a/one.html", TITLES[0])])
            case "/a/one.html":
                return article(TITLES[0], "one", '<a href="/a/one_2.html">下一页</a>')
            case "/a/one_2.html":
                return article(TITLES[1], "two", f'<a href="/a/one.html">上一篇：{TITLES[0]}</a>')
        return 404, "", {}

    with served("127.0.0.117", play) as (base, _):
        crawl(tmp_path / "n.db", site(tmp_path, base, {"/list.html": 5}))
    stored = {str(url).removeprefix(base): title for url, title in rows(tmp_path / "n.db", "SELECT url, title FROM articles")}
    assert stored == {"/a/one.html": TITLES[0], "/a/one_2.html": TITLES[1]}


@pytest.mark.parametrize("order", [(1, 2), (2, 1), (3, 2, 1), (2, 1, 3)])
def test_an_article_whose_further_pages_are_in_the_list_too_is_one(tmp_path: Path, order: tuple[int, ...]) -> None:
    def play(path: str, _: int) -> Answer:
        if path == "/list.html":
            return listing([(f"/a/split_{n}.html", SPLIT if n == 1 else f"{SPLIT}第{n}部分") for n in order])
        if path in (paths := [f"/a/split_{n}.html" for n in (1, 2, 3)]):
            n = paths.index(path) + 1
            numbers = "".join(f'<a href="{other}">{at}</a> ' for at, other in enumerate(paths, 1))
            return article(SPLIT, f"split{n}", numbers + (f'<a href="{paths[n]}">下一页</a>' if n < 3 else ""))
        return 404, "", {}

    with served("127.0.0.118", play) as (base, requests):
        sites = site(tmp_path, base, {"/list.html": 5})
        crawl(tmp_path / "n.db", sites)
        crawl(tmp_path / "n.db", sites)
    whole = "\n".join(line for n in (1, 2, 3) for line in body(f"split{n}"))
    assert rows(tmp_path / "n.db", "SELECT url, text FROM articles") == [(f"{base}/a/split_1.html", whole)]
    assert max(requests[f"/a/split_{n}.html"] for n in (1, 2, 3)) <= 3
