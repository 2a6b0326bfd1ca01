"""Measured floors of the reader on the sample portal: ten makes of site, four charsets, header and bytes at odds."""

from collections import Counter
from dataclasses import dataclass

import pytest

from demo.clock import START, Clock
from demo.portal import Portal, Post
from demo.routes import Routes
from demo.traditional import traditional
from demo.truth import tell
from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.keywords import extract_keywords
from newsspider.core.extraction.page_type import page_type_of
from newsspider.core.links.article_parts import joined, next_part
from newsspider.core.links.page_links import links_of, page_links
from newsspider.core.model import Article, PageType

ARTICLES = 240
EMPTY = "other"  # a list page that holds nothing yet is no list


@dataclass(frozen=True)
class Reading:
    post: Post | None
    truth: dict[str, object]
    article: Article
    kind: PageType
    part: int
    following: str | None  # the next page of the article


@pytest.fixture(scope="module")
def readings() -> list[Reading]:
    portal = Portal(8900, Clock(START), ARTICLES)
    routes = Routes(portal)
    truth = {page["url"]: page for page in tell(portal, routes)["pages"]}
    items = []
    for page in routes.pages.values():
        facts = truth[page.url]
        body = page.render() if facts["status"] == 200 and page.content_type.startswith("text/html") else None
        if body:
            parsed = parse(body, page.url, page.content_type)
            article = extract_article(parsed, portal.clock.now)
            links = links_of(parsed)
            following = next_part(parsed, page_links(parsed), further=page.part > 1)
            items.append(Reading(page.post, facts, article, page_type_of(parsed, article, links), page.part, following))
    return items


def articles(readings: list[Reading]) -> list[tuple[Post, dict[str, object], Article]]:
    """Articles by their first pages."""
    first_parts = [reading for reading in readings if reading.part == 1]
    return [(first.post, first.truth, first.article) for first in first_parts if first.post is not None]


def own(post: Post, text: object) -> str | None:
    """The truth in the script of the site."""
    return None if text is None else traditional(str(text)) if post.outlet.make.traditional else str(text)


def test_bodies_of_every_make_are_exact(readings: list[Reading]) -> None:
    pages = [(reading.post, reading.part, reading.article) for reading in readings if reading.post is not None]
    wrong = [(post.url, part) for post, part, article in pages if article.text != own(post, post.part(0, part).text)]
    assert len(wrong) <= 0.02 * len(pages), wrong[:5]


def test_articles_on_several_pages_are_joined_exactly_and_end_where_they_end(readings: list[Reading]) -> None:
    pages = {reading.truth["url"]: reading for reading in readings}
    first_parts = [reading for reading in readings if reading.part == 1]
    split = [reading for reading in first_parts if reading.post is not None and reading.post.parts > 1]
    assert len(split) >= 10
    for first in split:
        texts, url = [], first.truth["url"]
        while url is not None:
            texts.append(pages[url].article.text)
            url = pages[url].following
        assert first.post is not None
        assert len(texts) == first.post.parts, first.truth["url"]
        assert joined(texts) == own(first.post, first.truth["text"]), first.truth["url"]


def test_a_page_that_stands_alone_leads_to_no_further_page(readings: list[Reading]) -> None:
    alone = [reading for reading in readings if reading.post is not None and reading.post.parts == 1]
    assert not [reading.truth["url"] for reading in alone if reading.following is not None]


def test_titles_times_and_sources_of_every_make_are_exact(readings: list[Reading]) -> None:
    wrong: Counter[str] = Counter()
    for post, truth, article in articles(readings):
        moment = "%Y-%m-%d" if truth["date_only"] else "%Y-%m-%dT%H:%M"
        wrong["title"] += article.title != own(post, truth["title"])
        wrong["source"] += article.source != own(post, truth["source"])
        wrong["moment"] += article.published_at is None or not str(truth["published_at"]).startswith(article.published_at.strftime(moment))
    count = len(articles(readings))
    assert count > 200
    assert max(wrong.values()) <= 0.02 * count, wrong


def test_authors_are_named_where_the_page_names_them_and_nowhere_else(readings: list[Reading]) -> None:
    pairs = [(own(post, truth["author"]), article.authors) for post, truth, article in articles(readings)]
    named = [(author, authors) for author, authors in pairs if authors]
    hits = sum(authors == (author,) for author, authors in named)
    assert hits >= 0.95 * len(named)
    assert hits >= 0.9 * sum(author is not None for author, _ in pairs)
    unnamed = [authors for author, authors in pairs if author is None]
    assert sum(map(bool, unnamed)) <= 0.05 * len(unnamed)


def test_kinds_are_right(readings: list[Reading]) -> None:
    kinds = [(reading.truth["kind"], reading.kind.value) for reading in readings]
    wrong = [(truth, kind) for truth, kind in kinds if truth != kind and (truth, kind) != ("list", EMPTY)]
    assert len(wrong) <= 0.03 * len(kinds), Counter(wrong)


def test_replies_of_a_thread_are_comments_and_not_its_text(readings: list[Reading]) -> None:
    threads = [reading for reading in readings if reading.post is not None and reading.kind is PageType.FORUM]
    assert len(threads) > 10
    shares = [len(reading.article.comments) / len(reading.post.story.comments) for reading in threads if reading.post is not None]
    assert sum(shares) >= 0.8 * len(shares)


def test_keywords_are_words_of_the_text(readings: list[Reading]) -> None:
    for _, _, article in articles(readings)[::8]:
        assert all(word in article.text or word in (article.title or "") for word in extract_keywords(article.title, article.text))
