"""``scrapy search``: stored articles by a query."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from newsspider.cli.command import DataCommand, emit, print_lines, print_note
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator
    from datetime import datetime

    from newsspider.core.query.tree import Node
    from newsspider.search.language import Query
    from newsspider.search.query import Hit
    from newsspider.store.articles.export import Filters

WIDTH = 80
SNIPPET_BEFORE = 20  # characters of the text before the word found
FEW = 3  # a phrase that finds fewer articles is also looked for by its words


class Command(DataCommand):
    """The latest first, at most 20 if nothing else is said: when, what, where and a piece of the text of each, the words
    found in 【】. How many articles there are is said on stderr; nothing found is no failure.

    Words, "phrases", AND, OR, NOT or -, parentheses, NEAR/n and ONEAR/n (in this order, n characters between), and
    fields: title: body: site: source: author: media: topic: subtopic: lang: kind: has:attachment since: until:. A run of
    Chinese is a phrase; if that finds little, its words are looked for. See docs/how-to/search.md.

    Of an article and its near reprints one is shown, that of the first source if it has what is asked for. Articles of
    which every page has vanished are left out."""

    summary = "Find stored articles by words, phrases and fields"
    usage = "QUERY [options]"
    examples = """\
  scrapy search 高考改革
  scrapy search '("职业教育" OR vocation*) -招聘 media:central since:3d' --sort relevance
  scrapy search 双减 --facets --since 1w
  scrapy search 双减 --json --limit 100 | jq -r .title
"""

    def add_options(self, parser: ArgumentParser) -> None:
        from newsspider.commands.export import add_filters

        super().add_options(parser)
        add_filters(parser)
        sorts = (
            "time (the default), or the newest 300 hits by relevance, priority (the heaviest source first) or rank (by the "
            "links, see scrapy graph)"
        )
        parser.add_argument("--sort", default="time", help=sorts)
        parser.add_argument(
            "--facets", action="store_true", help="count the newest 2,000 hits by site, media, sub-topic, day"
        )
        parser.add_argument("--reprints", action="store_true", help="every reprint, not one article a group")
        parser.add_argument("--revisions", action="store_true", help="also old versions of articles")
        parser.add_argument("--vanished", action="store_true", help="also articles whose pages have vanished")
        parser.add_argument("--json", action="store_true", help="one JSON object an article, as scrapy export gives it")

    def work(self, args: list[str], opts: Namespace) -> None:
        from contextlib import suppress
        from datetime import UTC, datetime

        from newsspider.cli.scrapy_options import check_names
        from newsspider.commands.export import filters_of, limit_of, opened
        from newsspider.core.query.grammar import BadRule
        from newsspider.search.facets import facets
        from newsspider.search.language import words_of
        from newsspider.search.query import Scope, Sort, search
        from newsspider.store.index.rebuild import unfinished

        query, now = " ".join(args), datetime.now(UTC)
        if not query.strip():
            raise wrong_use("say what to search for: scrapy search QUERY")
        if opts.sort not in list(Sort):
            raise wrong_use(f"--sort {opts.sort}: say {', '.join(Sort)}")
        filters, limit = filters_of(opts), limit_of(opts) or 20
        scope = Scope(opts.reprints, opts.vanished, opts.revisions)
        try:
            wanted = by_words = within(query, filters, now)
        except BadRule as error:
            raise wrong_use(f"the query, {error}") from None
        with suppress(BadRule):  # more words than a query may have
            by_words = within(query, filters, now, as_words=True)
        with opened(self) as conn:
            check_names(conn, self.settings, site=filters.site, topic=filters.topic, subtopic=filters.subtopic)
            options: dict[str, Any] = {"limit": limit, "sort": Sort(opts.sort), "now": now.timestamp()}
            result = search(conn, wanted, scope, **options)
            if result.total < FEW and by_words != wanted:
                others = search(conn, by_words, scope, **options)
                if others.total > result.total:
                    result, wanted = others, by_words
                    print_note(f"searched as {words_of(query)}")
            counted = facets(conn, wanted, scope) if opts.facets else {}
            if unfinished(conn) is not None:
                print_note("articles are missing: the index is not complete; run scrapy reindex")
        for hit in result.hits:
            if opts.json:
                emit(hit.record)
            else:
                print_lines(lines(hit, wanted.wanted))
        for name, values in counted.items():
            print_lines(
                [cut(f"{name}: {', '.join(f'{value or chr(45)} {count}' for value, count in values[:10])}", WIDTH)]
            )
        print_note(f"{len(result.hits)} of {'more than ' if result.more else ''}{result.total} articles")


def within(query: str, filters: Filters, now: datetime, *, as_words: bool = False) -> Query:
    """The query with the filters of the options."""
    from dataclasses import replace

    from newsspider.search.language import parsed
    from newsspider.search.query import narrowed

    read = narrowed(
        parsed(query, now, as_words=as_words), site=filters.site, topic=filters.topic, subtopic=filters.subtopic
    )
    since = [moment for moment in (read.since, filters.since) if moment]
    until = [moment for moment in (read.until, filters.until) if moment]
    return replace(read, since=max(since, default=None), until=min(until, default=None))


def lines(hit: Hit, wanted: Node) -> Iterator[str]:
    """A hit in lines of at most 80 columns, except for longer URLs."""
    from datetime import datetime
    from zoneinfo import ZoneInfo

    zone, record = ZoneInfo("Asia/Shanghai"), hit.record
    written = datetime.fromisoformat(record["published_at"] or record["crawled_at"])
    yield cut(f"{written.astimezone(zone):%Y-%m-%d %H:%M}  {record['title']}", WIDTH)
    count = record["reprints"]
    others = f", and {count} reprint{'s' if count > 1 else ''}" if count else ""
    if hit.first is not None:
        source, moment = hit.first
        others += f", first {source} {datetime.fromtimestamp(moment, zone):%m-%d %H:%M}"
    gone = f", vanished ({record['absence']})" if record["vanished_at"] else ""
    old = f", until {datetime.fromtimestamp(hit.revised_at, zone):%m-%d %H:%M}" if hit.revised_at else ""
    yield cut(
        f"  {record['site'] or '-'}, {record['source'] or '-'}, priority {record['priority']}{others}{gone}{old}", WIDTH
    )
    yield f"  {record['url']}"
    yield "  " + cut(snippet(hit.text, wanted), WIDTH - 2)
    yield ""


def snippet(text: str, wanted: Node) -> str:
    """The text from shortly before the first of the texts that are asked for, each of them in 【】."""
    import re

    from newsspider.core.query.tree import wanted_texts
    from newsspider.core.text.script import plain

    flat = " ".join(text.split())
    gap = r"[\W_]*"
    patterns = [gap.join(re.escape(letter) for letter in "".join(one.units)) for one in wanted_texts(wanted)]
    places = [match.span() for match in re.finditer("|".join(patterns), plain(flat))] if patterns else []
    start = max(min((place for place, _ in places), default=0) - SNIPPET_BEFORE, 0)
    piece, at = "…" if start else "", start
    for begin, end in places:
        if begin >= start + WIDTH:
            break
        piece += f"{flat[at:begin]}【{flat[begin:end]}】"
        at = end
    return piece + flat[at : start + WIDTH]


def cut(text: str, width: int) -> str:
    """The text, shortened with an ellipsis to so many columns; a Chinese character takes two."""
    from newsspider.sites.listing import columns

    if columns(text) <= width:
        return text
    while columns(text) > width - 2:
        text = text[:-1]
    return text + "…"
