
from newsspider.core.extraction.dom.page import Page, parse
from newsspider.core.links.link_targets import frames_of, moved_to, refresh_of
from tests.support.tables import each

URL = "http://www.example.cn/a/1.html"


def page(markup: str) -> Page:
    return parse(markup.encode(), URL)


@each(
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


@each(
    "markup",
    [
        '<script>location.href = "/index/";</script>',
        "<script>location='/index/'</script>",
        "<script type='text/javascript'>window.location = '/index/'</script>",
        '<script>window.location.href="/index/"</script><p>正在跳转，请稍候……</p>',
        '<script>top.location.href="/index/"</script>',
        '<script>self.location="/index/"</script>',
        '<script>document.location.href="/index/"</script>',
        '<script>location.replace("/index/")</script>',
        '<script>window.location.assign( "/index/" )</script>',
        '<script>location.href = "http://www.example.cn/index/"</script>',
        """<script>setTimeout("location.href='/index/'", 1000)</script>""",
        '<script>setTimeout(function () { location.href = "/index/"; }, 500)</script>',
        """<body onload="location.href='/index/'"></body>""",
        '<script>location.href="/index/"</script><a href="/index/">如果没有跳转，请点击这里</a>',
        '<script>// location.href="/old/"\nlocation.href="/index/"</script>',
        '<script>/* location.href="/old/" */ location.href="/index/"</script>',
        '<script>if (/Mobile/.test(navigator.userAgent)) location="/m/"; else location="/index/";</script>',
        '<noscript><meta http-equiv="refresh" content="0;url=/index/"></noscript>',
    ],
)
def test_a_script_that_moves_the_reader_of_an_empty_page_is_a_refresh(markup: str) -> None:
    assert refresh_of(page(markup)) == "http://www.example.cn/index/"


@each(
    "markup",
    [
        '<script>location.href="/index/"</script><a href="/a/1.html">高校公布招生计划</a>',
        '<script>location.href="/index/"</script><p>' + "市教育局昨天公布了今年的招生计划。" * 5 + "</p>",
        '<script>location.href="http://www.other.example/"</script>',
        '<script>location.href="/login?from=" + location.pathname</script>',
        '<script>if (location.href == "/index/") start()</script>',
        '<script>var relocation = "/index/"</script>',
        """<div onclick="location.href='/index/'"></div>""",
        '<script>location.href="#top"</script>',
    ],
)
def test_other_scripts_move_nobody(markup: str) -> None:
    assert refresh_of(page(markup)) is None


def test_the_frames_of_a_frameset_are_where_the_page_is() -> None:
    frameset = page('<frameset><frame src="..\\top.html"><frame src="main.html"><frame src=""><frame></frameset>')
    assert moved_to(frameset) == ("http://www.example.cn/top.html", "http://www.example.cn/a/main.html")


def test_iframes_are_frames_if_they_are_asked_for() -> None:
    framed = page('<iframe src="inner.html"></iframe><iframe src="http://[bad/"></iframe>')
    assert frames_of(framed) == ()
    assert frames_of(framed, "iframe") == ("http://www.example.cn/a/inner.html",)
