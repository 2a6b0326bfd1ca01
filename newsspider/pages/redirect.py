"""Redirects: the new URL of a page is a lease of its own, with robots.txt and delay like any other; redirect loops end.
``REDIRECT_MAX_TIMES`` of ``settings.py`` is the most in a row; ``pages/link_offers.py`` counts them. Meta refreshes and
frames that lead on are found by ``core/links/link_targets.py``."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsspider.core.crawling import outcome
from newsspider.core.crawling.visit import Lease, Missed, Moved, PageResult
from newsspider.core.model import Reason
from newsspider.core.scheduling.vanished import Absence, absence_of_target
from newsspider.core.url import LONGEST_URL, canonical, canonical_of
from newsspider.crawl.fetch_notes import location_of

if TYPE_CHECKING:
    from newsspider.core.scheduling.vanished import ConfirmationThreshold
    from newsspider.crawl.crawl_sites import CrawlSites
    from newsspider.crawl.host_policy import HostPolicy
    from newsspider.pages.failed_fetches import FailedFetches
    from newsspider.pages.link_offers import LinkOffers
    from newsspider.pages.router import Answer
    from newsspider.store.engine.clock import Clock

logger = logging.getLogger(__name__)

LONGEST_NAMED = 200  # characters of a URL in a detail


@dataclass(eq=False)
class Moves:
    """Settles redirects, meta refreshes and framesets. A list that leads nowhere we follow has failed. A stored
    article that leads to the home page, a list, a login or an error page is missing; one that was never read is
    rechecked later. The error page of a stored article is read where it is followed: it may be a guard's."""

    offers: LinkOffers
    failed: FailedFetches
    host_policy: HostPolicy
    sites: CrawlSites
    threshold: ConfirmationThreshold
    clock: Clock

    def redirected(self, answer: Answer) -> PageResult:
        """The host responded with another URL."""
        location = location_of(answer.response)
        target = canonical(location, answer.lease.url) if location else None
        return self.moved(answer, [] if target is None else [target], location)

    def moved(self, answer: Answer, targets: list[str], location: str = "") -> PageResult:
        """The page is at these URLs instead; ``location`` is the header as written."""
        lease, now = answer.lease, self.clock.now()
        absence = None if lease.kind.polled else self._absence(lease, targets)
        watched = lease.site in self.sites and (lease.listed or lease.had_article)
        unread = watched and absence is not None and not (lease.had_article and absence is Absence.SOFT_404)
        offers = () if unread else tuple(self.offers.followed(lease, targets))
        if lease.had_article and absence is not None and all(offer.refused is not None for offer in offers):
            return answer.missed(self.host_policy, Missed(absence, self.threshold))
        move = (Moved(absence, self.threshold),) if watched else ()
        if unread or any(offer.refused is None for offer in offers):
            settlement = outcome.read(lease, Reason.REDIRECT, now, detail=", ".join(targets))
            return answer.settled(self.host_policy, settlement, offers=offers, effects=move)
        detail = self._not_followed(lease, targets, location)
        if not lease.kind.polled:
            settlement = outcome.read(lease, Reason.REDIRECT, now, detail=detail)
            effects = () if lease.had_article else move
            return answer.settled(self.host_policy, settlement, offers=offers, effects=effects)
        if lease.failures == 0:  # once, not at every poll; `scrapy status` keeps showing it
            logger.warning("the list %s %s; no news comes from it", lease.url, detail)
        return self.failed.result(
            lease, answer.request, Reason.HTTP_STATUS, status=answer.response.status, detail=detail
        )

    def _not_followed(self, lease: Lease, targets: list[str], location: str) -> str:
        """Why nothing is fetched instead of a page."""
        if not targets and not location:
            return "redirects without saying where; not followed"
        if not targets and len(location) > LONGEST_URL:
            return f"leads to a URL of {len(location)} characters, not followed: {location[:LONGEST_NAMED]}"
        if not targets:
            return f"leads to what is no http or https URL, not followed: {location[:LONGEST_NAMED]}"
        named = ", ".join(target[:LONGEST_NAMED] for target in targets)
        if set(targets) == {lease.url}:
            return f"leads to itself, not followed: {named}"
        if lease.hops >= self.offers.most_hops(lease):
            return f"leads elsewhere after {lease.hops} redirects or pages, not followed: {named}"
        return f"leads elsewhere, not followed: {named}"

    def _absence(self, lease: Lease, targets: list[str]) -> Absence | None:
        site, _ = self.sites.place(lease)
        fronts = canonical_of([site.home, *(channel.url for channel in site.channels)]) if site else []
        elsewhere = [target for target in targets if _bare(target) != _bare(lease.url)]  # a page may be called 404.html
        return next((kind for target in elsewhere if (kind := absence_of_target(target, frozenset(fronts)))), None)


def _bare(url: str) -> str:
    """A URL without its scheme and www."""
    return url.partition("://")[2].removeprefix("www.")
