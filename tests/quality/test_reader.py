"""Measured floors of the general reader on pages that this test writes: many layouts, with everything around the text."""

from collections.abc import Iterator
from datetime import UTC, datetime
from time import process_time

import pytest

from newsspider.core.extraction.article import extract_article
from newsspider.core.extraction.dom.page import parse
from newsspider.core.extraction.page_type import page_type_of
from tests.quality.article_pages import Sample, f1, sample

NOW = datetime(2024, 6, 15, tzinfo=UTC)


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    return [sample(seed) for seed in range(150)]


def readings(samples: list[Sample]) -> Iterator[tuple[Sample, object]]:
    for original in samples:
        page = parse(original.body, "http://www.example.cn/a.html", original.content_type)
        article = extract_article(page, NOW)
        yield original, (article, page_type_of(page, article, ()))


def test_the_reader_keeps_its_floors(samples: list[Sample]) -> None:
    bodies, titles, dates, authors, articles = [], 0, 0, 0, 0
    for original, (article, kind) in readings(samples):  # type: ignore[misc]
        bodies.append(f1(article.text, "".join(original.text)))
        titles += article.title == original.title
        dates += article.published_at is not None and f"{article.published_at:%Y-%m-%d %H:%M}" == original.minute
        authors += article.authors == ((original.author,) if original.author else ())
        articles += kind.stored
    count = len(samples)
    assert sum(bodies) / count >= 0.97
    assert min(titles, dates, authors, articles) >= 0.97 * count, (titles, dates, authors, articles)


def test_the_reader_is_fast_enough_for_a_crawl(samples: list[Sample]) -> None:
    best = float("inf")
    for _ in range(3):
        start = process_time()
        list(readings(samples))
        best = min(best, process_time() - start)
    assert best / len(samples) < 0.02  # seconds a page, ten times what it takes on an idle machine
