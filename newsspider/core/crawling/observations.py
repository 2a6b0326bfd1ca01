"""What a page that was read shows of its source; the health of the source is diagnosed from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from newsspider.core.crawling.visit import SHORT_BODY, ArticleObservation, ListObservation
from newsspider.core.extraction.article import unmatched_xpaths
from newsspider.core.extraction.dom import Page, outline_of
from newsspider.core.extraction.guard_page import BLANK_LETTERS, MOST_LINKS, MOST_TEXT, guard_line
from newsspider.core.extraction.page_type import LOGIN_WORDS
from newsspider.core.model import Article, ArticleRules, Link, LinkKind, PageType

LEAST_LINK_CHARACTERS = 40  # of links, by which a charset is judged
NO_TEXT = re.compile("[\ufffd\x80-\u024f]|锟斤拷|锟|烫烫|屯屯")


def observe_document(links: Sequence[Link], kind: PageType) -> ListObservation:
    """The observation of a feed, a sitemap or a list in JSON. A sitemap may list no page without fault: an index lists
    sitemaps, and a news sitemap the news of two days."""
    articles = len(links) or int(kind is PageType.SITEMAP)
    return ListObservation(len(links), articles, garbled=garbled_share(link.text for link in links))


def observe_list(
    page: Page, links: Sequence[Link], regions: Sequence[str] = (), *, framed: bool = False
) -> ListObservation:
    """The observation of a list page. ``regions`` are the XPaths of its list in the site file; a ``framed`` page leads
    to others of the site, which may hold its list."""
    articles = sum(link.kind is LinkKind.ARTICLE for link in links)
    if framed and not articles:
        return ListObservation(len(links), 0, elsewhere=True)
    missing = unmatched_xpaths(page, dict(zip(regions, regions, strict=True)))
    broken = ", ".join(missing) if regions and len(missing) == len(regions) else ""
    guard = not articles and len(links) <= MOST_LINKS and _is_guard(page)
    return ListObservation(len(links), articles, guard, garbled_share(link.text for link in links), broken)


def observe_article(page: Page, article: Article, rules: ArticleRules) -> ArticleObservation:
    """The observation of an article page; ``rules`` are the XPaths of its site."""
    lacks = {
        "date": article.published_at is None,
        "source": article.source is None,
        "author": not article.authors,
        "body": len(article.text) < SHORT_BODY,
    }
    xpaths = {name: xpath for name, xpath in asdict(rules).items() if xpath is not None}
    missing = unmatched_xpaths(page, xpaths) if xpaths else {}
    return ArticleObservation(
        tuple(what for what, is_lacking in lacks.items() if is_lacking),
        tuple((f"{name} {xpath}", name not in missing) for name, xpath in xpaths.items()),
    )


def _is_guard(page: Page) -> bool:
    outline = outline_of(page)
    texts = [outline.title or "", *(line.text for line in outline.lines)]
    length = sum(map(len, texts[1:]))
    if length < BLANK_LETTERS or outline.passwords:
        return True
    return length < MOST_TEXT and (any(map(LOGIN_WORDS.search, texts)) or guard_line(page, None, 0) is not None)


def garbled_share(texts: Iterable[str]) -> float:
    """The share of characters that stand in no Chinese or English text; 0 for too few characters to tell.

    >>> garbled_share(["教育部发布通知"] * 9), garbled_share(["æ•™è‚²éƒ¨å�‘å¸ƒé€šçŸ¥"] * 9) > 0.5
    (0.0, True)
    """
    text = "".join("".join(texts).split())
    if len(text) < LEAST_LINK_CHARACTERS:
        return 0.0
    return min(1.0, sum(map(len, NO_TEXT.findall(text))) / len(text))
