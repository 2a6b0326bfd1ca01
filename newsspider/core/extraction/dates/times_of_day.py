"""Reads the time of day, with its zone, that stands behind a day."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from newsspider.core.extraction.dates.zones import SHANGHAI, ZONE_NAMES, zone_of

_WEEKDAY = (
    r"(?:(?:星期|[周週]|礼拜|禮拜)[一二三四五六日天]|[(\[【〔「『<《]\s?(?:星期|[周週]|礼拜|禮拜)?[一二三四五六日天]\s?[)\]】〕」』>》]"
    r"|[(\[]?(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?[)\]]?(?![a-z]))"
)
_GAP = (
    rf"[\sT|,，、]{{0,6}}(?:{_WEEKDAY}|at\s|HKT\s|(?:北京|香港|台北)[时時][间間]|[-–—_](?=\s?\d{{1,2}}:)|[-–—]\s)?"
    r"[\sT|,，、]{0,6}"
)
_HALVES = r"[上下]午|中午|正午|午[后後]|傍晚|晚上|晚[间間]|夜[间間里裡]|[凌清]晨|早[上晨间間]|[晨早晚]"
_HOUR = (
    rf"(?P<half>{_HALVES}|[AP]\.?M\.?)?\s?(?P<hour>\d{{1,2}})\s?(?:[:时時點点]\s?(?P<minute>\d{{1,2}}|半(?!\w))"
    r"(?P<second>\s?[:分]\s?\d{1,2}(?:\.\d+)?)?|[时時點点](?=[整许許左\W]|$))"
    r"\s?(?P<half2>[AP]\.?M\b\.?|[上下]午(?!\s?\d))?"
)
ZONE = (
    r"(?P<zone>Z\b|(?:UTC|GMT)(?:\s?[+-]\d{1,2}(?::?\d{2})?(?!\d))?|[+-]\d{2}:?\d{2}\b"
    rf"|(?-i:(?:{ZONE_NAMES})(?![A-Za-z])|(?:Asia|Europe|America|Australia|Etc)/[A-Z][A-Za-z_/]{{1,30}}))"
)
TIME = rf"(?:{_GAP}{_HOUR}\s?(?:(?!UTC|GMT)[A-Z]{{3}}(?=[+-]\d{{4}}\b))?{ZONE}?)?"
_MORNING = ("AM", "上午", "凌晨", "清晨", "早上", "早晨", "早间", "早間", "早", "晨")


@dataclass(frozen=True, slots=True)
class Stamp:
    """A moment as a page writes it."""

    at: datetime  # aware, to the minute
    exact: bool  # whether the page gives the time of day
    whole: bool = True  # whether the page gives the year
    ago: bool = False  # whether it says how long ago it was


def stamp_of(match: re.Match[str], year: int, month: int | None = None, day: int | None = None) -> Stamp | None:
    """The moment of a match of a day and ``TIME``; ``None`` if there is no such moment, or no such zone."""
    parts = match.groupdict()
    written = parts.get("zone")
    zone = zone_of(written) if written else SHANGHAI
    if written and written[0] == "-" and not _is_whole(match):
        zone = SHANGHAI  # "-16:30" is when something ends
    if zone is None:
        return None
    minute = parts.get("minute") or "0"
    try:
        at = datetime(
            year,
            month or int(parts["month"]),
            day or int(parts["day"]),
            _hour(parts) % 24,
            30 if minute == "半" else int(minute),
            tzinfo=zone,
        )
    except ValueError:
        return None
    if zone is UTC:
        at = at.astimezone(SHANGHAI)  # a machine's notation: the page's readers live by Shanghai's clock
    return Stamp(at, parts.get("hour") is not None)


def _hour(parts: dict[str, str | None]) -> int:
    """The hour on a clock of 24 hours."""
    hour = int(parts.get("hour") or 0)
    half = (parts.get("half") or parts.get("half2") or parts.get("part") or "").replace(".", "").strip().upper()
    if half in _MORNING:
        return 0 if hour == 12 else hour
    first, last = (6, 11) if half.startswith("夜") else (1, 10) if half in ("中午", "正午") else (1, 11)
    return hour + 12 if half and first <= hour <= last else hour


def _is_whole(match: re.Match[str]) -> bool:
    """Whether a moment is written to the second, as machines do."""
    return match.groupdict().get("second") is not None or "T" in match[0]
