"""``scrapy crawl``: Scrapy's own command with checked arguments and reliable exit codes."""

from __future__ import annotations

import logging
import os
import sys
import time
from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Mapping
from inspect import getdoc
from textwrap import fill
from typing import TYPE_CHECKING, Any

from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.exceptions import UsageError
from scrapy.spiderloader import get_spider_loader

from newsspider.cli.command import forget_output, help_text, print_lines, print_note, utf8_arguments, utf8_streams
from newsspider.cli.scrapy_options import check_feeds, check_options, check_written
from newsspider.crawl.wrong_use import wrong_use

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable
    from types import FrameType

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings, Settings

logger = logging.getLogger(__name__)

EXAMPLES = """\
  scrapy crawl education                     one round over all enabled sites
  scrapy crawl education -a forever=1        around the clock, until a signal
  scrapy crawl education -a workers=2        the same with two processes
  scrapy crawl education -a sites=my-sites/  not the shipped sites, but these
  scrapy crawl education -a topic=any -a pages=500
  scrapy crawl explore -a strategy=best-first -a seeds=seeds.txt -a pages=1000
  scrapy crawl query -a q="高考 改革" -a enough=10 -a seconds=30
"""
OTHER_CODES = "    2 also wrong use: nothing was started\n  130 stopped by Ctrl-C (SIGINT)"


