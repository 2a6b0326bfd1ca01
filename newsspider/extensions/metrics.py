"""Serves the metrics for Prometheus and the health of a worker over HTTP, or writes the metrics to a file for
node_exporter."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

from aiohttp import web
from scrapy.exceptions import NotConfigured

from newsspider.crawl.crawl import Crawl
from newsspider.extensions.metric_table import METRIC_PREFIX, METRICS, Metric, Reading, problems_of
from newsspider.extensions.periodic import LoopDelay, Repeated
from newsspider.extensions.progress import QueueCounts
from newsspider.hooks import plugins
from newsspider.sites.atomic_files import write_whole
from newsspider.sites.holidays import Holidays
from newsspider.store.engine.database import reading

if TYPE_CHECKING:
    from prometheus_client import Metric as Family
    from scrapy.crawler import Crawler

FILE_SECONDS = 15.0
DIAGNOSE_SECONDS = 600.0  # between two diagnoses of the sources
COUNT_SECONDS = 1.0  # a store that takes longer to count the queue is not waited for: the counts before are served
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

logger = logging.getLogger(__name__)


class Metrics(Repeated):
    """Settings: ``METRICS_ADDRESS``, ``METRICS_FOLDER``. Needs the extra ``metrics`` (prometheus-client).

    ``/metrics`` has the metrics, ``/health`` whether the worker is ready, as JSON, with status 503 and the causes if it
    is not; ``/health/live`` answers 503 only if the worker cannot recover by itself.
    """

    work = "write the metrics"
    failure = "metrics/failed"  # stat: failures to write or serve the metrics

    def __init__(self, crawler: Crawler, address: str, folder: str) -> None:
        super().__init__(FILE_SECONDS, crawler.stats)
        self.crawl, self.crawler = Crawl.of(crawler), crawler
        self.address, self.folder = address, folder
        self.queue = QueueCounts(self.crawl.storage.frontier)
        self.next_due_at = 0.0
        self.counting: asyncio.Future[None] | None = None
        self.runner: web.AppRunner | None = None
        self.unhealthy: dict[tuple[str, ...], float] = {}
        self.diagnose_at = 0.0  # of the monotonic clock
        self.finish_reason: str | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        address, folder = crawler.settings["METRICS_ADDRESS"], crawler.settings["METRICS_FOLDER"]
        if not address and not folder:
            raise NotConfigured
        try:
            import prometheus_client  # noqa: F401
        except ImportError:
            raise NotConfigured("METRICS_ADDRESS and METRICS_FOLDER need `pip install 'newsspider[metrics]'`") from None
        return cls(crawler, address, folder).connect(crawler)

    def engine_started(self) -> None:
        super().engine_started()
        if self.address:
            self.serving = asyncio.ensure_future(self._serve())

    async def spider_closed(self, reason: str = "") -> None:  # type: ignore[override]  # the signal waits for it
        super().spider_closed()
        if self.counting is not None:
            self.counting.cancel()
        self.finish_reason = reason
        if self.runner is not None:
            await self.runner.cleanup()
        self._write()

    async def step(self) -> None:
        await self._count()
        if time.monotonic() >= self.diagnose_at:
            self.diagnose_at = time.monotonic() + DIAGNOSE_SECONDS
            self.unhealthy = await asyncio.to_thread(self._diagnosed)
        self._write()

    def _diagnosed(self) -> dict[tuple[str, ...], float]:
        with reading(self.crawl.storage.engine) as conn:
            holidays, now = Holidays.of(self.crawler.settings), self.crawl.clock.now()
            health = plugins().hook.list_health(conn=conn, holidays=holidays, now=now)
        return dict.fromkeys(health.alarms, 1.0) if health else {}

    def text(self) -> bytes:
        """All metrics in Prometheus's text format."""
        from prometheus_client import CollectorRegistry, generate_latest

        registry = CollectorRegistry(auto_describe=False)
        registry.register(self)
        text: bytes = generate_latest(registry)
        return text

    def collect(self) -> Iterator[Family]:
        """The metrics, as prometheus-client asks for them."""
        delay = self.crawler.get_extension(LoopDelay)
        reading = Reading(
            self.crawl,
            dict(self.stats.get_stats()),
            self.queue.counts,
            self.next_due_at,
            delay.take() if delay else 0.0,
            len(problems_of(self.crawl)),
            self.unhealthy,
            self.finish_reason,
        )
        return (_family(metric, reading, self._labels()) for metric in METRICS)

    def _labels(self) -> dict[str, str]:
        """Those of every value: the spider, and the name of the job if it has one."""
        spider: Any = self.crawler.spider
        job = spider.arguments.given.get("job")
        return {"spider": spider.name} | ({"job_name": job} if job else {})

    def _write(self) -> None:
        if self.folder:
            folder = Path(self.folder)
            folder.mkdir(parents=True, exist_ok=True)
            name = "_".join(quote(value, safe="") for value in self._labels().values())
            write_whole(folder / f"newsspider_{name}.prom", self.text())

    async def _count(self) -> None:
        if self.counting is None or self.counting.done():
            self.counting = asyncio.ensure_future(self._renew())
        try:
            await asyncio.wait_for(asyncio.shield(self.counting), COUNT_SECONDS)
        except Exception as error:  # the other metrics are needed most while the store fails
            logger.debug("the queue could not be counted: %r", error)

    async def _renew(self) -> None:
        remaining = await self.crawl.storage.frontier.left(sites=self.crawl.sites.claimable())
        self.next_due_at = remaining.due_at or 0.0
        await self.queue.renew()

    async def _serve(self) -> None:
        app = web.Application()
        app.add_routes(
            [
                web.get("/metrics", self._answer_metrics),
                web.get("/health", self._answer_health),
                web.get("/health/live", self._answer_live),
            ]
        )
        host, _, port = self.address.rpartition(":")
        self.runner = web.AppRunner(app, access_log=None, handle_signals=False)
        try:
            await self.runner.setup()
            await web.TCPSite(self.runner, host.strip("[]"), int(port)).start()
        except OSError as error:
            self.stats.inc_value(self.failure)
            logger.warning("METRICS_ADDRESS=%s: no metrics are served (%s)", self.address, error.strerror or error)
            return
        bound = self.runner.addresses[0]
        logger.info("metrics at http://%s:%d/metrics, health at /health", *bound[:2])

    async def _answer_metrics(self, request: web.Request) -> web.Response:
        await self._count()
        return web.Response(body=self.text(), headers={"Content-Type": CONTENT_TYPE})

    async def _answer_health(self, request: web.Request) -> web.Response:
        problems = problems_of(self.crawl)
        answer = {"live": self.crawl.storage.writer.failed is None, "ready": not problems, "problems": problems}
        return web.json_response(answer, status=503 if problems else 200)

    async def _answer_live(self, request: web.Request) -> web.Response:
        live = self.crawl.storage.writer.failed is None
        return web.json_response({"live": live}, status=200 if live else 503)


def _family(metric: Metric, reading: Reading, common: Mapping[str, str]) -> Family:
    """The values of a metric, in prometheus-client's words."""
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

    name, values = METRIC_PREFIX + metric.name, metric.read(reading)
    if metric.kind == "histogram":
        histogram = HistogramMetricFamily(name, metric.sentence, labels=[*common])
        assert isinstance(values, Mapping)
        histogram.add_metric([*common.values()], [*values.items()], reading.crawl.ending.counters.lag.sum)
        return histogram
    labels = [*common, *filter(None, metric.label.split(", "))]
    kind = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
    family: CounterMetricFamily | GaugeMetricFamily = kind(name, metric.sentence, labels=labels)
    by_label = {"": values} if isinstance(values, int | float) else values
    for label, value in by_label.items():
        family.add_metric([*common.values(), *(label if isinstance(label, tuple) else filter(None, [label]))], value)
    return family
