"""Measures how long the event loop of a crawl is held, and by which page, and what memory the crawl takes at most."""

import asyncio
import json
import threading
import time
from contextlib import suppress
from inspect import CO_OPTIMIZED
from itertools import count
from pathlib import Path
from sys import _current_frames as frames
from types import FrameType
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler

from tests.support.memory import peak_mb

TICK_SECONDS = 0.01
LOOK_SECONDS = 0.1  # a loop that stands still for so long is looked at
STEP_MB = 25
SHOWN = 6  # frames
IDLE = ("concurrent/futures/thread.py", __file__)  # threads that stand here have nothing to do, or are the looker


class Lateness:
    """Writes ``LATENESS_REPORT`` (JSON) now and then, and at the end.

    A callback that runs every 10 ms measures how ``late`` it is. On a busy machine a process waits for its turn, too, so two figures
    more count processor time only: ``computed`` that of the loop's own thread since the callback was due, and ``held`` that of the
    whole process, for a thread may keep the loop from running; no more of it than the callback was late.
    """

    def __init__(self, report: Path) -> None:
        self.report = report
        self.worst = {"computed": 0.0, "held": 0.0, "late": 0.0}
        self.at = ""  # where the loop stood when it was held longest
        self.due = 0.0
        self.cpu = self.own = 0.0
        self.ended = threading.Event()
        self.grew: list[tuple[float, str]] = []  # the memory, and what each thread did when it had grown so far
        self._seen = ""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        lateness = cls(Path(crawler.settings["LATENESS_REPORT"]))
        crawler.signals.connect(lateness.opened, signals.engine_started)
        crawler.signals.connect(lateness.closed, signals.engine_stopped)
        return lateness

    def opened(self) -> None:
        self.began = time.monotonic()
        self._expect()
        threading.Thread(target=self._look, daemon=True).start()

    def closed(self) -> None:
        self.ended.set()
        self._handle.cancel()
        self._write()

    def _write(self) -> None:
        seconds = time.monotonic() - self.began
        figures: dict[str, Any] = {**self.worst, "at": self.at, "grew": self.grew, "peak_mb": peak_mb(), "seconds": seconds}
        figures["late"] = max(self.worst["late"], time.monotonic() - self.due)  # of a loop that stands still now, too
        written = self.report.with_suffix(".new")
        written.write_text(json.dumps(figures, ensure_ascii=False), encoding="utf-8")
        written.replace(self.report)

    def _expect(self) -> None:
        self.due, self.cpu, self.own = time.monotonic() + TICK_SECONDS, time.process_time(), time.thread_time()
        self._handle = asyncio.get_running_loop().call_later(TICK_SECONDS, self._tick)

    def _tick(self) -> None:
        late = time.monotonic() - self.due
        held = min(late, time.process_time() - self.cpu)
        self.worst["late"] = max(self.worst["late"], late)
        self.worst["computed"] = max(self.worst["computed"], min(late, time.thread_time() - self.own))
        if held > self.worst["held"]:
            self.worst["held"], self.at = held, self._seen
        self._seen = ""
        self._expect()

    def _look(self) -> None:
        """From a thread of its own: what runs while the loop is late."""
        for look in count(1):
            if self.ended.wait(LOOK_SECONDS / 4):
                return
            if look % 40 == 1:  # each second: a crawl that is killed leaves a report as well
                self._write()
            if (peak := peak_mb()) > (self.grew[-1][0] if self.grew else 0) + STEP_MB:
                self.grew.append((peak, all_threads()))
            if time.monotonic() - self.due > LOOK_SECONDS and not self._seen:
                self._seen = all_threads()


def all_threads() -> str:
    """What each thread does."""
    return " || ".join(described(frame) for frame in frames().values() if not frame.f_code.co_filename.endswith(IDLE))


def described(frame: FrameType) -> str:
    """What a thread does, and with which URL."""
    stack: list[str] = []
    urls: set[str] = set()
    here: FrameType | None = frame
    while here is not None:
        stack.append(f"{Path(here.f_code.co_filename).name}:{here.f_lineno} {here.f_code.co_name}")
        local = here.f_locals
        for value in list(local.values()):
            with suppress(Exception):  # of an object that its thread is still making
                url = getattr(value, "url", None)
                if isinstance(url, str):
                    urls.add(url[:200])
        if isinstance(local, dict) and here.f_code.co_flags & CO_OPTIMIZED:
            local.clear()  # before Python 3.13 it is a copy that lives as long as the frame, and a thread's first frame has no end
        here = here.f_back
    return " < ".join(stack[:SHOWN]) + " | " + " ".join(sorted(urls))
