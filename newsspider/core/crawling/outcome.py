"""What becomes of a leased URL, whatever happened to its fetch: every way it can end is one function here.

A URL that was fetched well before stays ``done`` whatever happens later; one that never was is ``waiting`` while there
is hope and ``error`` after. A list page is never given up: it is asked again in its next round; a feed or sitemap that
is gone for days, once a day.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from newsspider.core.crawling.visit import Lease, Settlement
from newsspider.core.fetching.missing_feeds import KINDS, asked_again, gone
from newsspider.core.fetching.politeness import back_off
from newsspider.core.model import PageType, Reason, State
from newsspider.core.scheduling.poll_schedule import next_try
from newsspider.core.strategies.polling import next_poll

# Failures that another try may mend; every other one is final for a page that is visited once.
TRANSIENT = frozenset(
    {
        Reason.DNS,
        Reason.TIMEOUT,
        Reason.CONNECTION,
        Reason.BAD_ANSWER,
        Reason.TRUNCATED,
        Reason.UNREADABLE,
        Reason.HTTP_STATUS,
    }
)
TRANSIENT_STATUS = frozenset({304, 408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524})
MOST_DOUBLINGS = 6
REVISIT_TRIES = 8  # in a row, for a stored article that was read before
INTERNAL_PROCESSES = 5  # so many fail over a page before it is given up as one that our code cannot read
# until the third try, doubled with each further one: the last is 15 hours after the first at the earliest
INTERNAL_SECONDS = 3600.0
INTERNAL_LONGEST_SECONDS = 86_400.0
# Failures that say something about the host, not about the page.
HOST_DOWN = frozenset({Reason.DNS, Reason.TIMEOUT, Reason.CONNECTION})
# A host answered, and there is no page to read; that it was a redirect says so only if it led to nothing new.
NO_PAGE = frozenset({Reason.REDIRECT, Reason.CONTENT_TYPE, Reason.TOO_LARGE, Reason.UNREADABLE})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how soon a failed page is asked again: ``base_seconds`` doubled at each failure, up to
    ``cap_seconds``."""

    times: int
    base_seconds: float
    cap_seconds: float


def read(lease: Lease, reason: Reason, now: float, *, kind: PageType | None = None, detail: str = "") -> Settlement:
    """The page was fetched well, or set aside for good: ``done``, and due again if it is polled.

    The URL of a stored article keeps its kind when something else stands there: it is no list to poll, and no page that
    a round waits for.
    """
    if lease.had_article and reason is Reason.NOT_AN_ARTICLE:
        kind = None
    return Settlement(
        State.DONE, reason, due_at=_next_visit(lease, now), kind=kind, detail=detail, etag=lease.etag,
        last_modified=lease.last_modified, body_hash=lease.body_hash,
    )  # fmt: skip


def failed(
    lease: Lease, reason: Reason, now: float, policy: RetryPolicy, *,
    status: int | None = None, detail: str = "", jitter: float = 0.5,
) -> Settlement:  # fmt: skip
    """The fetch failed: asked again while another try may mend it, else ``error`` (``done`` if it was read before).
    What showed no article before is asked again later anyway."""
    failures = lease.failures + 1
    known = lease.fetch_count > 0
    if _another_try(lease, reason, status) and failures <= policy.times and not lease.looked_at:
        due = now + back_off(failures, policy.base_seconds, policy.cap_seconds, jitter)
        state = State.DONE if known else State.WAITING
        return Settlement(
            state, Reason.RETRY, due, failures, status, detail=f"{reason}: {detail}" if detail else reason
        )
    state = State.DONE if known else State.ERROR
    due_at = _next_visit(lease, now)
    if due_at is not None and gone(lease.kind, reason, status, failures):
        due_at = max(due_at, asked_again(now, failures))
    return Settlement(state, reason, due_at, failures, status, detail=detail)


def no_page(settlement: Settlement) -> bool:
    """Whether a host said for good that there is no page to read at a URL; trouble of its own says nothing of the
    URL."""
    if settlement.reason is Reason.HTTP_STATUS:
        return settlement.status not in TRANSIENT_STATUS
    return settlement.reason in NO_PAGE


