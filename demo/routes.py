"""Which page stands at which address of the portal; nothing of sockets and of bad behaviour."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from urllib.parse import parse_qsl, urlencode, urlsplit

from demo import chrome, feeds, lists, pages
from demo.grammar import common
from demo.makes import Column
from demo.portal import Fate, Outlet, Portal, Post

Render = Callable[[], bytes | None]  # None: there is no such page now

IGNORED_PARAMETERS = re.compile(r"[?&](?:PHPSESSID|utm_\w+|spm)=[^&]*")  # no site of the portal looks at them
MEMBERS, ABOUT = 40, 6
_ENDLESS = (("/search?", "/search?q="), ("/post.php?", "/login.html"))  # whatever is asked
_PAGE_SCRIPT = (
    "function createPageHTML(n,c,f,x){for(var i=0;i<n;i++)"
    "document.write('<a href=\"'+f+(i?'_'+i:'')+'.'+x+'\">'+(i+1)+'</a> ')}\n"
)
_FILES = {
    "pdf": ("application/pdf", b"%PDF-1.4\n1 0 obj <</Type /Catalog>> endobj\ntrailer <</Root 1 0 R>>\n%%EOF\n"),
    "doc": ("application/msword", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504)),
    "jpg": ("image/jpeg", bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffd9")),
    "shtml": ("video/mp4", b"\x00\x00\x00\x18ftypmp42" + bytes(200_000)),
}


@dataclass(slots=True, eq=False)
class Page:
    """One address: what it is, what it answers, and whether that changes with the portal's clock."""

    outlet: Outlet
    target: str  # path and query
    kind: str
    render: Render
    content_type: str
    post: Post | None = None
    part: int = 1  # of the post
    column: Column | None = None
    changing: bool = False
    moved_to: str = ""  # another target

    @property
    def url(self) -> str:
        """The absolute address."""
        return self.outlet.base + self.target

    @property
    def fate(self) -> Fate:
        """What happens to whoever asks."""
        return self.post.fate if self.post and not self.moved_to else Fate.FINE


