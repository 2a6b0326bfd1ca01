"""The articles that a topic judged last, as precedents for links with similar anchor texts."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection

from newsspider.store.engine.statement import Statement

REFUSED = """
    SELECT anchor, site FROM urls WHERE reason = 'off_topic' AND topic = :topic AND last_fetched_at >= :since
    AND NOT EXISTS (SELECT 1 FROM held_articles h WHERE h.key = urls.key AND h.borderline)
    ORDER BY last_fetched_at DESC LIMIT :most
"""
KEPT = "SELECT anchor, title, site, crawled_ts FROM articles WHERE topic = :topic ORDER BY crawled_ts DESC LIMIT :most"

MOST_TITLES = 2500  # of either kind

_REFUSED, _KEPT = Statement(REFUSED), Statement(KEPT)


class JudgedLink(NamedTuple):
    """The anchor text of the link to an article, its title if it was stored, its site, and whether it was stored."""

    anchor: str
    title: str
    site: str
    on_topic: bool


def judged_articles(conn: Connection, topic: str, most: int = MOST_TITLES) -> list[JudgedLink]:
    """The last ``most`` refused and the last ``most`` stored articles of a topic, the refused first, each from the
    oldest to the newest.

    If more were stored, articles refused before the oldest stored one are left out: those stored beside them are not
    listed either.
    """
    kept_rows = _KEPT.run(conn, {"topic": topic, "most": most})
    since = kept_rows[-1].crawled_ts if len(kept_rows) == most else 0
    refused_rows = _REFUSED.run(conn, {"topic": topic, "most": most, "since": since})
    off = [JudgedLink(row.anchor, "", row.site, on_topic=False) for row in reversed(refused_rows)]
    return [*off, *(JudgedLink(row.anchor, row.title, row.site, on_topic=True) for row in reversed(kept_rows))]
