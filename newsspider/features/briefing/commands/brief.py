"""``scrapy brief``: a briefing of a day or a week."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from newsspider.cli.command import CommandError, DataCommand, print_lines, print_note, print_text
from newsspider.crawl.wrong_use import wrong_use
from newsspider.features.briefing.rules.selection import MOST_HEADLINES

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from datetime import datetime

    from newsspider.features.briefing.briefing_articles import BriefingScope
    from newsspider.features.briefing.content import Briefing, BriefingKind


class Command(DataCommand):
    """Writes a briefing (简报) in Chinese: the largest events with sentences of their articles, policy documents,
    further events by sub-topic and region, sentences that criticise, attention beside the week before, and sources that
    bring nothing. Each line has its source, time, reprints, link and id. No event is in it twice.

    With ``-o`` it counts as made: the next one of its kind, topic, region and query begins where it ended, and tells an
    event again only if it grew by a quarter. One that ends less than half a day (or half a week) later is the same one,
    made again. Without ``-o`` it is printed and does not count; with ``--since`` it stands by itself and leaves out
    nothing. Guide: docs/how-to/make-a-briefing.md."""

    summary = "Write a briefing of a day or a week, each sentence from an article"
    usage = "[daily|weekly] [options]"
    examples = """\
  scrapy brief
  scrapy brief weekly --region 江苏 -o week.html -o week.docx
  scrapy brief --since 2w --query '双减 OR 减负' -o report.json
  scrapy brief daily --template mine.html -o today.html
  scrapy brief --words -o today.html
