"""The actions of ``scrapy topics`` that print, label or judge again: profiles, scores, labels, articles, drift."""

from __future__ import annotations

from argparse import Namespace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from newsspider.actions.topics import known_model, label_and_decide, topic_named
from newsspider.cli.command import DataCommand, print_line, print_note, print_record, print_text, urls_of
from newsspider.crawl.wrong_use import whole_number, wrong_use
from newsspider.features.workbench.topic_records import profile_summary, score_record

if TYPE_CHECKING:
    from newsspider.core.relevance.topic import TopicProfile
    from newsspider.store.articles.labels import Label

MOST_WEEKS = 520
MOST_SHOWN = 100_000
MOST_SUGGESTED = 1000
READ_FOR_SUGGESTIONS = 2000  # the newest stored articles, and as many held ones


def show_list(_: DataCommand, opts: Namespace) -> None:
    from newsspider.topics.loader import topic_names

    for name in topic_names():
        topic = topic_named(name)
        if opts.json:
            print_record({"name": name, "title": topic.title, "model": topic.model, "terms": len(topic.terms)})
        else:
            print_line(f"{name:<16}{topic.model:<10}{len(topic.terms):>6} terms  {topic.title}")


def show(_: DataCommand, opts: Namespace) -> None:
    print_record(profile_summary(topic_named(opts.topic)))


def score_titles(_: DataCommand, opts: Namespace) -> None:
    from newsspider.core.relevance.scoring import Document, score

    topic, model = topic_named(opts.topic), known_model(opts.model)
    for title in opts.titles:
        print_record({"title": title, **score_record(score(topic, Document(title=title), model))})


def show_drift(command: DataCommand, opts: Namespace) -> None:
    """``scrapy topics drift``.

    Marks the weeks that differ from those before.
    """
    from newsspider.core.dates.time_and_zone import SHANGHAI
    from newsspider.features.workbench.topic_drift import weekly_figures
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import reading

    topic, count = topic_named(opts.topic), whole_number("--weeks", opts.weeks, 1, MOST_WEEKS)
    with command.store() as engine, reading(engine) as conn:
        sites = weekly_figures(conn, topic.name, Clock().now(), count)
    for site, site_weeks in sites.items():
        if not opts.json:
            print_line(site)
        for week in site_weeks:
            day = datetime.fromtimestamp(week.start, UTC).astimezone(SHANGHAI).date().isoformat()
            if opts.json:
                record = {"site": site, "week": day, "kept": week.kept, "refused": week.refused}
                print_record(record | {"share": round(week.share, 4), "drifted": week.drifted})
            else:
                mark = "  differs from the weeks before" if week.drifted else ""
                print_line(f"  {day} {week.share:7.1%} of {week.kept + week.refused:5}{mark}")
    print_note(f"{len(sites)} sites")


def show_dictionary(_: DataCommand, opts: Namespace) -> None:
    from newsspider.topics.loader import topic_dictionary

    print_text(topic_dictionary(topic_named(opts.topic)))


def show_borderline(command: DataCommand, opts: Namespace) -> None:
    """``scrapy topics borderline``.

    A topic with ``keep = "borderline"`` holds articles whose score is at least half its threshold. `scrapy topics label
    TOPIC URL --relevant` stores one of them; --irrelevant leaves it off topic. The most likely ones come first.
    """
    from newsspider.store.articles.held_articles import borderline_articles
    from newsspider.store.engine.database import reading

    topic, count = topic_named(opts.topic), whole_number("--limit", opts.limit, 1, MOST_SHOWN)
    with command.store() as engine, reading(engine) as conn:
        entries = list(borderline_articles(conn, topic.name, count))
        for entry in entries:
            print_record(
                {name: getattr(entry.article, name) for name in ("url", "title", "score", "terms", "site", "summary")}
            )
    if not entries:
        print_note("no article waits for a decision")


