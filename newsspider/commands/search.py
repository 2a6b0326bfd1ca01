"""``scrapy search``: stored articles by words."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from newsspider.cli.command import DataCommand, emit, print_lines, print_note
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable, Iterator

WIDTH = 80
SNIPPET_BEFORE = 20  # characters of the body before the word found


class Command(DataCommand):
    """The latest first, at most 20 if nothing else is said: when, what, where and a piece of the text of each. A query
    has at most 200 characters; words are parted by blanks, and letters are found in either case. How many articles
    there are in all is said on stderr; nothing found is no failure.

    Of an article and its near reprints one is shown and counted, that of the first source if it is among those found.
    Articles of which every page has vanished are left out."""

    examples = """\
  scrapy search 高考 改革
  scrapy search "vocational education" --since 2026-01-01 --site 教育部 --sort priority
  scrapy search 双减 --json --limit 100 | jq -r .title
"""

    def syntax(self) -> str:
        return "QUERY [options]"

    def short_desc(self) -> str:
        return "Find stored articles that contain every word of a query in title or body"

    def add_options(self, parser: ArgumentParser) -> None:
        from newsspider.commands.export import add_filters

        super().add_options(parser)
        add_filters(parser)
        sorts = "time (the default), priority (the heaviest source first) or rank (by the links, see scrapy graph)"
        parser.add_argument("--sort", default="time", help=sorts)
        parser.add_argument("--reprints", action="store_true", help="every reprint, not one article a group")
        parser.add_argument("--vanished", action="store_true", help="also articles whose pages have vanished")
        parser.add_argument("--json", action="store_true", help="one JSON object an article, as scrapy export gives it")

    def work(self, args: list[str], opts: Namespace) -> None:
        from newsspider.cli.scrapy_options import check_names
        from newsspider.commands.export import filters_of, limit_of, opened
        from newsspider.search.query import LONGEST, Sort, search, words

        query = " ".join(args)
        if not words(query):
            raise wrong_use("say what to search for: scrapy search QUERY")
        if len(query) > LONGEST:
            raise wrong_use(f"the query has {len(query)} characters; say at most {LONGEST}")
        if opts.sort not in list(Sort):
            raise wrong_use(f"--sort {opts.sort}: say time, priority or rank")
        filters, limit = filters_of(opts), limit_of(opts) or 20
        assert self.settings is not None
        with opened(self) as conn:
            check_names(conn, self.settings, site=filters.site, topic=filters.topic, subtopic=filters.subtopic)
            result = search(
                conn, query, filters, limit=limit, sort=Sort(opts.sort), reprints=opts.reprints, vanished=opts.vanished
            )
        if opts.json:
            for record in result.records:
                emit(record)
        else:
            for record in result.records:
                print_lines(lines(record, words(query)))
        print_note(f"{len(result.records)} of {result.total} articles")


def lines(record: dict[str, Any], wanted: Iterable[str]) -> Iterator[str]:
    """An article in lines of at most 80 columns, except for longer URLs."""
    from datetime import datetime
    from zoneinfo import ZoneInfo

    written = datetime.fromisoformat(record["published_at"] or record["crawled_at"])
    moment = written.astimezone(ZoneInfo("Asia/Shanghai")).strftime("%Y-%m-%d %H:%M")
    yield cut(f"{moment}  {record['title']}", WIDTH)
    others = (
        f", {record['reprints']} reprints" if record["reprints"] > 1 else ", 1 reprint" if record["reprints"] else ""
    )
    gone = f", vanished ({record['absence']})" if record["vanished_at"] else ""
    yield cut(
        f"  {record['site'] or '-'}, {record['source'] or '-'}, priority {record['priority']}{others}{gone}", WIDTH
    )
    yield f"  {record['url']}"
    yield "  " + cut(snippet(record["text"], wanted), WIDTH - 2)
    yield ""


def snippet(text: str, wanted: Iterable[str]) -> str:
    """The text from shortly before the first of the words in it."""
    flat = " ".join(text.split())
    places = [place for word in wanted if (place := flat.lower().find(word.lower())) >= 0]
    start = max(min(places, default=0) - SNIPPET_BEFORE, 0)
    return ("…" if start else "") + flat[start : start + WIDTH]


def cut(text: str, width: int) -> str:
    """The text, shortened with an ellipsis to so many columns; a Chinese character takes two."""
    from newsspider.sites.listing import columns

    if columns(text) <= width:
        return text
    while columns(text) > width - 2:
        text = text[:-1]
    return text + "…"
