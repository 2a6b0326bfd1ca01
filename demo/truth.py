"""Tells the truth of every page: what it is, what it says, whether it can be reached, and what the lists make known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demo import feeds, sitefiles
from demo.lists import HOME_PER_COLUMN
from demo.makes import Column, Pager
from demo.pages import editor
from demo.portal import SERVED, Fate, Outlet, Portal, Post
from demo.routes import Page, Routes

UNSIGNED = frozenset(("forum", "blog"))  # templates that print no source
STATUS = {
    Fate.ERROR_ALWAYS: 500,
    Fate.MISSING: 404,
    Fate.GONE: 410,
    Fate.RESET: 0,
    Fate.TRUNCATED: 200,
    Fate.TOO_SLOW: 200,
}


def tell(portal: Portal, routes: Routes) -> dict[str, Any]:
    """Everything, as of the portal's clock now; plain values for JSON."""
    lists = [entry for outlet in portal.outlets for entry in shipped_lists(outlet)]
    linked = {url for entry in lists for url in entry["articles"]}
    pages = [_page(page, linked) for page in routes.pages.values()]
    articles = [page for page in pages if "relevant" in page]
    reachable = [page for page in articles if page["reachable"]]
    relevant_pages = [page for page in reachable if page["relevant"]]
    return {
        "seed": portal.seed,
        "start": portal.clock.start.isoformat(),
        "now": portal.clock.now.isoformat(),
        "sites": [_site(outlet) for outlet in portal.outlets],
        "counts": {
            "pages": len(pages),
            "articles": len(articles),
            "published": sum(page["published"] for page in articles),
            "relevant": sum(page["relevant"] for page in articles),
            "reachable": len(reachable),
            "reachable_relevant": len(relevant_pages),
            "reachable_relevant_bodies": len({page["group"] for page in relevant_pages}),
        },
        "pages": pages,
        "lists": lists,
        "known": sorted(known(portal, lists)),
    }


def known(portal: Portal, lists: list[dict[str, Any]]) -> set[str]:
    """All URLs that the watched lists make known: robots.txt, the lists, their articles, where redirects lead."""
    urls = {f"{outlet.base}/robots.txt" for outlet in portal.outlets}
    for entry in lists:
        urls |= {entry["url"], *entry["articles"], *entry["next"]}
    for post in portal.posts:
        if post.url in urls:
            urls |= {post.outlet.base + post.part_path(part) for part in range(1, post.parts + 1)}
    moved = {post.outlet.base + post.link: post.url for post in portal.posts if post.link != post.path}
    return urls | {moved[url] for url in urls if url in moved}


def shipped_lists(outlet: Outlet) -> Iterator[dict[str, Any]]:
    """The watched lists of a site with what their main blocks lead to: articles, and further lists in ``next``."""
    make = outlet.make
    front = [post for c in make.columns if not c.nofollow for post in outlet.shown(c)[:HOME_PER_COLUMN]]
    if make.template == "frames":
        yield _list(outlet, "首页", "/", [], ["/html/main.htm", "/html/nav.htm"])
        yield _list(outlet, "首页", "/html/main.htm", front, [])
        yield _list(outlet, "首页", "/html/nav.htm", [], [])
    elif make.home != "/":
        yield _list(outlet, "首页", "/", [], [make.home])
        yield _list(outlet, "首页", make.home, front, [])
    else:
        yield _list(outlet, "首页", "/", front, [])
    for column in make.columns:
        if column.weight is not None:
            yield from _column(outlet, column)
    if make.feed:
        yield _list(outlet, "订阅", make.feed, feeds.feed_posts(outlet), [])
    if make.news_sitemap:
        yield _list(outlet, "新闻地图", make.news_sitemap, feeds.feed_posts(outlet), [])
    if make.sitemap_index:
        yield _list(outlet, "网站地图", make.sitemap_index, [], feeds.sitemap_paths())
        for part, path in enumerate(feeds.sitemap_paths()):
            yield _list(outlet, "网站地图", path, feeds.sitemap_posts(outlet, part), [])


def _column(outlet: Outlet, column: Column) -> Iterator[dict[str, Any]]:
    last = 1 if column.pager is Pager.NONE else outlet.pages(column)
    for number in range(1, last + 1):
        following = [column.path(number + 1)] if number < last else []
        posts = [] if column.nofollow else outlet.page(column, number)
        yield _list(outlet, column.label, column.path(number), posts, following)


def _list(outlet: Outlet, channel: str, path: str, posts: list[Post], following: list[str]) -> dict[str, Any]:
    return {
        "url": outlet.base + path,
        "site": outlet.make.name,
        "channel": channel,
        "articles": [outlet.base + post.link for post in posts],
        "next": [outlet.base + other for other in following],
    }


def _site(outlet: Outlet) -> dict[str, Any]:
    make = outlet.make
    return {
        "name": make.name,
        "home": f"{outlet.base}/",
        "template": make.template,
        "codec": make.codec,
        "header": make.header,
        "meta": make.meta,
        "posts": len(outlet.posts),
        "channels": sitefiles.channels(outlet),
    }


def _page(page: Page, linked: set[str]) -> dict[str, Any]:
    make = page.outlet.make
    facts = {"url": page.url, "kind": page.kind, "site": make.name}
    if page.kind == "redirect":
        status = 301 if page.post and page.post.fate is Fate.MOVED else 302
        return facts | {"status": status, "to": page.outlet.base + page.moved_to}
    if page.part > 1:
        return facts | {"status": 200, "forbidden": False, "noindex": False, "part": page.part}
    if page.post is None:
        status = 404 if page.column and page.render() is None else 200  # a list page that is still to come
        return facts | {"status": status, "forbidden": False, "noindex": bool(page.column and page.column.nofollow)}
    return facts | _article(page.post, linked)


def _article(post: Post, linked: set[str]) -> dict[str, Any]:
    make, now = post.outlet.make, post.outlet.clock.seconds
    story, published = post.told(now), post.appears_at <= now
    has_vanished = post.fate is Fate.VANISHING and now >= post.turns_at
    status = 410 if has_vanished else STATUS.get(post.fate, 200)
    address = post.outlet.base + post.link
    return {
        "status": status if published else 404,
        "relevant": story.relevant,
        "theme": story.theme,
        "hard": story.hard,
        "title": story.title,
        "text": story.text,
        "author": story.author,
        "source": None if make.template in UNSIGNED else story.source,
        "published_at": story.published_at.isoformat(),
        "date_only": "%H" not in make.date,
        "column": post.column.label,
        "group": -1 - post.number if story is not post.story else post.group,  # a changed body is no reprint
        "origin": post.origin,
        "parts": [post.outlet.base + post.part_path(part) for part in range(1, post.parts + 1)],
        "reprint": post.reprint,
        "fate": post.fate.value,
        "linked_as": address,
        "linked": address in linked,
        "published": published,
        "noindex": post.fate is Fate.NOINDEX,
        "forbidden": post.fate is Fate.FORBIDDEN,
        "reachable": published and not has_vanished and address in linked and post.fate in SERVED,
        "attachments": [post.outlet.base + path for path, _ in post.attachments],
        "images": [f"{post.outlet.base}/images/{post.number}.jpg"] if post.image else [],
        "editors": [editor(story)] if make.template == "br" else [],
        "comments": list(story.comments) if make.template == "forum" else [],
        "charset": {"codec": make.codec, "header": make.header, "meta": make.meta},
    }
