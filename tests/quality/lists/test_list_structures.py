"""Measured floors of links and page types on list pages in the structures that Chinese sites are made in."""

from collections import Counter
from datetime import UTC, datetime
from functools import cache

import pytest

from newsspider.core.extraction.dom.page import parse
from newsspider.core.links.page_links import links_of
from newsspider.core.model import Link, LinkKind, PageType
from newsspider.pages.read_page import read_page
from tests.quality.lists.generator import VARIANTS, ListPage, tabled
from tests.quality.lists.homes import homes
from tests.quality.lists.scripted import scripted

STRUCTURES = tabled() | homes() | scripted()
PAGES = {name: [structure.variant(name, number) for number in range(VARIANTS)] for name, structure in STRUCTURES.items()}
NOW = datetime(2024, 6, 1, tzinfo=UTC)
FLOOR = 0.97


@cache
def links_in(body: bytes, url: str) -> tuple[Link, ...]:
    """The links of a page, which several tests look at."""
    return links_of(parse(body, url))


def article_hits(page: ListPage) -> Counter[str]:
    """How many articles are right, found and there."""
    urls = {link.url for link in links_in(page.body, page.url) if link.kind is LinkKind.ARTICLE}
    return Counter(right=len(urls & page.articles.keys()), found=len(urls), there=len(page.articles))


@pytest.mark.parametrize("name", STRUCTURES)
def test_the_articles_of_each_structure_are_found_and_hardly_anything_else(name: str) -> None:
    hits = sum(map(article_hits, PAGES[name]), Counter[str]())
    assert hits["right"] >= 0.9 * hits["found"], hits
    assert hits["right"] >= 0.9 * hits["there"], hits


def test_precision_and_recall_over_all_structures() -> None:
    hits = sum((article_hits(page) for pages in PAGES.values() for page in pages), Counter[str]())
    precision, recall = hits["right"] / hits["found"], hits["right"] / hits["there"]
    assert min(precision, recall) >= FLOOR, (precision, recall)


def test_the_pages_are_lists() -> None:
    wrong = []
    for name, pages in PAGES.items():
        for number, page in enumerate(pages):
            kind = read_page(parse(page.body, page.url), NOW, links_of=links_of).kind
            if kind is not PageType.LIST:
                wrong.append((name, number, str(kind)))
    assert len(wrong) <= (1 - FLOOR) * VARIANTS * len(PAGES), wrong


def test_files_of_a_list_are_attachments() -> None:
    pages = [page for name in ("attachments", "attachments_beside") for page in PAGES[name]]
    for page in pages:
        kinds = {link.url: link.kind for link in links_in(page.body, page.url)}
        assert {kinds.get(url) for url in page.attachments} == {LinkKind.ATTACHMENT}


def test_titles_stand_apart_from_summaries_and_dates() -> None:
    right = total = 0
    wrong = []
    for name, pages in PAGES.items():
        for page in pages:
            for link in links_in(page.body, page.url):
                if link.kind is LinkKind.ARTICLE and link.url in page.articles:
                    total += 1
                    right += link.text == page.articles[link.url]
                    if link.text != page.articles[link.url]:
                        wrong.append((name, link.text, page.articles[link.url]))
    assert right >= FLOOR * total, (right / total, Counter(name for name, *_ in wrong), wrong[:5])
