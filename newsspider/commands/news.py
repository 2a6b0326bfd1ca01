"""``scrapy news``: the articles of a day, the heaviest first."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, print_lines, print_note, print_record
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from datetime import datetime


class Command(DataCommand):
    """Lists the articles published on a day in China, or crawled then if they have no date; today unless you name a
    day. The heaviest source comes first, among equals the latest article. Two lines an article: time and title; source,
    id and reprints. ``scrapy show ID`` prints one to read.

    Of an article and its near reprints the one from the heaviest source is listed, with the first source if that is
    another. The number of articles goes to stderr. For a day without articles, stderr names the last day that has some;
    the exit code is still 0. Articles whose pages have all vanished are left out."""

    summary = "List the articles of a day by the weight of their sources"
    usage = "[today|yesterday|DATE] [options]"
    examples = """\
  scrapy news
  scrapy news yesterday --site 教育部
  scrapy news 2026-11-24 --subtopic 高考 --limit 20
  scrapy news today --json | jq -r '[.id, .title] | @tsv'
"""

    def add_options(self, parser: ArgumentParser) -> None:
        from newsspider.commands.export import add_filters

        super().add_options(parser)
        add_filters(parser, dates=False)
        parser.add_argument("--json", action="store_true", help="one JSON object an article, as scrapy export gives it")

    def work(self, args: list[str], opts: Namespace) -> None:
        from dataclasses import replace
        from datetime import UTC, datetime

        from newsspider.cli.hit_lines import day_lines, note_missing
        from newsspider.cli.scrapy_options import check_names
        from newsspider.commands.export import filters_of, limit_of, reading_store
        from newsspider.search.day import day_of, hits_of_day, last_day

        if len(args) > 1:
            raise wrong_use("say one day: scrapy news [today|yesterday|DATE]")
        since, until = day_named(args[0] if args else "today", datetime.now(UTC))
        filters, limit = replace(filters_of(opts), since=since, until=until), limit_of(opts)
        with reading_store(self) as conn:
            check_names(conn, self.settings, site=filters.site, topic=filters.topic, subtopic=filters.subtopic)
            day = day_of(conn, filters)
            for hit in hits_of_day(conn, day[:limit]):
                if opts.json:
                    print_record(hit.record)
                else:
                    print_lines(day_lines(hit))
            last = None if day else last_day(conn, filters)
            missing = note_missing(conn)
        if day:
            print_note(f"{len(day[:limit])} of {len(day)} articles of {since:%Y-%m-%d}")
        elif missing:
            print_note(f"no articles of {since:%Y-%m-%d} in the index so far")
        elif last is None:
            print_note(f"no articles of {since:%Y-%m-%d}, nor of another day")
        else:
            print_note(f"no articles of {since:%Y-%m-%d}; the last day that has some: scrapy news {last}")


def day_named(word: str, now: datetime) -> tuple[datetime, datetime]:
    """When a day begins in China, and when it ends; what is no day is refused."""
    from datetime import timedelta

    from newsspider.core.query.query_dates import moment_of

    try:
        since, until = (moment_of(word, now, last=last) for last in (False, True))
    except (ValueError, OverflowError):
        since = until = now
    if until - since != timedelta(days=1):
        raise wrong_use(f"{word!r} is no day: say today, yesterday or a date like 2026-11-24")
    return since, until
