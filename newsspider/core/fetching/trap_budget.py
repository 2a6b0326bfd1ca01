"""How many fetches may bring nothing before the URLs of one pattern, or those of a whole site, are fetched no more.

A page brings something if it is an article that was not read before on its site, on topic or off. Error pages, pages
without an article, redirects to nowhere and one text under ever new URLs bring nothing. A page that brings something
pays for as many that bring nothing, up to a bound; so what a pattern may waste is in proportion to what it yields. A
pattern that has spent its budget is tried again with one page, then with one after twice as long each time; if that
brings something, the others are fetched after all.

A part of a URL may be of no matter: a session id. So the URLs that differ in one part alone have a budget, too, which
is spent by texts that such a URL had before; then those are not fetched of which another one was that is equal but for
that part.

Lists have no budget: they are paged through only while they show new URLs that may be fetched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from newsspider.core.fetching.url_patterns import PLACE, places_of
from newsspider.core.model import Reason

SITE = ""  # the pattern of all URLs of a site
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


@dataclass(frozen=True, slots=True)
class Budget:
    """How many fetches may bring nothing: of one pattern, and of one site; and when a spent one is tried again
    first."""

    fetches: int = 20
    site_fetches: int = 200
    retry_seconds: float = 900.0

    def allowed(self, pattern: str) -> int:
        """What the URLs of a pattern may waste; a wider pattern has more.

        >>> [Budget().allowed(pattern) for pattern in ("a.cn/news/#.html", "a.cn/list?*", "")]
        [20, 40, 200]
        """
        if pattern == SITE:
            return self.site_fetches
        return self.fetches * WIDE if pattern.endswith(("?*", "/**")) else self.fetches

    def pays(self, pattern: str) -> int:
        """For how many wasted fetches one that brought something pays."""
        return max(1, self.site_fetches // SITE_PAYS) if pattern == SITE else self.fetches

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


def brought(reason: Reason, status: int | None, *, repeated: bool = False, leads: bool = True) -> bool | None:
    """Whether a fetch of a URL that had no article brought something; ``None`` if that says nothing of the others.
    ``repeated``: its text was read before, under another URL of its site; ``leads``: what it redirects to is followed.

    >>> [brought(Reason.OFF_TOPIC, 200, repeated=again) for again in (False, True)], brought(Reason.HTTP_STATUS, 502)
    ([True, False], None)
    """
    if reason in ARTICLES:
        return not repeated
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
    return pattern == SITE and debt >= 2 * allowed


def refused_by(patterns: Sequence[str], known: Mapping[str, Account], key: int) -> str | None:
    """The pattern because of which a URL is not fetched, of its ``patterns`` (the narrowest first) or :data:`SITE`;
    ``None``: it is.

    ``known`` are the accounts of its site. What a pattern itself yields counts more than what wider ones waste.
    """
    spent = [pattern for pattern in (*patterns, SITE) if pattern in known and known[pattern].spent_at is not None]
    if not spent or any(known[pattern].probe == key for pattern in spent):
        return None
    if SITE in spent and known[SITE].quarantined:
        return SITE
    own = known.get(patterns[0], Account())
    if own.yielded:
        return patterns[0] if own.spent_at is not None else None
    widest = next((pattern for pattern in reversed(spent) if pattern != SITE), None)
    return SITE if widest is None and key % SHARE else widest


def told(pattern: str) -> str:
    """Why a URL is not fetched, for people."""
    if pattern == SITE:
        return "too many pages of this site brought nothing"
    if PLACE in pattern:
        return f"too many pages like {pattern} had the text of one that differs at {PLACE} alone"
    return f"too many pages like {pattern} brought nothing"


def idle_of(url: str, known: Mapping[str, Account], key: int) -> list[tuple[str, str]]:
    """Those :func:`~newsspider.core.fetching.url_patterns.places_of` a URL that have spent their budget: it is not
    fetched if another one was that differs in such a place alone. ``known`` are the accounts of its site; the URL
    that a pattern is tried with has none."""
    found = [place for place in places_of(url) if place[0] in known and known[place[0]].spent_at is not None]
    return [] if any(known[name].probe == key for name, _ in found) else found
