"""Keeps the pages that an explore crawl discovered until they are indexed, so that they need not be fetched again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from sqlalchemy import Connection

from newsspider.core.crawling.visit import DiscoveredPage, InCrawl, Lease
from newsspider.core.model import State
from newsspider.core.url import crawl_key
from newsspider.store.articles import snapshots
from newsspider.store.engine.statement import Statement
from newsspider.store.saved import Pages

INDEX = "/index"  # the suffix of the crawl that indexes what the crawl of this name discovered
ENDED = (State.DONE, State.ERROR)

_OF = Statement("SELECT snapshot, charset FROM explore_pages WHERE key = :key AND snapshot <> ''")
_NAME = Statement("UPDATE explore_pages SET snapshot = :name, charset = :charset WHERE key = :key")


def keep(conn: Connection, pages: Pages[DiscoveredPage]) -> None:
    """Keep discovered pages."""
    for page, discovered in pages:
        drop(conn, [page.lease.key])
        name = hashlib.sha256(discovered.content).hexdigest()
        snapshots.add(conn, name, discovered.content)
        _NAME.change(conn, {"key": page.lease.key, "name": name, "charset": discovered.charset})


def page_of(conn: Connection, lease: Lease) -> DiscoveredPage | None:
    """The kept page for a lease of an indexing crawl; ``None`` if there is none."""
    row = _OF.run(conn, {"key": _key(lease)}).first()
    content = snapshots.contents(conn, [row.snapshot]).get(row.snapshot) if row is not None else None
    return None if content is None else DiscoveredPage(content, row.charset)


def release(conn: Connection, pages: Pages[InCrawl]) -> None:
    """Drop the pages that were indexed."""
    indexed = [
        page.lease for page, crawl in pages if crawl.site.endswith(INDEX) and page.result.settlement.state in ENDED
    ]
    drop(conn, [_key(lease) for lease in indexed])


def drop(conn: Connection, keys: Iterable[int]) -> None:
    """Drop the kept pages of these URLs."""
    for key in keys:
        if (row := _OF.run(conn, {"key": key}).first()) is not None:
            _NAME.change(conn, {"key": key, "name": "", "charset": ""})
            snapshots.drop(conn, [row.snapshot])


def _key(lease: Lease) -> int:
    return crawl_key(lease.site.removesuffix(INDEX), lease.url)
