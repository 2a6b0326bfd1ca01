"""Crawler-trap detection: rejects URLs that lead into endless URL spaces, and URLs whose file suffix is no page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Set
from datetime import date

from newsspider.core.url import suffix_of

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
