"""Tells how far a long job is: a bar that moves on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from typing import TextIO

WIDTH = 30  # characters of the bar
TERMINAL_SECONDS, LINE_SECONDS = 0.2, 10.0  # between two reports


class ProgressBar:
    """``done`` of ``total`` may be done already when the job goes on."""

    def __init__(self, stream: TextIO, total: int, done: int = 0) -> None:
        self.stream = stream
        self.total = total
        self.done = self._before = done
        self._moves = stream.isatty()
        self._began = time.monotonic()
        self._told = self._began - TERMINAL_SECONDS

    def add(self, count: int) -> None:
        """So many more are done."""
        self.done += count
        now = time.monotonic()
        if now - self._told >= (TERMINAL_SECONDS if self._moves else LINE_SECONDS):
            self._told = now
            self._tell()

    def close(self) -> None:
        """Tell once more where it ended."""
        self._tell()
        if self._moves:
            self.stream.write("\n")
            self.stream.flush()

    def line(self) -> str:
        """The bar, how many of how many, their number a second and the time that is left."""
        share = self.done / self.total if self.total else 1.0
        seconds = time.monotonic() - self._began
        rate = (self.done - self._before) / seconds if seconds > 0 else 0.0
        left = f", {_clock((self.total - self.done) / rate)} left" if rate and self.done < self.total else ""
        bar = "#" * int(WIDTH * share)
        return f"[{bar:.<{WIDTH}}] {self.done}/{self.total} {share:4.0%} {rate:.0f}/s{left}"

    def _tell(self) -> None:
        self.stream.write(f"\r{self.line():<79}" if self._moves else f"{self.line()}\n")
        self.stream.flush()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
