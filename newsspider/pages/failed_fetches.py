"""What a failed fetch becomes: when the page is retried, by the rules of ``core/crawling/outcome.py``, and how long its
host is left alone. In place of an article that cannot be had, ``router.py`` takes the entry of its feed."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    StopDownload,
)

from newsspider.core.crawling import outcome
from newsspider.core.crawling.internal_errors import shortage_of
from newsspider.core.crawling.visit import Lease, PageResult
from newsspider.core.fetching.robots import CLOSED_SECONDS, RobotsText
from newsspider.core.model import PageType, Reason
from newsspider.crawl.fetch_notes import lease_of, visit_of
from newsspider.download.graceful_shutdown import GivenBackError
from newsspider.download.refusals import (
    AddressBusyError,
    AddressForbiddenError,
    BadAnswerError,
    RobotsForbiddenError,
    RobotsUnavailableError,
    UnreadableBodyError,
)

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.statscollectors import StatsCollector
    from twisted.python.failure import Failure

    from newsspider.core.scheduling.vanished import ConfirmationThreshold
    from newsspider.crawl.ending import PageErrors
    from newsspider.crawl.host_policy import HostPolicy
    from newsspider.pages.robots_txt import RobotsReader
    from newsspider.pages.router import Answer
    from newsspider.store.engine.clock import Clock

LONGEST_DETAIL = 200  # characters

# What Scrapy raises, and what we call it. The first that fits counts.
REASON_OF_ERROR: tuple[tuple[type[Exception], Reason], ...] = (
    (AddressForbiddenError, Reason.ADDRESS),
    (AddressBusyError, Reason.RATE_LIMITED),
    (GivenBackError, Reason.RELEASED),
    (RobotsForbiddenError, Reason.ROBOTS),
    (RobotsUnavailableError, Reason.NO_ROBOTS),
    (UnreadableBodyError, Reason.UNREADABLE),
    (StopDownload, Reason.CONTENT_TYPE),
    (CannotResolveHostError, Reason.DNS),
    (DownloadTimeoutError, Reason.TIMEOUT),
    (ResponseDataLossError, Reason.TRUNCATED),
    (DownloadCancelledError, Reason.TOO_LARGE),
    (DownloadConnectionRefusedError, Reason.CONNECTION),
    (BadAnswerError, Reason.BAD_ANSWER),
    (DownloadFailedError, Reason.CONNECTION),
    (IgnoreRequest, Reason.DROPPED),
)
FAILED = tuple(kind for kind, _ in REASON_OF_ERROR)  # what a download raises that brings no answer


def reason_of_error(error: Exception) -> Reason:
    """What an exception of the downloader is called."""
    return next((reason for kind, reason in REASON_OF_ERROR if isinstance(error, kind)), Reason.INTERNAL)


@dataclass(eq=False)
class FailureReader:
    """From an exception of the downloader to the outcome of its lease."""

    robots: RobotsReader
    failed: FailedFetches
    host_policy: HostPolicy
    errors: PageErrors
    clock: Clock

    def read(self, failure: Failure) -> PageResult:
        """The outcome, in every case."""
        request: Request = failure.request  # type: ignore[attr-defined]
        try:
            return self._outcome(failure, request)
        except Exception as error:  # no spider middleware sees exceptions of an errback
            return self.errors.result_of(request, lease_of(request), error)

    def _outcome(self, failure: Failure, request: Request) -> PageResult:
        lease, error = lease_of(request), failure.value
        assert isinstance(error, Exception)
        reason = reason_of_error(error)
        if reason is Reason.INTERNAL or shortage_of(error) is not None:  # the host is not at fault
            return self.errors.result_of(request, lease, error)
        if reason is Reason.ADDRESS:
            return self._at_no_address(lease, str(error))
        if isinstance(error, AddressBusyError):
            return PageResult(lease, outcome.put_back(lease, reason, error.until, detail=str(error)))
        if reason is Reason.RELEASED:
            settlement = outcome.put_back(lease, reason, lease.due_at, detail=str(error))
            return PageResult(lease, self.host_policy.visited(lease, visit_of(request), settlement))
        if reason is Reason.ROBOTS:
            return PageResult(lease, outcome.read(lease, Reason.ROBOTS, self.clock.now()))
        if reason is Reason.DROPPED and lease.kind is not PageType.ROBOTS:
            return PageResult(lease, outcome.read(lease, reason, self.clock.now(), detail=str(error)[:LONGEST_DETAIL]))
        if reason is Reason.NO_ROBOTS:
            due = self.clock.now() + CLOSED_SECONDS
            return PageResult(lease, outcome.put_back(lease, Reason.NO_ROBOTS, due))
        if reason is Reason.CONTENT_TYPE:
            declared = error.response.headers.get("Content-Type", b"").decode("latin-1")  # type: ignore[attr-defined]
            detail = declared[:LONGEST_DETAIL]
            settlement = outcome.read(lease, Reason.CONTENT_TYPE, self.clock.now(), detail=detail)
            return PageResult(lease, self.host_policy.visited(lease, visit_of(request), settlement))
        detail = str(error).removeprefix(f"{request.url}: ")[:LONGEST_DETAIL]
        if lease.kind is PageType.ROBOTS:
            return self.robots.missed(lease, request, reason, detail=detail)
        return self.failed.result(lease, request, reason, detail=detail)

    def _at_no_address(self, lease: Lease, detail: str) -> PageResult:
        """Nothing is requested until the host has another address; a host without a robots.txt stays closed."""
        result = PageResult(lease, outcome.read(lease, Reason.ADDRESS, self.clock.now(), detail=detail))
        if lease.kind is PageType.ROBOTS:
            result.add(RobotsText(None, b"", self.clock.now()))
        return result


@dataclass(eq=False)
class FailedFetches:
    """Turns a failed fetch into its result."""

    host_policy: HostPolicy
    threshold: ConfirmationThreshold
    stats: StatsCollector
    clock: Clock

    def result(
        self, lease: Lease, request: Request, reason: Reason, *, status: int | None = None, detail: str = ""
    ) -> PageResult:
        now, retries = self.clock.now(), self.host_policy.retries
        if reason is Reason.UNREADABLE:
            self.stats.inc_value("pages/unreadable")  # stat: responses that could not be read, on any attempt
        if lease.had_article and lease.revisit:
            again = max(self.threshold.recheck_seconds, retries.base_seconds)
            settlement = outcome.revisit_failed(lease, reason, now, again, status=status, detail=detail)
        else:
            jitter = random.random()
            settlement = outcome.failed(lease, reason, now, retries, status=status, detail=detail, jitter=jitter)
        pause = self.host_policy.pause(lease) if reason in outcome.HOST_DOWN else None
        return PageResult(lease, self.host_policy.visited(lease, visit_of(request), settlement, pause=pause))

    def guarded(self, answer: Answer, line: str) -> PageResult:
        """The result of a guard's page that is not retried in this round: an article led to it, or it is rechecked."""
        lease = answer.lease
        if lease.had_article:
            return self.result(lease, answer.request, Reason.GUARDED, status=answer.response.status, detail=line)
        settlement = outcome.read(lease, Reason.GUARDED, self.clock.now(), detail=line)
        settlement = replace(settlement, status=answer.response.status)
        pause = self.host_policy.pause(lease)
        return PageResult(lease, self.host_policy.visited(lease, visit_of(answer.request), settlement, pause=pause))
