"""Crawler-trap detection: rejects URLs that lead into endless URL spaces, and those whose suffix is no page; keeps the
budget of fetches that the patterns of a site may waste.

A pattern is what a URL has in common with the thousands of others that a site generates. Numbers, ids, session ids and
slugs are folded, a repeated path is written once, and only the names of query parameters count, in any order. In a
pattern, ``{}`` stands for a part that may be irrelevant, such as a session id.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date

from newsspider.core.caching import bounded_cache
from newsspider.core.fetching.politeness import back_off
from newsspider.core.model import PageType, Reason
from newsspider.core.url import host_of, site_domain, suffix_of

LONGEST_URL = 2000  # characters that every browser and server accepts
DEEPEST_PATH = 12  # segments; real news sites use up to 8
MOST_REPEATED = 3  # occurrences of a segment in a path: /news/news/news/ comes from a broken relative link
MOST_PARAMETERS = 12
YEARS_BEHIND, YEARS_AHEAD = 40, 1  # beyond these a calendar shows empty pages with a link to the next month
# The parameters of a calendar; a URL with no others shows a day or month, not an authored page.
_CALENDAR_NAMES = frozenset(
    ["date", "day", "month", "year", "m", "y", "d", "ym", "ymd", "view", "mode", "calendar", "cal"]
)
# In these four digits alone are no year, perhaps the number of an article.
_NUMBER_NAMES = frozenset(["day", "month", "m", "d", "view", "mode"])
_YEAR = re.compile(r"((?:19|2[01])\d\d)(?:$|(?:[-/.]|%2F)(?:0?[1-9]|1[0-2])(?!\d)|(?:0[1-9]|1[0-2])(?:[0-3]\d)?(?!\d))")

SITE = ""  # the pattern of all URLs of a site
LISTS = "lists "  # prefix of the patterns of pages that a list leads to in its place
FETCHED_ONE_IN = 8  # one in this many URLs of a throttled site is fetched, outside of patterns that yield
WIDE_TIMES = 2  # budget of a wider pattern, in budgets of a narrow one
SITE_PAYS = 20  # a good page pays for this fraction of a site's budget
LONGEST_RETRY_SECONDS = 86_400.0
# Responses that were read, with an article and without. Other reasons prove nothing about a site's URLs.
ARTICLE_REASONS = frozenset({Reason.STORED, Reason.OFF_TOPIC, Reason.DUPLICATE, Reason.JOINED})
WASTED = frozenset(
    {Reason.NOT_AN_ARTICLE, Reason.CONTENT_TYPE, Reason.TOO_LARGE, Reason.UNREADABLE, Reason.HTTP_STATUS}
)
OF_LINKS = frozenset({Reason.POLLED, Reason.NOT_AN_ARTICLE})  # pages that may be useful for their links
WORD_LETTERS = 4  # letters of a generic word in the last segment: t, art, show; longer ones belong to the page
LONGEST_FOLDER = 16  # letters of a word in a folder; a longer one is an id or a title
MOST_RUNS = 3  # runs of letters and digits in one word; more make it an id: ab12cd3, 5f3e
LONGEST_NUMBERED = 7  # characters of a folder with digits: 2024, n1, news24; a longer one is an id
LONGEST_SEGMENT = 40  # characters
DEEP_SEGMENTS = 3  # segments of a path for which everything below its first folder is a pattern, too
NAMES_IN_PATTERN = 8  # names in a pattern
PLACE = "{}"  # any value of one part of a URL

_PIECE = re.compile(r"[^-_.~,;=:+!$*@]+|[-_.~,;=:+!$*@]")
_RUN = re.compile(r"\d+|\D+")
_STARS = re.compile(r"\*(?:[-_.~,;=:+!$*@]\*)+")
# folders that are repeated in their order; numbers alone are no such sequence
_REPEATED = re.compile(r"(?:^|(?<=/))((?:#/)*(?!#/)[^/]+/(?:[^/]+/)*?)\1+")
_SUFFIX = re.compile(r"\.[a-z]{1,5}$", re.I)


def trap_of(url: str, today: date) -> str | None:
    """The reason why a canonical URL is a trap; ``None`` if it is not one.

    >>> trap_of("http://example.com/a/b/a/b/a/b/a/b/", date(2024, 5, 17))
    'path repeats "a" 4 times'
    """
    if len(url) > LONGEST_URL:
        return f"URL of {len(url)} characters"
    path, _, query = url.partition("?")
    segments = [segment for segment in path.split("/")[3:] if segment]
    if len(segments) > DEEPEST_PATH:
        return f"path of {len(segments)} segments"
    if len(segments) - len(set(segments)) >= MOST_REPEATED:
        segment, count = Counter(segments).most_common(1)[0]
        if count > MOST_REPEATED:
            return f'path repeats "{segment[:40]}" {count} times'
    parameters = query.split("&") if query else []
    if len(parameters) > MOST_PARAMETERS:
        return f"{len(parameters)} query parameters"
    return _calendar_trap(parameters, today)


def has_suffix(url: str, suffixes: Set[str]) -> bool:
    """Whether a URL's path ends in one of ``suffixes`` (lower case, without dots).

    >>> has_suffix("http://example.com/a/Photo.JPG?w=100", frozenset({"jpg"}))
    True
    """
    return suffix_of(url) in suffixes


def _calendar_trap(parameters: list[str], today: date) -> str | None:
    pairs = [parameter.partition("=")[::2] for parameter in parameters]
    if not pairs or any(name.lower() not in _CALENDAR_NAMES for name, _ in pairs):
        return None
    for name, value in pairs:
        year = _YEAR.match(value)
        if year and year[0] == year[1] and name.lower() in _NUMBER_NAMES:
            continue
        if year and not today.year - YEARS_BEHIND <= int(year[1]) <= today.year + YEARS_AHEAD:
            return f"calendar of the year {year[1]}"
    return None


@dataclass(frozen=True, slots=True)
class Budget:
    """How many fetches of a pattern and of a site may bring nothing, and when a spent pattern is first retried. In a
    crawl these are ``TRAP_FETCHES``, ``TRAP_SITE_FETCHES`` and ``TRAP_RETRY_SECONDS`` of ``settings.py``."""

    fetches: int
    site_fetches: int
    retry_seconds: float
    by_domain: bool = False  # explore crawls: each registered domain has its own accounts

    def owner(self, site: str, url: str) -> str:
        """The owner of the accounts of a URL: its site, or its registered domain.

        >>> Budget(20, 200, 900.0, by_domain=True).owner("explore:x", "http://www.a.cn/1")
        'explore:x a.cn'
        """
        return f"{site} {site_domain(host_of(url))}" if self.by_domain else site

    def site_of(self, owner: str) -> str:
        """The site of the URLs in an owner's accounts."""
        return owner.rpartition(" ")[0] if self.by_domain else owner

    def accounts_of(self, url: str, kind: PageType = PageType.ARTICLE) -> tuple[str, ...]:
        """The patterns whose accounts a URL is entered into, narrowest first; the whole site or domain comes last.

        >>> Budget(20, 200, 900.0).accounts_of("http://a.cn/news/17.html")
        ('a.cn/news/#.html', '')
        >>> Budget(20, 200, 900.0).accounts_of("http://a.cn/map1.xml", PageType.SITEMAP)
        ('lists a.cn/map#.xml', 'lists ')
        """
        site_pattern = site_domain(host_of(url)) if self.by_domain else SITE
        patterns = (*patterns_of(url), site_pattern)
        return tuple(LISTS + pattern for pattern in patterns) if kind.polled and not self.by_domain else patterns

    def allowed(self, pattern: str) -> int:
        """The waste that a pattern is allowed; more for a wider pattern.

        >>> [Budget(20, 200, 900.0).allowed(pattern) for pattern in ("a.cn/news/#.html", "a.cn/list?*", "")]
        [20, 40, 200]
        """
        if is_whole(pattern):
            return self.site_fetches
        return self.fetches * WIDE_TIMES if pattern.endswith(("?*", "/**")) else self.fetches

    def again_after(self, tries: int) -> float:
        """Seconds between two retries of a spent pattern."""
        return back_off(tries + 1, self.retry_seconds, LONGEST_RETRY_SECONDS)


