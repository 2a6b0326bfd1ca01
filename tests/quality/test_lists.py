"""Measured floors of the finder of lists on pages of a dozen makes, with everything that stands around a list."""

from collections import Counter
from functools import cache
from urllib.parse import urljoin

import pytest

from newsspider.core.extraction.dom.page import parse
from newsspider.core.links.page_links import links_of
from newsspider.core.model import Link, LinkKind, Region
from tests.support.list_pages import MAKES, ListPage, list_page

PAGES_OF_A_MAKE = 16


@cache
def page_of(make: str, seed: int) -> tuple[ListPage, tuple[Link, ...]]:
    """A page and its links."""
    page = list_page(make, seed)
    return page, links_of(parse(page.body, page.url, "text/html"))


def rates(make: str) -> tuple[float, float]:
    """Precision and recall of the article links of all pages together."""
    hits = claimed = expected = 0
    for page, links in (page_of(make, seed) for seed in range(PAGES_OF_A_MAKE)):
        articles = {link.url for link in links if link.kind is LinkKind.ARTICLE}
        truth = {urljoin(page.url, url) for url in page.articles}
        hits, claimed, expected = hits + len(articles & truth), claimed + len(articles), expected + len(truth)
    return hits / max(1, claimed), hits / expected


@pytest.mark.parametrize("make", MAKES)
def test_the_articles_of_a_list_are_found_and_nothing_else(make: str) -> None:
    precision, recall = rates(make)
    assert (precision >= 0.98, recall >= 0.98) == (True, True), (precision, recall)


def test_links_that_are_no_articles_keep_the_region_they_stand_in() -> None:
    all_links = [link for make in MAKES for seed in range(6) for link in page_of(make, seed)[1]]
    for sign, region in (("friend", Region.FOOTER), ("about.html", Region.FOOTER), ("shop", Region.SIDE), ("click.union", Region.SIDE)):
        stand = [link.region for link in all_links if sign in link.url]
        assert stand.count(region) >= 0.98 * len(stand) > 0, (sign, Counter(stand))
    assert all(link.region is Region.MAIN for link in all_links if link.kind is LinkKind.ARTICLE)
    bar = [link.region for link in all_links if link.text == "首页" and link.url.endswith("cn/")]
    assert bar.count(Region.NAVIGATION) >= 0.98 * len(bar) > 0, Counter(bar)


def test_the_next_page_of_a_list_is_found() -> None:
    pages = [page_of(make, seed) for make in MAKES for seed in range(PAGES_OF_A_MAKE)]
    pairs = [(page, next((link.url for link in links if link.kind is LinkKind.NEXT), None)) for page, links in pages]
    wrong = [
        (page.make, page.next_page, url)
        for page, url in pairs
        if url != (page.next_page and urljoin(page.url, page.next_page))
    ]
    assert len(wrong) <= 0.03 * len(pages), wrong
