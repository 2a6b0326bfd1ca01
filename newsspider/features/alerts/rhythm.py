"""When the messages of an alert may go out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Self

from newsspider.core.query.moments import ZONE

HOUR = 3600.0
IMMEDIATELY, HOURLY = "immediately", "hourly"
RHYTHMS = "immediately, hourly or daily 08:00"
_CLOCK = r"([01]?\d|2[0-3]):([0-5]\d)"
_DAILY = re.compile(rf"daily\s+{_CLOCK}")
_QUIET = re.compile(rf"{_CLOCK}\s*-\s*{_CLOCK}")


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often messages go out, and the hours of the day without any, in China's time."""

    hourly: bool = False
    daily: time | None = None
    quiet: tuple[time, time] | None = None

    @classmethod
    def read(cls, rhythm: str, quiet: str = "") -> Self:
        """The rhythm that these texts describe; raises :exc:`ValueError` with a sentence.

        >>> Rhythm.read("daily 8:05", "22:00-07:00").daily
        datetime.time(8, 5)
        """
        words = " ".join(rhythm.lower().split())
        daily = _DAILY.fullmatch(words)
        if not daily and words not in {IMMEDIATELY, HOURLY}:
            raise ValueError(f"{rhythm!r} is no rhythm; say {RHYTHMS}")
        hours = _QUIET.fullmatch(quiet.strip())
        if quiet.strip() and not hours:
            raise ValueError(f"{quiet!r} are no quiet hours; say them as 22:00-07:00")
        span = (time(int(hours[1]), int(hours[2])), time(int(hours[3]), int(hours[4]))) if hours else None
        if span and span[0] == span[1]:
            raise ValueError(f"{quiet!r} are no quiet hours; they begin and end at different times")
        return cls(words == HOURLY, time(int(daily[1]), int(daily[2])) if daily else None, span)

    def texts(self) -> tuple[str, str]:
        """The rhythm and the quiet hours as they are stored.

        >>> Rhythm.read(" Daily 8:05", "7:00 - 9:00").texts()
        ('daily 08:05', '07:00-09:00')
        """
        rhythm = f"daily {self.daily:%H:%M}" if self.daily else HOURLY if self.hourly else IMMEDIATELY
        return rhythm, f"{self.quiet[0]:%H:%M}-{self.quiet[1]:%H:%M}" if self.quiet else ""

    @property
    def is_digest(self) -> bool:
        """Whether a message collects all stories since the previous one."""
        return self.hourly or self.daily is not None

    def is_quiet(self, now: float) -> bool:
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

    def _next(self, first: float) -> float:
        """The moment of the first digest after ``first``."""
        if self.daily is None:
            return (first // HOUR + 1) * HOUR
        noted = datetime.fromtimestamp(first, ZONE)
        today = noted.replace(hour=self.daily.hour, minute=self.daily.minute, second=0, microsecond=0)
        return (today if today > noted else today + timedelta(days=1)).timestamp()
