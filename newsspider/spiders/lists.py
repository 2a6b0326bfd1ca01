"""Reads a list page, a feed or a sitemap for its links."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from newsspider.core import outcome
from newsspider.core.feeds import document_kind, read_feed, read_sitemap
from newsspider.core.frames import frames_of, refresh_of
from newsspider.core.links import links_of
from newsspider.core.model import Kind, Link, Offer, PageResult, Reason
from newsspider.core.page import parse, robots_meta
from newsspider.spiders.offers import canonical_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsspider.runtime import Runtime
    from newsspider.spiders.answer import Answer
    from newsspider.spiders.offers import Offering


class ListReader:
    """What a page turns out to be decides how it is read, not what its channel says.

    A list that asks not to follow its links (META robots, X-Robots-Tag) has none for us. Setting: ``DEFAULT_CHARSET``.
    """

    def __init__(self, runtime: Runtime, offering: Offering) -> None:
        self.runtime = runtime
        self.offering = offering
        self.default_charset: str = runtime.settings["DEFAULT_CHARSET"]

    def read(self, answer: Answer) -> PageResult:
        """The links of a list, and what follows from them."""
        lease = answer.lease
        kind = document_kind(answer.body, answer.declared)
        if kind is None and lease.kind is Kind.SITEMAP:
            kind = Kind.SITEMAP  # one of plain text has no sign of its own
        links: Sequence[Link]
        offers: list[Offer] = []
        told: frozenset[str] = frozenset()
        if kind is Kind.FEED:
            links = read_feed(answer.body, lease.url)
        elif kind is Kind.SITEMAP:
            sitemap = read_sitemap(answer.body, lease.url)
            links = sitemap.urls
            offers = self.offering.followed(lease, canonical_of(sitemap.sitemaps))
        else:
            kind = Kind.LIST
            links, offers, told = self._page(answer)
        if "nofollow" in answer.directives(self.runtime.manners.agent) | told:
            links = ()
        graph, found = self.offering.sorted_out(lease, links)
        settlement = outcome.read(lease, Reason.POLLED, time.time(), kind=kind)
        return answer.settled(self.runtime.manners, settlement, links=graph, offers=(*offers, *found))

    def _page(self, answer: Answer) -> tuple[Sequence[Link], list[Offer], frozenset[str]]:
        """The links, the frames, and what META robots says."""
        site, channel = self.offering.place(answer.lease)
        page = parse(answer.body, answer.lease.url, answer.declared, self.default_charset)
        links = links_of(
            page, channel.regions if channel else (), channel.next_page if channel else None,
            site.article_url if site else None,
        )  # fmt: skip
        framed = (refresh_of(page) or "", *frames_of(page, "iframe"))
        told = robots_meta(page, self.runtime.manners.agent)
        return links, self.offering.followed(answer.lease, canonical_of(framed)), told
