"""The measurements of one fetch, which the downloader's components pass to the spider in ``meta["visit"]``."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote_from_bytes

from scrapy import Request
from scrapy.http import Response

from newsspider.core.crawling.visit import Lease
from newsspider.core.model import PageType

REDIRECTS = frozenset({301, 302, 303, 307, 308})
VISIT = "visit"
LEASE = "lease"
ASKED = "asked"  # by the spider: the `Ask` that says how the request was made
FAIL_ON_CUT = "download_fail_on_dataloss"  # Scrapy's: False for a page that is tried again
RENDERED = "rendered"  # True: a browser fills in the page, though its request has no lease
RENDERED_FOR = "rendered_for"  # the URL of the page that a browser fills in with the answer
OTHER_ITEMS = "other_items"  # True: a spider middleware of a user's yields items of its own with the article
FEED_PAGE = "feed_page"  # of an entry of a feed: its own text as a page, packed
ROBOTS = "robots_txt"  # True: the request fetches a robots.txt, though it has no lease


@dataclass(slots=True)
class RequestTimes:
    """The Unix times when the request was sent and the last byte arrived; ``None`` if nothing was sent. The crawl
    itself paused the download for ``paused`` seconds in between."""

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
    """The lease that a request carries; every request of a crawl with a store carries one."""
    lease: Lease = request.meta[LEASE]
    return lease


def is_robots(request: Request) -> bool:
    """Whether a request, with a lease or without one, fetches a robots.txt."""
    lease: Lease | None = request.meta.get(LEASE)
    return bool(request.meta.get(ROBOTS)) if lease is None else lease.kind is PageType.ROBOTS


def is_list(request: Request) -> bool:
    """Whether a request fetches a list for a lease."""
    lease = request.meta.get(LEASE)
    return isinstance(lease, Lease) and lease.kind.polled


def visit_of(request: Request) -> RequestTimes:
    """The measurements of this fetch, empty if nothing was sent."""
    visit: RequestTimes = request.meta.get(VISIT) or RequestTimes()
    return visit


def location_of(response: Response) -> str:
    """The target of a redirect as written; non-ASCII bytes are percent-encoded, whatever their charset."""
    location = (response.headers.get("Location") or b"").strip()
    return quote_from_bytes(location, safe="%/:=&?~#+!$,;'@()*[]|\\")
