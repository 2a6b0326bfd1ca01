"""Decides whether the page of a stored article is no longer there, and since when that is believed.

A page that is missing once says little: servers hiccup, editors take a page back for an hour, whole sites are away. It
has vanished when it was missing again and again over hours while the site itself went on answering.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import urlsplit

from newsspider.core.extraction.dom.outline import Outline, outline_of
from newsspider.core.extraction.dom.page import Page
from newsspider.core.extraction.title.agreed_title import is_named
from newsspider.core.model import Article, PageType
from newsspider.core.url import is_home

ALONE = 4  # times the hours after which the site's lists are enough of a sign, and no other article need have been read
HEARD_SECONDS = 600.0  # for so long at least, a page that was read says that its host answers
FLICKERS_COUNTED = 3  # each return doubles the misses that are needed, so many times at most
TEASER = 600  # characters of a text that a paywall may leave
NOTICE = 40  # of a line that may say so
ENDING, BEHIND = 2, 6  # lines of the text at its end, and behind it, that may
UNKNOWN = 4  # times the hours after which an article has vanished where what stands there tells nothing
LATER = 4  # the next look at what is missing is no sooner than after this part of the time that it is missing already

_PAYWALL_PHRASES = (  # they speak of the text: many sites ask to log in for more comments
    r"(?:订阅|付费|购买|开通会员|成为会员|登录|登陆|注册)后?[^，。\n]{0,6}(?:阅读|查看|浏览)(?:全文|剩余|完整|更多内容|本文)",
    "付费(?:阅读|内容|文章)",
    "会员(?:专享|专属)(?:内容|文章)?",
    r"(?:剩余|还有|本文剩余)\s?\d{1,3}\s?%",
    "(?:subscribe|sign in|log in) to (?:continue|read)",
    "subscribers only",
)
PAYWALL_WORDS = re.compile("|".join(_PAYWALL_PHRASES), re.IGNORECASE)
_NOT_FREE = re.compile(r"\"isAccessibleForFree\"\s*:\s*\"?false", re.IGNORECASE)
_LOGIN_URL = re.compile(
    r"/(?:login|signin|sign-in|passport|sso|cas|denglu)\b|(?:^|[./])(?:passport|login|sso)\.", re.IGNORECASE
)
_ERROR_URL = re.compile(r"/(?:error|err|404|notfound|not-found|not_found|nopage|deleted)(?:[./_-]|$)", re.IGNORECASE)
# Not outline.BESIDE: its names are those of the box, too, in which a paywall speaks (login, subscribe).
_CHROME = re.compile(r"(?<![a-z])(?:foot|nav|menu|head|top|copyright)(?:er|bar)?(?![a-z])", re.IGNORECASE)
_CHROME_TAGS = frozenset(("nav", "footer", "header"))


class Absence(StrEnum):
    """What stands where an article stood."""

    NOT_FOUND = "not_found"  # 404
    GONE = "gone"  # 410, or 451: taken down by order (RFC 7725)
    SOFT_404 = "soft_404"  # 200, but its words say that nothing is there
    HOME_PAGE = "home_page"  # it leads to the home page or to a channel of the site, or a list stands there
    LOGIN = "login"
    PAYWALL = "paywall"
    OTHER = "other"  # another page that is no article is there, or it leads to one, or to one to which many lead


BY_STATUS = {404: Absence.NOT_FOUND, 410: Absence.GONE, 451: Absence.GONE, 401: Absence.LOGIN, 402: Absence.PAYWALL}


@dataclass(frozen=True, slots=True)
class Patience:
    """An article has vanished after so many ``misses`` within no less than so many ``seconds``."""

    misses: int
    seconds: float

    @property
    def recheck_seconds(self) -> float:
        """After which a page that is missing is looked at again."""
        return self.seconds / max(1, self.misses - 1)

    def with_what(self, absence: Absence) -> Patience:
        """The patience with what stands there: more where nobody knows what it is."""
        return replace(self, seconds=self.seconds * UNKNOWN) if absence is Absence.OTHER else self


@dataclass(frozen=True, slots=True)
class Missing:
    """How a page is missing: ``misses`` that count, the first at ``since`` (or, while none counts, the first at
    all), the last at ``last_at``; it ``returned`` so many times after that."""

    misses: int = 0
    since: float | None = None
    last_at: float | None = None
    returned: int = 0
    vanished: bool = False


@dataclass(frozen=True, slots=True)
class Signs:
    """When a page of the host, and when an article of it, was last read well."""

    page_at: float | None = None
    article_at: float | None = None


def absence_of_page(page: Page, article: Article, kind: PageType, called: str = "") -> Absence | None:
    """What a page that came well is instead of the article that it was, ``called`` so by its list; ``None`` if it may
    still be that.

    A page that no longer reads like an article may only have a new design; where its headline is gone, too, something
    else is there.
    """
    if kind is PageType.ERROR:
        return Absence.SOFT_404
    if kind is PageType.LOGIN:
        return Absence.LOGIN
    if kind is PageType.LIST:
        return Absence.HOME_PAGE
    if len(article.text) < TEASER and (
        _NOT_FREE.search(page.text) or any(PAYWALL_WORDS.search(line) for line in _notices(page, article))
    ):
        return Absence.PAYWALL
    if kind is PageType.OTHER and not is_named(outline_of(page), called):
        return Absence.OTHER
    return None


def _notices(page: Page, article: Article) -> list[str]:
    """The short lines that end the text or stand right behind it; of navigation and footers none, where every page
    says the same."""
    outline, texts = outline_of(page), article.text.split("\n")
    last = max((at for at, line in enumerate(outline.lines) if line.text == texts[-1]), default=-1)
    behind = [line.text for line in outline.lines[last + 1 : last + 1 + BEHIND] if not _is_chrome(outline, line.node)]
    return [line for line in (*texts[-ENDING:], *behind) if len(line) <= NOTICE]


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


def missed(before: Missing, signs: Signs, now: float, patience: Patience) -> Missing:
    """How a page is missing that was missing at ``now`` again.

    A miss counts if the host gave a page since the one before; and it takes an article of the host that was read since
    the first to believe that the page has vanished, or :data:`ALONE` times the patience.
    """
    heard_since = now - max(patience.recheck_seconds, HEARD_SECONDS) if before.last_at is None else before.last_at
    counts = signs.page_at is not None and signs.page_at >= heard_since
    since = before.since
    if since is None or (counts and not before.misses):
        since = now
    after = replace(before, misses=before.misses + counts, since=since, last_at=now)
    needed = patience.misses * 2 ** min(before.returned, FLICKERS_COUNTED)
    if before.vanished or after.misses < needed or now - since < patience.seconds:
        return after
    witness = signs.article_at is not None and signs.article_at > since
    return replace(after, vanished=witness or now - since >= ALONE * patience.seconds)


def looked_at_again(missing: Missing, now: float, patience: Patience) -> float:
    """When to look again at a page that is missing and has not vanished: the later, the longer it is missing
    already."""
    since = now if missing.since is None else missing.since
    late = missing.misses == 0 or now - since > ALONE * patience.seconds
    return now + max(patience.recheck_seconds, (now - since) / LATER if late else 0.0)


def returned(before: Missing) -> Missing:
    """A page that was missing is there again."""
    return Missing(returned=before.returned + 1)
