"""How long after their publication articles are stored."""

from __future__ import annotations

from bisect import bisect_left
from datetime import datetime

BOUNDS = (60, 300, 900, 3600, 6 * 3600, 86_400, 7 * 86_400)  # seconds: the upper bounds of the counts


class PublicationLag:
    """Counts of new articles by the time from publication to store."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.sum = 0.0  # seconds
        self.last_article_at = 0.0

    def add(self, published_at: datetime | None, now: float) -> None:
        """Count a new article; one whose page gives no hour has no lag."""
        self.last_article_at = now
        if published_at is not None and (published_at.hour or published_at.minute):
            lag = max(0.0, now - published_at.timestamp())
            self.counts[bisect_left(BOUNDS, lag)] += 1
            self.sum += lag
