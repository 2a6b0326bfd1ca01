"""What one fetch measured: the note that the downloader's components leave for the spider under ``meta["visit"]``."""

from __future__ import annotations

from dataclasses import dataclass

from scrapy import Request

from newsspider.core.model import Lease

VISIT = "visit"
LEASE = "lease"


@dataclass(slots=True)
class Visit:
    """Seconds since the epoch at which the request was sent and the last byte came; ``None`` where nothing was sent."""

    sent_at: float | None = None
    ended_at: float | None = None

    @property
    def latency(self) -> float | None:
        """Seconds from the request to the last byte, or to the failure."""
        return None if self.sent_at is None or self.ended_at is None else self.ended_at - self.sent_at


def lease_of(request: Request) -> Lease:
    """The lease that a request carries; every request of ours carries one."""
    lease: Lease = request.meta[LEASE]
    return lease


def visit_of(request: Request) -> Visit:
    """The note of this fetch, an empty one if nothing was sent."""
    visit: Visit = request.meta.get(VISIT) or Visit()
    return visit