class Routes:
    """All pages of a portal by host and target."""

    def __init__(self, portal: Portal, crawl_delay: float = 0.5) -> None:
        self.portal, self.crawl_delay = portal, crawl_delay
        self.pages: dict[tuple[str, str], Page] = {}
        for outlet in portal.outlets:
            for page in self._pages(outlet):
                self.pages[(outlet.make.host, page.target)] = page

    def find(self, host: str, target: str) -> Page | None:
        """The page at this target; session ids and tracking parameters make no other page of it."""
        page = self.pages.get((host, target))
        if page is None and "?" in target:
            plain = IGNORED_PARAMETERS.sub("", target)
            if "?" not in plain and "&" in plain:
                plain = plain.replace("&", "?", 1)
            page = self.pages.get((host, plain)) or self._endless(host, plain)
        return page

    def _endless(self, host: str, target: str) -> Page | None:
        outlet = next((outlet for outlet in self.portal.outlets if outlet.make.host == host), None)
        if outlet is None:
            return None
        for prefix, same in _ENDLESS:
            if target.startswith(prefix):
                return self.pages[(host, same)]
        match = re.fullmatch(r"/calendar\.shtml\?(month|date)=(\d{4}-(?:0[1-9]|1[0-2]))((?:-[012]\d)?)", target)
        if not outlet.make.calendar or match is None or not 1900 <= int(match[2][:4]) <= 2200:
            return None
        month, day = ("", match[2] + match[3]) if match[3] else (match[2], "")
        return self._html(outlet, target, "trap", partial(lists.calendar, outlet, month, day, self.portal.seed))

    def _pages(self, outlet: Outlet) -> Iterator[Page]:
        yield from self._fronts(outlet)
        for column in outlet.make.columns:
            yield from self._column(outlet, column)
        for post in outlet.posts:
            yield from self._post(outlet, post)
        yield from self._machine_read(outlet)
        yield from self._small(outlet)

    def _fronts(self, outlet: Outlet) -> Iterator[Page]:
        seed, make = self.portal.seed, outlet.make
        home = partial(lists.home, outlet, seed)
        if make.template == "frames":
            yield self._html(outlet, "/", "list", partial(lists.frameset, outlet))
            yield self._html(outlet, "/html/nav.htm", "other", partial(lists.frame_navigation, outlet))
            yield self._html(outlet, "/html/main.htm", "list", home, changing=True)
            return
        if make.home != "/":
            yield self._html(outlet, "/", "list", partial(lists.refresh, outlet, make.home))
        yield self._html(outlet, make.home, "list", home, changing=True)

    def _column(self, outlet: Outlet, column: Column) -> Iterator[Page]:
        total = sum(post.column is column for post in outlet.posts)  # those to come included
        for number in range(1, max(1, -(-total // column.per_page)) + 1):
            render = partial(self._column_page, outlet, column, number)
            page = self._html(outlet, column.path(number), "list", render, changing=True)
            page.column = column
            yield page

    def _column_page(self, outlet: Outlet, column: Column, number: int) -> str | None:
        if number > outlet.pages(column):
            return None
        return lists.column_page(outlet, column, number, self.portal.seed)

    def _post(self, outlet: Outlet, post: Post) -> Iterator[Page]:
        page = self._html(
            outlet,
            post.path,
            outlet.make.kind,
            partial(self._article, post),
            changing=post.appears_at > 0 or post.fate in (Fate.CHANGING, Fate.VANISHING),
        )
        page.post = post
        yield page
        for part in range(2, post.parts + 1):
            further = self._html(outlet, post.part_path(part), outlet.make.kind, partial(self._article, post, part))
            further.post, further.part = post, part
            yield further
        if post.link != post.path:
            moved = self._html(outlet, post.link, "redirect", lambda: "")
            moved.post, moved.moved_to = post, post.path
            yield moved
        for path, _ in post.attachments:
            yield _file(outlet, path, "attachment")
        if post.image:
            yield _file(outlet, f"/images/{post.number}.jpg", "image")
        if post.number % 40 == 3:
            yield _file(outlet, f"/video/{post.number}.shtml", "video")

    def _article(self, post: Post, part: int = 1) -> str | None:
        now = self.portal.clock.seconds
        if post.appears_at > now or post.fate in (Fate.MISSING, Fate.GONE):
            return None
        return (
            None
            if post.fate is Fate.VANISHING and now >= post.turns_at
            else pages.article(post, self.portal.seed, part)
        )

    def _machine_read(self, outlet: Outlet) -> Iterator[Page]:
        make = outlet.make
        if make.robots is not None:
            robots = make.robots.format(crawl_delay=self.crawl_delay)
            for sitemap in filter(None, (make.news_sitemap, make.sitemap_index)):
                robots += f"\nSitemap: {outlet.base}{sitemap}\n"
            yield Page(outlet, "/robots.txt", "robots", robots.encode, "text/plain; charset=utf-8")
        if make.feed:
            write = feeds.atom if make.template == "blog" else feeds.rss
            yield _xml(outlet, make.feed, "feed", partial(write, outlet), make.codec)
        if make.news_sitemap:
            yield _xml(outlet, make.news_sitemap, "sitemap", partial(feeds.news_sitemap, outlet))
        if make.sitemap_index:
            yield _xml(outlet, make.sitemap_index, "sitemap", partial(feeds.sitemap_index, outlet))
            for part, path in enumerate(feeds.sitemap_paths()):
                yield _xml(outlet, path, "sitemap", partial(feeds.sitemap, outlet, part))

    def _small(self, outlet: Outlet) -> Iterator[Page]:
        seed = self.portal.seed
        titles = {f"/about-{n}.html": f"关于我们（{n}）" for n in range(ABOUT)}
        titles |= {"/login.html": "登录", "/search?q=": "搜索"}
        if outlet.make.kind == "forum":
            titles |= {f"/space-uid-{n}.html": f"会员{n}的空间" for n in range(MEMBERS + 1)}
        for target, title in titles.items():
            kind = "login" if target == "/login.html" else "other"
            yield self._html(outlet, target, kind, partial(lists.small, outlet, title, seed))
        for word in common()["tag"]:
            target = chrome.tag_path(outlet, word)
            yield self._html(outlet, target, "list", partial(lists.tag_page, outlet, word, seed))
        yield Page(outlet, "/static/page.js", "other", _PAGE_SCRIPT.encode, "application/javascript")

    def _html(
        self, outlet: Outlet, target: str, kind: str, write: Callable[[], str | None], changing: bool = False
    ) -> Page:
        make = outlet.make
        content_type = f"text/html; charset={make.header}" if make.header else "text/html"

        def render() -> bytes | None:
            text = write()
            return None if text is None else text.encode(make.codec)

        return Page(outlet, target, kind, render, content_type, changing=changing)


def plain_target(url: str) -> tuple[str, str]:
    """Host and target of a URL without the parameters that no site of the portal looks at.

    >>> plain_target("http://127.0.0.4:8900/thread-1.html?PHPSESSID=0a&page=2#c")
    ('127.0.0.4', '/thread-1.html?page=2')
    """
    parts = urlsplit(url)
    parameters = [(k, v) for k, v in parse_qsl(parts.query, True) if not IGNORED_PARAMETERS.match(f"?{k}=")]
    return parts.hostname or "", (parts.path or "/") + (f"?{urlencode(parameters)}" if parameters else "")


def _xml(outlet: Outlet, target: str, kind: str, write: Callable[[], str], codec: str = "utf-8") -> Page:
    def render() -> bytes:
        text = write().encode(codec)
        return gzip.compress(text, mtime=0) if target.endswith(".gz") else text

    content_type = "application/x-gzip" if target.endswith(".gz") else "text/xml"
    return Page(outlet, target, kind, render, content_type, changing=True)


def _file(outlet: Outlet, target: str, kind: str) -> Page:
    content_type, body = _FILES[target.rsplit(".", 1)[1]]
    return Page(outlet, target, kind, lambda: body, content_type)
