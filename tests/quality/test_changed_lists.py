"""Lists and kinds keep their floors where list pages are changed as sites change them: nothing named, other tags, channels, summaries."""

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from urllib.parse import urljoin

import pytest

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.page_type import page_type_of
from newsspider.core.links.page_links import links_of, page_links
from newsspider.core.model import LinkKind
from tests.quality.changing import Tree, changed, element, take_names_away
from tests.support.list_pages import DOES, MAKES, WHAT, WHO, ListPage, list_page

NOW = datetime(2024, 6, 15, tzinfo=UTC)
SEEDS = range(100, 104)
FLOOR = 0.97  # precision and recall of article links
HARD_FLOOR = 0.93  # where nothing tells lists from navigation but what their links say, and headlines from other links in paragraphs
LISTS = 0.95  # share of the pages that are no articles
HARD_LISTS = 0.9


def headline(dice: random.Random) -> str:
    return dice.choice(WHO) + dice.choice(DOES) + dice.choice(WHAT)


def headlines(tree: Tree, original: ListPage) -> Iterator[Tree]:
    """The link with most to say to each article of the list."""
    links: dict[str, Tree] = {}
    for link in tree.iter("a"):
        url = link.get("href")
        if url in original.articles and len(link.text_content()) > len(links[url].text_content() if url in links else ""):
            links[url] = link
    yield from links.values()


def unchanged(tree: Tree, original: ListPage, dice: random.Random) -> None:
    pass


def without_names(tree: Tree, original: ListPage, dice: random.Random) -> None:
    take_names_away(tree)


def all_of_one_make(tree: Tree, original: ListPage, dice: random.Random) -> None:
    for node in tree.iter("ul", "ol", "li", "dl", "dt", "dd", "p", "section", "article", "h1", "h2", "h3", "h4"):
        node.tag = "div"
    without_names(tree, original, dice)


def channel_before(tree: Tree, original: ListPage, dice: random.Random) -> None:
    for number, link in enumerate(headlines(tree, original)):
        link.addprevious(element(f"<a href='/col{number % 12}/'>[政策法规]</a>"))


def summaries(tree: Tree, original: ListPage, dice: random.Random) -> None:
    for link in headlines(tree, original):
        link.addnext(element(f"<p>{'，'.join(headline(dice) for _ in range(3))}。{headline(dice)}。</p>"))


def cut_summaries(tree: Tree, original: ListPage, dice: random.Random) -> None:
    for link in headlines(tree, original):
        link.addnext(element(f"<div>{'，'.join(headline(dice) for _ in range(4))}……</div>"))


def summaries_in_paragraphs(tree: Tree, original: ListPage, dice: random.Random) -> None:
    for link in headlines(tree, original):
        paragraph = element("<p></p>")
        link.addprevious(paragraph)
        paragraph.tail, link.tail = link.tail, None
        paragraph.append(link)
        link.tail = "，".join(headline(dice) for _ in range(4)) + "。"


def lead_story(tree: Tree, original: ListPage, dice: random.Random) -> None:
    link = next(headlines(tree, original))
    text = "".join(f"<p>{'，'.join(headline(dice) for _ in range(9))}。</p>" for _ in range(8))
    tree.find("body").insert(0, element(f"<div><h2><a href='{link.get('href')}'>{headline(dice)}</a></h2>{text}</div>"))


def long_navigation(tree: Tree, original: ListPage, dice: random.Random) -> None:
    names = "".join(f"<li><a href='/col{number}/'>职业教育与终身学习{number}</a></li>" for number in range(60))
    tree.find("body").insert(0, element(f"<div><ul>{names}</ul></div>"))


Change = Callable[[Tree, ListPage, random.Random], None]
CHANGES: list[Change] = [
    unchanged,
    without_names,
    all_of_one_make,
    channel_before,
    summaries,
    cut_summaries,
    summaries_in_paragraphs,
    lead_story,
    long_navigation,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_lists_keep_their_floors_on_changed_pages(change: Change) -> None:
    hits = claimed = expected = lists = pages = 0
    for make in MAKES:
        for seed in SEEDS:
            original, dice = list_page(make, seed), random.Random(seed)
            url = original.url.replace("index.html", "a")
            page = changed(original.body, "text/html", url, partial(change, original=original, dice=dice))
            articles = {link.url for link in links_of(page) if link.kind is LinkKind.ARTICLE}
            truth = {urljoin(original.url, url) for url in original.articles}
            hits, claimed, expected = hits + len(articles & truth), claimed + len(articles), expected + len(truth)
            lists += not page_type_of(page, extract_article(page, NOW), page_links(page)).stored
            pages += 1
    floor = HARD_FLOOR if change in (all_of_one_make, summaries_in_paragraphs) else FLOOR
    assert min(hits / claimed, hits / expected) >= floor, (hits / claimed, hits / expected)
    assert lists >= (HARD_LISTS if change is summaries_in_paragraphs else LISTS) * pages, (lists, pages)
