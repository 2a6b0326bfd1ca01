"""Decides whether a stored article has vanished (its page was deleted), and since when.

A page that is missing once proves little: servers fail, editors take a page back for an hour, whole sites go down. An
article has vanished when its page was missing repeatedly over hours while the site itself kept responding.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsspider.core.model import Article, PageType
from newsspider.core.text.phrases import any_of
from newsspider.core.url import is_home

if TYPE_CHECKING:
    from newsspider.core.extraction.dom.outline import Outline
    from newsspider.core.extraction.dom.page import Page

ALONE_TIMES = 4  # times the threshold's time after which no other article of the host need have been read
RESPONDED_SECONDS = 600.0  # a page that was read shows for at least this long that its host responds
FLICKERS_COUNTED = 3  # each return doubles the misses needed, at most this many times
LONGEST_TEASER = 600  # characters of a text that a paywall may leave
LONGEST_NOTICE = 40  # characters of a line that may be a paywall notice
ENDING_LINES, LINES_BEHIND = 2, 6  # lines at the end of the text, and after it, that may be one
UNCLEAR_TIMES = 4  # times the threshold's time if the replacement page is unclear
MISSING_PARTS = 4  # the next check is no sooner than after a fourth of the time missing

PAYWALL_WORDS = re.compile(any_of("paywall_notices"), re.IGNORECASE)
_NOT_FREE = re.compile(r"\"isAccessibleForFree\"\s*:\s*\"?false", re.IGNORECASE)
_LOGIN_URL = re.compile(
    r"/(?:login|signin|sign-in|passport|sso|cas|denglu)\b|(?:^|[./])(?:passport|login|sso)\.", re.IGNORECASE
)
_ERROR_URL = re.compile(r"/(?:error|err|404|notfound|not-found|not_found|nopage|deleted)(?:[./_-]|$)", re.IGNORECASE)
# Not container_names.SIDE_NAME: it includes names of paywall boxes, too (login, subscribe).
_CHROME = re.compile(r"(?<![a-z])(?:foot|nav|menu|head|top|copyright)(?:er|bar)?(?![a-z])", re.IGNORECASE)
_CHROME_TAGS = frozenset(("nav", "footer", "header"))


class Absence(StrEnum):
    """What an article's page was replaced by."""

    NOT_FOUND = "not_found"  # 404
    GONE = "gone"  # 410, or 451: taken down by order (RFC 7725)
    SOFT_404 = "soft_404"  # 200, but the page says that nothing is there
    HOME_PAGE = "home_page"  # a redirect to the home page or a channel of the site, or a list page
    LOGIN = "login"
    PAYWALL = "paywall"
    OTHER = "other"  # another page that is no article, or a redirect to one, or to one that many URLs lead to


BY_STATUS = {404: Absence.NOT_FOUND, 410: Absence.GONE, 451: Absence.GONE, 401: Absence.LOGIN, 402: Absence.PAYWALL}


@dataclass(frozen=True, slots=True)
class ConfirmationThreshold:
    """The confirmation threshold: an article has vanished after ``misses`` misses over at least ``seconds``. In a crawl
    these are ``VANISHED_MISSES`` and ``VANISHED_HOURS`` of ``settings.py``."""

    misses: int
    seconds: float

    @property
    def recheck_seconds(self) -> float:
        """The time until a missing page is checked again."""
        return self.seconds / max(1, self.misses - 1)

    def with_what(self, absence: Absence) -> ConfirmationThreshold:
        """The threshold for this replacement: a longer time if it is unclear what the page is."""
        return replace(self, seconds=self.seconds * UNCLEAR_TIMES) if absence is Absence.OTHER else self


@dataclass(frozen=True, slots=True)
class Missing:
    """The state of a missing page: how many ``misses`` count, the first of them at ``since`` (while none counts, the
    first miss), the last miss at ``last_at``; how often the page has ``returned`` before."""

    misses: int = 0
    since: float | None = None
    last_at: float | None = None
    returned: int = 0
    vanished: bool = False


@dataclass(frozen=True, slots=True)
class Signs:
    """When a page of the host, and when an article of it, was last read successfully."""

    page_at: float | None = None
    article_at: float | None = None


