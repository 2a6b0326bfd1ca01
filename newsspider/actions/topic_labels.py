"""Labels that people give stored articles: what becomes of the articles, and weights that are learned from labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from newsspider.crawl.wrong_use import wrong_use
from newsspider.topics.corpus import OTHER, Labelled

if TYPE_CHECKING:
    from scrapy.settings import Settings
    from sqlalchemy import Connection

    from newsspider.core.model import StoredArticle
    from newsspider.core.relevance.learned_model import Learned
    from newsspider.core.relevance.topic import TopicProfile
    from newsspider.store.articles.labels import Label

LABELS = "labels"  # the source that labelled articles of the store are


def say(
    conn: Connection, settings: Settings, topic: TopicProfile, keys: Iterable[int], now: float, *, relevant: bool
) -> int:
    """Label the article with one of these keys, and decide on it if it is held."""
    from newsspider.store.articles.labels import label

    labelled = [key for key in keys if label(conn, topic.name, [key], now, relevant=relevant)]
    for key in labelled:
        decide(conn, settings, topic, key, now, relevant=relevant)
    return len(labelled)


def decide(conn: Connection, settings: Settings, topic: TopicProfile, key: int, now: float, *, relevant: bool) -> None:
    """Store the article that is held of a URL for a topic, or let nobody be asked about it again."""
    from newsspider.pages.stored_page import complete
    from newsspider.pipelines.fingerprint import method_of
    from newsspider.store.articles import held_articles

    entry = held_articles.of_key(conn, key)
    if entry is None or entry.topic != topic.name:
        return
    if relevant:
        complete(entry.article, topic, method_of(settings), settings.get("RELEVANCE_MODEL") or None)
        held_articles.accept(conn, key, entry.article, now, next_visit(settings, entry.article, now))
    else:
        held_articles.rejudge(conn, entry, now, borderline=False if settings.getbool("OFF_TOPIC_HELD") else None)


def next_visit(settings: Settings, article: StoredArticle, now: float) -> float | None:
    """When a held article that is stored now is revisited first."""
    from newsspider.core.scheduling.revisit_schedule import RevisitSchedule, steps_of
    from newsspider.crawl.article_revisits import DAY

    oldest = settings.getfloat("ARTICLE_REVISIT_MAX_AGE_DAYS") * DAY
    published = article.published_at.timestamp() if article.published_at else None
    return RevisitSchedule(steps_of(settings.getlist("ARTICLE_REVISITS")), oldest).next_visit(now, published, now)


def labelled_texts(labels: Sequence[Label]) -> list[Labelled]:
    """Labelled articles as texts to learn from."""
    return [Labelled(LABELS, OTHER, row.relevant, row.title, row.text) for row in labels if row.title or row.text]


def learned(topic: TopicProfile, texts: Sequence[Labelled]) -> tuple[Learned, int]:
    """The weights and how many samples they are made from."""
    try:
        from newsspider.topics.training import TOPIC, Sample, trained
    except ImportError as error:
        raise wrong_use(f"training needs scikit-learn ({error}): pip install 'newsspider[train]'") from None
    from newsspider.core.relevance.scoring import words_of

    headlines = [replace(text, text="") for text in texts if text.headline and text.text]  # learned apart, too
    samples = [
        Sample(text.source, TOPIC if text.relevant else text.group, text.headline, text.text, text.weight)
        for text in (*headlines, *texts)
    ]
    try:
        return trained(samples, lambda headline, text: words_of(topic, headline, text)), len(samples)
    except ValueError as error:
        raise wrong_use(str(error)) from None
