"""Diagnoses one visit: which state of its source it shows. ``failed_visits.py`` decides how many failed ones in a row
are a problem."""

from __future__ import annotations

import re
from typing import NamedTuple

from newsspider.core.crawling.outcome import reason_and_detail
from newsspider.core.crawling.visit import ListObservation, Settlement
from newsspider.core.model import PageType, Reason
from newsspider.features.health.rules.states import SLOW_SECONDS, Health

GARBLED_SHARE = 0.3  # share of the characters of a list's links that are no text
GUARD = "a guard's page says: "  # and what, as the evidence
REDIRECTS = "redirects to "  # and where, as the evidence
REFUSALS = frozenset({401, 402, 403, 405, 406, 412, 418, 429, 444, 451, 456, 460, 493, 499, 567, 999})
GONE = frozenset({300, 301, 302, 303, 307, 308, 404, 410})
TLS = re.compile(
    r"certificate|\bssl\b(?!:\S)|\btls\b|handshake", re.IGNORECASE
)  # aiohttp names `ssl:default` in all errors


class VisitHealth(NamedTuple):
    """The state that one visit shows; ``evidence`` is a sentence for people."""

    health: Health
    evidence: str = ""


def visit_health(settlement: Settlement, observation: ListObservation | None = None) -> VisitHealth | None:
    """The state of a source that a settled visit shows; ``None`` if it shows none."""
    (reason, detail), status = reason_and_detail(settlement), settlement.status
    if settlement.reason is Reason.PUT_OFF or reason in _NEUTRAL:
        return None
    if settlement.reason is Reason.RATE_LIMITED and status is None:
        return None  # we put it back ourselves: another host at its address was asked
    if reason in _FAILED:
        return _failure(reason, status, detail)
    if reason is Reason.REDIRECT:
        return VisitHealth(Health.MOVED, REDIRECTS + detail)
    if reason is Reason.NOT_AN_ARTICLE and settlement.kind in (PageType.LOGIN, PageType.ERROR):
        return VisitHealth(Health.INTERSTITIAL, "its articles show a login or an error page")
    if settlement.host_latency is not None and settlement.host_latency >= SLOW_SECONDS:
        return VisitHealth(Health.SLOW, f"answers after {settlement.host_latency:.0f} seconds")
    return _read(observation) if observation is not None else VisitHealth(Health.LIVE)


# Reasons that say nothing about the health of a source.
_NEUTRAL = frozenset({Reason.RELEASED, Reason.INTERNAL, Reason.DROPPED, Reason.TRAP, Reason.MISSED})
_FAILED = frozenset(
    {
        Reason.ROBOTS,
        Reason.NO_ROBOTS,
        Reason.RATE_LIMITED,
        Reason.HTTP_STATUS,
        Reason.TIMEOUT,
        Reason.CONNECTION,
        Reason.DNS,
        Reason.BAD_ANSWER,
        Reason.TRUNCATED,
        Reason.UNREADABLE,
        Reason.ADDRESS,
        Reason.CONTENT_TYPE,
        Reason.TOO_LARGE,
        Reason.WORKER_DEATHS,
        Reason.GUARDED,
    }
)


def _failure(reason: Reason, status: int | None, detail: str) -> VisitHealth:
    if reason in (Reason.ROBOTS, Reason.NO_ROBOTS):
        return VisitHealth(Health.ROBOTS_CLOSED, reason.sentence)
    if reason is Reason.GUARDED:
        return VisitHealth(Health.INTERSTITIAL, GUARD + detail)
    if reason is Reason.ADDRESS:
        return VisitHealth(Health.NOT_PUBLIC, detail or reason.sentence)
    if reason is Reason.TIMEOUT:
        return VisitHealth(Health.SLOW, reason.sentence)
    if status in REFUSALS and reason in (Reason.RATE_LIMITED, Reason.HTTP_STATUS):
        return VisitHealth(Health.BLOCKED, f"HTTP status {status}")
    if reason is Reason.HTTP_STATUS and status in GONE:
        return VisitHealth(Health.MOVED, detail or f"HTTP status {status}")
    if reason in (Reason.CONNECTION, Reason.BAD_ANSWER) and TLS.search(detail):
        return VisitHealth(Health.CERTIFICATE, detail)
    if reason in (Reason.UNREADABLE, Reason.CONTENT_TYPE):
        return VisitHealth(Health.REDESIGNED, detail or reason.sentence)
    return VisitHealth(Health.UNREACHABLE, f"HTTP status {status}" if status else detail or reason.sentence)


def _read(observation: ListObservation) -> VisitHealth:
    """The state that a list page shows."""
    if observation.guard:
        evidence = f"a page with {observation.links} links and no article stands in its place"
        return VisitHealth(Health.INTERSTITIAL, evidence)
    if observation.garbled >= GARBLED_SHARE:
        evidence = f"{observation.garbled:.0%} of the characters of its links are no text"
        return VisitHealth(Health.WRONG_CHARSET, evidence)
    if observation.broken:
        return VisitHealth(Health.RULE_BROKEN, f"no XPath of its list selects anything: {observation.broken}")
    if not observation.articles:
        where = "; it leads to pages that may hold its list" if observation.elsewhere else ""
        return VisitHealth(Health.REDESIGNED, f"{observation.links} links, none to an article{where}")
    return VisitHealth(Health.LIVE)
