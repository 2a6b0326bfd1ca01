"""Feeds and sitemaps that are larger, deeper or emptier than they look."""

import gzip
from functools import cache, partial

from tests.hostile.articles import listing, title_of
from tests.hostile.behaviour import Behaviour, Body, Call, Play, page
from tests.hostile.cut import JUNK, repeated
from tests.hostile.server import GOOD

XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
BILLION = f'<!DOCTYPE rss [<!ENTITY l0 "lol">{LAUGHS}]>'
QUADRATIC = f'<!DOCTYPE rss [<!ENTITY a "{"a" * 50_000}">]>'
OUTSIDE = '<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY % y SYSTEM "http://10.0.0.1/y.dtd"> %y;]>'

Feed = partial(Behaviour, group="feeds", state="done", reason="polled", path="/hostile/feed.xml", kind="feed", most=20)
NoFeed = partial(Feed, state="error", reason="unreadable")
Sitemap = partial(Behaviour, group="sitemaps", state="done", reason="polled", path="/hostile/sitemap.xml", kind="sitemap", most=20)
NoSitemap = partial(Sitemap, state="error", reason="unreadable")


def item(call: Call, path: str, number: int, more: str = "") -> str:
    return f"<item><title>{title_of(call.number, number)}{more}</title><link>{call.base}{path}</link></item>"


def feed(call: Call, *, before: str = "", head: str = "", more: str = "", after: str = "") -> str:
    """A feed of the real articles."""
    items = "".join(item(call, path, number, more) for path, number in GOOD.items())
    return f'{XML}{before}<rss version="2.0"><channel><title>教育{head}</title>{items}{after}</channel></rss>'


def fed(**parts: str) -> Play:
    return page(lambda call: feed(call, **parts), kind="application/rss+xml")


def document(body: Body, kind: str = "application/xml") -> Play:
    return page(body, kind=kind)


def place(url: str, more: str = "") -> str:
    return f"<url><loc>{url}</loc>{more}</url>"


def sitemap(call: Call, after: str = "", namespace: str = NAMESPACE) -> str:
    """A sitemap of the real articles."""
    return f"{XML}<urlset {namespace}>{''.join(place(call.base + path) for path in GOOD)}{after}</urlset>"


def index(*urls: str) -> str:
    return f"{XML}<sitemapindex {NAMESPACE}>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>"


