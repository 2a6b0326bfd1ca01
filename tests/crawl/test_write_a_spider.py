"""The examples of docs/how-to/write-a-spider.md, run as they stand there."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from redis import Redis

from tests.crawl.own_project import OwnProject
from tests.support.portal import exported, rows
from tests.support.servers import RedisServer, new_file, shared_redis
from tests.support.spider_page import FAST, base, example, page

__all__ = ["base", "shared_redis"]
pytestmark = pytest.mark.slow

BAD_PAGES = """

from web_poet import HttpClient, HttpResponse
from web_poet.exceptions import Retry


class AskingPage(NoticePage):
    def __init__(self, response: HttpResponse, client: HttpClient):
        super().__init__(response)


class BadPoetSites(EducationSpider):
    name = "bad-poet-sites"
    custom_settings = {"ADDONS": {"scrapy_poet.Addon": 300}}

    async def parse_list(self, response, page: AskingPage):
        return []

    async def parse_article(self, response, page: NoticePage):
        raise Retry("not yet")
"""


@pytest.fixture
def project(base: str, tmp_path: Path) -> OwnProject:
    words = ("MySites", "SchoolNews", "Pushed", *(["PoetSites"] if find_spec("scrapy_poet") else []))
    texts = {word.lower(): example("python", word, base) for word in words}
    if "poetsites" in texts:
        texts["poetsites"] += BAD_PAGES
    project = OwnProject(tmp_path, texts)
    new_file(project.database)
    (tmp_path / "example.toml").write_text(example("toml", "要闻", base).replace("weight = 7\n", f"weight = 7\n{FAST}"), "utf-8")
    return project


def articles(project: OwnProject) -> dict[str, tuple[str, str | None]]:
    return {record["url"].rpartition("/")[2]: (record["title"], record["source"]) for record in exported(project.database)}


def expected_articles(*numbers: int) -> dict[str, tuple[str, str | None]]:
    return {f"{n}.html": (f"学校教育改革座谈会第{n}场", f"教育周刊{n}") for n in numbers}


def test_a_site_file_with_xpaths_reads_its_articles(project: OwnProject) -> None:
    done = project.scrapy("sites", "test", "example.toml")
    assert done.returncode == 0, done.stderr
    done = project.scrapy("crawl", "education", "-a", "sites=example.toml")
    assert done.returncode == 0, done.stderr
    assert articles(project).items() >= expected_articles(1, 2, 3).items()


def test_xpaths_that_select_nothing_are_named(project: OwnProject) -> None:
    file = project.folder / "example.toml"
    assert "each selects something" in project.scrapy("sites", "test", "example.toml").stdout
    text = file.read_text("utf-8").replace("class='from'", "class='nowhere'").replace("@id='news'", "@id='gone'")
    file.write_text(text, "utf-8")
    report = project.scrapy("sites", "test", "example.toml").stdout
    assert "  regions //div[@id='gone'] selects nothing\n" in report
    assert "source //span[@class='nowhere'] selects nothing\n" in report
    assert "headline" not in report


def test_a_page_is_asked_for_and_read_by_the_xpaths_of_a_site_before_anything_is_stored(project: OwnProject, base: str) -> None:
    project.database.unlink()
    done = project.scrapy("extract", f"{base}/2024/1.html", "--site", "example.toml")
    record = json.loads(done.stdout)
    assert {record["url"].rpartition("/")[2]: (record["title"], record["source"])} == expected_articles(1), done.stderr
    (project.folder / "page.html").write_bytes(page(2)[1].encode())
    done = project.scrapy("extract", "page.html", "--url", f"{base}/2024/2.html", "--site", "example.toml")
    assert json.loads(done.stdout)["title"] == "学校教育改革座谈会第2场", done.stderr
    done = project.scrapy("links", f"{base}/list.html", "--site", "example.toml")
    links = [json.loads(line) for line in done.stdout.splitlines()]
    assert [link["url"].rpartition("/")[2] for link in links if link["kind"] == "article"] == ["1.html", "2.html", "3.html"]
    assert not project.database.exists()
    missing = {("extract", f"{base}/none.html"): "HTTP status 404", ("links", "http://127.0.0.235:1/"): "robots.txt could not be had"}
    for words, expected in missing.items():
        done = project.scrapy(*words)
        assert (done.returncode, done.stdout) == (1, "")
        assert expected in done.stderr
    assert "there is no site 'nobody'" in project.scrapy("extract", f"{base}/2024/1.html", "--site", "nobody").stderr


def test_own_callbacks_work_with_leases_and_the_ledger(project: OwnProject) -> None:
    done = project.scrapy("crawl", "my-sites", "-a", "sites=example.toml")
    assert done.returncode == 0, done.stderr
    assert articles(project) == expected_articles(1, 2, 3, 4, 5)
    ledger = rows(project.database, "SELECT kind, state, reason, count(*) FROM urls WHERE kind <> 'robots' GROUP BY 1, 2, 3")
    assert sorted(ledger) == [("article", "done", "stored", 5), ("list", "done", "polled", 2)]
    again = project.scrapy("crawl", "my-sites", "-a", "sites=example.toml")
    assert again.returncode == 0, again.stderr
    fetched = sorted(rows(project.database, "SELECT kind, fetch_count FROM urls WHERE kind <> 'robots'"))
    assert fetched == [*[("article", 1)] * 5, ("list", 1), ("list", 2)]  # nothing new: no next page


needs_poet = pytest.mark.skipif(find_spec("scrapy_poet") is None, reason="newsspider[poet] is not installed")


@needs_poet
def test_page_objects_work_with_leases_and_the_ledger(project: OwnProject) -> None:
    done = project.scrapy("crawl", "poet-sites", "-a", "sites=example.toml")
    assert done.returncode == 0, done.stderr
    assert articles(project) == expected_articles(1, 2, 3, 4, 5)
    fetched = rows(project.database, "SELECT state, reason, fetch_count FROM urls WHERE kind = 'article'")
    assert fetched == [("done", "stored", 1)] * 5


@needs_poet
def test_a_page_object_gets_no_second_request_for_a_lease(project: OwnProject, base: str) -> None:
    def internal(kind: str) -> set[str]:
        return {detail for (detail,) in rows(project.database, f"SELECT detail FROM urls WHERE kind = '{kind}'")}

    done = project.scrapy("crawl", "bad-poet-sites", "-a", "sites=example.toml")
    assert done.returncode != 0
    assert internal("list") == {"internal: ValueError: a page object asks for HttpClient; one lease is one request"}
    assert project.scrapy("submit", f"{base}/2024/1.html").returncode == 0
    done = project.scrapy("crawl", "bad-poet-sites", "-a", "sites=example.toml")
    assert "'pool/second_requests': " in done.stderr
    assert internal("article") == {"internal: Retry: not yet"}
    assert not rows(project.database, "SELECT url FROM urls WHERE state = 'processing'")


def test_a_crawl_spider_that_was_brought_along(project: OwnProject) -> None:
    done = project.scrapy("crawl", "school-news")
    assert done.returncode == 0, done.stderr
    assert {record["author"][0] for record in exported(project.database)} == {"校报记者"}
    assert len(articles(project)) == 4


def test_a_redis_spider_runs_beside_ours(project: OwnProject, base: str, shared_redis: RedisServer) -> None:
    with Redis.from_url(shared_redis.url) as client:
        client.lpush("pushed:start_urls", *(f"{base}/2024/{n}.html" for n in (1, 2)))
        done = project.scrapy("crawl", "pushed", NEWSSPIDER_REDIS_URL=shared_redis.url)
        assert done.returncode == 0, done.stderr
        assert client.llen("pushed:start_urls") == 0
    assert articles(project).keys() == {"1.html", "2.html"}
