"""Scrapy's commands, and the three levels of own spiders, in a project of the installed wheel."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator

import pytest

from tests.contract.conftest import NOBODY, Installed
from tests.support.serving import served
from tests.support.spider_page import FAST, HOST, example, play

pytestmark = pytest.mark.slow

Run = Callable[..., subprocess.CompletedProcess[str]]
QUICK = ("-s", "DELAY_MIN_SECONDS=0.01", "-s", "DELAY_FACTOR=0")
ALONE = """
import scrapy


class Alone(scrapy.Spider):
    name = "alone"
    start_urls = ["BASE/list.html"]

    def parse(self, response):
        yield {"links": len(response.css("li a"))}
"""


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with served(HOST, play) as (url, _):
        yield url


@pytest.fixture(scope="module")
def run(installed: Installed, base: str) -> Run:
    """Runs a command in a project with the examples of docs/how-to/write-a-spider.md."""
    home = installed.home / "spiders"
    home.mkdir()
    if installed.user:
        os.chown(home, NOBODY, NOBODY)
    created = installed.fork("init", "ourwatch", folder=home)
    assert created.returncode == 0, created.stderr
    project = home / "ourwatch"
    for word in ("MySites", "SchoolNews"):
        (project / "ourwatch" / "spiders" / f"{word.lower()}.py").write_text(example("python", word, base), "utf-8")
    (project / "example.toml").write_text(example("toml", "要闻", base).replace("weight = 7\n", f"weight = 7\n{FAST}"), "utf-8")
    misread = (project / "example.toml").read_text("utf-8").replace("class='from'", "class='none'")
    (project / "misread.toml").write_text(misread, "utf-8")
    (project / "alone.py").write_text(ALONE.replace("BASE", base), "utf-8")

    def inside(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        ran = installed.fork(*words, folder=project, NEWSSPIDER_ALLOWED_ADDRESSES="127.0.0.0/8", **environment)
        assert ran.returncode == 0, ran.stderr
        assert "Traceback" not in ran.stderr, ran.stderr
        return ran

    return inside


@pytest.mark.parametrize("spider", ["education", "my-sites", "school-news"])
def test_each_level_stores_articles(run: Run, spider: str) -> None:
    store = {"NEWSSPIDER_DATA_DIR": f"data-{spider}"}
    sites = () if spider == "school-news" else ("-a", "sites=example.toml")
    run("crawl", spider, *sites, "-s", "TOPIC=education", *QUICK, **store)
    stored = [json.loads(line) for line in run("export", **store).stdout.splitlines()]
    assert len(stored) >= 3
    assert {record["topic"] for record in stored} == {"education"}


def test_the_commands_do_what_scrapy_says(run: Run, base: str) -> None:
    page = f"{base}/2024/1.html"
    assert run("list").stdout.split() == ["education", "explore", "my-sites", "query", "school-news"]
    assert run("settings", "--get", "BOT_NAME").stdout == "newsspider\n"
    assert "body       12 lines" in run("shell", page, "--nolog", *QUICK, "-c", "read(response)").stdout
    assert "学校教育改革座谈会第1场" in run("fetch", page, "--nolog", *QUICK).stdout
    parsed = run("parse", page, "--nolog", "--spider", "school-news", "-c", "parse_page", *QUICK).stdout
    assert "校报记者" in parsed
    assert "Ran 0 contracts" in run("check", "school-news").stderr
    assert '{"links": 4}' in run("runspider", "alone.py", "--nolog", *QUICK, "-o", "-:jsonlines").stdout
    assert "Crawled" in run("bench", "-s", "CLOSESPIDER_TIMEOUT=2").stderr
    assert "学校教育改革座谈会第1场" in run("parse", page, "--nolog", "--spider", "my-sites", *QUICK).stdout
    assert json.loads(run("extract", page, "--site", "example.toml").stdout)["source"] == "教育周刊1"
    links = [json.loads(line) for line in run("links", f"{base}/list.html", "--site", "example.toml").stdout.splitlines()]
    assert [link["url"].removeprefix(base) for link in links if link["kind"] == "article"] == [f"/2024/{n}.html" for n in (1, 2, 3)]
    assert "each selects something" in run("sites", "test", "example.toml").stdout
    assert "source //span[@class='none'] selects nothing" in run("sites", "test", "misread.toml").stdout
    browser = "sh -c 'cat ${0#*//} >&2' %s"
    assert "学校教育改革座谈会第1场" in run("view", page, "--nolog", *QUICK, BROWSER=browser).stderr
