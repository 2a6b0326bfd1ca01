"""Rechecks: when to visit a URL again that led to a redirect, a shared page or an error instead of an article.

A login wall, notice or maintenance page may cover a whole site for an hour, and a list may show an article before its
page exists.
"""

from __future__ import annotations

from newsspider.core.fetching.politeness import back_off
from newsspider.core.model import PageType, Reason

FIRST_SECONDS = 900.0  # doubled with each recheck
MOST_RECHECKS = 8  # of one URL on behalf of all that showed the same: the last 2.6 days after its first visit
MOST_RECHECKS_ALONE = 5  # of a URL that shares its page with none: the last almost eight hours after its first visit
MOST_SAME = 2  # URLs that may show, or lead to, one article; more mean a notice, or session ids
# URLs last visited longer ago are not rechecked when one that showed the same shows something else
REMEMBERED_SECONDS = 7 * 86_400.0

# No response, or none that is a page.
_UNANSWERED = frozenset(
    {
        Reason.HTTP_STATUS,
        Reason.UNREADABLE,
        Reason.DNS,
        Reason.TIMEOUT,
        Reason.CONNECTION,
        Reason.BAD_ANSWER,
        Reason.TRUNCATED,
        Reason.GUARDED,
    }
)
# Gateways send these with status 200 when they are busy; other types that are no page are files.
_DATA_TYPES = frozenset({"application/json", "text/json", "application/problem+json"})
_TEMPORARY_KINDS = frozenset({PageType.ERROR, PageType.LOGIN})


def may_pass(reason: Reason, kind: PageType | None, declared: str = "") -> bool:
    """Whether an article may appear later where the first visit ended for this reason, with this page type if there
    was a page, else with the content type that the header ``declared``.

    >>> may_pass(Reason.HTTP_STATUS, None), may_pass(Reason.NOT_AN_ARTICLE, PageType.ERROR)
    (True, True)
    >>> may_pass(Reason.NOT_AN_ARTICLE, PageType.GALLERY)
    False
    """
    if reason is Reason.CONTENT_TYPE:
        return declared.partition(";")[0].strip().lower() in _DATA_TYPES
    return reason in _UNANSWERED or (reason is Reason.NOT_AN_ARTICLE and kind in _TEMPORARY_KINDS)


def recheck_at(now: float, rechecks: int, most: int = MOST_RECHECKS) -> float | None:
    """When a URL is rechecked the ``rechecks``-th time; ``None``: never.

    >>> recheck_at(0.0, 1), recheck_at(0.0, 3), recheck_at(0.0, 9), recheck_at(0.0, 6, MOST_RECHECKS_ALONE)
    (900.0, 3600.0, None, None)
    """
    return now + back_off(rechecks, FIRST_SECONDS) if rechecks <= most else None
