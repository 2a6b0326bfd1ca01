"""A corrected spider, callback or site file corrects the stored articles, also where their pages are the same to the byte."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.own_project import OwnProject
from tests.support.portal import exported, rows
from tests.support.servers import new_file
from tests.support.serving import TEXT, Answer, served, site

pytestmark = pytest.mark.slow

SPIDERS = '''
import json
from datetime import datetime

import scrapy

from newsspider import article_item
from newsspider.spiders.education import EducationSpider


class Desk(scrapy.Spider):
    """Names the fields of each page that its argument says."""

    name = "desk"
    custom_settings = {"TOPIC": "any"}

    def __init__(self, base, named, **more):
        super().__init__(**more)
        self.named = json.loads(named)
        self.start_urls = [base + path for path in self.named]

    def parse(self, response):
        fields = self.named["/" + response.url.split("/", 3)[3]]
        if "published_at" in fields:
            fields["published_at"] = datetime.fromisoformat(fields["published_at"])
        yield article_item(response, self.settings, **fields)


class Mine(EducationSpider):
    name = "mine"

    def parse_article(self, response):
        yield {"title": "本刊特稿：" + response.css("h1::text").get(), "authors": ("本刊记者",)}


class Changing(EducationSpider):
    name = "changing"

    def parse_article(self, response):
        for article in super().parse_article(response):
            article.source = "本刊"
            yield article
'''
BODY = "".join(TEXT.format(n=n) for n in range(4))
PARTS = 3
# the value that a corrected spider names, and what the export says then, by field; "visits" pages have a counter
NAMED: dict[str, tuple[Any, Any]] = {
    "title": ("改过的标题", "改过的标题"),
    "authors": (["王记者", "李记者"], ["王记者", "李记者"]),
    "editors": (["赵编辑"], ["赵编辑"]),
    "source": ("教育周刊", "教育周刊"),
    "published_at": ("2024-05-01T09:30:00+08:00", "2024-05-01T09:30:00+08:00"),
    "text": ("这一段是另外写的，与页面上的不同。\n第二段也是。", "这一段是另外写的，与页面上的不同。\n第二段也是。"),
    "summary": ("另写的摘要。", "另写的摘要。"),
    "keywords": (["座谈", "改革"], ["座谈", "改革"]),
    "kind": ("blog", "blog"),
    "channel": ("深度", "深度"),
}
EXPORTED = {"authors": "author"}


def page(title: str, body: str = BODY, foot: str = "") -> Answer:
    head = f"<html><head><meta charset=utf-8><title>{title}</title></head><body><h1>{title}</h1>"
    info = "<div class=info>2024-05-01 来源：某某日报 <i class=desk>文教组</i></div>"
    return 200, f"{head}{info}<div class=content>{body}</div>{foot}</body></html>", {}


def play(path: str, times: int) -> Answer:
    if path == "/list.html":
        items = '<li><a href="/2024/0501/1.html">学校教育改革座谈会纪要</a> 2024-05-01</li>'
        return 200, f"<html><head><meta charset=utf-8><title>教育新闻列表</title></head><body><ul>{items}</ul></body></html>", {}
    name = path.rpartition("/")[2].removesuffix(".html")
    number, _, part = name.partition("_")
    if number.isdecimal():  # an article of several pages
        here = int(part or 1)
        body = "".join(TEXT.format(n=f"{here}-{line}") for line in range(4))
        links = "".join(f'<a href="/2024/0501/1{f"_{n}" if n > 1 else ""}.html">[{n}]</a>' for n in range(1, PARTS + 1) if n != here)
        following = f'<a href="/2024/0501/1_{here + 1}.html">下一页</a>' if here < PARTS else ""
        return page("学校教育改革座谈会纪要", body, f"<div class=pages>{links}{following}</div>")
    counter = f"<p>阅读 {times * 7}</p>" if path.startswith("/counted/") else ""
    return page(f"学校教育改革座谈会之{name}", BODY.replace("教育", f"{name}教育"), counter)


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with served("127.0.0.228", play) as (url, _):
        yield url


@pytest.fixture
def project(tmp_path: Path) -> OwnProject:
    (tmp_path / "project").mkdir()
    project = OwnProject(tmp_path / "project", {"desk": SPIDERS})
    new_file(project.database)
    return project


def desk(project: OwnProject, base: str, named: dict[str, dict[str, Any]]) -> tuple[str, list[str]]:
    """What a run of the spider logs, and the URLs that it gives to the feed."""
    feed = project.folder / "out.jsonl"
    done = project.scrapy("crawl", "desk", "-a", f"base={base}", "-a", f"named={json.dumps(named)}", "-O", str(feed))
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr, [json.loads(line)["url"].removeprefix(base) for line in feed.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("folder", ["same", "counted"])
def test_every_field_that_a_corrected_spider_names_replaces_the_stored_one(project: OwnProject, base: str, folder: str) -> None:
    paths = {name: f"/{folder}/{name}.html" for name in NAMED}
    assert sorted(desk(project, base, {path: {} for path in paths.values()})[1]) == sorted(paths.values())
    first = {record["url"].removeprefix(base): record for record in exported(project.database)}
    corrected = {paths[name]: {name: value} for name, (value, _) in NAMED.items()}
    assert sorted(desk(project, base, corrected)[1]) == sorted(paths.values())
    second = {record["url"].removeprefix(base): record for record in exported(project.database)}
    for name, (_, expected) in NAMED.items():
        field = EXPORTED.get(name, name)
        assert first[paths[name]][field] != expected
        assert second[paths[name]][field] == expected, name
    assert desk(project, base, corrected)[1] == [], "said once more, it is nothing new"
    if folder == "same":
        assert rows(project.database, "SELECT count(*) FROM revisions") == [(0,)], "the page has not changed"


def whole(project: OwnProject) -> dict[str, Any]:
    (record,) = exported(project.database)
    return record


def education(project: OwnProject, sites: Path, spider: str = "education") -> str:
    done = project.scrapy("crawl", spider, "-a", f"sites={sites}", "-a", "topic=any")
    assert done.returncode == 0, done.stderr
    return done.stderr


def again(project: OwnProject, base: str) -> None:
    assert project.scrapy("submit", f"{base}/2024/0501/1.html").returncode == 0


def test_a_single_page_of_a_spider_does_not_shorten_an_article_of_several_pages(
    project: OwnProject, base: str, tmp_path: Path
) -> None:
    sites = site(tmp_path, base, {"/list.html": 5})
    education(project, sites)
    before = whole(project)
    assert len(before["parts"]) == PARTS - 1
    path = "/2024/0501/1.html"
    said, given = desk(project, base, {path: {}})
    assert given == []
    assert f"{path}: the text of this one page has" in said
    assert whole(project) == before
    said, given = desk(project, base, {path: {"authors": ["王记者"], "title": "另一个标题"}})
    after = whole(project)
    assert (given, after["author"], after["title"]) == ([path], ["王记者"], "另一个标题")
    assert {name: after[name] for name in ("text", "parts", "snapshot", "summary")} == {
        name: before[name] for name in ("text", "parts", "snapshot", "summary")
    }
    longer = before["text"] + "\n编者按：这一段是后来加的。"
    desk(project, base, {path: {"text": longer}})
    assert whole(project)["text"] == longer


@pytest.mark.parametrize(("spider", "expected"), [
    ("mine", {"title": "本刊特稿：学校教育改革座谈会纪要", "author": ["本刊记者"]}), ("changing", {"source": "本刊"}),
])  # fmt: skip
def test_a_callback_corrects_an_article_and_does_not_shorten_it(
    project: OwnProject, base: str, tmp_path: Path, spider: str, expected: dict[str, Any]
) -> None:
    sites = site(tmp_path, base, {"/list.html": 5})
    education(project, sites)
    before = whole(project)
    again(project, base)
    said = education(project, sites, spider)
    after = whole(project)
    assert {name: after[name] for name in expected} == expected
    assert (after["text"], after["parts"]) == (before["text"], before["parts"])
    assert "the text of this one page has" in said
    assert "corrected (" in said


def test_a_changed_xpath_of_a_site_corrects_its_articles(project: OwnProject, base: str, tmp_path: Path) -> None:
    sites = site(tmp_path, base, {"/list.html": 5})
    education(project, sites)
    before = whole(project)
    text = sites.read_text("utf-8")
    head, _, channels = text.partition("[[channels]]")
    sites.write_text(f"{head}[xpaths]\nsource = \"//i[@class='desk']\"\n[[channels]]{channels}", "utf-8")
    again(project, base)
    said = education(project, sites)
    after = whole(project)
    assert (before["source"], after["source"]) == ("某某日报", "文教组")
    assert "corrected (source)" in said
    assert (after["text"], after["parts"]) == (before["text"], before["parts"])
    again(project, base)
    assert "corrected" not in education(project, sites)
