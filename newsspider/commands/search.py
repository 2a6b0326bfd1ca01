"""``scrapy search``: stored articles by a query."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from newsspider.cli.command import DataCommand, print_lines, print_note, print_record
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(DataCommand):
    """Lists the latest 20 hits, or as many as ``--limit`` says: time, title, source, and a piece of the text with the
    found words in 【】. The number of hits goes to stderr; finding nothing is no failure.

    A query has words, "phrases", AND, OR, NOT or -, parentheses, NEAR/n and ONEAR/n (at most n characters apart; ONEAR
    in this order), and fields: title: body: anchor: comment: site: source: author: media: topic: subtopic: lang: kind:
    has:attachment since: until:. A run of Chinese characters is a phrase; if it finds little, its words are searched
    for, then most of them. Guide: docs/how-to/search.md.

    Of an article and its near reprints one is shown: the first source if it matches, else the latest. Articles whose
    pages have all vanished are left out. ``scrapy export --query`` writes all hits as a table or as JSON lines."""

    summary = "Find stored articles by words, phrases and fields"
    usage = "QUERY [options]"
    examples = """\
  scrapy search 高考改革
  scrapy search '("职业教育" OR vocation*) -招聘 media:central' --sort relevance
  scrapy search 双减 --facets --since 1w
  scrapy search 双减 --json --limit 100 | jq -r .title
"""

    def add_options(self, parser: ArgumentParser) -> None:
        from newsspider.commands.export import add_filters
        from newsspider.search.hits import DEFAULT_SORT

        super().add_options(parser)
        add_filters(parser)
        sorts = (
            f"{DEFAULT_SORT} (the default), or the newest 150 hits by relevance, priority (the heaviest source first) or "
            "rank (by the links, see scrapy graph)"
        )
        parser.add_argument("--sort", default=str(DEFAULT_SORT), help=sorts)
        facets_help = "count the hits by site, media, region, place, sub-topic, day; of more than 5,000 the newest"
        parser.add_argument("--facets", action="store_true", help=facets_help)
        parser.add_argument("--reprints", action="store_true", help="every reprint, not one article a group")
        parser.add_argument("--revisions", action="store_true", help="also old versions of articles")
        parser.add_argument("--vanished", action="store_true", help="also articles whose pages have vanished")
        parser.add_argument("--json", action="store_true", help="one JSON object an article, as scrapy export gives it")

    def work(self, args: list[str], opts: Namespace) -> None:
        from datetime import UTC, datetime

        from newsspider.cli.hit_lines import SCREEN_WIDTH, lines_of_hit, note_missing
        from newsspider.cli.scrapy_options import check_names
        from newsspider.commands.export import filters_of, limit_of, reading_store
        from newsspider.core.query.parser import RuleError
        from newsspider.core.text.terminal_columns import cut_to_columns
        from newsspider.search.entry_rows import SearchScope
        from newsspider.search.facets import Facets, count_facets
        from newsspider.search.hits import Sort
        from newsspider.search.query_relaxation import looked_up, within_filters

        query, now = " ".join(args), datetime.now(UTC)
        if not query.strip():
            raise wrong_use("say what to search for: scrapy search QUERY, or since:yesterday alone")
        if opts.sort not in list(Sort):
            raise wrong_use(f"--sort {opts.sort}: say {', '.join(Sort)}")
        filters, limit = filters_of(opts), limit_of(opts) or 20
        scope = SearchScope(opts.reprints, opts.vanished, opts.revisions)
        try:
            within_filters(query, filters, now)
        except RuleError as error:
            raise wrong_use(f"the query, {error}") from None
        with reading_store(self) as conn:
            check_names(conn, self.settings, site=filters.site, topic=filters.topic, subtopic=filters.subtopic)
            result = looked_up(conn, query, scope, limit=limit, sort=Sort(opts.sort), now=now, filters=filters)
            counted = count_facets(conn, result.query, scope) if opts.facets else Facets({}, None)
            note_missing(conn)
        if result.searched_as:
            print_note(f"searched as {result.searched_as}")
        hits = result.found.hits
        for hit in hits:
            if opts.json:
                print_record(hit.record)
            else:
                print_lines(lines_of_hit(hit, result.query.wanted))
        for name, values in counted.counts.items():
            shown = ", ".join(f"{value or '-'} {count}" for value, count in values[:10])
            print_lines([cut_to_columns(f"{name}: {shown}", SCREEN_WIDTH)] if values else [])
        if counted.newest:
            print_note(f"counted are the newest {counted.newest:,} articles")
        print_note(f"{len(hits)} of {'more than ' if result.found.more else ''}{result.found.total} articles")
        if day := result.found.first_day:
            print_note(f"only articles since {day} were looked at, for many are similar: add until:{day} to go on")
