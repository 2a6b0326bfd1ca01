"""Explore crawls have URLs of their own in the ledger.

A crawl is the ``site`` of its URLs, ``explore:NAME`` or ``query:WORDS``. A URL has a different key in every crawl, so
crawls disturb neither each other nor the watched sites. They share the hosts with their delays and robots.txt.
"""

from __future__ import annotations

from sqlalchemy import Connection

from newsspider.core.url import crawl_key, url_key
from newsspider.store.engine.statement import Statement, rows_among

_URLS = "SELECT key, url FROM urls WHERE key IN ({keys})"
_NAMES = Statement("SELECT site FROM explore_crawls ORDER BY began_at, site")


def crawl_names(conn: Connection) -> list[str]:
    """The explore crawls in the store, in the order of their first runs."""
    return [row.site for row in _NAMES.run(conn, {})]


def keys_of(conn: Connection, url: str) -> list[int]:
    """The keys that a canonical URL may have: one for the watched sites, and one in every explore crawl; without those
    that another URL has."""
    keys = [url_key(url), *(crawl_key(name, url) for name in crawl_names(conn))]
    others = {key for key, known in rows_among(conn, _URLS, keys) if known != url}
    return [key for key in keys if key not in others]
