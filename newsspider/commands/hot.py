"""``scrapy hot``: what the news are about now."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, emit, print_lines, print_note
from newsspider.cli.command_group import CommandGroup

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from datetime import datetime

    from sqlalchemy import Connection

    from newsspider.store.articles.export import Filters

SINCE = "1d"  # if nothing else is said
LIMIT = 20


class Command(CommandGroup):
    """What was stored since the last time is analysed first: some milliseconds an article, beside crawls that write.
    A command that is killed goes on where it was."""

    summary = "Show what the news are about now"

    def add_actions(self) -> None:
        example = "\n--since today --site 教育部 --limit 5\n--since 1w --json | jq -r '[.pages, .title] | @tsv'"
        events = self.add_action(
            "events", show_events, "[options]", "Show the happenings that most articles tell of", example
        )
        add_hot_filters(events)
        rebuild = "forget all events and find them again, after many articles were dropped or changed"
        events.add_argument("--rebuild", action="store_true", help=rebuild)


def add_hot_filters(parser: ArgumentParser) -> None:
    """The options of every list of what is hot."""
    from newsspider.commands.export import add_filters

    add_filters(parser)
    parser.set_defaults(since=SINCE)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def show_events(command: DataCommand, opts: Namespace) -> None:
    """Show the events of which most articles were published in the last 24 hours, or from --since to --until.

    Three lines an event: the title that says most of it; its id, its size, its growth in the last hour, 6 or 24 hours,
    and the page that had it first; the places and names in it. Only events with at least two pages are listed; their
    sizes count pages of all times and sites. ``scrapy event ID`` shows all of one.
    """
    from newsspider.analysis.events import largest
    from newsspider.cli.analysed_store import analysed
    from newsspider.cli.event_lines import event_lines
    from newsspider.commands.export import filters_of, limit_of

    filters, limit = filters_of(opts), limit_of(opts) or LIMIT
    now = end_of(filters).timestamp()
    with analysed(command, rebuild=opts.rebuild) as conn:
        check_filters(command, conn, filters)
        events = largest(conn, filters, limit)
        for event in events:
            if opts.json:
                emit(event.record(now))
            else:
                print_lines(event_lines(event, now))
        if not events:
            note_last(conn, filters, "no event of two articles or more")


def check_filters(command: DataCommand, conn: Connection, filters: Filters) -> None:
    """Refuse a site or topic that there is not."""
    from newsspider.cli.scrapy_options import check_names

    check_names(conn, command.settings, site=filters.site, topic=filters.topic, subtopic=filters.subtopic)


def end_of(filters: Filters) -> datetime:
    """The moment up to which the filters ask, at most the present one."""
    from datetime import UTC, datetime

    now = datetime.now(UTC)
    return now if filters.until is None else min(filters.until, now)


def note_last(conn: Connection, filters: Filters, none: str) -> None:
    """Say on stderr that there is nothing, and when the last article was published."""
    from dataclasses import replace

    from sqlalchemy import func, select

    from newsspider.analysis.events import iso
    from newsspider.store.articles.export import MOMENT
    from newsspider.store.tables import articles

    conditions = replace(filters, since=None, until=None).conditions()
    last = conn.execute(select(func.max(MOMENT)).select_from(articles).where(*conditions)).scalar()
    print_note(f"{none}; " + ("no article is stored" if last is None else f"the last article is of {iso(last)}"))
