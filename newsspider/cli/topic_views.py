"""The actions of ``scrapy topics`` that print: profiles, scores, drift, dictionary."""

from __future__ import annotations

from argparse import Namespace
from datetime import UTC, datetime

from newsspider.actions.topic_arguments import known_model, load
from newsspider.cli.command import DataCommand, emit, print_line, print_note, print_text
from newsspider.crawl.wrong_use import whole_number
from newsspider.topics.listing import score_record, summary

MOST_WEEKS = 520


def show_list(_: DataCommand, opts: Namespace) -> None:
    from newsspider.topics.loader import topic_names

    for name in topic_names():
        topic = load(name)
        if opts.json:
            emit({"name": name, "title": topic.title, "model": topic.model, "terms": len(topic.terms)})
        else:
            print_line(f"{name:<16}{topic.model:<10}{len(topic.terms):>6} terms  {topic.title}")


def show(_: DataCommand, opts: Namespace) -> None:
    emit(summary(load(opts.topic)))


def score_titles(_: DataCommand, opts: Namespace) -> None:
    from newsspider.core.relevance.scoring import Document, score

    topic, model = load(opts.topic), known_model(opts.model)
    for title in opts.titles:
        emit({"title": title, **score_record(score(topic, Document(title=title), model))})


def show_drift(command: DataCommand, opts: Namespace) -> None:
    """``scrapy topics drift``.

    Marks the weeks that differ from those before.
    """
    from newsspider.core.extraction.dates.zones import SHANGHAI
    from newsspider.store.articles.topic_shares import weeks
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import reading

    topic, count = load(opts.topic), whole_number("--weeks", opts.weeks, 1, MOST_WEEKS)
    with command.store() as engine, reading(engine) as conn:
        sites = weeks(conn, topic.name, Clock().now(), count)
    for site, site_weeks in sites.items():
        if not opts.json:
            print_line(site)
        for week in site_weeks:
            day = datetime.fromtimestamp(week.start, UTC).astimezone(SHANGHAI).date().isoformat()
            if opts.json:
                emit({
                    "site": site, "week": day, "kept": week.kept, "refused": week.refused,
                    "share": round(week.share, 4), "drifted": week.drifted,
                })  # fmt: skip
            else:
                mark = "  differs from the weeks before" if week.drifted else ""
                print_line(f"  {day} {week.share:7.1%} of {week.kept + week.refused:5}{mark}")
    print_note(f"{len(sites)} sites")


def show_dictionary(_: DataCommand, opts: Namespace) -> None:
    from newsspider.topics.loader import dictionary

    print_text(dictionary(load(opts.topic)))
