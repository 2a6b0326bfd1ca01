"""Decides who had a text first, and from whom each of the others took it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from newsspider.core.text.fingerprint import normalised

DAY = 86_400
ZONE = 8 * 3600  # the pages' midnight, in seconds before that of UTC
SHORTEST_NAME = 2  # letters that a name and a longer form of it have in common: 新华社, 新华社客户端


@dataclass(frozen=True, slots=True)
class Copy:
    """One page that shows the text. Times are seconds since the epoch."""

    url: str
    site: str
    source: str | None = None  # the outlet that the page names: 来源, 转自
    published_at: float | None = None
    found_at: float = 0.0
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """A page in the chain: ``taken_from`` is the URL of another page of it, ``outlet`` the name where that is not
    known."""

    copy: Copy
    taken_from: str | None = None
    outlet: str | None = None


def first_source(copies: Sequence[Copy]) -> Copy:
    """Return the page that has most claim to be the first.

    A page that names no other outlet goes before one that does, one that others name before one that none names; then
    the earlier, the heavier, the one found earlier.
    """
    named = Counter({copy.url: 0 for copy in copies})
    for copy in copies:
        for other in copies:
            if other is not copy and is_from(copy, other):
                named[other.url] += 1

    def claim(copy: Copy) -> tuple[bool, int, float, int, float, str]:
        return _is_taken(copy), -named[copy.url], moment_of(copy), -copy.weight, copy.found_at, copy.url

    return min(copies, key=claim)


def chain(copies: Sequence[Copy]) -> list[Step]:
    """Return all pages, the first source first and then by time, each with whom it took the text from."""
    first = first_source(copies)
    rest = sorted((copy for copy in copies if copy is not first), key=lambda copy: (moment_of(copy), copy.url))
    steps = [Step(first, outlet=first.source if _is_taken(first) else None)]
    for copy in rest:
        before = [step.copy for step in steps if is_from(copy, step.copy)]
        if before:
            steps.append(Step(copy, before[0].url))
        elif _is_taken(copy):
            steps.append(Step(copy, outlet=copy.source))
        else:
            steps.append(Step(copy, first.url))
    return steps


def moment_of(copy: Copy) -> float:
    """When the page was published. One that says the day alone came out when it was found, if that was the same day,
    else by its end."""
    told = copy.published_at
    if told is None:
        return copy.found_at
    if (told + ZONE) % DAY == 0:
        return min(max(copy.found_at, told), told + DAY - 1)
    return told


def is_from(copy: Copy, other: Copy) -> bool:
    """Whether a page names the site of another one as its source, and not its own."""
    return _is_taken(copy) and _same_name(copy.source or "", other.site)


def _is_taken(copy: Copy) -> bool:
    return bool(copy.source) and not _same_name(copy.source or "", copy.site)


def _same_name(one: str, other: str) -> bool:
    shorter, longer = sorted((normalised(one), normalised(other)), key=len)
    return len(shorter) >= SHORTEST_NAME and longer.startswith(shorter)
