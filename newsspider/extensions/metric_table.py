"""The Prometheus metrics of a running crawl, each declared once; the endpoint, the file and the reference follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from heapq import nlargest
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

from newsspider.core.model import State
from newsspider.crawl.counters import LAG_BOUNDS
from newsspider.extensions.memory import resident
from newsspider.store.engine.threads import DEATHS

if TYPE_CHECKING:
    from newsspider.crawl.crawl import Crawl

SLOWEST = 10  # hosts with a value of their own
METRIC_PREFIX = "newsspider_"


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
    longest = nlargest(SLOWEST, ((seconds, host) for host, seconds in reading.crawl.ending.counters.failures.delays()))
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
    Metric("host_delay_seconds", "gauge", f"delays of the {SLOWEST} slowest hosts visited lately", _delays, "host"),
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
    Metric("memory_bytes", "gauge", "memory of the worker", lambda _: resident()),
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
