"""Shows that the portal is hard: what four simple ways reach on it, computed from the truth."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from html import unescape
from urllib.parse import urlsplit

from demo.chrome import SESSION
from demo.portal import SERVED, Portal, Post
from demo.routes import Page, Routes, plain_target
from demo.truth import shipped_lists

# The most telling words of education that come to mind, for headlines.
TITLE_WORDS = (
    "教育",
    "学校",
    "学生",
    "高考",
    "中考",
    "教师",
    "大学",
    "小学",
    "中学",
    "高校",
    "招生",
    "考试",
    "校园",
    "课堂",
    "老师",
    "幼儿园",
    "职业",
    "学院",
    "研究生",
    "考生",
    "录取",
    "留学",
    "校长",
    "毕业",
    "家长",
    "课程",
    "义务",
    "教学",
    "开学",
    "学前",
)
FETCHES = 4000  # of a crawl that follows everything
_LINK = re.compile(r"<(?:a|area|frame|iframe)\b[^>]*?\b(?:href|src)=\"([^\"#]+)", re.IGNORECASE)
_REFRESH = re.compile(r"http-equiv=\"refresh\" content=\"\d+; url=([^\"]+)")


@dataclass(frozen=True, slots=True)
class Baselines:
    """The four figures, as shares."""

    title_words_f1: float
    double_by_url: float
    garbled_by_header: float
    wasted: float
    wasted_without_traps: float

    def lines(self) -> list[str]:
        """The figures for people."""
        return [
            f"a list of {len(TITLE_WORDS)} title words decides the topic with F1 {self.title_words_f1:.2f}",
            f"knowing articles by their URL leaves {self.double_by_url:.1%} double",
            f"decoding by the HTTP header garbles {self.garbled_by_header:.1%} of the pages",
            f"following every link wastes {self.wasted:.1%} of {FETCHES} fetches"
            f" ({self.wasted_without_traps:.1%} without session ids and calendar)",
        ]


def measure(portal: Portal, routes: Routes) -> Baselines:
    """The four figures of a portal at its present second."""
    linked = {url for outlet in portal.outlets for entry in shipped_lists(outlet) for url in entry["articles"]}
    posts = [post for post in portal.posts if post.fate in SERVED and post.outlet.base + post.link in linked]
    return Baselines(
        title_words_f1(posts),
        double_by_url([post for post in posts if post.story.relevant]),
        garbled_by_header([page for page in routes.pages.values() if page.post or page.kind == "list"]),
        wasted(portal, routes, traps=True),
        wasted(portal, routes, traps=False),
    )


def title_words_f1(posts: list[Post]) -> float:
    """F1 of "the headline holds one of the words"."""
    matching = {post for post in posts if any(word in post.story.title for word in TITLE_WORDS)}
    relevant = {post for post in posts if post.story.relevant}
    return 2 * len(matching & relevant) / (len(matching) + len(relevant))


def double_by_url(posts: list[Post]) -> float:
    """Share of the articles whose very body stood under another URL before."""
    return 1 - len({post.group for post in posts}) / len(posts)


def garbled_by_header(pages: list[Page]) -> float:
    """Share of the pages that come out wrong if the header's charset is believed, or without one the page's own."""
    bodies = [(page, body) for page in pages if (body := page.render())]
    return sum(_garbled(page, body) for page, body in bodies) / len(bodies)


def wasted(portal: Portal, routes: Routes, traps: bool) -> float:
    """Share of the fetches of a breadth-first crawl from all homes that bring no new article of the topic."""
    waiting = deque(f"{outlet.base}/" for outlet in portal.outlets)
    known_links, useful, fetches = set(waiting), set[Post](), 0
    links: dict[Page, list[str]] = {}
    while waiting and fetches < FETCHES:
        fetches += 1
        page = routes.find(*_host_and_target(waiting.popleft()))
        if page is None:
            continue
        if page.post and _useful(page.post) and not page.moved_to:
            useful.add(page.post)
        if page not in links:
            links[page] = _links(portal, page)
        for link in links[page]:
            target = link.replace(SESSION, f"{fetches:026}") if traps else _without_traps(portal, link)
            if target and target not in known_links:
                known_links.add(target)
                waiting.append(target)
    return 1 - len(useful) / fetches


def _useful(post: Post) -> bool:
    return post.fate in SERVED and post.story.relevant and post.appears_at < 0


def _host_and_target(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.path + (f"?{parts.query}" if parts.query else "")


def _links(portal: Portal, page: Page) -> list[str]:
    """Where a page leads to inside the portal, as it writes it."""
    if page.moved_to:
        return [page.outlet.base + page.moved_to]
    body = page.render() if page.content_type.startswith("text/html") else None
    text = (body or b"").decode(page.outlet.make.codec)
    bases = tuple(f"{outlet.base}/" for outlet in portal.outlets)
    written = dict.fromkeys(unescape(link) for link in _LINK.findall(text) + _REFRESH.findall(text))
    links = (page.outlet.base + link if link.startswith("/") else link for link in written)
    return [link for link in links if link.startswith(bases)]


def _without_traps(portal: Portal, link: str) -> str | None:
    host, target = plain_target(link) if "?" in link else _host_and_target(link)
    return None if target.startswith("/calendar") else f"http://{host}:{portal.port}{target}"


def _garbled(page: Page, body: bytes) -> bool:
    make = page.outlet.make
    charset = make.header or make.meta or "utf-8"
    return body.decode(charset, "replace") != body.decode(make.codec)
