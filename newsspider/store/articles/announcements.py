"""Tells plug-ins what a transaction saves, so that they can act in the same transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from newsspider.core.model import Reason
from newsspider.hooks import plugins
from newsspider.store.articles.bodies import Kept

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from newsspider.store.saved import Saved


def announce_pages(conn: Connection, pages: Sequence[Saved]) -> None:
    """Call the hook ``articles_changed`` for the articles of these pages."""
    with_articles = (page for page in pages if page.result.article is not None)
    stored = {page.article_id: page for page in with_articles if page.article_id is not None}
    changed = [number for number, page in stored.items() if page.new_article or page.changed or page.corrected]
    seen_again = [number for number, page in stored.items() if page.exact is Reason.DUPLICATE and number not in changed]
    _announce(conn, changed, seen_again, pages[0].now)


def run_page_steps(conn: Connection, pages: Sequence[Saved]) -> None:
    """Call the hook ``page_steps``."""
    plugins().hook.page_steps(conn=conn, pages=pages)


def announce_kept(conn: Connection, kept: Kept, now: float) -> None:
    """Call ``articles_changed`` for an article that was stored without a page."""
    changed = [kept.article_id] if kept.new or kept.change.is_new else []
    seen_again = [kept.article_id] if kept.reason is Reason.DUPLICATE and not changed else []
    _announce(conn, changed, seen_again, now)


def _announce(conn: Connection, changed: list[int], seen_again: list[int], now: float) -> None:
    if changed or seen_again:
        plugins().hook.articles_changed(conn=conn, changed=changed, seen_again=seen_again, now=now)
