"""A response with its lease, and the settlement of the lease."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from newsspider.core.crawling import outcome
from newsspider.core.crawling.visit import Lease, Missed, Offer, PageResult, Settlement
from newsspider.core.fetching.politeness import retry_after
from newsspider.core.fetching.robots import directives
from newsspider.core.fetching.validators import Ask, content_hash, etag_of, last_modified_of
from newsspider.core.model import Link
from newsspider.core.url import host_of
from newsspider.crawl.fetch_notes import FAIL_ON_CUT, asked_of, lease_of, visit_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

    from newsspider.crawl.host_policy import HostPolicy


@dataclass(frozen=True, slots=True)
class Answer:
    """One lease with its request and response."""

    lease: Lease
    request: Request
    response: Response

    @classmethod
    def of(cls, response: Response) -> Answer:
        """From a response whose request carries the lease."""
        request = response.request
        assert request is not None
        return cls(lease_of(request), request, response)

    @property
    def status(self) -> int:
        return self.response.status

    @property
    def body(self) -> bytes:
        """The decompressed bytes."""
        return self.response.body

    @property
    def declared(self) -> str:
        """The ``Content-Type`` header, or empty."""
        return self._header("Content-Type")

    @property
    def is_cut(self) -> bool:
        """Whether a page that was tried again ended before its announced end, and without its own."""
        return (
            self.request.meta.get(FAIL_ON_CUT) is False
            and "dataloss" in self.response.flags
            and not ends_whole(self.body)
        )

    @property
    def asked(self) -> Ask:
        """How the request was made."""
        return asked_of(self.request)

    def header_values(self, name: str) -> list[str]:
        return [value.decode("latin-1") for value in self.response.headers.getlist(name)]

    def directives(self, agent: str) -> frozenset[str]:
        """The X-Robots-Tag directives for us."""
        return directives(self.header_values("X-Robots-Tag"), agent)

    def asked_pause(self, now: float) -> float | None:
        """The Retry-After in seconds."""
        return retry_after(self._header("Retry-After"), now)

    def settled(
        self,
        host_policy: HostPolicy,
        settlement: Settlement,
        *,
        links: tuple[Link, ...] = (),
        offers: tuple[Offer, ...] = (),
        effects: tuple[object, ...] = (),
    ) -> PageResult:
        """The result of a page that was read, with the effect of the fetch on its host."""
        # the address of a proxy, or of another host that has the robots.txt, is not that of the host
        elsewhere = self.request.meta.get("proxy") or host_of(self.request.url) != self.lease.host
        ip_address = None if elsewhere else self.response.ip_address
        address = str(ip_address) if ip_address else None
        settlement = replace(settlement, status=self.status)
        if self.status in (200, 304):
            etag, modified = etag_of(self._header("ETag")), last_modified_of(self._header("Last-Modified"))
            settlement = replace(settlement, etag=etag, last_modified=modified)
        if self.status == 200 and (settlement.etag or settlement.last_modified):
            settlement = replace(settlement, bytes_hash=content_hash(self.body))
        visited = host_policy.visited(self.lease, visit_of(self.request), settlement, address=address)
        return PageResult(self.lease, visited, links=links, offers=offers, effects=effects, asked=self.asked)

    def missed(self, host_policy: HostPolicy, missed: Missed) -> PageResult:
        """The result of a page that no longer shows its article."""
        result = self.settled(host_policy, outcome.missed(self.lease, str(missed.absence)))
        result.add(missed)
        return result

    def _header(self, name: str) -> str:
        return (self.response.headers.get(name) or b"").decode("latin-1")


TAIL_BYTES = 4096  # of comments and white space behind the end

_END = re.compile(rb"</(?:html|rss|feed|rdf:rdf|urlset|sitemapindex)\s*>(?:\s|<!--(?:(?!-->).)*+-->)*+\Z", re.I | re.S)


def ends_whole(body: bytes) -> bool:
    """Whether a page, feed or sitemap ends with its own end tag, white space and comments aside.

    >>> ends_whole(b"<html><p>x</p></html>\\n<!-- 0.02 s -->\\n"), ends_whole(b"<html><p>x</p>")
    (True, False)
    """
    return _END.search(body[-TAIL_BYTES:]) is not None
