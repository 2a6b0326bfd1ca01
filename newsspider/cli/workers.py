"""Several processes that share one crawl on this machine: started, watched and stopped together."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from selectors import EVENT_READ, DefaultSelector
from typing import TYPE_CHECKING, TextIO

from newsspider.cli.command import print_note
from newsspider.core.crawling.finish_reasons import ENDINGS, CrawlLimits, Finish
from newsspider.crawl.memory_restart import with_limits, without_arguments
from newsspider.crawl.wrong_use import wrong_use
from newsspider.extensions.progress import PIPE, CrawlFigures, erase_line, rewrite_line
from newsspider.logformatter import WORKER

if TYPE_CHECKING:
    from types import FrameType

    from scrapy.settings import BaseSettings

TICK_SECONDS = 0.5
MOST_STARTS = 5  # of one worker within START_SECONDS
START_SECONDS = 600.0
ONE_WRITES = ("FEEDS", "JOBDIR", "METRICS_FOLDER")  # settings that name what one process writes
WORKER_FAILED = 1  # exit code: a worker was killed again and again, or could not be started
AT_LIMIT = frozenset(ENDINGS[end].exit_code for end in (Finish.ARTICLES, Finish.PAGES, Finish.MINUTES))


def check_workers(settings: BaseSettings, argv: Sequence[str]) -> None:
    """Raise ``UsageError`` for what several workers cannot share; ``argv`` is :data:`sys.orig_argv`."""
    if os.name != "posix":
        raise wrong_use("-a workers: this system cannot do it; start the command several times instead")
    if "crawl" not in argv:
        raise wrong_use("-a workers: only the command `scrapy crawl` starts workers")
    for name in ONE_WRITES:
        if settings[name]:
            feed_or_setting = "a feed (-o, FEEDS)" if name == "FEEDS" else name
            raise wrong_use(f"-a workers: {feed_or_setting} is written by one process")


class Worker:
    """One of the processes, numbered from 1, and what it said last."""

    def __init__(self, number: int, command: Sequence[str], limits: CrawlLimits) -> None:
        self.number = number
        self.command = command
        self.limits = limits
        self.figures = self.before = CrawlFigures()  # of the process that runs, and of those before it
        self.starts: list[float] = []
        self.process: subprocess.Popen[bytes] | None = None
        self.signals = 0  # how many of those that came were passed on to the process
        self.code: int | None = None  # when it has ended for good
        self._rest = b""

    def start(self, limits: CrawlLimits) -> int:
        """Start the process; the descriptor to which it writes its figures."""
        self.before, self.figures, self.signals = self.total(), CrawlFigures(), 0
        self.starts.append(time.monotonic())
        reading, writing = os.pipe()
        environment = os.environ | {PIPE: str(writing), WORKER: str(self.number)}
        command = with_limits(self.command, limits)
        try:
            self.process = subprocess.Popen(command, env=environment, pass_fds=[writing], process_group=0)
        except OSError:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        os.set_blocking(reading, False)
        return reading

    def read(self, pipe: int) -> bool:
        """Take what it wrote; whether there may be more."""
        try:
            text = os.read(pipe, 1 << 16)
        except BlockingIOError:
            return True
        *lines, self._rest = (self._rest + text).split(b"\n")
        for line in lines:
            figures = CrawlFigures(**json.loads(line))
            if figures.seconds < self.figures.seconds:  # it began again, with the memory of a new process
                self.before = self.total()
            self.figures = figures
        return bool(text)

    def total(self) -> CrawlFigures:
        """Its figures, with those of the processes before it."""
        now, earlier = self.figures, self.before
        return replace(now, pages=now.pages + earlier.pages, articles=now.articles + earlier.articles)

    def left(self) -> CrawlLimits | None:
        """The limits of a process that goes on; ``None`` if one is reached."""
        return self.limits.left(*self._done())

    def reached(self) -> Finish | None:
        """The limit that is reached, if one is."""
        return self.limits.reached(*self._done())

    def _done(self) -> tuple[int, int, float]:
        done = self.total()
        return done.pages, done.articles, time.monotonic() - self.starts[0] if self.starts else 0.0

    def may_start_again(self) -> bool:
        """Whether it was not killed too often."""
        return sum(time.monotonic() - start < START_SECONDS for start in self.starts) < MOST_STARTS


class Workers:
    """The first worker starts at once, the others when it has fetched a page: a crawl with nothing to do, or whose job
    runs elsewhere, needs none.

    A signal is passed on. A worker that is killed is started again; its leases are taken back by then. When this
    process is killed, the workers stop.
    """

    def __init__(
        self, argv: Sequence[str], count: int, limits: CrawlLimits, settings: BaseSettings, out: TextIO
    ) -> None:
        count = min(count, limits.pages or count, limits.articles or count)
        self.workers = [
            Worker(number, _command(argv, number, settings), _share(limits, count, number - 1))
            for number in range(1, count + 1)
        ]
        self.seconds = settings.getfloat("PROGRESS_SECONDS")
        self.out = out if self.seconds > 0 and out.isatty() else None
        self.began = time.monotonic()
        self.signals: list[int] = []  # that came
        self._selector = DefaultSelector()

    def run(self) -> int:
        """Run the crawl; its exit code."""
        old_handlers = {number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            self._start(self.workers[0])
            drawn_at = 0.0
            while self._selector.get_map():
                self._pass_on()
                self._watch()
                if self.out and time.monotonic() - drawn_at >= self.seconds:
                    drawn_at = time.monotonic()
                    rewrite_line(self.out, self.total().line())
        finally:
            for number, handler in old_handlers.items():
                signal.signal(number, handler)
            if self.out:
                erase_line(self.out)
        return worst([worker.code for worker in self.workers if worker.code is not None])

    def total(self) -> CrawlFigures:
        """The figures of all workers together."""
        totals = [worker.total() for worker in self.workers if worker.starts]
        newest = max(totals, key=lambda figures: figures.seconds)
        return replace(
            newest,
            seconds=time.monotonic() - self.began,
            pages=sum(figures.pages for figures in totals),
            articles=sum(figures.articles for figures in totals),
            in_flight=sum(figures.in_flight for figures in totals),
        )

    def _start(self, worker: Worker) -> None:
        """Start a worker with what its limits leave."""
        if (limits := worker.left()) is None:
            worker.code = ENDINGS[worker.reached() or Finish.PAGES].exit_code
            return
        try:
            pipe = worker.start(limits)
        except OSError as error:  # no more processes or memory
            self._say(f"worker {worker.number} cannot be started: {error.strerror or error}")
            worker.code = WORKER_FAILED
        else:
            self._selector.register(pipe, EVENT_READ, worker)

    def _watch(self) -> None:
        """Read what the workers say; start the others, or one that was killed."""
        for key, _ in self._selector.select(TICK_SECONDS):
            worker: Worker = key.data
            if not worker.read(key.fd):
                self._selector.unregister(key.fd)
                os.close(key.fd)
                self._ended(worker)
        first, *others = self.workers
        if first.figures.pages and (first.code is None or first.code in AT_LIMIT) and not self.signals:
            for worker in others:
                if not worker.starts:
                    self._start(worker)

    def _ended(self, worker: Worker) -> None:
        assert worker.process is not None
        code = worker.process.wait()
        worker.process = None
        if code >= 0 or self.signals:
            worker.code = code if code >= 0 else 128 - code
            return
        again = worker.may_start_again()
        then = "it is started again" if again else f"after {MOST_STARTS} starts in ten minutes it is not started again"
        self._say(f"worker {worker.number} was ended by signal {-code}; {then}")
        if again:
            self._start(worker)
        else:
            worker.code = WORKER_FAILED

    def _say(self, sentence: str) -> None:
        if self.out:
            erase_line(self.out)
        print_note(f"scrapy crawl: {sentence}")

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.signals.append(number)  # it may come while a worker is being started

    def _pass_on(self) -> None:
        """Send each worker the signals that it has not had yet."""
        for worker in self.workers:
            if worker.process is not None and worker.process.poll() is None:
                for number in self.signals[worker.signals :]:
                    worker.process.send_signal(number)
                worker.signals = len(self.signals)


def worst(codes: Collection[int]) -> int:
    """The exit code of the crawl: that of an error before that of an orderly end, and that before 0.

    >>> worst([0, 0]), worst([0, 4]), worst([8, 143]), worst([8, 130])
    (0, 4, 8, 8)
    """
    orderly = {end.exit_code for end in ENDINGS.values() if end.orderly} | {128 + signal.SIGINT}
    return max(codes, key=lambda code: (code not in orderly, code))


def _share(limits: CrawlLimits, count: int, number: int) -> CrawlLimits:
    """The limits of one of ``count`` workers.

    >>> [_share(CrawlLimits(pages=5), 2, number).pages for number in range(2)]
    [3, 2]
    """

    def part(whole: int | None) -> int | None:
        return None if whole is None else whole // count + (number < whole % count)

    return replace(limits, pages=part(limits.pages), articles=part(limits.articles))


def _command(argv: Sequence[str], number: int, settings: BaseSettings) -> list[str]:
    """The command line of a worker, without its limits: only the first one holds the name of the job, each says its
    number in the log, and each serves its metrics at a port of its own."""
    names = {"workers"} | ({"job"} if number > 1 else set())
    labelled = settings["LOG_FORMAT"].replace("%(message)s", f"worker {number}: %(message)s")
    more = {"LOG_FORMAT": labelled, "LOG_FILE_APPEND": "1"}
    if address := settings["METRICS_ADDRESS"]:
        host, _, port = address.rpartition(":")
        more["METRICS_ADDRESS"] = f"{host}:{int(port) + number - 1 if int(port) else 0}"
    pairs = [word for name, value in more.items() for word in ("-s", f"{name}={value}")]
    return [sys.executable, *without_arguments(argv[1:], names), *pairs]
