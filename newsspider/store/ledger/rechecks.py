"""Rechecks: schedules and cancels second visits to pages that showed no article of their own."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection

from newsspider.core.crawling.visit import Moved
from newsspider.core.model import Reason
from newsspider.store.ledger import same_content, trap_budgets
from newsspider.store.saved import Saved

READ_AS_ARTICLES = (Reason.STORED, Reason.DUPLICATE, Reason.OFF_TOPIC)


def compare(conn: Connection, pages: Iterable[Saved]) -> None:
    """Schedule rechecks of pages that redirect, and compare rechecked pages with what they showed before."""
    for page in pages:
        if page.result.effect(Moved) is not None:
            same_content.schedule_recheck(conn, page.lease, page.now)
        if page.previous_target is not None:
            if page.reason is Reason.DUPLICATE:
                trap_budgets.drop_one_of_many(conn, page.lease, page.article_id, page.now)
            same_content.compare(conn, page.lease, page.previous_target, page.now)


def cancel(conn: Connection, pages: Iterable[Saved]) -> None:
    """Cancel the rechecks of URLs that redirected to a page that is an article."""
    for page in pages:
        if page.lease.hops and not page.lease.kind.polled and page.reason in READ_AS_ARTICLES:
            same_content.cancel_rechecks(conn, page.lease)
