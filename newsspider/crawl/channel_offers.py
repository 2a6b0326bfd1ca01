"""The offers at the start of a round: every enabled channel, ordered by weight group."""

from __future__ import annotations

from collections.abc import Iterable

from newsspider.core.crawling.visit import Offer
from newsspider.core.model import PageType
from newsspider.core.scheduling.priorities import LIST_PRIORITY, priority
from newsspider.core.url import canonical, host_of, url_key
from newsspider.sites.model import Channel, ChannelKind, Site

LIST_DEPTH = 1
ARTICLE_DEPTH = 2

PAGE_KINDS = {ChannelKind.FEED: PageType.FEED, ChannelKind.SITEMAP: PageType.SITEMAP}


def channel_offers(sites: Iterable[Site], now: float, cycle: float, again_before: float | None = None) -> list[Offer]:
    """One offer per channel of the enabled sites, the heaviest first; ``cycle`` is the longest time between two polls.

    New channels are due now, and so are known ones that were last polled before ``again_before``.
    """
    channels = [(site, channel) for site in sites if site.enabled for channel in site.channels]
    channels.sort(key=lambda pair: -pair[1].weight)
    return [_offer(site, channel, now, cycle, again_before) for site, channel in channels]


def _offer(site: Site, channel: Channel, now: float, cycle: float, again_before: float | None) -> Offer:
    url = canonical(channel.url)
    assert url is not None, f"{site.name}: the loader lets only http URLs through"
    return Offer(
        key=url_key(url),
        url=url,
        host=host_of(url),
        kind=PAGE_KINDS.get(channel.kind, PageType.LIST),
        site=site.name,
        channel=channel.name,
        depth=LIST_DEPTH,
        priority=priority(LIST_PRIORITY, channel.weight),
        due_at=now,
        update_cycle=cycle,
        again_before=again_before,
    )
