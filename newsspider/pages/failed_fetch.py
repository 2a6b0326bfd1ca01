"""Retry policy: the result of a failed fetch, when the page is retried and how long its host is left alone."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from newsspider.core.crawling import outcome
from newsspider.core.crawling.visit import Lease, PageResult
from newsspider.core.model import Reason
from newsspider.crawl.fetch_notes import visit_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.statscollectors import StatsCollector

    from newsspider.core.scheduling.vanished import ConfirmationThreshold
    from newsspider.crawl.host_policy import HostPolicy
    from newsspider.pages.response import Answer
    from newsspider.store.engine.clock import Clock


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
            return self.result(lease, answer.request, Reason.GUARDED, status=answer.status, detail=line)
        settlement = outcome.read(lease, Reason.GUARDED, self.clock.now(), detail=line)
        settlement = replace(settlement, status=answer.status)
        pause = self.host_policy.pause(lease)
        return PageResult(lease, self.host_policy.visited(lease, visit_of(answer.request), settlement, pause=pause))
