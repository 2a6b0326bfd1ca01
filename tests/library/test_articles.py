"""``read_article``."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from newsspider import UnreadablePageError, read_article
from newsspider.core.model import ArticleRules
from tests.library.saved import page
from tests.support.commands import Ran, database, scrapy

__all__ = ["database", "scrapy"]


def test_the_record_is_what_scrapy_extract_prints(scrapy: Callable[..., Ran], tmp_path: Path) -> None:
    body, url = page(1)
    (tmp_path / "page.html").write_bytes(body)
    printed = scrapy("extract", str(tmp_path / "page.html"), "--url", url)
    assert json.loads(printed.out) == read_article(body, url)


def test_site_rules_and_the_time_of_the_visit_are_applied() -> None:
    body = "<h1>开学</h1><i>3小时前</i><b>新学期的第一天</b>" + "<p>学校今天开学，教师和学生回到课堂。</p>" * 4
    now = datetime(2024, 9, 1, 4, tzinfo=UTC)
    record = read_article(body.encode(), "http://edu.example.cn/1.html", now=now, rules=ArticleRules(title="//b"))
    assert (record["title"], record["published_at"]) == ("新学期的第一天", "2024-09-01T09:00+08:00")


def test_damaged_text_is_no_article() -> None:
    with pytest.raises(UnreadablePageError):
        read_article(b"\x00\x01" * 400, "http://edu.example.cn/1.html")


def test_what_is_no_page_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"not an http or https URL: ftp://a\.cn/"):
        read_article(b"<h1>", "ftp://a.cn/")
    with pytest.raises(TypeError, match="bytes that its server sent, not str"):
        read_article("<h1>", "http://a.cn/")  # type: ignore[arg-type] # as people call it