@cache
def gigabyte() -> bytes:
    """About a gigabyte of entries in some 3 MB of gzip."""
    block = "".join(place(f"http://10.0.0.1/{n % 100}.html") for n in range(20_000)).encode()
    return repeated(block, 10**9 // len(block), f"{XML}<urlset {NAMESPACE}>".encode(), b"</urlset>")


async def ever_deeper(call: Call) -> None:
    await call.answer(index(f"{call.base}{call.path}.{call.times}.xml").encode(), headers=["Content-Type: application/xml"])


FEEDS = (
    Feed("feed-billion-laughs", does="entities that multiply", play=fed(before=BILLION, head="&l9;")),
    NoFeed("feed-quadratic", does="one long entity a thousand times, declared before the root", play=fed(before=QUADRATIC, head="&a;" * 1000)),
    Feed("feed-outside-entities", does="entities of a file and of another host", play=fed(before=OUTSIDE, more="&x;")),
    Feed("feed-of-ampersands", does="seven million &", play=fed(head="&" * 7_000_000)),
    Feed("feed-of-entries", does="50,000 entries of other hosts", play=page(lambda call: feed(call, after="".join(f"<item><title>{n}</title><link>http://10.0.0.1/{n}</link></item>" for n in range(50_000))), kind="application/rss+xml")),
    Feed("feed-cut", does="ends within an entry", play=page(lambda call: feed(call)[:-60], kind="application/rss+xml")),
    Feed("feed-gzip", does="a gzip file instead of a packed answer", play=page(lambda call: gzip.compress(feed(call).encode()), kind="application/gzip")),
    Feed("feed-controls", does="control characters within titles", play=fed(more="\x1b[31m\x07\x00")),
    Feed("feed-deep", does="100,000 elements within each other", play=fed(after="<a>" * 100_000)),
    Feed("feed-long-title", does="a title of 5 million letters", play=fed(after=f"<item><title>{'教' * 1_700_000}</title><link>/x</link></item>")),
    Feed("feed-of-schemes", does="links of file:, javascript: and data:", play=fed(after="".join(f"<item><title>教育</title><link>{url}</link></item>" for url in ("file:///etc/passwd", "javascript:alert(1)", "data:text/html,a", "http://[::1", "http://"))),),
    Feed("feed-dates", does="dates that no calendar has", play=fed(after=f"<item><title>a</title><pubDate>Mon, 99 Foo {'9' * 5000} 99:99:99</pubDate></item>")),
    Feed("feed-utf-16", does="UTF-16 that calls itself UTF-8", play=page(lambda call: feed(call).encode("utf-16"), kind="application/rss+xml")),
    Feed("feed-is-a-list", does="a list of articles instead", play=page(lambda call: listing({path: title_of(call.number, n) for path, n in GOOD.items()}))),
    NoFeed("feed-is-a-page", does="a page without links instead", play=page("<html><title>教育</title><body><p>暂无内容</p></body></html>")),
    NoFeed("feed-is-json", does="JSON instead", play=page('{"items": []}', kind="application/rss+xml")),
    NoFeed("feed-is-junk", does="bytes without sense", play=page(JUNK, kind="application/rss+xml")),
)  # fmt: skip
SITEMAPS = (
    Sitemap("sitemap-gigabyte", does="a gzip file of 3 MB with a gigabyte of entries", play=document(lambda call: gigabyte(), "application/gzip"), path="/hostile/sitemap.xml.gz"),
    Sitemap("sitemap-packed-gigabyte", does="the same as a packed answer", play=page(lambda call: gigabyte(), "200 OK", "Content-Encoding: gzip", kind="application/xml"), state="error", reason="too_large"),
    Sitemap("sitemap-of-itself", does="an index of itself", play=document(lambda call: index(*[call.base + call.path] * 100))),
    Sitemap("sitemap-ever-deeper", does="each index leads to another one", play=ever_deeper),
    Sitemap("sitemap-of-sitemaps", does="an index of 2,000 sitemaps", play=document(lambda call: index(*(f"{call.base}/hostile/map{n}.xml" for n in range(2000))) if call.path.endswith("sitemap.xml") else sitemap(call)), most=60),
    Sitemap("sitemap-50001", does="50,001 entries, as many of them of another host", play=document(lambda call: sitemap(call, "".join(place(f"http://10.0.0.1/{n}") for n in range(49_998))))),
    Sitemap("sitemap-wrong-namespace", does="a namespace of its own", play=document(lambda call: sitemap(call, namespace='xmlns="urn:x"'))),
    Sitemap("sitemap-cut", does="ends within an entry", play=document(lambda call: sitemap(call)[:-30])),
    Sitemap("sitemap-gzip-cut", does="a gzip file that ends early", play=document(lambda call: gzip.compress(sitemap(call).encode())[:-20], "application/gzip")),
    Sitemap("sitemap-laughs", does="entities that multiply", play=document(lambda call: sitemap(call, place("&l9;")).replace("<urlset", BILLION.replace("rss", "urlset") + "<urlset", 1))),
    Sitemap("sitemap-dates", does="lastmod of no calendar", play=document(lambda call: sitemap(call, place(call.base + "/2024/0501/10001.html", f"<lastmod>{'9' * 5000}-99-99</lastmod><priority>nan</priority>")))),
    Sitemap("sitemap-of-text", does="plain text with control characters", play=document(lambda call: "".join(f"{call.base}{path}\n" for path in GOOD) + "\x1b[31m\n\x00\n", "text/plain"), path="/hostile/sitemap.txt"),
    NoSitemap("sitemap-is-junk", does="bytes without sense", play=document(JUNK)),
    NoSitemap("sitemap-is-an-error", does="a page of an error", play=page("<html><title>404</title><body>404</body></html>")),
)  # fmt: skip
