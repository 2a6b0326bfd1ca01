"""How many fetches may bring nothing before the URLs of one pattern, or those of a whole site, are fetched no more.

A page brings something if it is an article that was not read before on its site, on topic or off. Error pages, pages
without an article, redirects to nowhere and one text under ever new URLs bring nothing. A page that brings something
pays for as many that bring nothing, up to a bound; so what a pattern may waste is in proportion to what it yields. A
pattern that has spent its budget is tried again with one page, then with one after twice as long each time; if that
brings something, the others are fetched after all.

A part of a URL may be of no matter: a session id. So the URLs that differ in one part alone have a budget, too, which
is spent by texts that such a URL had before; then those are not fetched of which another one was that is equal but for
that part.

Pages to which a list leads in its stead (frames, child sitemaps, next pages) have accounts of their own, so they cost
no article. Such a page brings something if it shows an article that its channel did not show before. The channels
themselves have no budget.

An explore crawl keeps the accounts of each registered domain. There, a page that is no article is wasted until a page
that was found on it, be it over other pages, brings something; then it counts as one that did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from newsspider.core.fetching.url_patterns import PLACE, patterns_of, places_of
from newsspider.core.model import PageType, Reason
from newsspider.core.url import host_of, site_domain

SITE = ""  # the pattern of all URLs of a site
LISTS = "lists "  # before the patterns of pages to which a list leads in its stead
SHARE = 8  # of the URLs of a throttled site that are of no pattern that yields, one in so many is fetched
WIDE = 2  # times the budget of a pattern is that of a wider one, which holds several
SITE_PAYS = 20  # a page that brings something pays for this part of what a site may waste
LONGEST_RETRY_SECONDS = 86_400.0
MOST_DOUBLINGS = 16

# Answers that were read: articles, and what is none. What is in neither says nothing of the URLs of a site.
ARTICLES = frozenset({Reason.STORED, Reason.OFF_TOPIC, Reason.DUPLICATE, Reason.JOINED})
WASTED = frozenset(
    {Reason.NOT_AN_ARTICLE, Reason.CONTENT_TYPE, Reason.TOO_LARGE, Reason.UNREADABLE, Reason.HTTP_STATUS}
)
OF_LINKS = frozenset({Reason.POLLED, Reason.NOT_AN_ARTICLE})  # pages that may be worth their links


@dataclass(frozen=True, slots=True)
class Budget:
    """How many fetches may bring nothing: of one pattern, and of one site; and when a spent one is tried again
    first."""

    fetches: int = 20
    site_fetches: int = 200
    retry_seconds: float = 900.0
    by_domain: bool = False  # of an explore crawl: each registered domain has accounts of its own

    def owner(self, site: str, url: str) -> str:
        """Whose accounts a URL is entered into: its site's, or its domain's.

        >>> Budget().owner("explore:x", "http://www.a.cn/1"), Budget(by_domain=True).owner("explore:x", "http://www.a.cn/1")
        ('explore:x', 'explore:x a.cn')
        """
        return f"{site} {site_domain(host_of(url))}" if self.by_domain else site

    def site_of(self, owner: str) -> str:
        """The site of the URLs whose accounts these are."""
        return owner.rpartition(" ")[0] if self.by_domain else owner

    def accounts_of(self, url: str, kind: PageType = PageType.ARTICLE) -> tuple[str, ...]:
        """The patterns into whose accounts a URL is entered, the narrowest first, that of its whole site or domain
        last.

        >>> Budget().accounts_of("http://a.cn/news/17.html")
        ('a.cn/news/#.html', '')
        >>> Budget().accounts_of("http://a.cn/map1.xml", PageType.SITEMAP)
        ('lists a.cn/map#.xml', 'lists ')
        """
        whole = site_domain(host_of(url)) if self.by_domain else SITE
        found = (*patterns_of(url), whole)
        return tuple(LISTS + pattern for pattern in found) if kind.polled and not self.by_domain else found

    def allowed(self, pattern: str) -> int:
        """What the URLs of a pattern may waste; a wider pattern has more.

        >>> [Budget().allowed(pattern) for pattern in ("a.cn/news/#.html", "a.cn/list?*", "")]
        [20, 40, 200]
        """
        if is_whole(pattern):
            return self.site_fetches
        return self.fetches * WIDE if pattern.endswith(("?*", "/**")) else self.fetches

    def pays(self, pattern: str) -> int:
        """For how many wasted fetches one that brought something pays."""
        return max(1, self.site_fetches // SITE_PAYS) if is_whole(pattern) else self.fetches

    def saved(self, pattern: str) -> int:
        """So many wasted fetches may be paid for in advance, at most."""
        return self.allowed(pattern) // 2

    def again_after(self, tries: int) -> float:
        """Seconds from one try of a spent pattern to the next one."""
        return min(LONGEST_RETRY_SECONDS, self.retry_seconds * 2.0 ** min(tries, MOST_DOUBLINGS))


@dataclass(frozen=True, slots=True)
class Account:
    """What is known of the URLs of a pattern."""

    wasted: int = 0  # fetches, ever
    debt: int = 0  # those that nothing has paid for; below 0: saved
    yielded: bool = False  # a page of it brought something
    spent_at: float | None = None
    tries: int = 0  # since then
    retry_at: float | None = None
    probe: int | None = None  # the key of the URL that is tried
    holds: bool = False  # URLs of it may have been refused
    # of a site that went on to waste when it was throttled already: nothing is fetched but its lists
    quarantined: bool = False

    def healthy(self, pattern: str, budget: Budget) -> bool:
        """Whether one more page that brings something changes nothing."""
        return self.yielded and not self.holds and self.debt <= -budget.saved(pattern)


def is_whole(pattern: str) -> bool:
    """Whether a pattern is that of a whole site or domain, be it of its lists."""
    return "/" not in pattern


def brought(
    reason: Reason, status: int | None, *, repeated: bool = False, leads: bool = True, fresh: bool | None = None
) -> bool | None:
    """Whether a fetch of a URL that had no article brought something; ``None`` if that says nothing of the others.
    ``repeated``: its text was read before, under another URL of its site; ``leads``: what it redirects to is followed;
    ``fresh``: of a page that may be worth its links, whether they are new.

    >>> [brought(Reason.OFF_TOPIC, 200, repeated=again) for again in (False, True)], brought(Reason.HTTP_STATUS, 502)
    ([True, False], None)
    """
    if reason in ARTICLES:
        return not repeated
    if reason in OF_LINKS and fresh is not None:
        return fresh
    if reason is Reason.REDIRECT:
        return None if leads else False
    if reason is Reason.HTTP_STATUS and status is not None and status >= 500:
        return None
    return False if reason in WASTED else None


def after(account: Account, pattern: str, good: bool, now: float, budget: Budget) -> Account:
    """The account of a pattern after one more page, which brought something or not."""
    allowed = budget.allowed(pattern)
    if good:
        debt = max(-budget.saved(pattern), account.debt - budget.pays(pattern))
        account = replace(
            account, debt=debt, yielded=True, probe=None, tries=0, quarantined=_goes_on(pattern, debt, allowed)
        )
        return replace(account, spent_at=None, retry_at=None) if debt < allowed else replace(account, retry_at=now)
    debt = account.debt + 1
    account = replace(
        account, wasted=account.wasted + 1, debt=debt, probe=None, quarantined=_goes_on(pattern, debt, allowed)
    )
    if debt < allowed:
        return account
    if account.spent_at is None:
        return replace(account, spent_at=now, retry_at=now + budget.again_after(0), holds=True)
    tries = account.tries + 1
    return replace(account, tries=tries, retry_at=now + budget.again_after(tries))


def _goes_on(pattern: str, debt: int, allowed: int) -> bool:
    return is_whole(pattern) and debt >= 2 * allowed


def refused_by(patterns: Sequence[str], known: Mapping[str, Account], key: int) -> str | None:
    """The pattern because of which a URL is not fetched, of those of :meth:`Budget.accounts_of`; ``None``: it is.

    ``known`` are the accounts of its owner. What a pattern itself yields counts more than what wider ones waste.
    """
    spent = [pattern for pattern in patterns if pattern in known and known[pattern].spent_at is not None]
    if not spent or any(known[pattern].probe == key for pattern in spent):
        return None
    whole = patterns[-1]
    if whole in spent and known[whole].quarantined:
        return whole
    own = known.get(patterns[0], Account())
    if own.yielded:
        return patterns[0] if own.spent_at is not None else None
    widest = next((pattern for pattern in reversed(spent) if pattern != whole), None)
    return whole if widest is None and key % SHARE else widest


def told(pattern: str) -> str:
    """Why a URL is not fetched, for people."""
    if pattern.startswith(LISTS):
        return f"too many lists {_like(pattern.removeprefix(LISTS))} showed nothing new"
    if PLACE in pattern:
        return f"too many pages like {pattern} had the text of one that differs at {PLACE} alone"
    return f"too many pages {_like(pattern)} brought nothing"


def _like(pattern: str) -> str:
    return "of this site" if pattern == SITE else f"of {pattern}" if is_whole(pattern) else f"like {pattern}"


def idle_of(url: str, known: Mapping[str, Account], key: int) -> list[tuple[str, str]]:
    """Those :func:`~newsspider.core.fetching.url_patterns.places_of` a URL that have spent their budget: it is not
    fetched if another one was that differs in such a place alone. ``known`` are the accounts of its site; the URL
    that a pattern is tried with has none."""
    found = [place for place in places_of(url) if place[0] in known and known[place[0]].spent_at is not None]
    return [] if any(known[name].probe == key for name, _ in found) else found
