"""Articles are Scrapy items: pipelines of users see, change and drop them, and feeds write them."""

import csv
import io
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.crawl.user_pipelines import ADDON, SEEN
from tests.support.portal import exported, rows, scrapy
from tests.support.servers import new_file
from tests.support.serving import QUICK, TEXT, Answer, article, served, site

COUNT = 12
FORMULA = "=2+3 学校教育改革座谈会第0场举行"


def play(path: str, _: int) -> Answer:
    if path == "/list.html":
        links = "".join(f'<li><a href="/2024/0501/{n}.html">学校教育改革座谈会第{n}场举行</a> 2024-05-01</li>' for n in range(COUNT))
        links += '<li><a href="/2024/0501/99.html">球队客场取胜的教育意义</a></li>'
        return 200, f"<html><head><meta charset=utf-8><title>教育新闻列表</title></head><body><ul>{links}</ul></body></html>", {}
    number = path.rpartition("/")[2].removesuffix(".html")
    if number == "0":
        text = "".join(TEXT.format(n=line) for line in range(12))
        return 200, f"<html><head><meta charset=utf-8><title>{FORMULA}</title></head><body><h1>{FORMULA}</h1>{text}</body></html>", {}
    if number == "99":
        text = "<p>球队昨晚客场以三比一取胜，前锋梅开二度，主教练赛后表示满意，球迷庆祝到深夜。</p>" * 8
        return 200, f"<html><head><meta charset=utf-8><title>球队取胜</title></head><body><h1>球队取胜</h1>{text}</body></html>", {}
    return article(int(number)) if number.isdecimal() else (404, "", {})


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("items")
    with served("127.0.0.231", play) as (base, _):
        yield site(folder, base, {"/list.html": 5})


def test_feeds_hold_every_new_article_once_as_export_prints_it(sites: Path, tmp_path: Path) -> None:
    new_file(database := tmp_path / "news.db")
    feeds = {kind: tmp_path / "feeds" / f"articles.{kind}" for kind in ("jsonl", "json", "csv", "xml")}
    outputs = [word for path in feeds.values() for word in ("-o", str(path))]
    for _ in range(2):  # the second round has nothing new
        done = scrapy(database, "crawl", "education", "-a", f"sites={sites}", *QUICK, *outputs[:4])
        assert done.returncode == 0, done.stderr
    stored = {record["url"]: record for record in exported(database)}
    assert len(stored) == COUNT
    written = [json.loads(line) for line in feeds["jsonl"].read_text("utf-8").splitlines()]
    assert sorted(record["url"] for record in written) == sorted(stored)
    for record in written:
        assert record.items() <= stored[record["url"]].items()
    (tmp_path / "news.db").unlink()
    new_file(database)
    assert scrapy(database, "crawl", "education", "-a", f"sites={sites}", *QUICK, *outputs[4:]).returncode == 0
    table = list(csv.DictReader(io.StringIO(feeds["csv"].read_text("utf-8"))))
    assert sorted(row["url"] for row in table) == sorted(stored)
    assert [row["title"] for row in table if row["url"].endswith("/0.html")] == [f"'{FORMULA}"]
    assert len(ElementTree.parse(feeds["xml"]).findall("item/title")) == COUNT


def test_pipelines_of_a_user_change_and_drop_articles_and_cost_none_by_failing(sites: Path, tmp_path: Path) -> None:
    new_file(database := tmp_path / "news.db")
    user_file = tmp_path / "seen.jsonl"
    done = scrapy(database, "crawl", "education", "-a", f"sites={sites}", *QUICK, *ADDON, "-s", f"{SEEN}={user_file}")
    assert done.returncode == 0, done.stderr
    assert "KeyError" in done.stderr
    assert "a pipeline returned an item without the page of its article" in done.stderr
    titles = {record["url"].rpartition("/")[2]: record["title"] for record in exported(database)}
    assert set(titles) == {f"{n}.html" for n in range(COUNT) if n != 3}
    assert titles["7.html"] == "学校教育改革座谈会第七场举行"
    written = [json.loads(line) for line in user_file.read_text("utf-8").splitlines()]
    behind_the_store = {"8.html", "9.html"}  # where the user's last pipeline drops and fails
    assert {url.rpartition("/")[2]: title for url, title, length in written if length} == {
        page: title for page, title in titles.items() if page not in behind_the_store
    }
    assert "the database of the user is down" in done.stderr
    assert "store/late" not in done.stderr
    assert sorted(length > 100 for *_, length in written)[:2] == [False, True]  # one came without its page, then again
    reasons = dict(rows(database, "SELECT url, reason FROM urls WHERE reason IN ('dropped', 'off_topic')"))
    assert {url.rpartition("/")[2]: reason for url, reason in reasons.items()} == {"3.html": "dropped", "99.html": "off_topic"}
    with closing(sqlite3.connect(database)) as store:
        assert store.execute("SELECT count(*) FROM urls WHERE state = 'leased'").fetchone() == (0,)


def test_a_feed_that_cannot_be_written_is_refused_before_the_first_request(sites: Path, tmp_path: Path) -> None:
    new_file(database := tmp_path / "news.db")
    done = scrapy(database, "crawl", "education", "-a", f"sites={sites}", "-o", "/dev/null/articles.json")
    assert done.returncode == 2
    assert "the feed /dev/null/articles.json" in done.stderr
