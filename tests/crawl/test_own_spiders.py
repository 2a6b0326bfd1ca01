"""Any Scrapy spider runs in the project: with Scrapy's scheduler, and with our guards, delay, duplicates and store."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crawl.own_project import OwnProject
from tests.support.portal import exported, rows
from tests.support.servers import new_file
from tests.support.serving import Answer, article, listing, served, site

Host = tuple[str, Counter[str]]
pytestmark = pytest.mark.slow

SPIDERS = '''
from dataclasses import replace
from datetime import datetime

import scrapy
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, CSVFeedSpider, Rule

from newsspider import article_item
from newsspider.spiders.education import EducationSpider


class Basic(scrapy.Spider):
    """As genspider makes it, with a redirect, a failure and what robots.txt forbids."""

    name = "basic"
    allowed_domains = ["127.0.0.232"]

    def __init__(self, base, **more):
        super().__init__(**more)
        self.start_urls = [base + path for path in ("/moved.html", "/flaky.html", "/forbidden.html", "/gbk.html")]

    def parse(self, response):
        yield {"url": response.url, "title": response.css("title::text").get()}


class Articles(CrawlSpider):
    """A crawl spider that yields articles."""

    name = "articles"
    rules = [Rule(LinkExtractor(allow=r"/2024/"), callback="parse_page")]

    def __init__(self, base, **more):
        super().__init__(**more)
        self.start_urls = [base + "/list.html"]

    def parse_page(self, response):
        yield article_item(response, authors=("王记者",))


class Undated(Articles):
    name = "undated"

    def parse_page(self, response):
        yield article_item(response, published_at=datetime(2024, 5, 1))


class Forgiving:
    """A spider middleware that takes every error for handled, and asks again."""

    def process_spider_exception(self, response, exception):
        return [response.request.copy()]


class Failing(EducationSpider):
    name = "failing"
    custom_settings = {"SPIDER_MIDDLEWARES": {Forgiving: 500}}

    def parse_article(self, response):
        raise ValueError("an own callback fails")


class Sifting:
    """A spider middleware that drops one article, makes a dict of another, and a new article of a third."""

    async def process_spider_output(self, response, result):
        async for item in result:
            if "10001" in response.url:
                continue
            if "10003" in response.url:
                item = replace(item, title="另一个标题")
            yield {"title": item.title} if "10002" in response.url else item


class Sifted(EducationSpider):
    name = "sifted"
    custom_settings = {"SPIDER_MIDDLEWARES": {Sifting: 500}, "TOPIC": "any"}


class Again:
    """A downloader middleware that asks again for every article."""

    def process_response(self, request, response, spider):
        return request.copy() if "/2024/" in request.url else response


class Asking(EducationSpider):
    name = "asking"
    custom_settings = {"DOWNLOADER_MIDDLEWARES": {Again: 950}}


class Hoarding(scrapy.Spider):
    """Never ends, and keeps 600 MB."""

    name = "hoarding"
    kept = b""
    custom_settings = {"MEMUSAGE_LIMIT_MB": 700, "MEMUSAGE_CHECK_INTERVAL_SECONDS": 0.1}

    def __init__(self, base, **more):
        super().__init__(**more)
        self.start_urls = [base + "/page"]

    def parse(self, response):
        self.kept = self.kept or b"x" * (600 << 20)
        yield response.follow("/page" + response.url.rpartition("page")[2] + "0")


class Table(CSVFeedSpider):
    name = "table"
    headers = ["id", "name"]

    def __init__(self, base, **more):
        super().__init__(**more)
        self.start_urls = [base + "/table.csv"]

    def parse_row(self, response, row):
        yield dict(row)
'''


def play(path: str, times: int) -> Answer:
    if path == "/robots.txt":
        return 200, "User-agent: *\nDisallow: /forbidden\n", {"Content-Type": "text/plain"}
    if path == "/moved.html":
        return 302, "", {"Location": "/target.html"}
    if path == "/flaky.html" and times == 1:
        return 503, "", {}
    if path == "/gbk.html":
        text = "<html><title>全省教育工作会议</title><body><p>教育新闻</p></html>"
        return 200, iter([text.encode("gbk")]), {"Content-Type": "text/html; charset=utf-8"}
    if path == "/table.csv":
        return 200, "1,一\n2,二\n", {"Content-Type": "text/csv"}
    if path == "/list.html":
        return listing(1, 2, 3)
    if path == "/2024/0501/10002.html":  # a reprint of another page, and one that is off topic
        return article(1)
    if path == "/2024/0501/10003.html":
        text = "<p>球队昨晚客场以三比一取胜，前锋梅开二度，主教练赛后表示满意，球迷庆祝到深夜。</p>" * 8
        return 200, f"<html><head><meta charset=utf-8><title>球队取胜</title></head><body><h1>球队取胜</h1>{text}</body></html>", {}
    number = path.rpartition("/")[2].removesuffix(".html")
    if number.isdecimal():
        return article(int(number) - 10000)
    return 200, f"<html><title>{path}</title></html>", {}


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with served("127.0.0.232", play) as (base, requests):
        yield base, requests


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> OwnProject:
    return OwnProject(tmp_path_factory.mktemp("own"), {"mine": SPIDERS})


def test_a_plain_spider_has_redirects_retries_robots_and_our_decoding(project: OwnProject, host: Host, tmp_path: Path) -> None:
    base, requests = host
    done = project.scrapy("crawl", "basic", "-a", f"base={base}", "-O", f"{tmp_path / 'out.jsonl'}")
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    titles = {row["url"].removeprefix(base): row["title"] for row in records}
    assert titles == {"/target.html": "/target.html", "/flaky.html": "/flaky.html", "/gbk.html": "全省教育工作会议"}
    assert requests["/flaky.html"] == 2
    assert requests["/forbidden.html"] == 0
    assert not project.database.exists()  # no article, no store
    assert "Traceback" not in done.stderr


def test_the_address_guard_holds_for_any_spider(project: OwnProject, host: Host) -> None:
    done = project.scrapy("crawl", "basic", "-a", "base=http://127.0.0.232:1", NEWSSPIDER_ALLOWED_ADDRESSES="")
    assert "is not requested" in done.stderr


def test_a_spider_for_csv_gets_what_it_asks_for(project: OwnProject, host: Host, tmp_path: Path) -> None:
    done = project.scrapy("crawl", "table", "-a", f"base={host[0]}", "-O", f"{tmp_path / 'rows.json'}")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "rows.json").read_text("utf-8")) == [{"id": "1", "name": "一"}, {"id": "2", "name": "二"}]


def test_articles_of_any_spider_are_judged_stored_once_and_not_fetched_again(host: Host, tmp_path: Path) -> None:
    base, requests = host
    (tmp_path / "project").mkdir()
    project = OwnProject(tmp_path / "project", {"mine": SPIDERS})
    new_file(project.database)
    for _ in range(2):
        done = project.scrapy("crawl", "articles", "-a", f"base={base}", "-o", f"{tmp_path / 'out.jsonl'}")
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
    (record,) = exported(project.database)
    assert (record["author"], record["channel"], record["topic"]) == (["王记者"], "articles", "education")
    assert len(record["urls"]) == 2  # the reprint
    assert len((tmp_path / "out.jsonl").read_text("utf-8").splitlines()) == 1  # and nothing at the second run
    states = {url.rpartition("/")[2]: state for url, state in rows(project.database, "SELECT url, state FROM urls")}
    assert states == {"10001.html": "done", "10002.html": "done"}  # the page off topic is dropped
    requests_before = requests.copy()
    ours = project.scrapy("crawl", "education", "-a", f"sites={site(tmp_path, base, {'/list.html': 5})}")
    assert ours.returncode == 0, ours.stderr
    again = {path for path in requests if requests[path] > requests_before[path]}
    assert again == {"/robots.txt", "/list.html", "/2024/0501/10003.html"}
    assert dict(rows(project.database, "SELECT state, count(*) FROM urls GROUP BY state")).keys() == {"done"}


def test_an_article_that_cannot_be_stored_is_named(host: Host, tmp_path: Path) -> None:
    project = OwnProject(tmp_path, {"mine": SPIDERS})
    done = project.scrapy("crawl", "undated", "-a", f"base={host[0]}")
    assert "ERROR: Error processing" in done.stderr
    assert "an article needs a datetime with an offset there" in done.stderr


def test_an_error_that_a_spider_middleware_takes_for_handled_ends_its_lease_all_the_same(host: Host, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    project = OwnProject(tmp_path / "project", {"mine": SPIDERS})
    done = project.scrapy("crawl", "failing", "-a", f"sites={site(tmp_path, host[0], {'/list.html': 5})}")
    assert done.returncode not in (0, 1), done.stderr
    assert "'pool/second_requests': " in done.stderr
    outcomes = set(rows(project.database, "SELECT state, detail FROM urls WHERE kind = 'article'"))
    assert outcomes == {("waiting", "internal: ValueError: an own callback fails")}


def test_an_article_that_a_spider_middleware_drops_ends_its_lease_and_one_that_it_changes_is_stored(host: Host, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    project = OwnProject(tmp_path / "project", {"mine": SPIDERS})
    done = project.scrapy("crawl", "sifted", "-a", f"sites={site(tmp_path, host[0], {'/list.html': 5})}")
    assert done.returncode == 0, done.stderr
    reasons = dict(rows(project.database, "SELECT substr(url, -10), reason || ': ' || detail FROM urls WHERE kind = 'article'"))
    dropped = "dropped: a spider middleware dropped its article"
    assert [reasons[f"1000{n}.html"] for n in (1, 2, 3)] == [dropped, dropped, "stored: "]
    assert [record["title"] for record in exported(project.database)] == ["另一个标题"]


def test_a_further_request_of_a_downloader_middleware_ends_the_lease(host: Host, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    project = OwnProject(tmp_path / "project", {"mine": SPIDERS})
    done = project.scrapy("crawl", "asking", "-a", f"sites={site(tmp_path, host[0], {'/list.html': 5})}")
    assert done.returncode not in (0, 1), done.stderr
    outcomes = set(rows(project.database, "SELECT state, detail FROM urls WHERE kind = 'article'"))
    assert outcomes == {("waiting", "internal: RuntimeError: a further request was made for it; one lease is one request")}


def test_the_limit_of_memory_ends_a_spider_without_leases(project: OwnProject, host: Host) -> None:
    done = project.scrapy("crawl", "hoarding", "-a", f"base={host[0]}")
    assert done.returncode == 12, done.stderr
    assert "more than MEMUSAGE_LIMIT_MB=700: it finishes its pages" in done.stderr
    assert "'finish_reason': 'memusage_exceeded'" in done.stderr
    assert "Traceback" not in done.stderr