def internal(lease: Lease, now: float, base_seconds: float, tries: int, detail: str) -> Settlement:
    """An error of ours kept the page from being read, for the ``tries``-th time in this process: asked again soon, then
    hours later.

    Only a page over which :data:`INTERNAL_PROCESSES` processes failed, hours apart, is given up; a list or robots.txt
    never is. No round waits for another look at what was read before, or at a page that showed no article.
    """
    faults = lease.faults + (tries == 1)
    hours = min(INTERNAL_LONGEST_SECONDS, INTERNAL_SECONDS * 2.0 ** min(max(faults, tries - 1) - 1, MOST_DOUBLINGS))
    due = now + (base_seconds if lease.faults == 0 and tries == 1 else hours)
    known = lease.fetch_count > 0
    if lease.kind is PageType.ROBOTS or lease.update_cycle is not None:
        due = min(due, now + INTERNAL_SECONDS)
    elif faults >= INTERNAL_PROCESSES:
        return Settlement(
            State.DONE if known else State.ERROR, Reason.INTERNAL, None, lease.failures, detail=detail, faults=faults
        )
    if lease.revisit or lease.looked_at:
        return Settlement(
            State.DONE if known else State.ERROR, Reason.INTERNAL, due, lease.failures, detail=detail, faults=faults
        )
    failures = lease.failures + (lease.update_cycle is not None)
    state = State.DONE if known else State.WAITING
    return Settlement(state, Reason.RETRY, due, failures, detail=f"{Reason.INTERNAL}: {detail}", faults=faults)


def after(settlement: Settlement, visit: Settlement) -> Settlement:
    """A settlement with what another one of the same visit says of the host: that it was asked, and when it may be
    asked again."""
    return replace(
        settlement, fetched_at=visit.fetched_at, host_next_at=visit.host_next_at, host_delay=visit.host_delay,
        host_delay_reason=visit.host_delay_reason, host_latency=visit.host_latency, host_pause=visit.host_pause,
        address=visit.address, address_next_at=visit.address_next_at,
    )  # fmt: skip


def missed(lease: Lease, detail: str) -> Settlement:
    """The article of the page is not there; when it is looked for again is the store's to say."""
    return Settlement(State.DONE, Reason.MISSED, None, 0, detail=detail)


def revisit_failed(
    lease: Lease, reason: Reason, now: float, again_seconds: float, *, status: int | None = None, detail: str = ""
) -> Settlement:
    """A visit to a stored article brought nothing: no round waits for another one, which comes later with each
    failure, and at last not at all."""
    failures = lease.failures + 1
    due = now + again_seconds * 2 ** (failures - 1) if failures <= REVISIT_TRIES else None
    return Settlement(State.DONE, reason, due, failures, status, detail=detail)


def put_back(lease: Lease, reason: Reason, due_at: float, *, status: int | None = None, detail: str = "") -> Settlement:
    """The page was not to blame (429, 503, a stop): it waits until ``due_at``, its failures as they were. A visit to
    a stored article stays one, and so does one to a page that showed none."""
    unread = State.ERROR if lease.looked_at else State.WAITING
    state = State.DONE if lease.fetch_count > 0 else unread
    if (lease.revisit or lease.looked_at) and reason is not Reason.RELEASED:
        reason, detail = Reason.PUT_OFF, f"{reason}: {detail}" if detail else reason
    return Settlement(state, reason, due_at, lease.failures, status, detail=detail, faults=lease.faults)


def rate_limited(lease: Lease, now: float, pause: float, status: int, longest: float) -> Settlement:
    """The host asks to be left alone for ``pause`` seconds: put back until then, and further behind with each time,
    so that one such page does not hold up the others: at first by as long again, at most 5 minutes, at last by an
    hour. A list waits for no more than ``longest`` seconds, unless its host asks for it."""
    tries = lease.failures + 1
    behind = min(pause * (2 ** min(tries, MOST_DOUBLINGS) - 1), next_try(0.0, tries))
    later = max(pause, min(pause + behind, longest)) if lease.kind.polled else pause + behind
    return replace(put_back(lease, Reason.RATE_LIMITED, now + later, status=status), failures=tries)


def _another_try(lease: Lease, reason: Reason, status: int | None) -> bool:
    if reason is Reason.UNREADABLE and lease.kind in KINDS:
        return False  # most of these are not there any more; they are asked again soon anyway
    return status in TRANSIENT_STATUS if reason is Reason.HTTP_STATUS else reason in TRANSIENT


def _next_visit(lease: Lease, now: float) -> float | None:
    return next_poll(now, lease.update_cycle) if lease.update_cycle else None
