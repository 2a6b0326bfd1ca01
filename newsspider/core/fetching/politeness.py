"""Politeness: the delay between two requests to a host, Retry-After, exponential backoff (back-off)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

from newsspider.core.model import Described

LONGEST_RETRY_AFTER_SECONDS = 86400.0
RISING_WEIGHT, FALLING_WEIGHT = 0.5, 0.125  # of a new latency: fast to react to trouble, slow to trust a good one

_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]+)?")


class DelayReason(Described):
    """What determines the delay of a host."""

    MINIMUM = "minimum", "`DELAY_MIN_SECONDS`: the host is fast, or not known yet"
    LATENCY = "latency", "`DELAY_FACTOR` times the smoothed time from request to last byte"
    MAXIMUM = "maximum", "`DELAY_MAX_SECONDS`: the host is slow"
    SITE = "site", "the site file"
    CRAWL_DELAY = "crawl_delay", "Crawl-delay in robots.txt"
    RETRY_AFTER = "retry_after", "a Retry-After header"
    BACK_OFF = "back_off", "429 or 503 without a Retry-After header"
    DOWN = "down", "the host did not answer"


@dataclass(frozen=True, slots=True)
class DelayLimits:
    """The adaptive delay: ``factor`` times the latency within bounds; and the longest Crawl-delay to obey.

    In a crawl these are ``DELAY_FACTOR``, ``DELAY_MIN_SECONDS``, ``DELAY_MAX_SECONDS`` and
    ``CRAWL_DELAY_MAX_SECONDS`` of ``settings.py``.
    """

    factor: float
    minimum_seconds: float
    maximum_seconds: float
    crawl_delay_maximum_seconds: float = math.inf


@dataclass(frozen=True, slots=True)
class Delay:
    """Seconds between two requests, and what determines them (a :class:`DelayReason`, or the caller's word)."""

    seconds: float
    reason: str


def polite_delay(
    latency: float | None, site_delay: float | None, crawl_delay: float | None, limits: DelayLimits
) -> Delay:
    """The delay between two requests to a host: the largest of all requested delays, with its reason.

    The adaptive delay is ``limits.factor`` times the smoothed seconds from request to last byte. With the factor 100
    of AltaVista's Scooter, a server spends at most 1 % of its time on the crawler (Mercator, Heydon and Najork 1999,
    uses 10). A site file's delay replaces the adaptive delay if it is below the lower bound; otherwise the larger one
    counts.

    >>> polite_delay(0.05, None, None, DelayLimits(100, 1, 30, 3600))
    Delay(seconds=5.0, reason=<DelayReason.LATENCY: 'latency'>)
    """
    candidates = [
        (crawl_delay and min(crawl_delay, limits.crawl_delay_maximum_seconds), DelayReason.CRAWL_DELAY),
        (site_delay, DelayReason.SITE),
    ]
    if site_delay is None or site_delay >= limits.minimum_seconds:
        candidates.insert(0, _adaptive(latency, limits))
    seconds, reason = max(
        ((seconds_asked, reason) for seconds_asked, reason in candidates if seconds_asked is not None),
        key=lambda pair: pair[0],
    )
    return Delay(seconds, reason)


def asked_next_at(sent_at: float, ended_at: float | None, delay: float) -> float:
    """When a host may be requested again after a request sent at ``sent_at`` and answered by ``ended_at``: ``delay``
    seconds after the answer. So no two requests arrive closer than the delay, however slow the first was on its way.

    >>> asked_next_at(100.0, 100.25, 1.0), asked_next_at(100.0, None, 1.0)
    (101.25, 101.0)
    """
    return (sent_at if ended_at is None else ended_at) + delay


def smoothed_latency(old: float | None, new: float) -> float:
    """The smoothed latency after a new one: it rises fast and falls slowly.

    >>> smoothed_latency(None, 0.2), smoothed_latency(1.0, 2.0), smoothed_latency(2.0, 1.0)
    (0.2, 1.5, 1.875)
    """
    if old is None:
        return new
    return old + (new - old) * (RISING_WEIGHT if new > old else FALLING_WEIGHT)


def retry_after(value: str | None, now: float) -> float | None:
    """The seconds that a Retry-After header asks for (RFC 9110, section 10.2.3: seconds or a date), at most a day.

    A date in the past is 0; an invalid value is ``None``.

    >>> retry_after("120", 0.0), retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 30.0), retry_after("soon", 0.0)
    (120.0, 30.0, None)
    """
    value = (value or "").strip()
    seconds = float(value) if _SECONDS.fullmatch(value) else _seconds_until(value, now)
    return None if seconds is None else min(max(seconds, 0.0), LONGEST_RETRY_AFTER_SECONDS)


def back_off(failures: int, base: float, cap: float = math.inf, jitter: float = 1.0) -> float:
    """The wait after the n-th failure in a row: ``base`` doubled each time up to ``cap``, minus up to half by
    ``jitter``, a random number, so that clients do not return together (Brooker, "Exponential Backoff and Jitter",
    2015). Every retry waits by this rule. ``store/ledger/settlements.py`` counts the failures
    of a host, and sets the count to 0 after any other answer.

    >>> [back_off(failures, 10, 60) for failures in (1, 2, 3, 4, 5000)], back_off(2, 10, jitter=0.0)
    ([10.0, 20.0, 40.0, 60.0, 60.0], 10.0)
    """
    doublings = min(max(failures - 1, 0), 64)
    return min(cap, base * 2.0**doublings) * (0.5 + jitter / 2)


def _adaptive(latency: float | None, limits: DelayLimits) -> tuple[float, DelayReason]:
    seconds = (latency or 0.0) * limits.factor
    if seconds <= limits.minimum_seconds:
        return limits.minimum_seconds, DelayReason.MINIMUM
    if seconds >= limits.maximum_seconds:
        return limits.maximum_seconds, DelayReason.MAXIMUM
    return seconds, DelayReason.LATENCY


def _seconds_until(date: str, now: float) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
