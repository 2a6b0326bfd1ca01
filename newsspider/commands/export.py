"""``scrapy export``: stored articles as JSON lines, a table or a text."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newsspider.cli.command import CommandError, DataCommand, print_note, print_text
from newsspider.core.text.regions import region_name
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from datetime import datetime

    from sqlalchemy import Connection

    from newsspider.store.articles.article_filters import Filters


class Command(DataCommand):
    """Writes the articles in the order in which they were stored, as one JSON object each unless ``--format`` says
    otherwise. docs/reference/articles.md describes the fields. An article keeps its ``id`` for as long as it is stored;
    ``scrapy dupes`` and ``scrapy score`` refer to it. With ``--query`` it writes all hits of ``scrapy search``, the
    latest first.

    ``csv`` is UTF-8 with a byte order mark, for Excel; a cell that a spreadsheet would take for a formula begins with
    an apostrophe. ``md`` is Markdown. ``xlsx`` and ``parquet`` need a library and ``--output``. An ``xlsx``
    has the columns that people read, under Chinese heads; with ``--fields all`` every field under its name, as the
    other formats have. ``--fields title,url`` writes these fields only, in this order."""

    summary = "Write the stored articles, all of them or those that match filters"
    usage = "[options]"
    examples = """\
  scrapy export > articles.jsonl
  scrapy export --since 2026-11-01 --until 2026-11-30 --site 教育部
  scrapy export --since 1w | jq -r '[.published_at, .title] | @tsv'
  scrapy export --subtopic 高考 > gaokao.jsonl
  scrapy export --since 1w --format csv > week.csv
  scrapy export --query 双减 --format csv --fields title,url,region > hits.csv
  scrapy export --format xlsx --output articles.xlsx
  scrapy export --format xlsx --fields all --output articles.xlsx
  scrapy export --since today | scrapy dupes
