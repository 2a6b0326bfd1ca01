"""What one fetch measured: the note that the downloader's components leave for the spider under ``meta["visit"]``."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote_from_bytes

from scrapy import Request
from scrapy.http import Response

from newsspider.core.crawling.visit import Lease
from newsspider.core.fetching.validators import Ask

REDIRECTS = frozenset({301, 302, 303, 307, 308})
VISIT = "visit"
LEASE = "lease"
ASKED = "asked"  # by the spider: how the request was made


@dataclass(slots=True)
class Visit:
    """Seconds since the epoch at which the request was sent and the last byte came; ``None`` where nothing was sent.
    Of the time between, this crawl itself paused the download for ``paused`` seconds."""

    sent_at: float | None = None
    ended_at: float | None = None
    paused: float = 0.0

    @property
    def latency(self) -> float | None:
        """Seconds that the host took from the request to the last byte, or to the failure."""
        return (
            None
            if self.sent_at is None or self.ended_at is None
            else max(0.0, self.ended_at - self.sent_at - self.paused)
        )


def lease_of(request: Request) -> Lease:
    """The lease that a request carries; every request of ours carries one."""
    lease: Lease = request.meta[LEASE]
    return lease


def visit_of(request: Request) -> Visit:
    """The note of this fetch, an empty one if nothing was sent."""
    visit: Visit = request.meta.get(VISIT) or Visit()
    return visit


def asked_of(request: Request) -> Ask:
    """How a request was made."""
    asked: Ask = request.meta.get(ASKED, Ask.PLAINLY)
    return asked


def location_of(response: Response) -> str:
    """Where a redirect leads, as it is written; bytes beyond ASCII are percent-encoded, in whatever charset they
    are."""
    location = (response.headers.get("Location") or b"").strip()
    return quote_from_bytes(location, safe="%/:=&?~#+!$,;'@()*[]|\\")
