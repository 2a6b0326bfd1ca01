"""Recrawl scheduling of articles, and rechecks of URLs that showed none: when a page is visited again. What has changed
since is found by ``article_changes.py``.

*Revisits* are made at growing ages, more often on sites that edit much, and then never: news is edited, corrected or
taken down soon after it appears, or never (Fetterly et al., "A Large-Scale Study of the Evolution of Web Pages",
WWW 2003, for the web in general). *Rechecks* follow a redirect, a shared page or an error instead of an article: a
login wall, notice or maintenance page may cover a whole site for an hour, and a list may show an article before its
page exists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from newsspider.core.fetching.politeness import back_off
from newsspider.core.model import PageType, Reason

UNIT_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
USUAL_SHARE = 0.05  # share of revisits that find a change, at which the pace is 1
PRIOR_VISITS = 40  # revisits with the usual share that the prior counts for
LEAST_PACE = 0.25  # no site is revisited more than four times as often

_STEP = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd])")
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


@dataclass(frozen=True, slots=True)
class RevisitSchedule:
    """The ages in seconds since storage at which an article is revisited, ascending. Articles published more than
    ``oldest_seconds`` before they were found are not revisited: that is an archive. In a crawl these are
    ``ARTICLE_REVISITS`` and ``ARTICLE_REVISIT_MAX_AGE_DAYS`` of ``settings.py``."""

    steps: tuple[float, ...]
    oldest_seconds: float = float("inf")

    def next_visit(self, stored_at: float, published_at: float | None, now: float, pace: float = 1.0) -> float | None:
        """The time of the next revisit after ``now``; ``None`` if there is none.

        With a ``pace`` below 1 there are revisits between the steps; the last step remains the end.

        >>> schedule = RevisitSchedule((3600.0, 21600.0))
        >>> schedule.next_visit(0.0, None, 3600.0), schedule.next_visit(0.0, None, 3600.0, 0.5)
        (21600.0, 12600.0)
        """
        if published_at is not None and stored_at - published_at > self.oldest_seconds:
            return None
        below = 0.0
        for step in self.steps:
            if stored_at + step > now:
                return min(stored_at + step, max(now, stored_at) + (step - below) * pace)
            below = step
        return None


def steps_of(texts: Iterable[str]) -> tuple[float, ...]:
    """Parse steps such as ``1h`` or ``3 d`` into seconds, ascending; raises :exc:`ValueError`.

    >>> steps_of(["1d", "90m"])
    (5400.0, 86400.0)
    """
    return tuple(sorted({_seconds(text) for text in texts}))


def _seconds(text: str) -> float:
    match = _STEP.fullmatch(text.strip())
    if match is None or not float(match[1]):
        raise ValueError(f"{text!r} is no time like 30m, 6h or 1d")
    return float(match[1]) * UNIT_SECONDS[match[2]]


def pace_of(visits: int, changes: int) -> float:
    """How much closer together a site's revisits are than the steps: from 1 down to :data:`LEAST_PACE`, by the
    square root of the share of earlier revisits that found a change, which is optimal for freshness at equal cost.

    >>> pace_of(0, 0), pace_of(1000, 10), round(pace_of(1000, 400), 2)
    (1.0, 1.0, 0.36)
    """
    share = (changes + USUAL_SHARE * PRIOR_VISITS) / (visits + PRIOR_VISITS)
    return float(max(LEAST_PACE, min(1.0, (USUAL_SHARE / share) ** 0.5)))


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
