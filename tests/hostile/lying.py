"""Answers that are not what they say, and redirects to nowhere."""

import json
from functools import partial

from tests.hostile.articles import HOSTILE, article, listing, title_of
from tests.hostile.behaviour import Behaviour, Call, Play, moved, page
from tests.hostile.cut import JUNK
from tests.hostile.server import GOOD

JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + JUNK
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + JUNK
NOT_THERE = "<html><head><meta charset=utf-8><title>页面不存在</title></head><body><h1>404</h1><p>您访问的页面不存在或已删除</p><a href='/'>返回首页</a></body></html>"
LOGIN = "<html><head><meta charset=utf-8><title>用户登录</title></head><body><form action=/login><input name=user><input type=password name=p></form></body></html>"
ERROR_PAGE = "<html><head><meta charset=utf-8><title>500 Internal Server Error</title></head><body><h1>Internal Server Error</h1><hr>nginx</body></html>"

Lies = partial(Behaviour, group="lying", state="done", reason="stored")
NoArticle = partial(Behaviour, group="lying", state="done", reason="not_an_article")
Moves = partial(Behaviour, group="redirecting", state="done", reason="redirect")


def the_article(*headers: str, kind: str = "text/html", status: str = "200 OK") -> Play:
    return page(lambda call: call.page, status, *headers, kind=kind)


def of_head(markup: str, before: str = "", after: str = "") -> Play:
    """The article with this in its head, or beside it."""
    return page(lambda call: article(call.number, HOSTILE, head=markup, before=before, after=after))


async def refresh_loop(call: Call) -> None:
    other = "/loop/b.html" if call.path != "/loop/b.html" else "/loop/a.html"
    await call.answer(f'<html><head><meta http-equiv=refresh content="0;url={other}"></head></html>'.encode())


async def redirect_loop(call: Call) -> None:
    await moved("/loop/b.html" if call.path != "/loop/b.html" else "/loop/a.html")(call)


async def many_hops(call: Call) -> None:
    step = int(call.path.rpartition("/")[2]) if "/hop/" in call.path else 0
    await (moved(f"/hop/{step + 1}")(call) if step < 15 else call.answer(call.page.encode()))


async def canonical_loop(call: Call) -> None:
    """Two pages, each of which says that the other one is the page."""
    other = "/loop/b.html" if call.path != "/loop/b.html" else "/loop/a.html"
    await call.answer(article(call.number, HOSTILE, head=f'<link rel=canonical href="{other}">').encode())


async def list_of_itself(call: Call) -> None:
    links = {f"{call.path.partition('?')[0]}?{call.times}={n}": f"教育新闻更多第{n}栏" for n in range(60)}
    await call.answer(listing(links | {good: title_of(call.number, n) for good, n in GOOD.items()}).encode())


async def frame_of_itself(call: Call) -> None:
    await call.answer(f'<html><head><title>教育</title></head><frameset><frame src="{call.path}"></frameset></html>'.encode())


async def iframe_of_itself(call: Call) -> None:
    links = {good: title_of(call.number, n) for good, n in GOOD.items()}
    await call.answer(listing(links, after=f'<iframe src="{call.path}"></iframe>' * 50).encode())


