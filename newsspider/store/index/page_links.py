"""Indexes the anchor texts of new links from lists for articles that are stored already."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from newsspider.core.model import LinkKind
from newsspider.core.text.titles import other_wordings
from newsspider.store.engine.statement import rows_among
from newsspider.store.index import entries
from newsspider.store.index.anchors import MOST_ANCHORS
from newsspider.store.ledger.links import LONGEST_ANCHOR, key_of
from newsspider.store.saved import Saved

_LINKED = """
    SELECT a.id, a.key, a.title, e.anchors FROM article_urls u
    JOIN articles a ON a.id = u.article_id AND a.key = u.key JOIN search_entries e ON e.article_id = a.id
    WHERE u.key IN ({keys})
    """


def note(conn: Connection, pages: Sequence[Saved]) -> None:
    """Index those articles again to which links have new anchor texts that differ from the title."""
    anchors: dict[int, list[str]] = {}
    for page in pages:
        if page.linked and page.lease.kind.polled and not page.crawl:
            for link in page.result.links:
                if link.kind is LinkKind.ARTICLE and not link.nofollow:
                    anchors.setdefault(key_of(link.url), []).append(link.text[:LONGEST_ANCHOR])
    changed = [row.id for row in rows_among(conn, _LINKED, anchors) if _is_new(row, anchors[row.key])]
    for article_id in sorted(changed):
        entries.refresh_anchors(conn, article_id)


def _is_new(row: tuple[int, int, str, str], anchors: Sequence[str]) -> bool:
    _, _, title, stored_anchors = row
    indexed = stored_anchors.split("\n")
    return len(indexed) < MOST_ANCHORS and not set(other_wordings(title, anchors)) <= set(indexed)
