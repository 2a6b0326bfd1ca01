"""An add-on of Scrapy that sets the system clock of its process, in mid-crawl."""

import os
import sys
import time
from collections.abc import Mapping
from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler

VARIABLE = "CLOCK_JUMP"
SETTINGS = ("-s", 'ADDONS={"tests.faults.clocks.ClockJump": 0}')


def environment(seconds: float, after: int) -> Mapping[str, str]:
    """The environment of a process whose clock jumps by so many seconds after so many responses."""
    return {VARIABLE: f"{seconds} {after}"}


class ClockJump:
    """The add-on."""

    def __init__(self, seconds: float, after: int) -> None:
        self.seconds, self.left = seconds, after

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        seconds, after = os.environ[VARIABLE].split()
        addon = cls(float(seconds), int(after))
        crawler.signals.connect(addon.count, signals.response_received)
        return addon

    def update_settings(self, settings: object) -> None:
        """Nothing; Scrapy takes no add-on without it."""

    def count(self) -> None:
        """Let the clock jump at the last of the responses."""
        self.left -= 1
        if self.left == 0:
            set_clock(self.seconds)


def set_clock(seconds: float) -> None:
    """Let every module see another time."""
    real = time.time

    def moved() -> float:
        return real() + seconds

    for module in [loaded for loaded in sys.modules.values() if getattr(loaded, "time", None) is real]:
        module.time = moved  # type: ignore[attr-defined]
