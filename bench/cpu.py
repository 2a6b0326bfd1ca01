"""A Scrapy extension that writes down what a crawl cost: pages, CPU seconds and wall seconds between start and end."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals

from bench.stages import Stages

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class CpuMeter:
    """Measures the process, all threads, from the opened spider to the stopped engine; imports and set-up are not counted.

    Settings: ``BENCH_REPORT``, the file for the JSON object ``{cpu, wall, stages}``; ``BENCH_STAGES``, whether
    the steps of ours are timed one by one, which costs a little itself.
    """

    def __init__(self, path: str, stages: Stages | None) -> None:
        self.path = Path(path)
        self.stages = stages

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> CpuMeter:
        settings = crawler.settings
        stages = Stages() if settings.getbool("BENCH_STAGES") else None
        if stages:
            stages.install()  # before the pipelines are made, which hold their methods
        meter = cls(settings["BENCH_REPORT"], stages)
        crawler.signals.connect(meter.opened, signals.spider_opened)
        crawler.signals.connect(meter.stopped, signals.engine_stopped)
        return meter

    def opened(self) -> None:
        self.cpu, self.wall = time.process_time(), time.perf_counter()

    def stopped(self) -> None:
        cpu, wall = time.process_time() - self.cpu, time.perf_counter() - self.wall
        report = {"cpu": cpu, "wall": wall, "stages": self.stages.seconds if self.stages else {}}
        self.path.write_text(json.dumps(report), encoding="utf-8")
