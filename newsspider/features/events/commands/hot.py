"""``scrapy hot``: what the news are about now."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, print_lines, print_note, print_record
from newsspider.cli.command_group import CommandGroup
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from sqlalchemy import Connection

    from newsspider.store.articles.article_filters import Filters

ROWS_SHOWN = 20


class Command(CommandGroup):
    """First analyses what was stored since the last time: some milliseconds an article, and crawls may write meanwhile.
    An interrupted command continues where it stopped."""

    summary = "Show what is in the news: headlines, hot words, events, shares of sources, searches"

    def add_actions(self) -> None:
        example = "\n--since today --site 教育部 --limit 5\n--since 1w --json | jq -r '[.pages, .title] | @tsv'"
        headlines = self.add_action(
            "headlines",
            show_headlines,
            "[options]",
            "Show the headlines of the day",
            "\n--since today --topic education",
        )
        add_hot_filters(headlines)
        words = self.add_action(
            "words",
            show_words,
            "[options]",
            "Show words that are used more than before",
            "--since 1h\n--since 1w --limit 50 --json\n--beside education",
        )
        add_hot_filters(words)
        words.add_argument("--beside", metavar="TOPIC", help="leave out the terms that this topic has already")
        terms = self.add_action(
            "terms",
            show_terms,
            "--topic NAME [options]",
            "Show frequent words of a topic's articles that are not among its terms",
            "--topic education --since 4w",
        )
        add_hot_filters(terms)
        sources = self.add_action(
            "sources",
            show_sources,
            "[options]",
            "Show the shares of sites, sources, media and sub-topics",
            "--since 1w",
        )
        add_hot_filters(sources)
        events = self.add_action(
            "events", show_events, "[options]", "Show the events that most articles report", example
        )
        add_hot_filters(events)
        rebuild = "forget all events and find them again, after many articles were dropped or changed"
        events.add_argument("--rebuild", action="store_true", help=rebuild)


def add_hot_filters(parser: ArgumentParser) -> None:
    """The options of every list of what is hot."""
    from newsspider.commands.export import add_filters

    add_filters(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def show_events(command: DataCommand, opts: Namespace) -> None:
    """Show the events of which most articles were published in the last 24 hours, or from --since to --until.

    Three lines an event: the title that says most of it; its id, its size, its growth in the last hour, 6 or 24 hours,
    and the page that had it first; the places and names in it. Only events with at least two pages are listed; their
    sizes count pages of all times and sites. ``scrapy event ID`` shows all of one.
    """
    from newsspider.commands.export import limit_of
    from newsspider.features.events.analysed_store import open_analysed
    from newsspider.features.events.event_lines import event_lines
    from newsspider.features.events.events import events_by_size

    filters, limit = period_of(opts), limit_of(opts) or ROWS_SHOWN
    now = end_of(filters)
    with open_analysed(command, rebuild=opts.rebuild) as conn:
        check_filters(command, conn, filters)
        events = events_by_size(conn, filters, limit)
        for event in events:
            if opts.json:
                print_record(event.record(now))
            else:
                print_lines(event_lines(event, now))
        if not events:
            note_last(conn, filters, "no event of two articles or more")


def show_headlines(command: DataCommand, opts: Namespace) -> None:
    """Show the events of the last 24 hours, or from --since to --until, by the weight of the sites that tell of them.

    Each site counts by the square of its weight, so one central source outweighs several small ones; the sum halves
    with every 12 hours without news of it. Three lines an event: its score and title; its first source, size and id;
    the sites that made the score.
    """
    from newsspider.commands.export import limit_of
    from newsspider.features.events.analysed_store import open_analysed
    from newsspider.features.events.event_lines import headline_lines
    from newsspider.features.events.headlines import find_headlines

    filters, limit = period_of(opts), limit_of(opts) or ROWS_SHOWN
    now = end_of(filters)
    with open_analysed(command) as conn:
        check_filters(command, conn, filters)
        best = find_headlines(conn, filters, now, limit)
        for headline in best:
            if opts.json:
                record = {"score": round(headline.score, 3), "headline": headline.event.title, "why": headline.sites}
                print_record({**record, **headline.event.record(now)})
            else:
                print_lines(headline_lines(headline))
        if not best:
            note_last(conn, filters, "no headline")


def show_words(command: DataCommand, opts: Namespace) -> None:
    """Show the words of the last 24 hours, or from --since to --until, that burst against their own past.

    The past is 13 earlier spans of the same length: an hour's words are compared with the hours before, a week's with
    the weeks before (Kleinberg's automaton of two states). Two lines a word: in how many articles it stands and how
    many were expected; one of these articles. With --beside the terms of a topic are left out, and what remains is what
    the topic may lack.
    """
    from newsspider.commands.export import limit_of
    from newsspider.features.events.analysed_store import open_analysed
    from newsspider.features.events.event_lines import word_lines
    from newsspider.features.events.hot_words import hot_words

    filters, limit = period_of(opts), limit_of(opts) or ROWS_SHOWN
    beside = terms_of(opts.beside, "--beside") if opts.beside else ()
    with open_analysed(command) as conn:
        check_filters(command, conn, filters)
        words = hot_words(conn, filters, limit, beside)
        for word in words:
            if opts.json:
                print_record(word.record())
            else:
                print_lines(word_lines(word))
        if not words:
            note_last(conn, filters, "no word bursts")


def show_terms(command: DataCommand, opts: Namespace) -> None:
    """Show the words that stand in at least three events of the topic's articles of the last 24 hours, or from --since
    to --until, those of most events and the rarer ones first.

    Verbs, names, words of Latin letters and those with one of the topic's terms in them are left out: what remains may
    be terms that the topic lacks. Two lines a word: in how many events and articles it stands; the latest of these.
    """
    from newsspider.commands.export import limit_of
    from newsspider.features.events.analysed_store import open_analysed
    from newsspider.features.events.event_lines import term_lines
    from newsspider.features.events.suggested_terms import topic_terms

    if opts.topic is None:
        raise wrong_use("say whose terms are left out: --topic education")
    filters, limit, own = period_of(opts), limit_of(opts) or ROWS_SHOWN, terms_of(opts.topic, "--topic")
    with open_analysed(command) as conn:
        check_filters(command, conn, filters)
        terms = topic_terms(conn, filters, limit, own)
        for term in terms:
            if opts.json:
                print_record(term.record())
            else:
                print_lines(term_lines(term))
        if not terms:
            note_last(conn, filters, "no word of three events")


def show_sources(command: DataCommand, opts: Namespace) -> None:
    """Show what share of the articles of the last 24 hours, or from --since to --until, each site has, each source that
    articles name, each media class and sub-topic, and how much that is more or less than in as long a time before.
    """
    from newsspider.commands.export import limit_of, reading_store
    from newsspider.features.events.event_lines import share_lines
    from newsspider.features.events.source_shares import facet_shares

    filters, limit = period_of(opts), limit_of(opts) or ROWS_SHOWN // 2
    with reading_store(command) as conn:
        check_filters(command, conn, filters)
        largest = facet_shares(conn, filters, limit)
        if opts.json:
            for share in largest:
                print_record(share.record())
        else:
            print_lines(share_lines(largest))
        if not largest:
            note_last(conn, filters, "no article")


def terms_of(name: str, option: str) -> list[str]:
    """The terms of a topic with their other spellings; wrong use if there is none of this name."""
    from newsspider.topics.loader import TopicError, load_topic

    try:
        topic = load_topic(name, trained=False)
    except TopicError as error:
        raise wrong_use(f"{option} {name}: {error}") from None
    return list(topic.spellings())


def check_filters(command: DataCommand, conn: Connection, filters: Filters) -> None:
    """Reject a site or topic that does not exist."""
    from newsspider.cli.scrapy_options import check_names

    check_names(conn, command.settings, site=filters.site, topic=filters.topic, subtopic=filters.subtopic)


def period_of(opts: Namespace) -> Filters:
    """The filters that the options ask for, with a time: up to now, and a day long, if they do not say."""
    from dataclasses import replace
    from datetime import UTC, datetime, timedelta

    from newsspider.commands.export import filters_of

    filters = filters_of(opts)
    now = datetime.now(UTC)
    until = now if filters.until is None else min(filters.until, now)
    if filters.since is not None and filters.since >= until:
        raise wrong_use(f"--since {opts.since} is not over yet")
    return replace(filters, since=filters.since or until - timedelta(days=1), until=until)


def end_of(filters: Filters) -> float:
    """The end of that time."""
    assert filters.until is not None
    return filters.until.timestamp()


def note_last(conn: Connection, filters: Filters, none: str) -> None:
    """Say on stderr that there is nothing, and when the last article was published."""
    from dataclasses import replace

    from sqlalchemy import func, select

    from newsspider.features.events.events import iso_moment
    from newsspider.store.articles.article_filters import MOMENT
    from newsspider.store.tables import articles

    conditions = replace(filters, since=None, until=None).conditions()
    last = conn.execute(select(func.max(MOMENT)).select_from(articles).where(*conditions)).scalar()
    print_note(f"{none}; " + ("no article is stored" if last is None else f"the last article is of {iso_moment(last)}"))