"""

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        add_filters(parser)
        parser.add_argument("--query", metavar="QUERY", help="only what this query of scrapy search finds")
        reprints = "with --query: every reprint, not one article a group"
        parser.add_argument("--reprints", action="store_true", help=reprints)
        parser.add_argument("--format", default="jsonl", help="jsonl (the default), csv, md, xlsx or parquet")
        fields = "these fields only, with commas between; all: every field in an xlsx, too"
        parser.add_argument("--fields", metavar="NAMES", help=fields)
        parser.add_argument("--output", metavar="FILE", help="where xlsx and parquet are written")

    def work(self, args: list[str], opts: Namespace) -> None:
        from newsspider.cli.scrapy_options import check_names
        from newsspider.library.export_formats import TABLES, TEXT_FORMATS
        from newsspider.store.articles.article_records import export_records

        if args:
            raise wrong_use(f"scrapy export takes options only, not {args[0]!r}")
        filters, limit, fields = filters_of(opts), limit_of(opts), _fields(opts)
        if opts.format not in (*TEXT_FORMATS, *TABLES):
            raise wrong_use(f"--format {opts.format}: say {', '.join((*TEXT_FORMATS, *TABLES))}")
        if opts.reprints and opts.query is None:
            raise wrong_use("--reprints goes with --query; without it every reprint is written")
        if opts.format in TEXT_FORMATS and opts.output is not None:
            name = opts.format
            raise wrong_use(f"--format {name} goes to stdout, not to --output: scrapy export --format {name} > FILE")
        if opts.format in TABLES and opts.output is None:
            raise wrong_use(f"--format {opts.format} needs --output FILE")
        with reading_store(self) as conn:
            check_names(conn, self.settings, site=filters.site, topic=filters.topic, subtopic=filters.subtopic)
            records = export_records(conn, filters, limit) if opts.query is None else _hits(conn, opts, filters, limit)
            count = _written(opts.format, records, opts.output, fields)
        print_note(f"{count} articles")


def _fields(opts: Namespace) -> Sequence[str]:
    """The fields that are asked for; none: those that the format has by itself."""
    from newsspider.library.export_formats import RECORD_COLUMNS

    if opts.fields is None:
        return ()
    if opts.format == "md":
        raise wrong_use("--format md has no fields")
    names = RECORD_COLUMNS if opts.fields == "all" else tuple(dict.fromkeys(opts.fields.split(",")))
    for name in names:
        if name not in RECORD_COLUMNS:
            known = ", ".join(RECORD_COLUMNS)
            raise wrong_use(f"--fields {opts.fields}: an article has no field {name!r}; say all, or some of {known}")
    return names


def _hits(conn: Connection, opts: Namespace, filters: Filters, limit: int | None) -> Iterator[dict[str, Any]]:
    """All that the query finds within the filters, the latest first."""
    from datetime import UTC, datetime

    from newsspider.cli.hit_lines import note_missing
    from newsspider.core.query.parser import RuleError
    from newsspider.search.entry_rows import SearchScope
    from newsspider.search.hits import Sort
    from newsspider.search.paging import all_records
    from newsspider.search.query_relaxation import looked_up

    if not opts.query.strip():
        raise wrong_use("--query: say what to search for")
    scope, now = SearchScope(opts.reprints), datetime.now(UTC)
    try:
        result = looked_up(conn, opts.query, scope, limit=1, sort=Sort.TIME, now=now, filters=filters)
    except RuleError as error:
        raise wrong_use(f"the query, {error}") from None
    note_missing(conn)
    if result.searched_as:
        print_note(f"searched as {result.searched_as}")
    return islice(all_records(lambda: nullcontext(conn), result.query, scope), limit)


def _written(form: str, records: Iterable[dict[str, Any]], output: str | None, fields: Sequence[str]) -> int:
    """How many articles were printed, or written to the output."""
    from newsspider.library.export_formats import LONGEST_CELL, ExportError, pieces_of, write_table

    if output is None:
        count = -1 if form == "csv" else 0  # the heads of a table are no article
        for piece in pieces_of(form, records, (), fields):
            print_text(piece)
            count += 1
        return count
    try:
        rows, cut = write_table(form, records, Path(output), (), fields)
    except ImportError as error:
        raise wrong_use(f"--format {error}") from None
    except ExportError as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"{output}: {error.strerror or error}") from None
    if cut:
        print_note(f"{cut} texts were cut to {LONGEST_CELL:,} characters, the most that a cell of Excel holds")
    return rows


def add_filters(parser: ArgumentParser, *, dates: bool = True) -> None:
    """The options that say which articles are meant; ``dates``: also of which time."""
    parser.set_defaults(since=None, until=None)
    if dates:
        since = "published (else crawled) then or later: 2026-11-01T08:30, today, 3h, 3d, 1w, 2y"
        until = "published then or before; a day or minute counts to its end"
        parser.add_argument("--since", metavar="DATE", help=since)
        parser.add_argument("--until", metavar="DATE", help=until)
    parser.add_argument("--site", metavar="NAME", help="of this site, or explore crawl, only")
    parser.add_argument("--topic", metavar="NAME", help="of this topic only")
    parser.add_argument("--subtopic", metavar="NAME", help="of this part of the topic's field only: 高考")
    parser.add_argument("--region", metavar="PLACE", help="of sites of this province or city only: 江苏")
    parser.add_argument("--about", metavar="PLACE", help="about this province or city only: 苏州")
    parser.add_argument("--limit", metavar="N", help="at most N")


def filters_of(opts: Namespace) -> Filters:
    """The filters that the options of :func:`add_filters` ask for; wrong ones are refused."""
    from newsspider.store.articles.article_filters import Filters

    since = None if opts.since is None else moment_of_option("--since", opts.since, last=False)
    until = None if opts.until is None else moment_of_option("--until", opts.until, last=True)
    if since is not None and until is not None and until <= since:
        raise wrong_use(f"--since {opts.since} is behind --until {opts.until}")
    region, about = _place("--region", opts.region), _place("--about", opts.about)
    return Filters(since, until, opts.site, opts.topic, opts.subtopic, region, about)


def _place(option: str, word: str | None) -> str | None:
    """The short name of a province or city."""
    name = None if word is None else region_name(word)
    if word is not None and name is None:
        raise wrong_use(f"{option} {word}: there is no such province or city")
    return name


def limit_of(opts: Namespace) -> int | None:
    """How many articles are asked for; ``None``: all."""
    from newsspider.crawl.wrong_use import whole_number

    return None if opts.limit is None else whole_number("--limit", opts.limit)


def moment_of_option(option: str, value: str, *, last: bool) -> datetime:
    """The moment at which this date begins, or the first one after it; China's time if it has no offset."""
    from datetime import UTC, datetime

    from newsspider.core.query.query_dates import EXAMPLES, moment_of

    try:
        return moment_of(value, datetime.now(UTC), last=last)
    except (ValueError, OverflowError):
        raise wrong_use(f"{option} {value}: say a date like {EXAMPLES}") from None


@contextmanager
def reading_store(command: DataCommand) -> Iterator[Connection]:
    """A reading connection to the store of a command's settings."""
    from newsspider.store.engine.database import reading

    with command.store() as engine, reading(engine) as conn:
        yield conn
