"""The anchor texts of links from lists to an article that differ from its title."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from newsspider.core.model import LinkKind
from newsspider.core.text.titles import other_wordings
from newsspider.store.engine.statement import Statement

MOST_ANCHORS = 8  # of an article
MOST_READ = 100  # links to an article, the oldest ones

# links of kind "article" are in the main part of lists: no menu, footer or "more" is among them
_ANCHORS = Statement(
    f"""
    SELECT anchor FROM links_of_lists WHERE dst = :key AND NOT nofollow AND kind = '{LinkKind.ARTICLE}'
    ORDER BY found_at, src LIMIT {MOST_READ}
    """
)


def anchors_of(conn: Connection, key: int, title: str) -> str:
    """The first anchor texts of links to the URL with this key that differ from the title, one a line."""
    anchors: Sequence[str] = [row.anchor for row in _ANCHORS.run(conn, {"key": key})]
    return "\n".join(other_wordings(title, anchors)[:MOST_ANCHORS])
