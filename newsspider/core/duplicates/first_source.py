"""Decides which page published a text first (the original among its reprints), and where each reprint took it from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from newsspider.core.query.query_dates import DAY_SECONDS, is_day_alone
from newsspider.core.text.text_comparison import normalise_text

SHORTEST_NAME = 2  # letters that a name shares with a longer form of it: 新华社, 新华社客户端


@dataclass(frozen=True, slots=True)
class Copy:
    """One page that shows the text. Times are Unix times."""

    url: str
    site: str
    source: str | None = None  # the outlet that the page credits: 来源, 转自
    published_at: float | None = None
    found_at: float = 0.0
    weight: int = 0


@dataclass(frozen=True, slots=True)
class ChainStep:
    """A page of the chain, the URL of the earlier one that it was taken from, or the outlet that is named."""

    copy: Copy
    taken_from: str | None = None
    outlet: str | None = None


class Credits:
    """Which sites the pages of a text credit, by the names of these sites and of their sources: each pair of
    names is compared once, however many pages have it."""

    def __init__(self, copies: Iterable[Copy]) -> None:
        self._names = {site: normalise_text(site) for site in {copy.site for copy in copies}}
        self._sites_by_source: dict[str, frozenset[str]] = {}

    def sites(self, copy: Copy) -> frozenset[str]:
        """The sites that a page credits as its source; none if it names no other outlet than its own site."""
        credited = self._sites_called(copy.source or "")
        return frozenset() if copy.site in credited else credited

    def is_taken(self, copy: Copy) -> bool:
        """Whether a page names another outlet than its own site as its source."""
        return bool(copy.source) and copy.site not in self._sites_called(copy.source or "")

    def _sites_called(self, source: str) -> frozenset[str]:
        credited = self._sites_by_source.get(source)
        if credited is None:
            name = normalise_text(source)
            credited = frozenset(site for site, other in self._names.items() if _same_name(name, other))
            self._sites_by_source[source] = credited
        return credited


def first_source(copies: Sequence[Copy]) -> Copy:
    """Return the page that is most likely the first.

    Sort order: pages that credit no other outlet, then pages that more others credit; then the earlier, the heavier,
    the one found earlier. A page that states only a day comes after those with a minute of that day, but for later
    minutes than it was found at.
    """
    credits_of = Credits(copies)
    times_credited = Counter(site for copy in copies for site in credits_of.sites(copy))

    def claim(copy: Copy) -> tuple[bool, int, tuple[float, float, int, float, str]]:
        return credits_of.is_taken(copy), -times_credited[copy.site], by_time(copy)

    return min(copies, key=claim)


def reprint_chain(copies: Sequence[Copy]) -> list[ChainStep]:
    """Return all pages, the first source first and the others by time, each with the page it took the text from."""
    credits_of, first = Credits(copies), first_source(copies)
    rest = sorted((copy for copy in copies if copy is not first), key=by_time)
    steps = [ChainStep(first, outlet=first.source if credits_of.is_taken(first) else None)]
    first_of_site = {first.site: 0}  # the numbers of their steps
    for copy in rest:
        credited = [first_of_site[site] for site in credits_of.sites(copy) if site in first_of_site]
        if credited:
            steps.append(ChainStep(copy, steps[min(credited)].copy.url))
        elif credits_of.is_taken(copy):
            steps.append(ChainStep(copy, outlet=copy.source))
        else:
            steps.append(ChainStep(copy, first.url))
        first_of_site.setdefault(copy.site, len(steps) - 1)
    return steps


def moment_of(copy: Copy) -> float:
    """When a page was published; where it states only a day, when it was found that day, or the day's end."""
    published = copy.published_at
    if published is None:
        return copy.found_at
    return min(max(copy.found_at, published), published + DAY_SECONDS - 1) if _states_day(copy) else published


def shown_moment(copy: Copy) -> float:
    """When a page was published, as people are shown it: midnight stands for the day that it states alone."""
    return copy.published_at if copy.published_at is not None and _states_day(copy) else moment_of(copy)


def by_time(copy: Copy) -> tuple[float, float, int, float, str]:
    """Sorts pages by time, of equals the heavier first; one that states only a day by the latest time that it can have
    been published at: when it was found, or the day's end."""
    moment = latest = moment_of(copy)
    if copy.published_at is not None and _states_day(copy) and copy.found_at < copy.published_at:
        latest = copy.published_at + DAY_SECONDS - 1
    return latest, moment, -copy.weight, copy.found_at, copy.url


def _states_day(copy: Copy) -> bool:
    return copy.published_at is not None and is_day_alone(copy.published_at)


def _same_name(first: str, second: str) -> bool:
    """Whether normalised names are the same, or one is a longer form of the other."""
    shorter, longer = sorted((first, second), key=len)
    return len(shorter) >= SHORTEST_NAME and longer.startswith(shorter)