LYING = (
    Behaviour("page-is-an-image", "lying", "a page that is called a picture", the_article(kind="image/jpeg"), "done", "content_type", "image/jpeg"),
    Behaviour("video-endless", "lying", "a page that is called a video", the_article(kind="video/mp4"), "done", "content_type"),
    Behaviour("image-is-a-page", "lying", "a JPEG that is called a page", page(JPEG), "error", "unreadable"),
    Behaviour("pdf-is-a-page", "lying", "a PDF that is called a page", page(PDF), "error", "unreadable"),
    Behaviour("unasked-304", "lying", "304, though nothing was known", page(b"", "304 Not Modified", kind=""), "error", "http_status", "304"),
    NoArticle("json-is-a-page", does="JSON that is called a page", play=page(json.dumps({"title": "教育", "list": list(range(500))}))),
    NoArticle("soft-404", does="200 for what is not there", play=page(NOT_THERE)),
    Behaviour("error-with-200", "lying", "200 for an error of the server", page(ERROR_PAGE), "error", "guarded", "500 internal server error"),
    NoArticle("login-with-200", does="a login instead of the page", play=page(LOGIN)),
    NoArticle("feed-is-an-article", does="a feed where the article ought to be", play=page("<?xml version='1.0'?><rss version='2.0'><channel><title>教育</title><item><title>学校</title><link>/x</link></item></channel></rss>", kind="application/rss+xml")),
    Lies("no-type", does="no Content-Type", play=the_article(kind="")),
    Lies("type-is-nonsense", does="a Content-Type without sense", play=the_article(kind="text/html; charset=;;;=\"")),
    Lies("type-octets", does="application/octet-stream", play=the_article(kind="application/octet-stream")),
    Lies("types-three", does="three Content-Types, a picture last", play=the_article("Content-Type: text/html; charset=utf-8", "Content-Type: image/png"), reason="content_type"),
    Lies("date-is-nonsense", does="a Date in the year 9999 and an Age of 5,000 figures", play=the_article("Date: Fri, 31 Dec 9999 23:59:59 GMT", f"Age: {'9' * 5000}")),
    Lies("modified-is-nonsense", does="a Last-Modified of no calendar", play=the_article("Last-Modified: Mon, 99 Foo 99999 99:99:99 XYZ")),
    Lies("etag-is-long", does="an ETag of 20,000 characters", play=the_article(f'ETag: "{"a" * 20_000}"')),
    Lies("location-with-200", does="a Location beside 200", play=the_article("Location: http://10.0.0.1/")),
    Lies("refresh-with-200", does="a Refresh header to a private address", play=the_article("Refresh: 0; url=http://10.0.0.1/")),
    Lies("link-header", does="a canonical URL elsewhere, by header and by page", play=page(lambda call: article(call.number, HOSTILE, head='<link rel=canonical href="http://10.0.0.1/a.html">'), "200 OK", "Link: <http://10.0.0.1/>; rel=canonical")),
    Lies("base-elsewhere", does="a <base> at a private address", play=of_head('<base href="http://10.0.0.1/">')),
    Lies("dates-of-no-calendar", does="dates of publication that no calendar has", play=of_head('<meta property="article:published_time" content="99999-99-99T99:99:99+99:99"><meta name=pubdate content="' + "9" * 5000 + '">')),
    Behaviour("patience-for-ever", "lying", "503 with a Retry-After of 30 figures", page(b"", "503 Service Unavailable", "Retry-After: " + "9" * 30), "waiting", "rate_limited", neighbours=-1),
    Behaviour("patience-negative", "lying", "503 with a Retry-After of -5", page(b"", "503 Service Unavailable", "Retry-After: -5"), "error", "http_status"),
)  # fmt: skip
REDIRECTING = (
    Moves("no-location", does="302 without Location", play=page(b"", "302 Found"), detail="without saying where"),
    Moves("location-empty", does="302 with an empty Location", play=moved("")),
    Moves("to-a-file", does="to file:///etc/passwd", play=moved("file:///etc/passwd"), detail="file:"),
    Moves("to-data", does="to a data URL", play=moved("data:text/html,<h1>a</h1>"), detail="data:"),
    Moves("to-javascript", does="to javascript:", play=moved("javascript:alert(1)"), detail="javascript:"),
    Moves("to-ftp", does="to ftp:", play=moved("ftp://127.0.0.1/a"), detail="ftp:"),
    Moves("to-gopher", does="to gopher: with a command for Redis", play=moved("gopher://127.0.0.1:6379/_FLUSHALL"), detail="gopher:"),
    Moves("to-a-private-address", does="to 10.0.0.1", play=moved("http://10.0.0.1/admin"), detail="10.0.0.1"),
    Moves("to-the-metadata", does="to the metadata of a cloud", play=moved("http://169.254.169.254/latest/meta-data/"), detail="169.254.169.254"),
    Moves("to-a-number", does="to an address written as one number", play=moved("http://167772161/"), detail="10.0.0.1"),
    Moves("to-mapped-ipv6", does="to an address of IPv4 within IPv6", play=moved("http://[::ffff:10.0.0.1]/")),
    Moves("to-itself", does="to itself", play=lambda call: moved(call.path)(call)),
    Moves("in-a-loop", does="between two URLs", play=redirect_loop),
    Moves("over-many-hops", does="over fifteen URLs to an article", play=many_hops),
    Moves("to-a-long-url", does="to a URL of 60,000 characters", play=moved("/" + "a" * 60_000)),
    Moves("to-controls", does="to a URL of control characters and spaces", play=moved("/\x01\x1b[31m a\tb.html")),
    Moves("to-a-closed-port", does="to a port where nobody listens", play=lambda call: moved(f"http://{call.base.split('/')[2].partition(':')[0]}:1/")(call)),
    Moves("to-no-port", does="to a port above 65535", play=moved("http://127.0.0.1:99999/")),
    Moves("with-a-password", does="to a URL with a user and a password", play=moved("http://user:secret@10.0.0.1/")),
    Moves("to-many-places", does="three Locations", play=moved("/a.html", "302 Found", "Location: /b.html", "Location: http://10.0.0.1/")),
)  # fmt: skip
RECURSIVE = (
    Behaviour("refresh-in-a-loop", "recursive", "meta refresh between two pages", refresh_loop, "done", "redirect"),
    Behaviour("refresh-to-a-file", "recursive", "meta refresh to file:", page('<html><head><meta http-equiv=refresh content="0;url=file:///etc/passwd"></head></html>'), "done", "not_an_article"),
    Behaviour("canonical-in-a-loop", "recursive", "two pages, each of which calls the other one its canonical URL", canonical_loop, "done", "stored"),
    Behaviour("frame-of-itself", "recursive", "a frameset of itself", frame_of_itself, "done", "redirect"),
    Behaviour("iframe-of-itself", "recursive", "a list that frames itself fifty times", iframe_of_itself, "done", "polled", path="/hostile/", kind="list"),
    Behaviour("list-of-itself", "recursive", "a list whose links are itself under ever new queries", list_of_itself, "done", "polled", path="/hostile/list", kind="list", most=100),
)  # fmt: skip
