"""Decides which page published a text first, and which page each reprint took it from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.text.fingerprint import normalised

DAY = 86_400
SHANGHAI_OFFSET = 8 * 3600  # seconds ahead of UTC
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
class Step:
    """A page of the chain, the URL of the earlier one that it was taken from, or the outlet that is named."""

    copy: Copy
    taken_from: str | None = None
    outlet: str | None = None


def first_source(copies: Sequence[Copy]) -> Copy:
    """Return the page that is most likely the first.

    Sort order: pages that credit no other outlet, then pages that more others credit; then the earlier, the heavier,
    the one found earlier.
    """
    times_credited = Counter({copy.url: 0 for copy in copies})
    for copy in copies:
        for other in copies:
            if other is not copy and is_from(copy, other):
                times_credited[other.url] += 1

    def claim(copy: Copy) -> tuple[bool, int, float, int, float, str]:
        return _is_taken(copy), -times_credited[copy.url], moment_of(copy), -copy.weight, copy.found_at, copy.url

    return min(copies, key=claim)


def chain(copies: Sequence[Copy]) -> list[Step]:
    """Return all pages, the first source first and the others by time, each with the page it took the text from."""
    first = first_source(copies)
    rest = sorted((copy for copy in copies if copy is not first), key=lambda copy: (moment_of(copy), copy.url))
    steps = [Step(first, outlet=first.source if _is_taken(first) else None)]
    for copy in rest:
        credited = [step.copy for step in steps if is_from(copy, step.copy)]
        if credited:
            steps.append(Step(copy, credited[0].url))
        elif _is_taken(copy):
            steps.append(Step(copy, outlet=copy.source))
        else:
            steps.append(Step(copy, first.url))
    return steps


def moment_of(copy: Copy) -> float:
    """When a page was published; where it states only a day, when it was found that day, or the day's end."""
    published = copy.published_at
    if published is None:
        return copy.found_at
    if (published + SHANGHAI_OFFSET) % DAY == 0:
        return min(max(copy.found_at, published), published + DAY - 1)
    return published


def is_from(copy: Copy, other: Copy) -> bool:
    """Whether a page credits the site of another page as its source."""
    return _is_taken(copy) and _same_name(copy.source or "", other.site)


def _is_taken(copy: Copy) -> bool:
    return bool(copy.source) and not _same_name(copy.source or "", copy.site)


def _same_name(first: str, second: str) -> bool:
    shorter, longer = sorted((normalised(first), normalised(second)), key=len)
    return len(shorter) >= SHORTEST_NAME and longer.startswith(shorter)
