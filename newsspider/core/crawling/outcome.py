"""The settlement of a leased URL: one function for each way in which a fetch can end, and when the URL is due then.

A URL that was fetched successfully before stays ``done`` whatever happens later. One that never was is ``waiting``
while another try may succeed, and ``error`` afterwards. A list page is never given up: it is fetched again in its next
round; a feed or sitemap that is gone for days, once a day. Also decides which settlements are failures, and why, and
whether an offer makes a known URL due again. ``store/ledger/due_times.py`` writes when a URL is due. How long waits
grow, and their jitter, is :func:`newsspider.core.fetching.politeness.back_off`.

Stored articles and listed pages without an article have a schedule of their own
(:mod:`newsspider.core.scheduling.article_revisits`), as have missing articles
(:mod:`newsspider.core.scheduling.vanished`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from newsspider.core.crawling.visit import Lease, Offer, Settlement
from newsspider.core.fetching.politeness import back_off
from newsspider.core.model import PageType, Reason, State
from newsspider.core.scheduling import poll_schedule
from newsspider.core.scheduling.poll_schedule import Polling
from newsspider.core.scheduling.publication_rate import Belief

# Failures after which another try may succeed; every other one is final for a page that is visited once.
TRANSIENT = frozenset(
    {
        Reason.DNS,
        Reason.TIMEOUT,
        Reason.CONNECTION,
        Reason.BAD_ANSWER,
        Reason.TRUNCATED,
        Reason.UNREADABLE,
        Reason.HTTP_STATUS,
        Reason.GUARDED,
    }
)
TRANSIENT_STATUS = frozenset({304, 408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524})
INTERNAL_PROCESSES = 5  # this many fail at a page before it is given up as one that our code cannot read
# Failures that say something about the host, not about the page.
HOST_DOWN = frozenset({Reason.DNS, Reason.TIMEOUT, Reason.CONNECTION, Reason.GUARDED})
GUARD_TRIES = 4  # of a page behind a guard, at least; after these it is rechecked for days
# A host answered, and there is no page to read; that it was a redirect says so only if it led to nothing new.
NO_PAGE = frozenset({Reason.REDIRECT, Reason.CONTENT_TYPE, Reason.TOO_LARGE, Reason.UNREADABLE})
SHORTEST_STEP_SECONDS = 1.0  # of the growing wait of a page whose host asks for no pause: a round must end
REVISIT_TRIES = 8  # in a row, for a stored article that was read before
# until the third try, doubled with each further one: the last is 15 hours after the first at the earliest
INTERNAL_SECONDS = 3600.0
INTERNAL_LONGEST_SECONDS = 86_400.0


def read(lease: Lease, reason: Reason, now: float, *, kind: PageType | None = None, detail: str = "") -> Settlement:
    """The page was fetched well, or set aside for good: ``done``, and due again if it is polled. The URL of a stored
    article keeps its kind when something else stands there: it is no list to poll."""
    if lease.had_article and reason is Reason.NOT_AN_ARTICLE:
        kind = None
    return Settlement(
        State.DONE,
        reason,
        due_at=next_round(lease, now),
        kind=kind,
        detail=detail,
        etag=lease.known.etag,
        last_modified=lease.known.last_modified,
        body_hash=lease.known.content,
    )


def failed(
    lease: Lease,
    reason: Reason,
    now: float,
    policy: RetryPolicy,
    *,
    status: int | None = None,
    detail: str = "",
    jitter: float = 0.5,
) -> Settlement:
    """The fetch failed: the page is tried again while that may succeed, else it is ``error`` (``done`` if it was read
    before). A rechecked page gets no extra try, because its rechecks go on anyway
    (``core/scheduling/article_revisits.py``)."""
    failures = lease.failures + 1
    was_fetched = lease.fetch_count > 0
    times = max(policy.times, GUARD_TRIES) if reason is Reason.GUARDED else policy.times
    if _another_try(lease, reason, status) and failures <= times and not lease.rechecked:
        state = State.DONE if was_fetched else State.WAITING
        due_at = retry(failures, now, policy, jitter)
        detail = f"{reason}: {detail}" if detail else reason
        return Settlement(state, Reason.RETRY, due_at, failures, status, detail=detail)
    state = State.DONE if was_fetched else State.ERROR
    return Settlement(state, reason, after_failure(lease, reason, status, now), failures, status, detail=detail)


def no_page(settlement: Settlement) -> bool:
    """Whether a host said for good that a URL has no page; trouble of the host says nothing of the URL."""
    if settlement.reason is Reason.HTTP_STATUS:
        return settlement.status not in TRANSIENT_STATUS
    return settlement.reason in NO_PAGE


def internal(lease: Lease, now: float, base_seconds: float, tries: int, detail: str) -> Settlement:
    """An internal error kept the page from being read, for the ``tries``-th time in this process: it is tried again
    soon, then hours later.

    A page is given up only after :data:`INTERNAL_PROCESSES` processes failed at it, hours apart; a list or robots.txt
    never is. No round waits for a revisit or a recheck.
    """
    faults = lease.faults + (tries == 1)
    was_fetched = lease.fetch_count > 0
    polled = lease.update_cycle is not None
    settled = Settlement(
        State.DONE if was_fetched else State.ERROR, Reason.INTERNAL, None, lease.failures, detail=detail, faults=faults
    )
    if faults >= INTERNAL_PROCESSES and not polled and lease.kind is not PageType.ROBOTS:
        return settled
    due_at = after_internal_error(lease, now, base_seconds, tries)
    if lease.revisit or lease.rechecked:
        return replace(settled, due_at=due_at)
    return replace(
        settled,
        state=State.DONE if was_fetched else State.WAITING,
        reason=Reason.RETRY,
        due_at=due_at,
        failures=lease.failures + polled,
        detail=f"{Reason.INTERNAL}: {detail}",
    )


def after(settlement: Settlement, visit: Settlement) -> Settlement:
    """A settlement with the host's figures of another one of the same visit: when it was asked, its delay and pause."""
    return replace(
        settlement,
        fetched_at=visit.fetched_at,
        host_next_at=visit.host_next_at,
        host_delay=visit.host_delay,
        host_delay_reason=visit.host_delay_reason,
        host_latency=visit.host_latency,
        host_pause=visit.host_pause,
        address=visit.address,
        address_next_at=visit.address_next_at,
    )


