import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.support.process import completed, with_an_ascii_locale

PAGE = """<html><head><title>教育新闻</title></head><body><div class="nav"><a href="/">首页</a></div>
<ul><li><a href="t20240517_1.html">乡村学校的书声又响起来了</a> 2024-05-17</li></ul></body></html>"""


def scrapy(*args: str) -> subprocess.CompletedProcess[str]:
    return completed(("links", *args), os.environ, 120)


@pytest.mark.slow
def test_the_links_of_a_page_are_json_lines(tmp_path: Path) -> None:
    file = tmp_path / "list.html"
    file.write_bytes(PAGE.encode("gb18030"))
    done = with_an_ascii_locale("links", str(file), "--url", "http://www.example.edu.cn/jyxw/")
    assert (done.returncode, done.stderr) == (0, b"")
    home, article = (json.loads(line) for line in done.stdout.decode().splitlines())
    assert (home["kind"], home["region"]) == ("list", "navigation")
    assert article == {
        "url": "http://www.example.edu.cn/jyxw/t20240517_1.html",
        "text": "乡村学校的书声又响起来了",
        "kind": "article",
        "region": "main",
        "published_at": "2024-05-17T00:00:00+08:00",
    }


def test_feeds_and_sitemaps_are_lists_of_links_too(tmp_path: Path) -> None:
    feed, index = tmp_path / "feed.xml", tmp_path / "sitemap.xml"
    feed.write_text("<rss><channel><item><title>一</title><link>/1.html</link></item></channel></rss>", "utf-8")
    index.write_text("<sitemapindex><sitemap><loc>/s1.xml</loc></sitemap></sitemapindex>", "utf-8")
    rows = [json.loads(scrapy(str(file), "--url", "http://a.cn/x").stdout) for file in (feed, index)]
    assert [(row["url"], row["kind"]) for row in rows] == [
        ("http://a.cn/1.html", "article"),
        ("http://a.cn/s1.xml", "list"),
    ]


def test_wrong_use_is_one_sentence_and_exit_code_2(tmp_path: Path) -> None:
    empty = tmp_path / "empty.html"
    empty.write_bytes(b"")
    calls = [
        (),
        (str(empty),),
        (str(empty), "--url", "x"),
    ]
    for call in calls:
        done = scrapy(*call)
        assert (done.returncode, done.stdout) == (2, ""), call
        assert "Traceback" not in done.stderr
        assert done.stderr.strip().count("\n") <= 1


def test_a_region_that_is_no_xpath_is_wrong_use(tmp_path: Path) -> None:
    file = tmp_path / "list.html"
    file.write_text(PAGE, "utf-8")
    for xpath in ("//ul[", "//ul[foo()]", "count(//ul)", "//a/@href", ""):
        done = scrapy(str(file), "--url", "http://a.cn/", "--region", "//ul", "--region", xpath)
        assert (done.returncode, done.stdout) == (2, ""), xpath
        assert "--region" in done.stderr
        assert "Traceback" not in done.stderr
        assert done.stderr.strip().count("\n") <= 1


def test_help_shows_an_example() -> None:
    assert "scrapy links list.html --url" in scrapy("--help").stdout


def test_a_page_that_cannot_be_read_is_one_sentence_and_exit_code_1(tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_bytes(b"")
    for file, reason in (("none.html", "No such file or directory"), ("empty.html", "the page is empty")):
        done = scrapy(str(tmp_path / file), "--url", "http://a.cn/")
        assert (done.returncode, done.stdout) == (1, ""), file
        assert done.stderr == f"scrapy links: cannot read {tmp_path / file}: {reason}\n"
