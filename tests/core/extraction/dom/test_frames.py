import pytest

from newsspider.core.extraction.dom.frames import frames_of, moved_to, refresh_of
from newsspider.core.extraction.dom.page import Page, parse

URL = "http://www.example.cn/a/1.html"


def page(markup: str) -> Page:
    return parse(markup.encode(), URL)


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=/b/2.html", "http://www.example.cn/b/2.html"),
        ("0; url=\\b\\2.html", "http://www.example.cn/b/2.html"),
        ("0; url=http:\\\\x.cn\\2.html", "http://x.cn/2.html"),
        ("0; url=1.html", None),
        ("99; url=/b/2.html", None),
        ("0; url=mailto:a@example.cn", None),
        ("5", None),
    ],
)
def test_a_refresh_that_acts_soon_leads_to_another_page(content: str, target: str | None) -> None:
    assert refresh_of(page(f'<meta http-equiv="refresh" content="{content}"><p>x</p>')) == target


def test_the_frames_of_a_frameset_are_where_the_page_is() -> None:
    frameset = page('<frameset><frame src="..\\top.html"><frame src="main.html"><frame src=""><frame></frameset>')
    assert moved_to(frameset) == ("http://www.example.cn/top.html", "http://www.example.cn/a/main.html")


def test_iframes_are_frames_if_they_are_asked_for() -> None:
    framed = page('<iframe src="inner.html"></iframe><iframe src="http://[bad/"></iframe>')
    assert frames_of(framed) == ()
    assert frames_of(framed, "iframe") == ("http://www.example.cn/a/inner.html",)
