"""How probable it is that a page is of the kind that it was taken for.

The more signs of its type a page has, the more often the type was right. The tables give that share among 490 saved
real pages, judged by hand, with one right and one wrong page added to each row (Laplace's rule of succession).
"""

from __future__ import annotations

from collections.abc import Sequence

from newsspider.core.extraction import page_type
from newsspider.core.extraction.dom import Outline, Page, host_and_path, outline_of
from newsspider.core.extraction.summary_page import headlines_of, names_itself
from newsspider.core.model import Article, Link, PageType
from newsspider.core.url import is_home

LONG_TEXT = 400  # characters of a text that is hardly anything but an article's
MANY_LINKS = 10  # links to articles
OUTWEIGHS = 3  # times the text, characters of linked headlines

OF_ARTICLES = (0.5, 0.75, 0.94, 0.94, 0.98, 0.995)  # by the number of signs: of none, there was no page
OF_LISTS = (0.4, 0.4, 0.92, 0.93, 0.98, 0.98)  # of none, there was no page; with one, two of three were articles
# guessed: too few pages to count
OF_OTHERS = {PageType.ERROR: 0.9, PageType.LOGIN: 0.9, PageType.GALLERY: 0.9, PageType.OTHER: 0.5}


def probability_of(kind: PageType, page: Page, article: Article, links: Sequence[Link]) -> float:
    """From 0 to 1, how probable it is that ``page`` is of the kind that
    :func:`~newsspider.core.extraction.page_type.page_type_of` says."""
    outline = outline_of(page)
    if kind.stored:
        return OF_ARTICLES[sum(_signs_of_article(outline, article))]
    if kind is PageType.LIST:
        return OF_LISTS[sum(_signs_of_list(page, outline, article, links))]
    return OF_OTHERS[kind]


def _signs_of_article(outline: Outline, article: Article) -> tuple[bool, ...]:
    return (
        page_type.paragraphs_of(article) >= page_type.PARAGRAPHS,
        len(article.text) >= LONG_TEXT,
        _linked(outline) < len(article.text),
        article.published_at is not None,
        names_itself(outline, article),
    )


def _signs_of_list(page: Page, outline: Outline, article: Article, links: Sequence[Link]) -> tuple[bool, ...]:
    address = host_and_path(page.url)
    named = page_type.LIST_TITLE.search(article.meta_title or "") or page_type.LIST_URL.search(address)
    return (
        page_type.articles_among(links) >= MANY_LINKS,
        not names_itself(outline, article),
        article.published_at is None,
        named is not None or is_home(page.url),
        _linked(outline) > OUTWEIGHS * len(article.text),
    )


def _linked(outline: Outline) -> int:
    """Characters of linked headlines."""
    return sum(line.linked for line in headlines_of(outline))
