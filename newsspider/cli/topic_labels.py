"""The actions of ``scrapy topics`` on labels: what people say of stored articles."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, emit, print_note, urls_of
from newsspider.cli.topic_arguments import load
from newsspider.crawl.wrong_use import wrong_use
from newsspider.topics.corpus import OTHER, Labelled

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from newsspider.core.relevance.topic import TopicProfile
    from newsspider.store.articles.labels import Label

LABELS = "labels"  # the source that labelled articles of the store are


def label(command: DataCommand, opts: Namespace) -> int:
    """``scrapy topics label``.

    A second label replaces the first, and a label stays when the article leaves the store. A held article (``scrapy
    topics borderline``) is stored by ``--relevant``, and no longer shown after ``--irrelevant``. Exit code 1 if no
    article was stored or held of a URL, or with ``--remove`` if it is not labelled.
    """
    from newsspider.core.relevance.topic import Model
    from newsspider.store.articles.labels import unlabel
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import writing
    from newsspider.store.exploring.crawls import keys_of

    topic = load(opts.topic)
    if topic.model is Model.ANY:
        raise wrong_use(f"{topic.name} keeps everything; label for a topic of your own")
    done, failed = ("taken back", "it is not labelled") if opts.remove else ("labelled", "no article is stored of it")
    urls, now = urls_of(opts.urls, done), Clock().now()
    with command.store() as engine, writing(engine) as conn:
        keys = {url: keys_of(conn, url) for url in urls}
        if opts.remove:
            unknown = [url for url in urls if not unlabel(conn, topic.name, keys[url])]
        else:
            unknown = [url for url in urls if not _say(conn, command, topic, keys[url], now, relevant=opts.relevant)]
    for url in unknown:
        print_note(f"{url}: {failed}")
    if len(unknown) < len(urls):
        print_note(f"{len(urls) - len(unknown)} {done}")
    return 1 if unknown else 0


def _say(
    conn: Connection, command: DataCommand, topic: TopicProfile, keys: Iterable[int], now: float, *, relevant: bool
) -> int:
    """Label the article with one of these keys, and decide on it if it is held."""
    from newsspider.cli.topic_screening import decide
    from newsspider.store.articles.labels import label

    labelled = [key for key in keys if label(conn, topic.name, [key], now, relevant=relevant)]
    for key in labelled:
        decide(conn, command.settings, topic, key, now, relevant=relevant)
    return len(labelled)


def show(command: DataCommand, opts: Namespace) -> None:
    for row in stored_labels(command, load(opts.topic)):
        emit({"url": row.url, "title": row.title, "text": row.text, "relevant": row.relevant})


def stored_labels(command: DataCommand, topic: TopicProfile) -> list[Label]:
    """The labelled articles of the store."""
    from newsspider.store.articles.labels import labelled
    from newsspider.store.engine.database import reading

    with command.store() as engine, reading(engine) as conn:
        return labelled(conn, topic.name)


def labelled_texts(labels: Sequence[Label]) -> list[Labelled]:
    """Labelled articles as texts to learn from."""
    return [Labelled(LABELS, OTHER, row.relevant, row.title, row.text) for row in labels if row.title or row.text]