class Command(ScrapyCrawl):
    """``education`` watches the sites, ``explore`` follows links in the order of a strategy, ``query`` answers a
    question now. At a limit the crawl stops taking new pages and finishes those under way, so it may store a few more
    articles than the limit says. However a crawl ended, ``kill -9`` included, the same command continues it. On a
    terminal a progress line on stderr shows time, pages, articles, queue and rate.

    Articles go to the store; read them with ``scrapy export``. ``-o FILE`` (``--output``) and ``-O FILE``
    (``--overwrite-output``) write those of this run to a file as well: docs/how-to/write-a-pipeline.md."""

    examples = EXAMPLES
    began = 0.0
    stopped_by: int | None = None
    workers = 1
    spider_class: Any

    def short_desc(self) -> str:
        return "Run a spider"

    def long_desc(self) -> str:
        return help_text(self.short_desc(), getdoc(type(self)) or "")

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.allow_abbrev = False
        parser.epilog = f"examples:\n{EXAMPLES}\nexit codes:\n{_exit_codes()}\n{OTHER_CODES}"

    def process_options(self, args: list[str], opts: Namespace) -> None:
        """Refuse what cannot work before Scrapy starts and says so in the log."""
        self.began = time.time()
        utf8_streams()
        utf8_arguments(args, opts)
        for arg in args:
            if arg.startswith("-"):
                raise wrong_use(f"unknown option {arg}; see scrapy crawl --help")
        check_options(opts)
        super().process_options(args, opts)
        assert self.settings is not None
        if file := self.settings.get("LOG_FILE"):
            check_written(f"LOG_FILE={file}", file)
        check_feeds(self.settings)
        if folder := self.settings["JOBDIR"]:
            check_written(f"JOBDIR={folder}", folder, folder=True)
        from newsspider.core.crawling.finish_reasons import Finish

        try:
            own = self._check(self.settings, args, opts)
        except UsageError as error:
            _log(self.settings, error)
            note_end(self.settings, args[0] if args else "", opts.spargs, self.began, Finish.REFUSED, 2, str(error))
            raise
        if own.getbool("LOG_INSTALL_ROOT_HANDLER"):
            from newsspider.logformatter import open_log

            open_log(own)
            self.settings.set("LOG_INSTALL_ROOT_HANDLER", False, priority="cmdline")

    def _check(self, settings: Settings, args: list[str], opts: Namespace) -> Settings:
        """The settings with those of the spider."""
        from newsspider.cli.workers import check_workers
        from newsspider.core.crawling.finish_reasons import Finish, ending_of_reason
        from newsspider.crawl.arguments import workers_of
        from newsspider.extensions.progress import PIPE
        from newsspider.store.engine.errors import StoreFailedError

        if len(args) != 1:
            raise wrong_use("name one spider, as in `scrapy crawl education`")
        self.spider_class = get_spider_loader(settings).load(args[0])
        own = settings.copy()
        self.spider_class.update_settings(own)  # custom_settings
        try:
            if check := getattr(self.spider_class, "check", None):
                check(own, opts.spargs)
                if (count := workers_of(opts.spargs)) > 1 and PIPE not in os.environ:
                    check_workers(own, sys.orig_argv)
                    self.workers = count
        except StoreFailedError as error:
            _log(settings, error)
            print_note(f"scrapy crawl: {error}")
            raise SystemExit(ending_of_reason(Finish.STORE_FAILED).exit_code) from None
        return own

    def run(self, args: list[str], opts: Namespace) -> None:
        if self.workers > 1:
            from newsspider.cli.workers import Workers
            from newsspider.crawl.arguments import limits_of

            assert self.settings is not None
            shared = Workers(sys.orig_argv, self.workers, limits_of(opts.spargs), self.settings, sys.stderr)
            self.exitcode = shared.run()
            return
        assert self.crawler_process is not None
        crawler = self._create_crawler(self.spider_class)
        crawling = self.crawler_process.crawl(crawler, **opts.spargs)
        self._note_signals(crawler)
        self.crawler_process.start()
        _note_error(crawler, crawling)
        self._restart(crawler)
        self.exitcode = self._exit_code(crawler, scrapyd="_job" in opts.spargs)
        if report := getattr(crawler.spider, "report", None):
            self._print(report())
        self._note_end(crawler, opts.spargs)

    def _restart(self, crawler: Crawler) -> None:
        """Restart in this process, with the remaining limits, if the crawl goes on after its limit of memory."""
        from newsspider.crawl.memory_restart import restart_arguments
        from newsspider.extensions.progress import keep_pipe

        arguments = None if self.stopped_by is not None else restart_arguments(crawler, sys.orig_argv)
        if arguments is not None:
            logger.warning("the crawl restarts, with the memory of a new process")
            logging.shutdown()
            keep_pipe(crawler)
            os.execv(sys.executable, [sys.executable, *arguments])

    def _note_end(self, crawler: Crawler, arguments: dict[str, str]) -> None:
        """Note how a named job ended."""
        reason, last_line = _end_of(crawler)
        note_end(crawler.settings, self.spider_class.name, arguments, self.began, reason, self.exitcode, last_line)

    def _print(self, report: Iterable[str]) -> None:
        """Print what a spider reports at its end."""
        try:
            print_lines(report)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader went away, as in `... | head`
            forget_output()
        except OSError as error:
            print_note(f"scrapy crawl: stdout cannot be written: {error.strerror or error}")
            forget_output()
            self.exitcode = 1

    def _note_signals(self, crawler: Crawler) -> None:
        """Remember which signal stopped the crawl, and tell its parts to hurry; the rest stays Scrapy's business."""
        from twisted.internet import reactor

        from newsspider.download.graceful_shutdown import told_to_stop

        process: Any = self.crawler_process
        shutdown = process._signal_shutdown

        def noted(number: int, frame: FrameType | None) -> None:
            self.stopped_by = number
            shutdown(number, frame)
            reactor.callFromThread(crawler.signals.send_catch_log, told_to_stop)

        process._signal_shutdown = noted

    def _exit_code(self, crawler: Crawler, *, scrapyd: bool) -> int:
        """The exit code; scrapyd takes any but 0 for a process that died."""
        from newsspider.core.crawling.finish_reasons import ending_of_reason

        orderly = crawler.stats is not None and ending_of_reason(crawler.stats.get_value("finish_reason")).orderly
        if self.stopped_by is not None:
            return 0 if orderly and scrapyd else 128 + self.stopped_by
        if crawler.stats is None:
            return 1  # an add-on failed before there were any
        reason, last_line = _end_of(crawler)
        end = ending_of_reason(reason)
        if unread := crawler.stats.get_value("lists/unread"):
            watched = crawler.stats.get_value("lists/watched")
            print_note(f"scrapy crawl: {unread} of {watched} lists could not be read: `scrapy status` says why")
        if barren := crawler.stats.get_value("sources/barren"):
            states = crawler.stats.get_value("sources/barren_states")
            print_note(
                f"scrapy crawl: {barren} sources have never brought anything ({states}):"
                " `scrapy health` says why, `scrapy sites check` visits them"
            )
        if end.exit_code:
            print_note(f"scrapy crawl: {last_line}")
        return 0 if orderly and scrapyd else end.exit_code