def off_topic(read: Settlement, topic: str, body_hash: str, detail: str) -> Settlement:
    """The article of the page was read, and is not about the topic."""
    return replace(read, reason=Reason.OFF_TOPIC, topic=topic, body_hash=body_hash, detail=detail)


def missed(lease: Lease, detail: str) -> Settlement:
    """The article of the page is missing; the store decides when it is looked for again."""
    return Settlement(State.DONE, Reason.MISSED, None, 0, detail=detail)


def revisit_failed(
    lease: Lease, reason: Reason, now: float, again_seconds: float, *, status: int | None = None, detail: str = ""
) -> Settlement:
    """A visit to a stored article failed: the next comes later with each failure, at last never."""
    failures = lease.failures + 1
    due_at = after_failed_revisit(failures, now, again_seconds)
    return Settlement(State.DONE, reason, due_at, failures, status, detail=detail)


def put_back(lease: Lease, reason: Reason, due_at: float, *, status: int | None = None, detail: str = "") -> Settlement:
    """The page was not to blame (429, 503, a stop): it waits until ``due_at``, and its failures are not counted. A
    revisit of an article and a recheck stay such."""
    unread = State.ERROR if lease.rechecked else State.WAITING
    state = State.DONE if lease.fetch_count > 0 else unread
    if (lease.revisit or lease.rechecked) and reason is not Reason.RELEASED:
        reason, detail = Reason.PUT_OFF, f"{reason}: {detail}" if detail else reason
    return Settlement(state, reason, due_at, lease.failures, status, detail=detail, faults=lease.faults)


def rate_limited(lease: Lease, now: float, pause: float, status: int, longest: float) -> Settlement:
    """The host asks for a ``pause`` in seconds: the page is put back until then, and each time for longer, so that one
    page does not hold up the others. The extra wait begins with the length of the pause (1 second to 5 minutes) and
    grows to an hour. A list waits at most ``longest`` seconds, unless its host asks for more."""
    due_at = after_rate_limit(lease, now, pause, longest)
    return replace(put_back(lease, Reason.RATE_LIMITED, due_at, status=status), failures=lease.failures + 1)


def _another_try(lease: Lease, reason: Reason, status: int | None) -> bool:
    if reason is Reason.UNREADABLE and lease.kind in FEED_KINDS:
        return False  # most of these are not there any more; they are asked again soon anyway
    return status in TRANSIENT_STATUS if reason is Reason.HTTP_STATUS else reason in TRANSIENT


FAILURES = frozenset(
    {
        Reason.DNS,
        Reason.TIMEOUT,
        Reason.CONNECTION,
        Reason.BAD_ANSWER,
        Reason.TRUNCATED,
        Reason.TOO_LARGE,
        Reason.UNREADABLE,
        Reason.HTTP_STATUS,
        Reason.RATE_LIMITED,
        Reason.GUARDED,
    }
)


class Failure(NamedTuple):
    """A failed visit."""

    reason: Reason
    kind: str  # the reason, with the HTTP status if there is one
    cause: str


def failure_of(settlement: Settlement) -> Failure | None:
    """The failure that a settlement records, also if the page is tried again; ``None`` if the visit went well.

    >>> from newsspider.core.model import State
    >>> failure_of(Settlement(State.WAITING, Reason.RETRY, detail="timeout: no byte within 5 s"))
    Failure(reason=<Reason.TIMEOUT: 'timeout'>, kind='timeout', cause='no byte within 5 s')
    >>> failure_of(Settlement(State.ERROR, Reason.HTTP_STATUS, status=404))
    Failure(reason=<Reason.HTTP_STATUS: 'http_status'>, kind='http_status 404', cause='HTTP status 404')
    >>> failure_of(Settlement(State.DONE, Reason.STORED)) is None
    True

    Without a status, ``rate_limited`` is a page that we put back because another host at its address had its turn.

    >>> failure_of(Settlement(State.WAITING, Reason.RATE_LIMITED, detail="the address is shared")) is None
    True
    """
    reason, cause = reason_and_detail(settlement)
    if reason not in FAILURES or (reason is Reason.RATE_LIMITED and settlement.status is None):
        return None
    if settlement.status is None:
        return Failure(reason, str(reason), cause or reason.sentence)
    return Failure(reason, f"{reason} {settlement.status}", cause or f"HTTP status {settlement.status}")


def reason_and_detail(settlement: Settlement) -> tuple[Reason, str]:
    """The reason and the detail of a settlement; of one that is tried again or put off, those that its detail names.

    >>> from newsspider.core.model import State
    >>> reason_and_detail(Settlement(State.WAITING, Reason.RETRY, detail="dns: no such host"))
    (<Reason.DNS: 'dns'>, 'no such host')
    """
    if settlement.reason not in (Reason.RETRY, Reason.PUT_OFF):
        return settlement.reason, settlement.detail
    word, _, detail = settlement.detail.partition(": ")
    return next((reason for reason in Reason if reason == word), settlement.reason), detail


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
