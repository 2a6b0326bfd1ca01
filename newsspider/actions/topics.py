"""Topics that commands and pages name, and the labels that people give stored articles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from scrapy.settings import Settings
    from sqlalchemy import Connection

    from newsspider.core.model import StoredArticle
    from newsspider.core.relevance.topic import TopicProfile


def topic_named(name_or_path: str, *, trained: bool = True) -> TopicProfile:
    """The topic with this name or profile; ``UsageError`` if it is unusable."""
    from newsspider.topics.loader import TopicError, load_topic

    try:
        return load_topic(name_or_path, trained=trained)
    except TopicError as error:
        raise wrong_use(f"topic {error}") from None


def known_model(name: str | None) -> str | None:
    """The name of a scoring model, if it is one; ``UsageError`` otherwise."""
    from newsspider.core.relevance.model_names import Model

    if name is not None and name not in list(Model):
        raise wrong_use(f"model {name!r} is unknown; the models are {', '.join(Model)}")
    return name


def label_and_decide(
    conn: Connection, settings: Settings, topic: TopicProfile, keys: Iterable[int], now: float, *, relevant: bool
) -> int:
    """Label the article with one of these keys, and decide on it if it is held."""
    from newsspider.store.articles.labels import label_articles

    labelled = [key for key in keys if label_articles(conn, topic.name, [key], now, relevant=relevant)]
    for key in labelled:
        decide(conn, settings, topic, key, now, relevant=relevant)
    return len(labelled)


def decide(conn: Connection, settings: Settings, topic: TopicProfile, key: int, now: float, *, relevant: bool) -> None:
    """Store the article that is held of a URL for a topic, or let nobody be asked about it again."""
    from newsspider.pages.rereading import complete_article
    from newsspider.store.articles import held_articles

    entry = held_articles.of_key(conn, key)
    if entry is None or entry.topic != topic.name:
        return
    if relevant:
        complete_article(entry.article, topic, settings.get("RELEVANCE_MODEL") or None)
        held_articles.accept(conn, key, entry.article, now, next_visit(settings, entry.article, now))
    else:
        held_articles.rejudge(conn, entry, now, borderline=False if settings.getbool("OFF_TOPIC_HELD") else None)


def next_visit(settings: Settings, article: StoredArticle, now: float) -> float | None:
    """When a held article that is stored now is revisited first."""
    from newsspider.core.crawling.outcome import DAY
    from newsspider.core.scheduling.article_revisits import RevisitSchedule, steps_of

    oldest = settings.getfloat("ARTICLE_REVISIT_MAX_AGE_DAYS") * DAY
    published = article.published_at.timestamp() if article.published_at else None
    return RevisitSchedule(steps_of(settings.getlist("ARTICLE_REVISITS")), oldest).next_visit(now, published, now)
