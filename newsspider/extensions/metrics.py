"""The Prometheus metrics of a running crawl, each declared once; served with the health of a worker over HTTP, or
written to a file for node_exporter."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from heapq import nlargest
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self
from urllib.parse import quote

from aiohttp import web
from scrapy.exceptions import NotConfigured

from newsspider.core.model import State
from newsspider.crawl.counters import LAG_BOUNDS
from newsspider.crawl.crawl import Crawl
from newsspider.extensions.memory import resident_bytes
from newsspider.extensions.periodic import LoopDelay, Repeated
from newsspider.extensions.progress import QueueCounts
from newsspider.hooks import plugins
from newsspider.sites.atomic_files import write_whole
from newsspider.sites.holidays import Holidays
from newsspider.store.engine.database import reading
from newsspider.store.engine.watched_threads import DEATHS

if TYPE_CHECKING:
    from prometheus_client import Metric as Family
    from scrapy.crawler import Crawler

FILE_SECONDS = 15.0
DIAGNOSE_SECONDS = 600.0  # between two diagnoses of the sources
COUNT_SECONDS = 1.0  # a store that takes longer to count the queue is not waited for: the counts before are served
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

logger = logging.getLogger(__name__)

SLOWEST_HOSTS = 10  # hosts with a value of their own
METRIC_PREFIX = "newsspider_"


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


@dataclass(frozen=True, slots=True)
class Reading:
    """What a crawl shows at one moment."""

    crawl: Crawl
    stats: Mapping[str, Any]
    queue: Mapping[State, int]
    next_due_at: float  # 0: nothing is left
    loop_delay: float
    problems: int
    unhealthy: Mapping[tuple[str, ...], float]  # sites and their diagnoses
    finish_reason: str | None  # of a crawl that has ended

    def group(self, prefix: str) -> dict[str, float]:
        """The stats that begin with these letters, by the rest of their names."""
        return {name.removeprefix(prefix): value for name, value in self.stats.items() if name.startswith(prefix)}


Values = float | Mapping[str, float] | Mapping[tuple[str, ...], float]  # one, or one a label or several


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric without its prefix; a ``label``, or several with commas between, tells its values apart."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    sentence: str
    read: Callable[[Reading], Values]
    label: str = ""


def _stat(name: str) -> Callable[[Reading], Values]:
    return lambda reading: float(reading.stats.get(name, 0))


def _lags(reading: Reading) -> dict[str, float]:
    """Cumulative counts by upper bound."""
    counts = reading.crawl.ending.counters.lag.counts
    bounds = [*map(str, LAG_BOUNDS), "+Inf"]
    return dict(zip(bounds, map(float, accumulate(counts)), strict=True))


def _delays(reading: Reading) -> dict[str, float]:
    longest = nlargest(
        SLOWEST_HOSTS, ((seconds, host) for host, seconds in reading.crawl.ending.counters.failures.delays())
    )
    return {host: seconds for seconds, host in longest}


METRICS = (
    Metric("pages", "counter", "pages requested", lambda r: r.crawl.ending.counters.pages),
    Metric("articles", "counter", "new articles stored", lambda r: r.crawl.ending.counters.articles),
    Metric(
        "judged_articles",
        "counter",
        "articles by the verdict of the topic; `kept` of all is the kept share",
        lambda r: r.group("relevance/"),
        "verdict",
    ),
    Metric(
        "publication_lag_seconds",
        "histogram",
        "from publication to store, of new articles that say the hour",
        _lags,
        "le",
    ),
    Metric(
        "last_article_timestamp_seconds",
        "gauge",
        "when the last new article was stored; 0: none yet",
        lambda r: r.crawl.ending.counters.lag.last_article_at,
    ),
    Metric(
        "outcomes", "counter", "settled leases by the reason of the ledger", lambda r: r.group("outcome/"), "reason"
    ),
    Metric("errors", "counter", "failed visits, those tried again too", lambda r: r.group("errors/"), "reason"),
    Metric(
        "responses",
        "counter",
        "answers by HTTP status",
        lambda r: r.group("downloader/response_status_count/"),
        "status",
    ),
    Metric("internal_errors", "counter", "pages not read because of internal errors", _stat("spider/internal_error")),
    Metric(
        "queue_urls", "gauge", "URLs of the ledger by state", lambda r: {str(s): n for s, n in r.queue.items()}, "state"
    ),
    Metric(
        "next_due_timestamp_seconds",
        "gauge",
        "when this worker may fetch the next page of its crawl; in the past: it is late; 0: nothing is left",
        lambda r: r.next_due_at,
    ),
    Metric("leases_held", "gauge", "pages under way in this worker", lambda r: len(r.crawl.pool.held)),
    Metric("leases_ended", "counter", "leases that expired, their page unsettled", _stat("pool/leases_ended")),
    Metric(
        "host_delay_seconds", "gauge", f"delays of the {SLOWEST_HOSTS} slowest hosts visited lately", _delays, "host"
    ),
    Metric(
        "source_health",
        "gauge",
        "1 for each unhealthy site, by its diagnosis (`scrapy health`), every 10 minutes",
        lambda r: r.unhealthy,
        "site, state",
    ),
    Metric("commits", "counter", "transactions of the store", lambda r: r.crawl.storage.writer.figures.transactions),
    Metric("commit_retries", "counter", "transactions tried again", lambda r: r.crawl.storage.writer.figures.retries),
    Metric("store_jobs", "counter", "jobs done in transactions", lambda r: r.crawl.storage.writer.figures.jobs),
    Metric(
        "store_longest_wait_seconds",
        "gauge",
        "the longest wait of a job for its commit, since the start",
        lambda r: r.crawl.storage.writer.figures.longest_wait_seconds,
    ),
    Metric("loop_delay_seconds", "gauge", "longest block of the event loop since last read", lambda r: r.loop_delay),
    Metric("memory_bytes", "gauge", "memory of the worker", lambda _: resident_bytes()),
    Metric("thread_deaths", "counter", "threads of newsspider that died; the log says why", lambda _: DEATHS.total()),
    Metric("polls", "counter", "lists read", lambda r: r.crawl.ending.counters.lists_read),
    Metric("polls_planned_per_hour", "gauge", "the budget of polls", _stat("lists/requests_per_hour")),
    Metric("heartbeats_failed", "counter", "heartbeats that failed", _stat("frontier/beat_failed")),
    Metric("problems", "gauge", "what `/health` names at this moment; 0: the worker is ready", lambda r: r.problems),
    Metric("start_timestamp_seconds", "gauge", "when the crawl started", lambda r: r.crawl.ending.started_at),
    Metric(
        "finished",
        "gauge",
        "1 with the finish reason, once the crawl has ended; only in a file",
        lambda r: {r.finish_reason: 1.0} if r.finish_reason else {},
        "reason",
    ),
)


def problems_of(crawl: Crawl) -> list[str]:
    """Why a worker is not ready; empty if it is."""
    writer, ending = crawl.storage.writer, crawl.ending
    store = writer.failed or writer.trouble.cause
    return [*([store] if store else []), *([f"the crawl ends: {ending.reason}"] if ending.reason else [])]
