"""Sites for people: a table of 80 columns, a record for JSON, a file name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from newsspider.core.fetching.traps import SITE, is_whole
from newsspider.core.query.query_dates import ZONE
from newsspider.core.text.terminal_columns import column_count

if TYPE_CHECKING:
    from newsspider.sites.model import Site  # which takes a tenth of a second to import

# Columns of the table and their widths; with one blank between them they fill 80.
COLUMNS = (("name", 26), ("weight", 6), ("class", 8), ("channels", 8), ("enabled", 7), ("home", 20))

_NOT_IN_FILE_NAMES = re.compile(r"[^\w.-]+")
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.I)  # of Windows, with any suffix
_MOST_BYTES = 200  # of a file name without its suffix; file systems allow 255


def sites_table(sites: Iterable[Site]) -> Iterator[str]:
    """A header and one line per site, the heaviest first; long values are cut."""
    yield cells_line([head for head, _ in COLUMNS], COLUMNS)
    for site in sorted(sites, key=lambda site: (-site.weight, site.name)):
        home = site.home.partition("://")[2].rstrip("/")
        enabled = "yes" if site.enabled else "no"
        yield cells_line(
            [site.name, str(site.weight), site.media_class, str(len(site.channels)), enabled, home], COLUMNS
        )


def site_record(site: Site) -> dict[str, Any]:
    return {
        "name": site.name,
        "home": site.home,
        "weight": site.weight,
        "media_class": str(site.media_class),
        "region": site.region,
        "enabled": site.enabled,
        "delay_seconds": site.delay_seconds,
        "channels": [
            {"name": channel.name, "url": channel.url, "weight": channel.weight, "kind": str(channel.kind)}
            for channel in site.channels
        ],
        "note": site.note,
    }


def layout_lines(learned: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The learned positions of the lists of each channel: a line per channel, then one per XPath."""
    for row in learned:
        times = row["list_moves"]
        since = f"since {shown_minute(row['list_learned_at'])}" + (
            f", learned again {times} time{'s'[: times > 1]}" if times else ""
        )
        lost = f", LOST since {shown_minute(row['list_lost_at'])}" if row["list_lost_at"] is not None else ""
        yield f"the list of {row['channel']} stands {since}{lost} at"
        yield from (f"    {path}" for path in row["list_paths"])


def trap_lines(spent: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Which URLs are no longer fetched, since when, and when one of them is tried again: a line per pattern."""
    for row in spent:
        what = trap_line(row)
        again = "" if row["retry_at"] is None else f", tried again {shown_minute(row['retry_at'])}"
        yield f"{what} since {shown_minute(row['spent_at'])}: {row['wasted']} pages brought nothing{again}"


def trap_line(row: dict[str, Any]) -> str:
    """What is no longer fetched: the URLs of a pattern, or those of a site or domain."""
    pattern, quarantined = row["pattern"], row["quarantined"]
    if not is_whole(pattern):
        return f"not fetched: {pattern}"
    if pattern == SITE:
        return "quarantined, only its lists are polled" if quarantined else "throttled"
    return f"{'quarantined' if quarantined else 'throttled'}: {pattern.strip()}"


def file_names(sites: Iterable[Site]) -> dict[str, Site]:
    """A unique file name for each site that is valid on every file system, case-sensitive or not.

    >>> from newsspider.sites.model import from_home
    >>> list(file_names([from_home("http://127.0.0.2:8000/"), from_home("http://127.0.0.2:8000/edu/")]))
    ['127.0.0.2_8000.toml', '127.0.0.2_8000-2.toml']
    """
    names: dict[str, Site] = {}
    used_names: set[str] = set()
    for site in sites:
        stem = _stem(site.name)
        candidates = chain([f"{stem}.toml"], (f"{stem}-{number}.toml" for number in count(2)))
        name = next(name for name in candidates if name.casefold() not in used_names)
        used_names.add(name.casefold())
        names[name] = site
    return names


def shown_minute(moment: float) -> str:
    """A moment for people, in China's time."""
    return f"{datetime.fromtimestamp(moment, ZONE):%Y-%m-%d %H:%M}"


def _stem(name: str) -> str:
    stem = _NOT_IN_FILE_NAMES.sub("_", unicodedata.normalize("NFC", name)).lstrip(".-")
    stem = stem.encode()[:_MOST_BYTES].decode("utf-8", "ignore") or "site"
    return f"_{stem}" if _DEVICES.match(stem) else stem


def fit_columns(text: str, width: int) -> str:
    """The text padded or cut to ``width`` columns."""
    if column_count(text) > width:
        while column_count(text) > width - 1:
            text = text[:-1]
        text += "~"
    return text + " " * (width - column_count(text))


def cells_line(cells: list[str], heads: tuple[tuple[str, int], ...]) -> str:
    """A line of a table whose columns have these heads and widths."""
    return " ".join(fit_columns(cell, width) for cell, (_, width) in zip(cells, heads, strict=True)).rstrip()
