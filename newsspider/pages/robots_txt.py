"""Handles the response for a robots.txt, or the lack of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsspider.core.crawling import outcome
from newsspider.core.crawling.visit import Lease, PageResult
from newsspider.core.extraction.dom.page import UnreadablePageError, parse
from newsspider.core.extraction.guard_page import guard_line
from newsspider.core.fetching.politeness import DelayReason
from newsspider.core.fetching.robots import RobotsText, counts_as, may_be_guard_page
from newsspider.core.links.page_links import page_links
from newsspider.core.model import PageType, Reason, State
from newsspider.crawl.fetch_notes import visit_of

if TYPE_CHECKING:
    from scrapy import Request

    from newsspider.crawl.host_policy import HostPolicy
    from newsspider.pages.failed_fetches import FailedFetches
    from newsspider.pages.router import Answer
    from newsspider.store.engine.clock import Clock


@dataclass(eq=False)
class RobotsReader:
    """Stores the rules of a host, or closes it: :func:`~newsspider.core.fetching.robots.counts_as` says which."""

    failed: FailedFetches
    host_policy: HostPolicy
    clock: Clock

    def read(self, answer: Answer) -> PageResult:
        """A response for robots.txt."""
        lease, host_policy, now = answer.lease, self.host_policy, self.clock.now()
        if answer.response.status == 429 or answer.response.status >= 500:
            return self._refused(answer)
        missed, was_closed = None, False
        if answer.response.status == 200 and (line := _guard_line(answer)) is not None:
            missed = self.missed(lease, answer.request, Reason.GUARDED, detail=line)
            is_last_try = missed.settlement.reason is not Reason.RETRY
            was_closed = is_last_try and lease.guarded and host_policy.is_closed(lease.host)
        status, body = answer.response.status, answer.response.body
        text = counts_as(status, body, now, guarded=missed is not None, was_closed=was_closed)
        if text is None:
            assert missed is not None
            return missed
        host_policy.remember(lease.host, text)  # its Crawl-delay applies from the next page on
        result = answer.settled(host_policy, outcome.read(lease, Reason.ROBOTS_READ, now, kind=PageType.ROBOTS))
        result.add(text)
        return result

    def missed(
        self, lease: Lease, request: Request, reason: Reason, *, status: int | None = None, detail: str = ""
    ) -> PageResult:
        """A robots.txt that could not be fetched: retried a few times, then the host is closed until it responds."""
        result = self.failed.result(lease, request, reason, status=status, detail=detail)
        if result.settlement.state is State.ERROR or lease.fetch_count > 0:
            result.add(RobotsText(status, b"", self.clock.now()))
        return result

    def _refused(self, answer: Answer) -> PageResult:
        lease = answer.lease
        result = self.missed(lease, answer.request, Reason.HTTP_STATUS, status=answer.response.status)
        if (pause := answer.asked_pause(self.clock.now())) is not None:
            result.settlement = self.host_policy.visited(
                lease, visit_of(answer.request), result.settlement, pause=pause, because=DelayReason.RETRY_AFTER
            )
        return result


def _guard_line(answer: Answer) -> str | None:
    """The line by which a response shows that it is a guard's page."""
    if not may_be_guard_page(answer.response.body):
        return None
    try:
        page = parse(answer.response.body, answer.lease.url, answer.declared)
    except UnreadablePageError:
        return None
    return guard_line(page, None, len(page_links(page)))
