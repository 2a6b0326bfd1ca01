"""Politeness: the delay between two requests to a host, Retry-After, exponential backoff (back-off), and conditional
GET requests (ETag, If-Modified-Since; RFC 9110, section 13), which fetch a page only if it changed.

Some hosts answer 304 although the page has changed. So now and then a list is requested without conditions. If it has
changed, the next request sends the old validators once more: a host that answers 304 to these is asked without
conditions for a month.
"""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime, parsedate_tz
from enum import StrEnum
from typing import NamedTuple

from newsspider.core.model import Described

LONGEST_RETRY_AFTER_SECONDS = 86400.0
RISING_WEIGHT, FALLING_WEIGHT = 0.5, 0.125  # of a new latency: fast to react to trouble, slow to trust a good one

_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]+)?")
LONGEST_VALIDATOR = 500  # characters of an acceptable validator
# A list is requested without conditions at its third visit, to find a wrong host early, and then at every 59th.
FIRST_CHECK, CHECKED_EVERY = 3, 59
DISTRUST_SECONDS = 30 * 86_400  # for which a host gets no conditional requests after a wrong 304

_PRINTABLE = re.compile(r"[\x21\x23-\x7e\x80-\xff \"]+")


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
    2015). Every retry waits by this rule. A host rests by it from ``RETRY_BASE_SECONDS`` to ``RETRY_CAP_SECONDS``
    (``crawl/host_policy.py``); ``store/ledger/settlements.py`` counts its failures, and sets the count to 0 after any
    other answer.

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


class WrongNotModified(NamedTuple):
    """The host of a page answered 304, or would have, although the page has changed."""


class Ask(StrEnum):
    """How a page is requested."""

    PLAINLY = "plainly"
    IF_CHANGED = "if_changed"
    TO_CHECK = "to_check"  # unconditionally, although there are validators


class KnownResponse(NamedTuple):
    """The last full response for a page: its validators, a hash of the content that was read and of the raw body
    (``came``). ``proving``: the validators are older than the content; will the host answer 304 to them?"""

    etag: str | None = None
    last_modified: str | None = None
    content: str | None = None
    proving: bool = False
    came: str | None = None


def etag_of(value: str | None) -> str | None:
    """An ETag as received, if it can be sent back."""
    bare = (value or "").strip()
    return bare if bare and len(bare) <= LONGEST_VALIDATOR and _PRINTABLE.fullmatch(bare) else None


def last_modified_of(value: str | None) -> str | None:
    """A Last-Modified as received, if it is a date."""
    bare = (value or "").strip()
    return bare if bare and len(bare) <= LONGEST_VALIDATOR and bare.isascii() and parsedate_tz(bare) else None


def content_hash(body: bytes) -> str:
    """A hash of a response body as received."""
    return hashlib.sha256(body).hexdigest()[:24]


def how_to_ask(remembered: KnownResponse, visits: int, *, is_list: bool, distrusted: bool = False) -> Ask:
    """How to request a page that was visited ``visits`` times before.

    >>> [str(how_to_ask(KnownResponse('"a"'), visits, is_list=True)) for visits in (1, 3, 4, 59)]
    ['if_changed', 'to_check', 'if_changed', 'to_check']
    """
    if distrusted or not (remembered.etag or remembered.last_modified):
        return Ask.PLAINLY
    is_checked = is_list and (visits == FIRST_CHECK or (visits > 0 and visits % CHECKED_EVERY == 0))
    return Ask.TO_CHECK if is_checked and not remembered.proving else Ask.IF_CHANGED


def is_distrusted(wrong_at: float | None, now: float) -> bool:
    """Whether a host that sent a wrong 304 at this moment gets no conditional requests."""
    return wrong_at is not None and now < wrong_at + DISTRUST_SECONDS


def condition_headers(remembered: KnownResponse) -> dict[str, str]:
    """The headers of a conditional request."""
    headers = {"If-None-Match": remembered.etag, "If-Modified-Since": remembered.last_modified}
    return {name: value for name, value in headers.items() if value}


def learned_validators(
    remembered: KnownResponse, received: KnownResponse, mode: Ask, status: int
) -> tuple[KnownResponse, bool]:
    """What to remember of a page after a response, and whether it proves that a 304 of the host is wrong; for a 304,
    ``received`` has only validators, if any."""
    if status == 304:
        etag, last_modified = received.etag or remembered.etag, received.last_modified or remembered.last_modified
        return KnownResponse(etag, last_modified, remembered.content, came=remembered.came), remembered.proving
    if mode is not Ask.TO_CHECK or remembered.content is None or received.content is None:
        return received, False
    # the raw body may be equal although it was read differently
    if remembered.content == received.content or (remembered.came is not None and remembered.came == received.came):
        return received, False
    if (remembered.etag, remembered.last_modified) == (received.etag, received.last_modified):
        return received, True
    return received._replace(etag=remembered.etag, last_modified=remembered.last_modified, proving=True), False
