"""URLs that people submit: offered as articles of the site that they belong to, or of none."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, select

from newsspider.core.model import Kind, Offer
from newsspider.core.strategy import ARTICLE_PRIORITY, priority
from newsspider.core.url import host_of, same_site, url_key
from newsspider.store import ledger
from newsspider.store.tables import channels

CHANNEL = "submitted"
WEIGHT = 10  # somebody waits for it
DEPTH = 2


def submit(conn: Connection, urls: Iterable[str], now: float) -> int:
    """Offer canonical URLs to be fetched now; how many of them were new. A known one is fetched again."""
    homes = [(row.site, row.url) for row in conn.execute(select(channels.c.site, channels.c.url))]
    offers = []
    for url in urls:
        site = next((name for name, home in homes if same_site(home, url)), "")
        offers.append(
            Offer(
                url_key(url), url, host_of(url), Kind.ARTICLE, site, CHANNEL, DEPTH, None, "",
                priority(ARTICLE_PRIORITY, WEIGHT), due_at=now, again_before=now,
            )
        )
    return ledger.offer(conn, offers, now)