def absence_of_page(page: Page, article: Article, kind: PageType, called: str = "") -> Absence | None:
    """What a successfully fetched page shows instead of the article that its list called ``called``; ``None`` if it
    may still be that article.

    A page that no longer reads like an article may only have a new design. If its headline is gone too, something
    else is there.
    """
    from newsspider.core.extraction.dom.outline import outline_of  # the reader, for those that have a page
    from newsspider.core.extraction.title.title import is_named

    if kind is PageType.ERROR:
        return Absence.SOFT_404
    if kind is PageType.LOGIN:
        return Absence.LOGIN
    if kind is PageType.LIST:
        return Absence.HOME_PAGE
    if len(article.text) < LONGEST_TEASER and (
        _NOT_FREE.search(page.text) or any(PAYWALL_WORDS.search(line) for line in _notices(outline_of(page), article))
    ):
        return Absence.PAYWALL
    if kind is PageType.OTHER and not is_named(outline_of(page), called):
        return Absence.OTHER
    return None


def _notices(outline: Outline, article: Article) -> list[str]:
    """The short lines at the end of the text and right after it, without those of navigation and footer."""
    texts = article.text.split("\n")
    last = max((at for at, line in enumerate(outline.lines) if line.text == texts[-1]), default=-1)
    following = [
        line.text for line in outline.lines[last + 1 : last + 1 + LINES_BEHIND] if not _is_chrome(outline, line.node)
    ]
    return [line for line in (*texts[-ENDING_LINES:], *following) if len(line) <= LONGEST_NOTICE]


def _is_chrome(outline: Outline, at: int) -> bool:
    while at > 0:
        node = outline.nodes[at]
        if node.tag in _CHROME_TAGS or _CHROME.search(node.name):
            return True
        at = node.parent
    return False


def absence_of_target(target: str, fronts: Set[str]) -> Absence | None:
    """What a redirect to ``target`` leads to instead of an article; ``fronts`` are the URLs of the site's lists.

    >>> absence_of_target("http://www.a.cn/", frozenset())
    <Absence.HOME_PAGE: 'home_page'>
    """
    parts = urlsplit(target)
    if _LOGIN_URL.search(f"{parts.netloc}{parts.path}"):
        return Absence.LOGIN
    if _ERROR_URL.search(parts.path):
        return Absence.SOFT_404
    if target in fronts or (is_home(target) and not parts.query):
        return Absence.HOME_PAGE
    return None


def after_miss(previous: Missing, signs: Signs, now: float, threshold: ConfirmationThreshold) -> Missing:
    """The state of a page that is missing at ``now``, after its ``previous`` one.

    A miss counts if the host returned a page since the previous one. An article has vanished only if another article
    of the host was read since the first miss, or after :data:`ALONE_TIMES` times the hours.
    """
    responding_since = (
        now - max(threshold.recheck_seconds, RESPONDED_SECONDS) if previous.last_at is None else previous.last_at
    )
    counts = signs.page_at is not None and signs.page_at >= responding_since
    since = previous.since
    if since is None or (counts and not previous.misses):
        since = now
    after = replace(previous, misses=previous.misses + counts, since=since, last_at=now)
    needed = threshold.misses * 2 ** min(previous.returned, FLICKERS_COUNTED)
    if previous.vanished or after.misses < needed or now - since < threshold.seconds:
        return after
    witness = signs.article_at is not None and signs.article_at > since
    return replace(after, vanished=witness or now - since >= ALONE_TIMES * threshold.seconds)


def next_check_at(missing: Missing, now: float, threshold: ConfirmationThreshold) -> float:
    """When to check a missing page again that has not vanished: the longer it is missing, the later."""
    since = now if missing.since is None else missing.since
    late = missing.misses == 0 or now - since > ALONE_TIMES * threshold.seconds
    return now + max(threshold.recheck_seconds, (now - since) / MISSING_PARTS if late else 0.0)


def after_return(missing: Missing) -> Missing:
    """The state of a page that was missing and is back."""
    return Missing(returned=missing.returned + 1)