@dataclass(frozen=True, slots=True)
class PatternAccount:
    """The account of a URL pattern."""

    wasted: int = 0  # wasted fetches in total
    debt: int = 0  # those not paid for; below 0: paid in advance
    yielded: bool = False  # some page brought something
    spent_at: float | None = None
    tries: int = 0  # since then
    retry_at: float | None = None
    probe: int | None = None  # the key of the URL that is retried
    holds: bool = False  # URLs of it may have been skipped
    quarantined: bool = False  # a site that kept wasting after it was throttled: only its lists are fetched


def is_whole(pattern: str) -> bool:
    """Whether a pattern stands for a whole site or domain, or its lists."""
    return "/" not in pattern


def has_brought(
    reason: Reason, status: int | None, *, repeated: bool = False, leads: bool = True, fresh: bool | None = None
) -> bool | None:
    """Whether a fetch brought something; ``None`` if it proves nothing about other URLs. ``repeated``: its text was
    read before under another URL of the site; ``leads``: its redirect target is followed; ``fresh``: whether the
    links of a page that may be useful for them are new.

    >>> [has_brought(Reason.OFF_TOPIC, 200, repeated=again) for again in (False, True)]
    [True, False]
    >>> has_brought(Reason.HTTP_STATUS, 502)
    """
    if reason in ARTICLE_REASONS:
        return not repeated
    if reason in OF_LINKS and fresh is not None:
        return fresh
    if reason is Reason.REDIRECT:
        return None if leads else False
    if reason is Reason.HTTP_STATUS and status is not None and status >= 500:
        return None
    return False if reason in WASTED else None


