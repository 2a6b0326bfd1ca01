"""What was read last and judged by a topic, for links that say the like."""

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

LAST = 2500  # of either kind

_REFUSED, _KEPT = Statement(REFUSED), Statement(KEPT)


class Judged(NamedTuple):
    """The words of the link to an article, its title if it was kept, its site, and whether it was kept."""

    anchor: str
    title: str
    site: str
    on_topic: bool


def judged(conn: Connection, topic: str, most: int = LAST) -> list[Judged]:
    """The last ``most`` articles of either kind that were read for a topic, each kind from the oldest to the newest,
    the refused first.

    None is told that was refused before the oldest that is told to have been kept, if more were: what was on topic
    beside it is not known.
    """
    kept = _KEPT.run(conn, {"topic": topic, "most": most})
    since = kept[-1].crawled_ts if len(kept) == most else 0
    refused = _REFUSED.run(conn, {"topic": topic, "most": most, "since": since})
    off = [Judged(row.anchor, "", row.site, on_topic=False) for row in reversed(refused)]
    return [*off, *(Judged(row.anchor, row.title, row.site, on_topic=True) for row in reversed(kept))]
