"""When a feed or a sitemap that is not there is asked again: the longer it is gone, the later, once a day in the
end."""

from __future__ import annotations

from newsspider.core.model import PageType, Reason

KINDS = frozenset({PageType.FEED, PageType.SITEMAP})
PATIENT = 3  # answers in a row that are none; before, it is asked as ever
FIRST_SECONDS = 300.0  # doubled with every answer, so that it is left alone for about as long as it is gone
DAY = 86_400.0
PASSING_STATUS = frozenset({408, 425, 429})


def gone(kind: PageType, reason: Reason, status: int | None, failures: int) -> bool:
    """Whether a page that failed so many times in a row is a feed or sitemap that is not there any more: refused by its
    host, or something else that is neither XML nor a list. A host that is ill says nothing of its feeds.

    >>> gone(PageType.FEED, Reason.HTTP_STATUS, 404, 3), gone(PageType.FEED, Reason.HTTP_STATUS, 503, 30)
    (True, False)
    """
    if kind not in KINDS or failures < PATIENT:
        return False
    if reason is Reason.HTTP_STATUS:
        return status is not None and 400 <= status < 500 and status not in PASSING_STATUS
    return reason is Reason.UNREADABLE


def asked_again(now: float, failures: int) -> float:
    """When it is asked again after so many failures in a row: once a day after about two days.

    >>> asked_again(0.0, 3), asked_again(0.0, 8), asked_again(0.0, 10)
    (1200.0, 38400.0, 86400.0)
    """
    return now + min(DAY, FIRST_SECONDS * 2.0 ** min(max(failures, 1) - 1, 16))
