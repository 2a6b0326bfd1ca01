"""A Scrapy extension that writes down what a crawl cost: pages, CPU seconds and wall seconds between start and end."""

from __future__ import annotations

import json
import time
from pathlib import Path

from scrapy import signals


class CpuMeter:
    """Measures the process, all threads, from the opened spider to the closed one; imports are not counted.

    Setting: ``BENCH_REPORT``, the file for the JSON object ``{pages, cpu, wall, stats}``.
    """

    def __init__(self, crawler, path):
        self.stats = crawler.stats
        self.path = Path(path)
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler, crawler.settings["BENCH_REPORT"])

    def opened(self):
        self.cpu, self.wall = time.process_time(), time.perf_counter()

    def closed(self):
        cpu, wall = time.process_time() - self.cpu, time.perf_counter() - self.wall
        pages = self.stats.get_value("response_received_count", 0)
        report = {"pages": pages, "cpu": cpu, "wall": wall, "stats": {k: str(v) for k, v in self.stats.get_stats().items()}}
        self.path.write_text(json.dumps(report), encoding="utf-8")
