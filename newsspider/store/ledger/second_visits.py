"""Rechecks: whether a page that is no article of its own, or was none, and those like it are asked again."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Moved
from newsspider.core.model import Reason
from newsspider.store.ledger import same_content, trap_budgets
from newsspider.store.saved import Saved

ARTICLES = (Reason.STORED, Reason.DUPLICATE, Reason.OFF_TOPIC)


def compare(conn: Connection, pages: Iterable[Saved]) -> None:
    """Ask those again that lead elsewhere, and compare what those show that were asked again because of that."""
    for page in pages:
        if page.result.effect(Moved) is not None:
            same_content.schedule_recheck(conn, page.lease, page.now)
        if page.previous_target is not None:
            if page.reason is Reason.DUPLICATE:
                trap_budgets.drop_one_of_many(conn, page.lease, page.article_id, page.now)
            same_content.compare(conn, page.lease, page.previous_target, page.now)


def found(conn: Connection, pages: Iterable[Saved]) -> None:
    """Ask those no more that led to a page that is an article."""
    for page in pages:
        if page.lease.hops and not page.lease.kind.polled and page.reason in ARTICLES:
            same_content.cancel_rechecks(conn, page.lease)
