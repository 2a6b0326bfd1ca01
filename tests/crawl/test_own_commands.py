"""Scrapy's commands do in a project what Scrapy's documentation says."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crawl.own_project import OwnProject
from tests.support.serving import Answer, article, listing, served

pytestmark = pytest.mark.slow

SPIDERS = '''
import scrapy

from newsspider import article_item
from newsspider.spiders.education import EducationSpider


class Schools(EducationSpider):
    name = "schools"

    def parse_article(self, response):
        for article in super().parse_article(response):
            article.source = "own"
            yield article


class Mine(scrapy.Spider):
    name = "mine"
    allowed_domains = ["127.0.0.234"]

    def parse(self, response):
        """Follows the list.

        @url BASE/list.html
        @returns requests 2 2
        """
        for link in response.css("li a"):
            yield response.follow(link, self.parse_page)

    def parse_page(self, response):
        """Reads a page.

        @url BASE/2024/0501/10001.html
        @returns items 1 1
        @scrapes title text
        """
        yield article_item(response)
'''
ALONE = '''
import scrapy


class Alone(scrapy.Spider):
    name = "alone"
    start_urls = ["BASE/list.html"]

    def parse(self, response):
        yield {"links": len(response.css("li a"))}
'''


def play(path: str, _: int) -> Answer:
    if path == "/robots.txt":
        return 200, "User-agent: *\nDisallow: /forbidden\n", {"Content-Type": "text/plain"}
    if path == "/list.html":
        return listing(1, 2)
    if path == "/feed.xml":
        return 200, "<?xml version='1.0'?><rss><item><title>一</title></item></rss>", {"Content-Type": "application/xml"}
    if path == "/gbk.html":  # the header lies
        text = "<html><title>全省教育工作会议</title><body><p>教育新闻</p></html>"
        return 200, iter([text.encode("gbk")]), {"Content-Type": "text/html; charset=utf-8"}
    number = path.rpartition("/")[2].removesuffix(".html")
    return article(int(number)) if number.isdecimal() else (404, "", {})


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with served("127.0.0.234", play) as (url, _):
        yield url


@pytest.fixture(scope="module")
def project(base: str, tmp_path_factory: pytest.TempPathFactory) -> OwnProject:
    return OwnProject(tmp_path_factory.mktemp("own"), {"mine": SPIDERS.replace("BASE", base)})


def test_the_shell_decodes_a_page_as_the_reader_does_and_obeys_robots_txt(project: OwnProject, base: str) -> None:
    done = project.scrapy("shell", f"{base}/gbk.html", "-c", "response.css('title::text').get(), response.encoding")
    assert done.stdout.splitlines()[-1] == "('全省教育工作会议', 'gb18030')", done.stderr
    done = project.scrapy("shell", f"{base}/forbidden.html", "-c", "response")
    assert done.stdout.splitlines()[-1] == "None", done.stderr


def test_the_shell_shows_what_the_reader_makes_of_a_page(project: OwnProject, base: str) -> None:
    done = project.scrapy("shell", f"{base}/2024/0501/10001.html", "-c", "read(response)")
    for step in (
        "charset    utf-8, by meta", "kind       article", "title      学校教育改革座谈会第10001场举行", "(this is it)", "  <h1>: 学校",
        "body       12 lines", "published  2024-05-01T00:00+08:00", "  URL: ", "links      0",
    ):  # fmt: skip
        assert step in done.stdout, done.stdout + done.stderr[-2000:]
    listed = project.scrapy("shell", f"{base}/list.html", "-c", "read(response)").stdout
    assert "main article: 2 (学校教育改革座谈会第1场举行" in listed


def test_the_shell_opens_a_file(project: OwnProject, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes("<title>全省教育工作会议</title><p>教育新闻".encode("gbk"))
    done = project.scrapy("shell", str(page), "-c", "response.css('title::text').get()")
    assert done.stdout.splitlines()[-1] == "全省教育工作会议", done.stderr


def test_fetch_and_view_give_the_page(project: OwnProject, base: str, tmp_path: Path) -> None:
    done = project.scrapy("fetch", "--nolog", f"{base}/2024/0501/10001.html")
    assert "<h1>学校教育改革座谈会第10001场举行</h1>" in done.stdout, done.stderr
    done = project.scrapy("fetch", "--nolog", "--headers", f"{base}/list.html")
    assert re.search(r"^> User-Agent: newsspider", done.stdout, re.MULTILINE)
    assert re.search(r"^> Accept-Language: zh-CN", done.stdout, re.MULTILINE)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\ncp "$(echo $1 | sed s,file://,,)" {tmp_path}/shown\n', "utf-8")
    browser.chmod(0o755)
    done = project.scrapy("view", f"{base}/list.html", BROWSER=f"{browser} %s")
    assert "第1场举行" in (tmp_path / "shown").read_text("utf-8"), done.stderr


def test_parse_runs_a_callback_and_the_pipelines(project: OwnProject, base: str) -> None:
    done = project.scrapy("parse", "--nolog", "--spider", "mine", "--pipelines", "-c", "parse_page", f"{base}/2024/0501/10001.html")
    assert "学校教育改革座谈会第10001场举行" in done.stdout, done.stderr
    assert "'topic': 'education'" in done.stdout
    done = project.scrapy("parse", "--nolog", "--spider", "mine", "--noitems", f"{base}/list.html")
    assert done.stdout.count("/2024/0501/1000") == 2, done.stderr


def test_parse_writes_its_items(project: OwnProject, base: str, tmp_path: Path) -> None:
    page = f"{base}/2024/0501/10001.html"
    for option in ("-o", "-O"):
        done = project.scrapy("parse", "--nolog", "--spider", "schools", page, option, f"{tmp_path}/{option}.jsonl")
        assert '"source": "own"' in (tmp_path / f"{option}.jsonl").read_text("utf-8"), done.stderr


def test_feeds_leave_no_other_files_behind(project: OwnProject, tmp_path: Path) -> None:
    done = project.scrapy("crawl", "mine", "--nolog", "-O", "-:jsonl", "-O", f"file://{tmp_path}/a%20b.jsonl")
    assert done.returncode == 0, done.stderr
    assert not (project.folder / "stdout:").exists()
    assert [file.name for file in tmp_path.iterdir()] == ["a b.jsonl"]


def test_pages_are_shown_for_a_spider_with_leases_without_its_store(project: OwnProject, base: str) -> None:
    page = f"{base}/2024/0501/10001.html"
    (project.folder / "none").mkdir()
    nothing = {"NEWSSPIDER_DATABASE_URL": f"sqlite:///{project.folder}/none/news.db"}
    done = project.scrapy("fetch", "--nolog", "--spider", "education", page, **nothing)
    assert "<h1>学校教育改革座谈会第10001场举行</h1>" in done.stdout, done.stderr
    done = project.scrapy("shell", "--nolog", "--spider", "schools", page, "-c", "response.status, spider.name", **nothing)
    assert done.stdout.splitlines()[-1] == "(200, 'schools')", done.stderr
    done = project.scrapy("parse", "--nolog", "--spider", "schools", "--pipelines", page, **nothing)
    assert "'source': 'own'" in done.stdout, done.stderr
    assert "'topic': 'education'" in done.stdout
    assert "</html>" not in done.stdout
    done = project.scrapy("parse", "--nolog", "--spider", "schools", "-c", "parse_list", f"{base}/list.html")
    assert done.stdout.count("<GET") == 2, done.stderr
    assert not list((project.folder / "none").iterdir())
    done = project.scrapy("fetch", "--nolog", "--spider", "explore", page)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--spider explore: it has no callback for a page" in done.stderr


@pytest.mark.parametrize("command", ["fetch", "view", "parse", "shell"])
def test_an_unknown_spider_is_wrong_use(project: OwnProject, base: str, command: str) -> None:
    done = project.scrapy(command, "--spider", "nobody", f"{base}/list.html")
    assert (done.returncode, done.stdout) == (2, "")
    assert "error: there is no spider 'nobody'; there are education, explore, mine, query, schools\n" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_page_that_no_spider_reads_is_not_parsed(project: OwnProject) -> None:
    done = project.scrapy("parse", "--nolog", "http://127.0.0.233/")
    assert (done.returncode, done.stdout) == (2, "")
    assert "http://127.0.0.233/: no spider, or more than one, is for this host; say --spider NAME" in done.stderr


def test_a_callback_that_the_spider_does_not_have_is_wrong_use(project: OwnProject, base: str) -> None:
    done = project.scrapy("parse", "--nolog", "--spider", "mine", "-c", "nope", f"{base}/list.html")
    assert (done.returncode, done.stdout) == (2, "")
    assert "error: the spider mine has no callback 'nope'\n" in done.stderr


def test_check_runs_the_contracts(project: OwnProject) -> None:
    done = project.scrapy("check", "mine")
    assert "Ran 3 contracts" in done.stderr, done.stderr
    assert done.stderr.rstrip().endswith("OK")
    assert project.scrapy("check", "-l").stdout.split() == ["mine", "*", "parse", "*", "parse_page"]


def test_runspider_list_settings_and_bench(project: OwnProject, base: str, tmp_path: Path) -> None:
    alone = tmp_path / "alone.py"
    alone.write_text(ALONE.replace("BASE", base), "utf-8")
    done = project.scrapy("runspider", str(alone), "-O", f"{tmp_path}/out.jsonl")
    assert (tmp_path / "out.jsonl").read_text("utf-8") == '{"links": 2}\n', done.stderr
    assert project.scrapy("list").stdout.split() == ["education", "explore", "mine", "query", "schools"]
    assert project.scrapy("settings", "--get", "BOT_NAME").stdout == "newsspider\n"
    done = project.scrapy("bench", "-s", "CLOSESPIDER_TIMEOUT=3")
    pages = [int(number) for number in re.findall(r"Crawled (\d+) pages", done.stderr)]
    assert max(pages, default=0) > 50, done.stderr


def test_genspider_makes_a_spider_that_runs(project: OwnProject, base: str) -> None:
    for template, path in (("basic", "list.html"), ("crawl", "list.html"), ("csvfeed", "list.html"), ("xmlfeed", "feed.xml")):
        generated = project.scrapy("genspider", "-t", template, f"new_{template}", "127.0.0.234")
        assert generated.returncode == 0, generated.stderr
        file = project.folder / "own" / "spiders" / f"new_{template}.py"
        text = re.sub(r'"https?://127[^"]*"', f'"{base}/{path}"', file.read_text("utf-8"))
        file.write_text(text, "utf-8")
        done = project.scrapy("crawl", f"new_{template}")
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        assert "'downloader/response_status_count/200': 2" in done.stderr, done.stderr
        file.unlink()
