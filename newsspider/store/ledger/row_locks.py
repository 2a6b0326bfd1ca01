"""Locks the URLs that pages will change before any of them is changed, in one order, so that two writers do not wait
for each other. SQLite has only one writer anyway."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Moved
from newsspider.store.engine.statement import rows_among
from newsspider.store.ledger import same_content
from newsspider.store.ledger.known_urls import changes_known
from newsspider.store.saved import Saved

_LOCK = "SELECT key FROM urls WHERE key IN ({keys}) [ORDER BY key FOR UPDATE]"


def lock(conn: Connection, pages: Sequence[Saved]) -> None:
    """Lock the URLs of these pages, those of their offers that may change a known URL, and those whose rechecks they
    may change. The targets of a redirect count: :mod:`~newsspider.store.ledger.redirects` may have them read again."""
    if conn.dialect.name != "postgresql":
        return
    keys = {page.lease.key for page in pages}.union(same_content.others(conn, pages))
    for page in pages:
        moved = page.result.effect(Moved) is not None
        keys.update(offer.key for offer in page.result.offers if moved or changes_known(offer))
    rows_among(conn, _LOCK, sorted(keys))
