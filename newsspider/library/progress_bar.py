"""The progress bar of a long job: a moving bar on a terminal, an occasional line elsewhere."""

from __future__ import annotations

import io
import threading
from typing import Never, TextIO

from tqdm import tqdm

SCREEN_WIDTH = 79
TERMINAL_SECONDS, LINE_SECONDS = 0.2, 10.0  # between two reports
FORMAT = "[{bar}] {n_fmt}/{total_fmt} {percentage:3.0f}% {rate_noinv_fmt}, {remaining} left"


def progress_bar(stream: TextIO, total: int, done: int = 0) -> tqdm[Never]:
    """A bar that starts at ``done`` of ``total``, for a job that is resumed; none if there is nothing to do."""
    moves = stream.isatty()
    tqdm.set_lock(threading.RLock())  # tqdm's default lock starts another process in Python 3.14
    return tqdm(
        initial=done,
        total=total,
        disable=not total,
        file=stream if moves else _Lines(stream),
        mininterval=TERMINAL_SECONDS if moves else LINE_SECONDS,
        miniters=1,  # report by time alone, however uneven the job is
        ncols=SCREEN_WIDTH,
        ascii=".#",
        unit="",
        bar_format=FORMAT,
    )


class _Lines(io.TextIOBase):
    """Ends each report with a line feed, for logs: tqdm ends it with a carriage return."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, report: str) -> int:
        if line := report.strip():
            self.stream.write(f"{line}\n")
            self.stream.flush()
        return len(report)
