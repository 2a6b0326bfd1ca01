"""The states of a source, and which of them one visit shows."""

from __future__ import annotations

import re
from typing import NamedTuple

from newsspider.core.crawling.outcome import reason_and_detail
from newsspider.core.crawling.visit import ListObservation, Settlement
from newsspider.core.model import Described, PageType, Reason

SLOW_SECONDS = 10.0  # from request to last byte
GARBLED = 0.3  # share of the characters of a list's links that are no text
GUARD = "a guard's page says: "  # and what, as the evidence
REDIRECTS = "redirects to "  # and where, as the evidence
REFUSALS = frozenset({401, 402, 403, 405, 406, 412, 418, 429, 444, 451, 456, 460, 493, 499, 567, 999})
GONE = frozenset({300, 301, 302, 303, 307, 308, 404, 410})
TLS = re.compile(
    r"certificate|\bssl\b(?!:\S)|\btls\b|handshake", re.IGNORECASE
)  # aiohttp names `ssl:default` in all errors


class Health(Described):
    """The state of a source: healthy, or what is wrong with it."""

    LIVE = "live", "it is read and brings what is expected"
    SLOW = "slow", f"it answers too late: after {SLOW_SECONDS:.0f} seconds or more, or not in time"
    SILENT = "silent", "it is read well, but brings nothing for longer than it ever did"
    BLOCKED = "blocked", "its host refuses us"
    REDESIGNED = "redesigned", "its pages are read, but the list is not there any more"
    INTERSTITIAL = "interstitial", "a page that asks for a login or checks visitors stands in its place"
    GUARDED = "guarded", "its host sent pages of a guard or of its maintenance within the last day"
    MOVED = "moved", "it is not at its URL any more"
    ROBOTS_CLOSED = "robots_closed", "robots.txt forbids it, or cannot be had"
    NOT_PUBLIC = "not_public", "its host is at an address that is not public, so nothing is requested"
    CERTIFICATE = "certificate", "no secure connection to its host: its certificate or TLS is wrong"
    WRONG_CHARSET = "wrong_charset", "its text is garbled"
    RULE_BROKEN = "rule_broken", "an XPath of its site file matches nothing"
    UNREACHABLE = "unreachable", "its host does not answer, or with an error of its own"
    OFFLINE = "offline", "it answers too late or not at all, and so do most sites: the fault is on our side"
    UNWATCHED = "unwatched", "it has not been asked for days, or never"


# What is wrong with a page that was sent but showed no list.
WITHOUT_LIST = (Health.REDESIGNED, Health.INTERSTITIAL, Health.RULE_BROKEN)
ADVICE = {
    Health.LIVE: "nothing",
    Health.SLOW: "wait a day; then a longer `delay_seconds` in its site file, or DOWNLOAD_TIMEOUT",
    Health.SILENT: "open the list in a browser: if the news goes on elsewhere, name that list in the site file",
    Health.BLOCKED: "ask its webmaster (see CONTACT), raise `delay_seconds`, or disable the site",
    Health.REDESIGNED: "`scrapy sites test SITE`, then mend `regions` in the site file or `scrapy sites relearn SITE`",
    Health.INTERSTITIAL: "open it in a browser; `render = true` in the site file may help, else disable the channel",
    Health.GUARDED: "nothing yet: what it hid is asked again; if it lasts, raise `delay_seconds` in its site file",
    Health.MOVED: "put the new URL into the site file, or remove the channel",
    Health.ROBOTS_CLOSED: "nothing is fetched, rightly: ask its webmaster, or disable the site",
    Health.NOT_PUBLIC: "name the address in ALLOWED_ADDRESSES (or NEWSSPIDER_ALLOWED_ADDRESSES) if it is meant",
    Health.CERTIFICATE: "tell its webmaster; DOWNLOAD_VERIFY_CERTIFICATES = False reads it all the same",
    Health.WRONG_CHARSET: "look at the page in a browser; if it is right there, set DEFAULT_CHARSET or report it",
    Health.RULE_BROKEN: "`scrapy sites test SITE` names the XPath: mend it or take it out of the site file",
    Health.UNREACHABLE: "open it in a browser: wait if it is down for all, else look at network, proxy and DNS",
    Health.OFFLINE: "look at network, proxy and DNS of the machines that crawl: `scrapy doctor`",
    Health.UNWATCHED: "see whether a crawl runs: `scrapy status`",
}


NAMES = {
    Health.LIVE: "正常",
    Health.SLOW: "太慢",
    Health.SILENT: "没有新文章",
    Health.BLOCKED: "拒绝访问",
    Health.REDESIGNED: "改版，找不到列表",
    Health.INTERSTITIAL: "要求登录或验证",
    Health.GUARDED: "遇到拦截或维护",
    Health.MOVED: "地址变了",
    Health.ROBOTS_CLOSED: "robots.txt 不许抓",
    Health.NOT_PUBLIC: "不是公网地址",
    Health.CERTIFICATE: "证书有误",
    Health.WRONG_CHARSET: "乱码",
    Health.RULE_BROKEN: "站点文件的 XPath 失效",
    Health.UNREACHABLE: "连不上",
    Health.OFFLINE: "本机网络不通",
    Health.UNWATCHED: "没有在抓",
}  # as the console and alerts name them; fmt: skip


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
    if observation.garbled >= GARBLED:
        evidence = f"{observation.garbled:.0%} of the characters of its links are no text"
        return VisitHealth(Health.WRONG_CHARSET, evidence)
    if observation.broken:
        return VisitHealth(Health.RULE_BROKEN, f"no XPath of its list selects anything: {observation.broken}")
    if not observation.articles:
        where = "; it leads to pages that may hold its list" if observation.elsewhere else ""
        return VisitHealth(Health.REDESIGNED, f"{observation.links} links, none to an article{where}")
    return VisitHealth(Health.LIVE)
