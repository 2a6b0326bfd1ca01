"""Decides which links of a page a crawl may fetch, and why not the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from datetime import date
from enum import StrEnum

from newsspider.core.fetching.address_guard import AllowedAddresses, refused_host
from newsspider.core.fetching.traps import has_suffix, trap_of
from newsspider.core.model import Link, LinkKind, Reason
from newsspider.core.url import host_of, same_site

OFFERED = frozenset({LinkKind.ARTICLE, LinkKind.NEXT})  # the links for which lists are read


class Unoffered(StrEnum):
    """Why a link of a list is never offered to the frontier."""

    NOFOLLOW = "nofollow"  # the link or its page asks not to follow it
    OFFSITE = "offsite"
    NOT_AN_ARTICLE = "not_an_article"


def why_not_offered(
    link: Link, page: str, article_url: re.Pattern[str] | None = None, home: str | None = None
) -> Unoffered | None:
    """Why a link on a list page is not offered; ``None`` if it is. ``article_url`` is the article pattern of the
    watched site, ``home`` its home page: the list may be that of another program, such as RSSHub.

    >>> why_not_offered(Link("http://b.cn/1", kind=LinkKind.ARTICLE), "http://a.cn/list")
    <Unoffered.OFFSITE: 'offsite'>
    """
    if link.nofollow:
        return Unoffered.NOFOLLOW
    named = link.kind is not LinkKind.NEXT and article_url is not None and article_url.search(link.url) is not None
    if not named and not same_site(link.url, page) and (home is None or not same_site(link.url, home)):
        return Unoffered.OFFSITE
    return None if link.kind in OFFERED else Unoffered.NOT_AN_ARTICLE


def never_fetched(url: str, suffixes: Set[str], allowed: AllowedAddresses, today: date) -> tuple[Reason | None, str]:
    """Why a canonical URL is never fetched, with details for people; ``None`` if it may be fetched. ``suffixes`` are
    those of ``IGNORED_SUFFIXES`` in ``settings.py``."""
    if has_suffix(url, suffixes):
        return Reason.SUFFIX, ""
    if (trap := trap_of(url, today)) is not None:
        return Reason.TRAP, trap
    if refused_host(host_of(url), allowed) is not None:
        return Reason.ADDRESS, ""
    return None, ""


def marked_nofollow(links: Iterable[Link]) -> tuple[Link, ...]:
    """The links of a page, all as nofollow."""
    return tuple(link._replace(nofollow=True) for link in links)


def followed_links(links: Iterable[Link]) -> tuple[Link, ...]:
    """The links that may be followed."""
    return tuple(link for link in links if not link.nofollow)