def label(command: DataCommand, opts: Namespace) -> int:
    """``scrapy topics label``.

    A new label replaces the old one, and a label remains when its article leaves the store. ``--relevant`` stores a
    held article (``scrapy topics borderline``), ``--irrelevant`` takes it off that list. Exit code 1 if no article of a
    URL is stored or held, or, with ``--remove``, if it has no label.

    ``--suggest N`` prints the N articles whose labels would teach most, among the newest 2,000 stored and 2,000 held
    ones without a label: half of them are close to the threshold and differ from each other, the rest is a sample.
    """
    from newsspider.core.relevance.model_names import Model
    from newsspider.store.articles.labels import remove_labels
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import writing
    from newsspider.store.ledger.crawls import keys_of

    topic = topic_named(opts.topic)
    if topic.model is Model.ANY:
        raise wrong_use(f"{topic.name} keeps everything; label for a topic of your own")
    if opts.suggest is not None:
        if opts.urls:
            raise wrong_use("--suggest names articles itself; say no URL")
        suggest(command, topic, whole_number("--suggest", opts.suggest, 1, MOST_SUGGESTED))
        return 0
    if not opts.urls:
        raise wrong_use("name the URLs of the articles, or say --suggest N")
    done, failed = ("taken back", "it is not labelled") if opts.remove else ("labelled", "no article is stored of it")
    urls, now = urls_of(opts.urls, done), Clock().now()
    with command.store() as engine, writing(engine) as conn:
        keys = {url: keys_of(conn, url) for url in urls}
        if opts.remove:
            unknown = [url for url in urls if not remove_labels(conn, topic.name, keys[url])]
        else:
            settings, relevant = command.settings, opts.relevant
            unknown = [
                url for url in urls if not label_and_decide(conn, settings, topic, keys[url], now, relevant=relevant)
            ]
    for url in unknown:
        print_note(f"{url}: {failed}")
    if len(unknown) < len(urls):
        print_note(f"{len(urls) - len(unknown)} {done}")
    return 1 if unknown else 0


def suggest(command: DataCommand, topic: TopicProfile, count: int) -> None:
    """Print the articles whose labels would teach most, one JSON object each."""
    from itemadapter import ItemAdapter

    from newsspider.core.relevance.scoring import Model, score, threshold_of
    from newsspider.features.workbench.active_learning import UnlabelledText, most_telling
    from newsspider.pages.read_page import document_of
    from newsspider.store.articles.labels import unlabelled_articles
    from newsspider.store.engine.database import reading

    with command.store() as engine, reading(engine) as conn:
        articles = unlabelled_articles(conn, topic.name, READ_FOR_SUGGESTIONS)
    model = command.settings.get("RELEVANCE_MODEL") or None
    documents = [document_of(ItemAdapter(article)) for article in articles]
    judged = [score(topic, document, model) for document in documents]
    candidates = [
        UnlabelledText(article.title, relevance.score, threshold_of(topic, document, Model(relevance.model)))
        for article, document, relevance in zip(articles, documents, judged, strict=True)
    ]
    for at in most_telling(candidates, count):
        article, relevance = articles[at], judged[at]
        record = {"url": article.url, "title": article.title, "score": relevance.score}
        print_record(record | {"relevant": relevance.relevant, "summary": article.summary})


def rejudge(command: DataCommand, opts: Namespace) -> None:
    """``scrapy topics rejudge``.

    Fetches nothing. Stores held articles that now belong to the topic; stored ones that no longer do become off topic,
    and their last text is kept as a revision (`scrapy changes URL`). Labels of `scrapy topics label` count before any
    score. With OFF_TOPIC_HELD all off-topic articles are held, else only borderline ones of a topic with ``keep =
    "borderline"``. Prints a JSON object with the counts.
    """
    from newsspider.core.relevance.model_names import Model
    from newsspider.features.workbench.rejudging import Rejudging

    topic = topic_named(opts.topic)
    if topic.model is Model.ANY:
        raise wrong_use(f"{topic.name} keeps everything; judge by another topic")
    with command.store() as engine:
        figures = Rejudging(engine, command.settings, topic).run()
    print_record(dict(sorted(figures.items())))


def show_labels(command: DataCommand, opts: Namespace) -> None:
    for row in stored_labels(command, topic_named(opts.topic)):
        print_record({"url": row.url, "title": row.title, "text": row.text, "relevant": row.relevant})


def stored_labels(command: DataCommand, topic: TopicProfile) -> list[Label]:
    """The labelled articles of the store."""
    from newsspider.store.articles.labels import labelled_articles
    from newsspider.store.engine.database import reading

    with command.store() as engine, reading(engine) as conn:
        return labelled_articles(conn, topic.name)