"""

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--since", metavar="DATE", help="a special briefing from then on, not daily or weekly")
        parser.add_argument("--until", metavar="DATE", help="up to then (default: now)")
        parser.add_argument("--topic", metavar="NAME", help="articles of this topic only")
        parser.add_argument("--region", metavar="NAME", help="about this region, or of its sources: 江苏")
        parser.add_argument("--query", metavar="QUERY", help="that this query of scrapy search finds")
        parser.add_argument("--title", metavar="TEXT", help="its title")
        parser.add_argument("--limit", metavar="N", help=f"at most N headlines (default: {MOST_HEADLINES})")
        words = "have the model of LLM_URL shorten it; what fails the checks stays as it is"
        parser.add_argument("--words", action="store_true", help=words)
        parser.add_argument("--template", metavar="FILE", help="a Jinja template of your own; for .docx a .docx")
        output = "write .html, .md, .json, .docx, .pdf or .txt; may be given several times"
        parser.add_argument("-o", "--output", metavar="FILE", action="append", default=[], help=output)

    def work(self, args: list[str], opts: Namespace) -> None:
        import time

        from newsspider.cli.scrapy_options import check_names
        from newsspider.commands.export import limit_of
        from newsspider.features.briefing import stored_briefings
        from newsspider.features.briefing.briefing_articles import since_of
        from newsspider.features.briefing.gathering import gather_briefing
        from newsspider.features.events.analysed_store import open_analysed
        from newsspider.sites.holidays import Holidays
        from newsspider.store.engine.database import writing

        kind = _kind(args, opts)
        _check_files(opts)
        most, now = limit_of(opts) or MOST_HEADLINES, time.time()
        since, until = _times(opts, now)
        scope = _scope(kind, since or until, until, opts)
        with open_analysed(self) as conn:
            check_names(conn, self.settings, topic=opts.topic)
            past = stored_briefings.past_of(conn, scope)
            if since is None:
                scope = scope.beginning(since_of(kind, past.last, until))
            briefing = gather_briefing(conn, scope, past, Holidays.of(self.settings), now, opts.title or "", most)
        original = briefing if opts.words else None
        if opts.words:
            briefing = self._worded(briefing, now)
        _write(briefing, opts, self.settings["BROWSER"])
        if opts.output:
            with self.store() as engine, writing(engine) as conn:
                stored_briefings.keep(conn, scope, briefing, now, original)
        news = f"{len(briefing.items())} of {briefing.new_events + briefing.grown_events} events"
        print_note(f"{news}, {briefing.since} to {briefing.until}")

    def _worded(self, briefing: Briefing, now: float) -> Briefing:
        from newsspider.features.briefing.model_wording import with_words

        with self.store() as engine:
            worded = with_words(engine, self.settings, briefing, now)
        if worded is None:
            raise wrong_use("--words: no model is set up; set LLM_URL and LLM_MODEL, and name llm in FEATURES")
        return worded


def _kind(args: list[str], opts: Namespace) -> BriefingKind:
    """The kind that the arguments ask for."""
    from newsspider.features.briefing.content import BriefingKind

    if len(args) > 1 or (args and args[0] not in (BriefingKind.DAILY, BriefingKind.WEEKLY)):
        raise wrong_use(f"say daily or weekly, not {' '.join(args)}")
    if args and opts.since is not None:
        raise wrong_use("say daily, weekly or --since, not both")
    return BriefingKind.SPECIAL if opts.since is not None else BriefingKind(args[0] if args else BriefingKind.DAILY)


def _times(opts: Namespace, now: float) -> tuple[datetime | None, datetime]:
    """From when on, if that is said, and up to when."""
    from datetime import UTC, datetime

    from newsspider.commands.export import moment_of_option

    present = datetime.fromtimestamp(now, UTC)
    until = present if opts.until is None else min(moment_of_option("--until", opts.until, last=True), present)
    since = None if opts.since is None else moment_of_option("--since", opts.since, last=False)
    if since is not None and since >= until:
        raise wrong_use(f"--since {opts.since} is not before the end")
    return since, until


def _scope(kind: BriefingKind, since: datetime, until: datetime, opts: Namespace) -> BriefingScope:
    """Which articles the options ask for."""
    from newsspider.cli.site_catalogue import region_of
    from newsspider.core.query.parser import RuleError
    from newsspider.core.query.query_language import parse_query
    from newsspider.core.text.regions import region_names
    from newsspider.features.briefing.briefing_articles import BriefingScope

    region = "" if opts.region is None else region_names()[region_of(opts.region)]
    if opts.query is not None and not opts.query.strip():
        raise wrong_use("--query: say what it looks for")
    try:
        query = None if opts.query is None else parse_query(opts.query, until)
    except RuleError as error:
        raise wrong_use(f"--query: {error}") from None
    return BriefingScope(kind, since, until, opts.topic or "", region, opts.query or "", query)


def _check_files(opts: Namespace) -> None:
    """Refuse files that cannot be written, before the work."""
    from newsspider.features.briefing.rendering import SUFFIXES

    for name in opts.output:
        if Path(name).suffix.lower() not in SUFFIXES and opts.template is None:
            raise wrong_use(f"-o {name}: say a file that ends in {', '.join(SUFFIXES)}")
        if Path(name).is_dir() or not Path(name).absolute().parent.is_dir():
            raise wrong_use(f"-o {name}: say a file in a folder that exists")
    if opts.template is not None:
        try:
            Path(opts.template).read_bytes()
        except OSError as error:
            raise wrong_use(f"--template {opts.template}: {error.strerror or error}") from None
    if opts.title is not None and not opts.title.strip():
        raise wrong_use("--title: say a title")


def _write(briefing: Briefing, opts: Namespace, browser: str) -> None:
    """Write the files, or none of them if one cannot be made; or print it."""
    from newsspider.features.briefing.pdf import PrintError
    from newsspider.features.briefing.rendering import FormError, briefing_document, briefing_lines
    from newsspider.features.briefing.word_document import file_of

    template = None if opts.template is None else Path(opts.template)
    try:
        written = {name: file_of(briefing, Path(name).suffix.lower(), template, browser) for name in opts.output}
        if not opts.output and template is not None:
            print_text(briefing_document(briefing, "", template))
    except (FormError, UnicodeDecodeError) as error:
        raise wrong_use(f"--template: {error}") from None
    except PrintError as error:
        raise CommandError(str(error)) from None
    except ImportError as error:
        extra = "docx" if error.name == "docx" else "web"
        raise CommandError(f"{error.name} is not installed: pip install 'newsspider[{extra}]'") from None
    if not opts.output and template is None:
        print_lines(briefing_lines(briefing))
    for name, content in written.items():
        Path(name).write_bytes(content)