def _end_of(crawler: Crawler) -> tuple[str, str]:
    """The finish reason of a crawl, and what is said of it."""
    from newsspider.core.crawling.finish_reasons import Finish, ending_of_reason

    stats = crawler.stats
    reason = (stats and stats.get_value("finish_reason")) or str(Finish.START_ERROR)  # none: it was never opened
    cause = stats and stats.get_value("spider/stopped_by")
    return reason, f"{f'{cause}; ' if cause else ''}{ending_of_reason(reason).sentence}"


def _note_error(crawler: Crawler, crawling: Any) -> None:
    """Log, and name in the stats, the error that ended a crawl outside its callbacks: a scheduler was not opened."""
    from asyncio import Task

    from newsspider.core.crawling.internal_errors import one_line

    if not isinstance(crawling, Task) or not crawling.done() or crawling.cancelled():
        return
    if error := crawling.exception():
        logger.error("an error stopped the crawl", exc_info=error)
        if crawler.stats is not None:
            crawler.stats.set_value("spider/stopped_by", one_line(error))


def _log(settings: Settings, error: Exception) -> None:
    """Write to the log file, if there is one, why nothing is started: users of scrapyd see nothing else."""
    from newsspider.logformatter import open_log

    if settings.get("LOG_FILE"):
        own = settings.copy()
        own.set("LOG_LEVEL", "ERROR", priority="cmdline")  # the one that is set may be what is wrong
        open_log(own)
        logger.error("scrapy crawl: %s", error)


def _exit_codes() -> str:
    from newsspider.core.crawling.finish_reasons import ENDINGS

    codes = (f"{end.exit_code:5} {end.sentence}" for end in ENDINGS.values())
    return "\n".join(fill(code, 80, subsequent_indent=" " * 6) for code in codes)


def note_end(
    settings: BaseSettings,
    spider: str,
    arguments: Mapping[str, str],
    began: float,
    reason: str,
    exit_code: int,
    line: str,
) -> None:
    """Note the exit code and the last line of a job; nothing of a crawl without a name, or of one that did not start as
    its job runs, unless scrapyd has it. A store that cannot be used is no reason to fail: the schedule then reads the
    log of scrapyd."""
    from newsspider.core.crawling.finish_reasons import Finish
    from newsspider.crawl.wrong_use import shorten_sentence
    from newsspider.store import runs
    from newsspider.store.engine.clock import Clock
    from newsspider.store.engine.database import open_store, writing
    from newsspider.store.engine.errors import StoreFailedError, StoreUnusableError

    if not arguments.get("job") or (reason == Finish.ALREADY_RUNS and "_job" not in arguments):
        return
    try:
        engine = open_store(settings["DATABASE_URL"])
        try:
            with writing(engine) as conn:
                runs.note_end(conn, spider, arguments, began, Clock().now(), reason, exit_code, shorten_sentence(line))
        finally:
            engine.dispose()
    except (StoreFailedError, StoreUnusableError) as error:
        print_note(f"scrapy crawl: the end of the job could not be noted: {error}")
