"""The item that a custom spider makes of a page."""

from collections.abc import Mapping

from scrapy.http import HtmlResponse
from scrapy.settings import BaseSettings

from newsspider import article_item

TITLE = "高考报名今日开始"
TEXT = "<p>教育部公布今年的高考招生政策，各地学校和教师认真准备，考生和家长表示欢迎。</p>" * 8
OURS = BaseSettings({"ROBOTS_AGENT": "ourbot", "DEFAULT_CHARSET": "gb18030"})


def page(head: str = "", headers: Mapping[str, str] | None = None, charset: str = "utf-8") -> HtmlResponse:
    text = f"<html><head>{head}<title>{TITLE}</title></head><body><h1>{TITLE}</h1>{TEXT}</body></html>"
    return HtmlResponse("http://a.cn/1.html", body=text.encode(charset), headers=headers)


def test_the_page_is_asked_what_it_wants_of_the_configured_agent() -> None:
    item = article_item(page('<meta name="ourbot" content="noindex, noarchive">'), OURS)
    assert (item.noindex, item.content) == (True, b"")
    item = article_item(page(headers={"X-Robots-Tag": "ourbot: noindex"}), OURS)
    assert (item.noindex, item.content != b"") == (True, True)
    others = page('<meta name="newsspider" content="noindex">', {"X-Robots-Tag": "newsspider: noarchive"})
    assert (article_item(others, OURS).noindex, article_item(others, OURS).content != b"") == (False, True)
    assert (article_item(others).noindex, article_item(others).content) == (True, b"")


def test_a_page_that_names_no_charset_has_the_configured_one() -> None:
    response = HtmlResponse("http://a.cn/1.html", body=b"<title>caf\xe9</title><p>caf\xe9</p>" )
    settings = BaseSettings({"ROBOTS_AGENT": "newsspider", "DEFAULT_CHARSET": "cp1252"})
    assert article_item(response, settings, title="t", text="x").charset == "cp1252"