def account_after_page(account: PatternAccount, pattern: str, good: bool, now: float, budget: Budget) -> PatternAccount:
    """The account of a pattern after one more page, good or not. A good page pays for wasted ones, half the budget of
    them in advance at most."""
    allowed = budget.allowed(pattern)
    pays = max(1, budget.site_fetches // SITE_PAYS) if is_whole(pattern) else budget.fetches
    debt = max(-(allowed // 2), account.debt - pays) if good else account.debt + 1
    account = replace(account, debt=debt, probe=None, quarantined=is_whole(pattern) and debt >= 2 * allowed)
    if good:
        account = replace(account, yielded=True, tries=0)
        return replace(account, spent_at=None, retry_at=None) if debt < allowed else replace(account, retry_at=now)
    account = replace(account, wasted=account.wasted + 1)
    if debt < allowed:
        return account
    if account.spent_at is None:
        return replace(account, spent_at=now, retry_at=now + budget.again_after(0), holds=True)
    tries = account.tries + 1
    return replace(account, tries=tries, retry_at=now + budget.again_after(tries))


def refused_by(patterns: Sequence[str], accounts: Mapping[str, PatternAccount], key: int) -> str | None:
    """The pattern because of which a URL is skipped, out of :meth:`Budget.accounts_of`; ``None``: it is fetched.

    ``accounts`` are those of its owner. A pattern's own yield counts more than the waste of wider ones.
    """
    spent = [pattern for pattern in patterns if pattern in accounts and accounts[pattern].spent_at is not None]
    if not spent or any(accounts[pattern].probe == key for pattern in spent):
        return None
    site_pattern = patterns[-1]
    if site_pattern in spent and accounts[site_pattern].quarantined:
        return site_pattern
    own = accounts.get(patterns[0], PatternAccount())
    if own.yielded:
        return patterns[0] if own.spent_at is not None else None
    widest = next((pattern for pattern in reversed(spent) if pattern != site_pattern), None)
    return site_pattern if widest is None and key % FETCHED_ONE_IN else widest


def reason_text(pattern: str) -> str:
    """The message why a URL is skipped."""
    if pattern.startswith(LISTS):
        return f"too many lists {_like(pattern.removeprefix(LISTS))} showed nothing new"
    if PLACE in pattern:
        return f"too many pages like {pattern} had the text of one that differs at {PLACE} alone"
    return f"too many pages {_like(pattern)} brought nothing"


def _like(pattern: str) -> str:
    return "of this site" if pattern == SITE else f"of {pattern}" if is_whole(pattern) else f"like {pattern}"


def idle_of(url: str, accounts: Mapping[str, PatternAccount], key: int) -> list[tuple[str, str]]:
    """Those :func:`~newsspider.core.fetching.traps.places_of` a URL that have spent their budget: it is
    skipped if a URL was fetched that differs only there. ``accounts`` are the accounts of its site; the URL that a
    pattern is retried with has none."""
    spent = [place for place in places_of(url) if place[0] in accounts and accounts[place[0]].spent_at is not None]
    return [] if any(accounts[name].probe == key for name, _ in spent) else spent


@bounded_cache(4096)  # cache: URLs and their patterns
def patterns_of(url: str) -> tuple[str, ...]:
    """The patterns of a canonical URL, narrowest first: its own; its path with any query, if it has one; and
    everything below its first folder, if it is deep.

    >>> patterns_of("http://a.cn/news/2024/0517/t20240517_812.html?page=3&by=time")
    ('a.cn/news/#/#/t#_#.html?by&page', 'a.cn/news/#/#/t#_#.html?*', 'a.cn/news/**')
    >>> patterns_of("http://a.cn/v-5f3e9ab2/17.html"), patterns_of("http://a.cn/edu/list/edu/list/edu/list/7")
    (('a.cn/v-*/#.html',), ('a.cn/(edu/list)+/#', 'a.cn/edu/**'))
    """
    address, _, query = url.partition("?")
    host, _, rest = address.partition("://")[2].partition("/")
    *folders, last = rest.split("/")
    nonempty = [folder for folder in folders if folder]
    path = _REPEATED.sub(lambda found: f"({found[1][:-1]})+/", "".join(f"{_folded(folder)}/" for folder in nonempty))
    path = f"{host}/{path}{_page(last)}"
    patterns = [path]
    if query:
        names = sorted({_folded(piece.partition("=")[0]) for piece in query.split("&")})
        patterns = [f"{path}?{'&'.join(names[:NAMES_IN_PATTERN])}", f"{path}?*"]
    if len(nonempty) + bool(last) >= DEEP_SEGMENTS:
        patterns.append(f"{host}/{_folded(nonempty[0])}/**")
    return tuple(patterns)


def places_of(url: str) -> tuple[tuple[str, str], ...]:
    """Each part of a canonical URL that may be irrelevant, as the pattern and the URL with :data:`PLACE` for that
    part. These are the segments with a number or id and the query values; two URLs that differ in one such part share
    a pair.

        >>> places_of("http://a.cn/s/5f3e9ab2/17.html?by=time")[0]
        ('a.cn/s/{}/#.html?by', 'http://a.cn/s/{}/17.html?by=time')
        >>> places_of("http://a.cn/s/5f3e9ab2/17.html?by=time")[2]
        ('a.cn/s/*/#.html?by={}', 'http://a.cn/s/5f3e9ab2/17.html?by={}')
    """
    address, mark, query = url.partition("?")
    scheme, _, rest = address.partition("://")
    host, *segments = rest.split("/")
    pieces = query.split("&") if query else []
    shape = [*map(_folded, segments[:-1]), *map(_page, segments[-1:])]
    names = [_folded(piece.partition("=")[0]) for piece in pieces]
    pairs = []
    for n, folded in enumerate(shape):
        if "#" in folded or "*" in folded:
            path, bare = ("/".join([host, *parts[:n], PLACE, *parts[n + 1 :]]) for parts in (shape, segments))
            pairs.append((path + mark + "&".join(sorted(names)[:NAMES_IN_PATTERN]), f"{scheme}://{bare}{mark}{query}"))
    for n, piece in enumerate(pieces[:NAMES_IN_PATTERN]):
        named = [*names[:n], f"{names[n]}={PLACE}", *names[n + 1 :]]
        bare = "&".join([*pieces[:n], f"{piece.partition('=')[0]}={PLACE}", *pieces[n + 1 :]])
        pairs.append((f"{'/'.join([host, *shape])}?{'&'.join(sorted(named))}", f"{address}?{bare}"))
    return tuple(pairs)


def _page(segment: str) -> str:
    """The last segment with its suffix unchanged."""
    suffix = _SUFFIX.search(segment)
    stem, end = (segment[: suffix.start()], suffix[0].lower()) if suffix else (segment, "")
    return _fold(stem, WORD_LETTERS, len(stem)) + end


def _fold(segment: str, longest: int = LONGEST_FOLDER, longest_numbered: int = LONGEST_NUMBERED) -> str:
    """A segment with ``#`` for numbers and ``*`` for ids, titles, and words of more than ``longest`` letters."""
    if "%" in segment or len(segment) > LONGEST_SEGMENT:
        return "*"
    return _STARS.sub("*", "".join(_word(piece, longest, longest_numbered) for piece in _PIECE.findall(segment)))


_folded = bounded_cache(4096)(_fold)  # cache: folders of URLs; folders and parameter names recur


def _word(piece: str, longest: int, longest_numbered: int) -> str:
    runs: list[str] = _RUN.findall(piece)
    words = [run for run in runs if not run.isdigit()]
    if (
        len(runs) > MOST_RUNS
        or (runs != words and len(piece) > longest_numbered)
        or any(len(word) > longest for word in words)
    ):
        return "*"
    return "".join("#" if run.isdigit() else run for run in runs)
