"""Explains a URL that is no row of the ledger: the home page of a watched site, or one that pages link to but no crawl
follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection

from newsspider.core.links.followable import Unoffered, never_fetched, why_not_offered
from newsspider.core.model import Link, LinkKind, Reason, Region
from newsspider.core.url import same_site
from newsspider.download.guarded_resolver import allowed_addresses
from newsspider.sites.model import Site
from newsspider.store.ledger.crawls import crawl_names, keys_of
from newsspider.store.ledger.stored_links import CountedLink, links_to
from newsspider.store.sites import every_site

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

MOST_LINKS_JUDGED = 1000  # links that are judged

WHY = {
    Unoffered.NOFOLLOW: "the link or its page asks not to follow it",
    Unoffered.OFFSITE: "outside the watched site, and no article pattern names it",
    Unoffered.NOT_AN_ARTICLE: "by its place and anchor text not a link to an article",
    Reason.SUFFIX: "files with its suffix are not fetched",
    Reason.TRAP: "it looks like a trap for crawlers",
    Reason.ADDRESS: "its host is at an address that is not public",
}
ON_AN_ARTICLE = "it is on the page of an article, whose links are not followed"
OF_A_CRAWL = "outside the limits of the crawl, or its strategy did not follow it"
FURTHER = "a further page of a list: followed only while the list shows new articles"
NOTHING_AGAINST = "nothing prevents it: it is offered when its list is read again"


class Linked(NamedTuple):
    """The links to a URL: on how many ``pages`` they are, ``lists`` among them, why they are not followed with how many
    of the first :data:`MOST_LINKS_JUDGED`, and these."""

    pages: int
    lists: int
    because: Sequence[tuple[str, int]]
    links: Sequence[CountedLink]


def site_at(conn: Connection, url: str) -> Site | None:
    """The watched site whose home page this canonical URL is, whether with http or https."""
    address = url.partition("://")[2]
    return next((site for site in every_site(conn) if site.home.partition("://")[2] == address), None)


def site_of(conn: Connection, url: str) -> Site | None:
    """The watched site that a canonical URL belongs to."""
    return next((site for site in every_site(conn) if same_site(site.home, url)), None)


def judged_links_to(conn: Connection, url: str, settings: BaseSettings, today: date) -> Linked | None:
    """The links to a canonical URL; ``None`` if there are none. It reads all links of the store."""
    links = links_to(conn, keys_of(conn, url), MOST_LINKS_JUDGED)
    if not links:
        return None
    reasons = _Reasons(settings, today, {site.name: site for site in every_site(conn)}, frozenset(crawl_names(conn)))
    return Linked(links[0].pages, links[0].lists, Counter(map(reasons.of, links)).most_common(), links)


class _Reasons:
    """Judges stored links by the rules of the crawl and the present settings."""

    def __init__(
        self, settings: BaseSettings, today: date, watched: Mapping[str, Site], crawls: Collection[str]
    ) -> None:
        self.suffixes = frozenset(settings.getlist("IGNORED_SUFFIXES"))
        self.allowed = allowed_addresses(settings)
        self.today = today
        self.watched = watched
        self.crawls = crawls

    def of(self, row: Any) -> str:
        """Why this link is not followed."""
        link = Link(row.url, row.anchor, LinkKind(row.kind), Region(row.region), nofollow=row.nofollow)
        site = self.watched.get(row.site)
        why = why_not_offered(link, row.page, site.article_url if site else None, site.home if site else None)
        if why is Unoffered.NOFOLLOW:
            return f"{WHY[why]} ({why})"
        never, detail = never_fetched(link.url, self.suffixes, self.allowed, self.today)
        if never is not None:
            return f"{WHY[never]} ({detail or never})"
        if row.site in self.crawls:
            return OF_A_CRAWL
        if why is Unoffered.OFFSITE:
            return f"{WHY[why]} ({why})"
        if row.channel is None:
            return ON_AN_ARTICLE
        if why is not None:
            return f"{WHY[why]} ({why})"
        return FURTHER if link.kind is LinkKind.NEXT else NOTHING_AGAINST
