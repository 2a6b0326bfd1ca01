"""Retry and backoff: decides when a URL is due, after each outcome of a visit and after an offer.
``store/ledger/due_times.py`` writes it. How long waits grow, and their jitter, is
:func:`newsspider.core.fetching.politeness.back_off`.

Stored articles and listed pages without an article have a schedule of their own
(:mod:`newsspider.core.scheduling.revisit_schedule`), as have missing articles
(:mod:`newsspider.core.scheduling.vanished`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from newsspider.core.crawling.visit import Lease, Offer, Settlement
from newsspider.core.fetching.politeness import back_off
from newsspider.core.model import PageType, Reason, State
from newsspider.core.scheduling import poll_schedule
from newsspider.core.scheduling.poll_schedule import Polling
from newsspider.core.scheduling.publication_rate import Belief

SHORTEST_STEP_SECONDS = 1.0  # of the growing wait of a page whose host asks for no pause: a round must end
REVISIT_TRIES = 8  # in a row, for a stored article that was read before
# until the third try, doubled with each further one: the last is 15 hours after the first at the earliest
INTERNAL_SECONDS = 3600.0
INTERNAL_LONGEST_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how soon a failed page is asked again: from ``base_seconds``, doubled, to ``cap_seconds``.

    In a crawl these are ``RETRY_TIMES``, ``RETRY_BASE_SECONDS`` and ``RETRY_CAP_SECONDS`` of ``settings.py``.
    """

    times: int
    base_seconds: float
    cap_seconds: float


class LedgerEntry(Protocol):
    """The ledger's row of a URL that is offered again."""

    state: str
    reason: str
    due_at: float | None
    last_fetched_at: float | None
    last_status: int | None
    update_cycle: float | None
    failures: int


def next_round(lease: Lease, now: float) -> float | None:
    """The next round of a list; ``None`` for a page that is visited once."""
    return poll_schedule.next_round(now, lease.update_cycle) if lease.update_cycle else None


def planned_poll(lease: Lease, settlement: Settlement, belief: Belief, polling: Polling, now: float) -> float:
    """The next poll of a list as the plan has it: sooner after a failure, later for a feed that is gone."""
    if is_gone(lease.kind, settlement.reason, settlement.status, settlement.failures):
        return poll_schedule.next_try(now, settlement.failures, DAY)
    due = poll_schedule.next_poll(now, polling.weight, belief, lease.site, lease.host, polling.plan, polling.limits)
    return min(due, poll_schedule.next_try(now, settlement.failures)) if settlement.failures else due


def retry(failures: int, now: float, policy: RetryPolicy, jitter: float) -> float:
    """When to try again after this number of temporary ``failures`` in a row."""
    return now + back_off(failures, policy.base_seconds, policy.cap_seconds, jitter)


def after_failure(lease: Lease, reason: Reason, status: int | None, now: float) -> float | None:
    """The next visit after a final failure: a list has its next round, a feed that is gone a later one."""
    due, failures = next_round(lease, now), lease.failures + 1
    if due is not None and is_gone(lease.kind, reason, status, failures):
        return max(due, poll_schedule.next_try(now, failures, DAY))
    return due


def after_internal_error(lease: Lease, now: float, base_seconds: float, tries: int) -> float:
    """The next try after an error of ours, the ``tries``-th in this process: soon after the first one, then hours
    later; a list or robots.txt never waits longer than an hour."""
    errors = max(lease.faults + (tries == 1), tries - 1) - 1
    hours = back_off(errors + 1, INTERNAL_SECONDS, INTERNAL_LONGEST_SECONDS)
    seconds = base_seconds if lease.faults == 0 and tries == 1 else hours
    short = lease.kind is PageType.ROBOTS or lease.update_cycle is not None
    return now + (min(seconds, INTERNAL_SECONDS) if short else seconds)


def after_failed_revisit(failures: int, now: float, again_seconds: float) -> float | None:
    """When to visit a stored article again after ``failures`` in a row, later each time; ``None`` after too many."""
    return now + back_off(failures, again_seconds) if failures <= REVISIT_TRIES else None


def after_rate_limit(lease: Lease, now: float, pause: float, longest: float) -> float:
    """The next try after the host asked for a ``pause``: further behind each time, so that one such page does not
    hold up the others; a list waits at most ``longest`` seconds, unless its host asks for more."""
    tries = lease.failures + 1
    step = max(pause, SHORTEST_STEP_SECONDS)
    behind = min(back_off(tries + 1, step) - step, poll_schedule.next_try(0.0, tries))
    return now + (max(pause, min(pause + behind, longest)) if lease.kind.polled else pause + behind)


def offered_again(offer: Offer, entry: LedgerEntry, now: float) -> bool:
    """Whether a known URL is due at the moment of an offer: if it becomes a channel, or was last fetched before
    ``again_before``. A clock that was set back makes no page fresh."""
    moment = offer.due_at or now
    if entry.state not in (State.DONE, State.ERROR) or (entry.due_at is not None and entry.due_at <= moment):
        return False
    if offer.update_cycle is not None and entry.update_cycle is None:
        return True
    if entry.reason == Reason.TRAP or offer.again_before is None:
        return False  # a trap waits again once pages like it bring something
    failed = entry.due_at is not None and entry.failures
    if failed and is_gone(offer.kind, Reason(entry.reason), entry.last_status, entry.failures):
        return False
    fetched = entry.last_fetched_at
    return fetched is None or fetched < offer.again_before or fetched > now


FEED_KINDS = frozenset({PageType.FEED, PageType.SITEMAP})
MIN_FAILURES = 3  # failures in a row before the first longer wait
DAY = 86_400.0  # the longest wait for a feed that is gone; it is about the time that it is gone
TEMPORARY_STATUS = frozenset({408, 425, 429})


def is_gone(kind: PageType, reason: Reason, status: int | None, failures: int) -> bool:
    """Whether a URL with this many failures in a row is a feed or sitemap that no longer exists: refused by the
    host, or neither XML nor a list. Server errors prove nothing.

    >>> is_gone(PageType.FEED, Reason.HTTP_STATUS, 404, 3), is_gone(PageType.FEED, Reason.HTTP_STATUS, 503, 30)
    (True, False)
    """
    if kind not in FEED_KINDS or failures < MIN_FAILURES:
        return False
    if reason is Reason.HTTP_STATUS:
        return status is not None and 400 <= status < 500 and status not in TEMPORARY_STATUS
    return reason is Reason.UNREADABLE
