"""Exponential backoff from a feed or sitemap that is gone: each retry comes later, at last one a day."""

from __future__ import annotations

from newsspider.core.model import PageType, Reason

FEED_KINDS = frozenset({PageType.FEED, PageType.SITEMAP})
MIN_FAILURES = 3  # failures in a row before the first longer wait
FIRST_SECONDS = 300.0  # doubled with every failure, so that the wait is about the time that it is gone
DAY = 86_400.0
TEMPORARY_STATUS = frozenset({408, 425, 429})


def gone(kind: PageType, reason: Reason, status: int | None, failures: int) -> bool:
    """Whether a URL with this many failures in a row is a feed or sitemap that no longer exists: refused by the
    host, or neither XML nor a list. Server errors prove nothing.

    >>> gone(PageType.FEED, Reason.HTTP_STATUS, 404, 3), gone(PageType.FEED, Reason.HTTP_STATUS, 503, 30)
    (True, False)
    """
    if kind not in FEED_KINDS or failures < MIN_FAILURES:
        return False
    if reason is Reason.HTTP_STATUS:
        return status is not None and 400 <= status < 500 and status not in TEMPORARY_STATUS
    return reason is Reason.UNREADABLE


def next_try_at(now: float, failures: int) -> float:
    """The next try after this many failures in a row: once a day after about two days.

    >>> next_try_at(0.0, 3), next_try_at(0.0, 8), next_try_at(0.0, 10)
    (1200.0, 38400.0, 86400.0)
    """
    return now + min(DAY, FIRST_SECONDS * 2.0 ** min(max(failures, 1) - 1, 16))
