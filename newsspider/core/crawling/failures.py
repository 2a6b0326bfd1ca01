"""Decides which visits failed, and why, for the log, the stats and the end of a crawl."""

from __future__ import annotations

from typing import NamedTuple

from newsspider.core.crawling.visit import Settlement
from newsspider.core.model import Reason

FAILURES = frozenset(
    {
        Reason.DNS, Reason.TIMEOUT, Reason.CONNECTION, Reason.BAD_ANSWER, Reason.TRUNCATED, Reason.TOO_LARGE,
        Reason.UNREADABLE, Reason.HTTP_STATUS, Reason.RATE_LIMITED, Reason.GUARDED,
    }
)  # fmt: skip


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
