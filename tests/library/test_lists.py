"""``read_list``."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from newsspider import read_list
from newsspider.core.model import LinkKind
from tests.support.commands import Ran, database, scrapy

__all__ = ["database", "scrapy"]

URL = "http://edu.example.cn/news/"
PAGE = b"""<div id=a><a href=/2024/0901/1001.html>First headline of the day here</a></div>
<div id=b><a href=/2024/0901/1002.html>Second headline of the day here</a></div><a href=old.html>archive</a>"""
FEED = b"<rss><channel><item><title>One</title><link>http://edu.example.cn/1.html</link></item></channel></rss>"
INDEX = b"<sitemapindex><sitemap><loc>http://edu.example.cn/a.xml</loc></sitemap></sitemapindex>"


def test_the_links_are_those_of_scrapy_links(scrapy: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "list.html").write_bytes(PAGE)
    printed = scrapy("links", str(tmp_path / "list.html"), "--url", URL, "--region", "//div[@id='b']")
    links = read_list(PAGE, URL, regions=["//div[@id='b']"]).links
    assert [json.loads(line)["url"] for line in printed.out.splitlines()] == [link.url for link in links]


def test_regions_and_the_next_page_are_those_of_the_caller() -> None:
    page = read_list(PAGE, URL, regions=["//div[@id='b']"], next_page="//a[text()='archive']")
    assert [link.url for link in page.articles] == ["http://edu.example.cn/2024/0901/1002.html"]
    assert page.next_page == "http://edu.example.cn/news/old.html"
    assert read_list(PAGE, URL).next_page is None


def test_feeds_and_sitemaps_are_lists() -> None:
    assert [link.text for link in read_list(FEED, URL).articles] == ["One"]
    assert [(link.url, link.kind) for link in read_list(INDEX, URL).links] == [("http://edu.example.cn/a.xml", LinkKind.LIST)]


def test_a_url_that_cannot_be_fetched_is_refused() -> None:
    with pytest.raises(ValueError, match="not an http or https URL"):
        read_list(PAGE, "file:///etc/passwd")
