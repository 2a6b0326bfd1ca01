"""When the messages of an alert may go out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Self
from zoneinfo import ZoneInfo

from newsspider.core.query.query_dates import ZONE

HOUR = 3600.0
IMMEDIATELY, HOURLY, BY_HAND = "immediately", "hourly", "by hand"
RHYTHMS = "immediately, hourly, daily 08:00 or weekly mon 08:00"
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
LONGEST_ZONE = 64
_CLOCK = r"([01]?\d|2[0-3]):([0-5]\d)"
_DIGEST = re.compile(
    rf"(?:daily|weekly\s+({'|'.join(DAYS)}))\s+{_CLOCK}(?:\s+(\S{{1,{LONGEST_ZONE}}}))?", re.IGNORECASE
)
_QUIET = re.compile(rf"{_CLOCK}\s*-\s*{_CLOCK}")


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often messages go out, and the hours of the day without any, in China's time. A digest of a day, or of a week
    if there is a ``weekday`` (0: Monday), goes out at a time of its zone."""

    hourly: bool = False
    daily: time | None = None
    quiet: tuple[time, time] | None = None
    weekday: int | None = None
    zone: ZoneInfo = ZONE
    by_hand: bool = False

    @classmethod
    def read(cls, rhythm: str, quiet: str = "") -> Self:
        """The rhythm that these texts describe; raises :exc:`ValueError` with a sentence.

        >>> Rhythm.read("daily 8:05", "22:00-07:00").daily
        datetime.time(8, 5)
        >>> Rhythm.read("weekly Mon 8:05 Asia/Urumqi").zone
        zoneinfo.ZoneInfo(key='Asia/Urumqi')
        """
        words = " ".join(rhythm.split())
        digest = _DIGEST.fullmatch(words)
        if not digest and words.lower() not in {IMMEDIATELY, HOURLY, BY_HAND}:
            raise ValueError(f"{rhythm!r} is no rhythm; say {RHYTHMS}")
        hours = _QUIET.fullmatch(quiet.strip())
        if quiet.strip() and not hours:
            raise ValueError(f"{quiet!r} are no quiet hours; say them as 22:00-07:00")
        span = (time(int(hours[1]), int(hours[2])), time(int(hours[3]), int(hours[4]))) if hours else None
        if span and span[0] == span[1]:
            raise ValueError(f"{quiet!r} are no quiet hours; they begin and end at different times")
        if not digest:
            return cls(words.lower() == HOURLY, quiet=span, by_hand=words.lower() == BY_HAND)
        weekday = DAYS.index(digest[1].lower()) if digest[1] else None
        return cls(False, time(int(digest[2]), int(digest[3])), span, weekday, _zone(digest[4]))

    def texts(self) -> tuple[str, str]:
        """The rhythm and the quiet hours as they are stored.

        >>> Rhythm.read(" Daily 8:05", "7:00 - 9:00").texts(), Rhythm.read("weekly  SUN 8:05 Asia/Urumqi").texts()
        (('daily 08:05', '07:00-09:00'), ('weekly sun 08:05 Asia/Urumqi', ''))
        """
        quiet = f"{self.quiet[0]:%H:%M}-{self.quiet[1]:%H:%M}" if self.quiet else ""
        if self.daily is None:
            return BY_HAND if self.by_hand else HOURLY if self.hourly else IMMEDIATELY, quiet
        often = "daily" if self.weekday is None else f"weekly {DAYS[self.weekday]}"
        zone = "" if self.zone == ZONE else f" {self.zone.key}"
        return f"{often} {self.daily:%H:%M}{zone}", quiet

    @property
    def is_digest(self) -> bool:
        """Whether a message collects all stories since the previous one."""
        return self.hourly or self.daily is not None

    def is_quiet(self, now: float) -> bool:  # the same rule in SQL: `_MAY_TELL` of deliveries.py
        """Whether nothing goes out now.

        >>> Rhythm.read("hourly", "22:00-07:00").is_quiet(datetime(2026, 11, 25, 6, 59, tzinfo=ZONE).timestamp())
        True
        """
        if self.quiet is None:
            return False
        begin, end = self.quiet
        clock = datetime.fromtimestamp(now, ZONE).time()
        return begin <= clock < end if begin < end else clock >= begin or clock < end

    def is_due(self, first: float, now: float) -> bool:
        """Whether a story that was noted at ``first`` goes out now.

        >>> noon = datetime(2026, 11, 25, 12, 30, tzinfo=ZONE).timestamp()
        >>> [Rhythm.read("hourly").is_due(noon, noon + minutes * 60) for minutes in (0, 29, 30)]
        [False, False, True]
        """
        return not self.is_quiet(now) and (not self.is_digest or self._next(first) <= now)

    def latest(self, now: float) -> float:
        """The last moment up to ``now`` of a daily or weekly rhythm.

        >>> noon = datetime(2026, 11, 25, 12, tzinfo=ZONE).timestamp()  # a Wednesday
        >>> [(noon - Rhythm.read(text).latest(noon)) / HOUR for text in ("daily 12:30", "weekly wed 9:00")]
        [23.5, 3.0]
        """
        return now // HOUR * HOUR if self.daily is None else self._moment(self._latest_day(now, self.daily))

    def _next(self, first: float) -> float:
        """The moment of the first digest after ``first``."""
        if self.daily is None:
            return (first // HOUR + 1) * HOUR
        return self._moment(self._latest_day(first, self.daily) + self._step)

    @property
    def _step(self) -> timedelta:
        return timedelta(days=1 if self.weekday is None else len(DAYS))

    def _latest_day(self, now: float, at: time) -> datetime:
        """The latest time of the wall clock at which a digest was due; where the clock skips it, it comes an hour
        later."""
        day = datetime.combine(datetime.fromtimestamp(now, self.zone), at)
        if self.weekday is not None:
            day -= timedelta(days=(day.weekday() - self.weekday) % len(DAYS))
        return day if self._moment(day) <= now else day - self._step

    def _moment(self, day: datetime) -> float:
        return day.replace(tzinfo=self.zone).timestamp()


def _zone(name: str | None) -> ZoneInfo:
    """The time zone of this name; China's without one."""
    try:
        return ZoneInfo(name) if name else ZONE
    except (KeyError, OSError, ValueError):  # an unknown one, a folder, a path
        raise ValueError(f"{name!r} is no time zone; say one like Asia/Shanghai") from None
