"""The links that pages have, marked where the page asks not to follow them, and which of them lead to a URL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from newsspider.core.crawling.visit import PageResult
from newsspider.store.engine.statement import Inserts, Statement, rows_among
from newsspider.store.tables import links

LONGEST_ANCHOR = 300  # characters

_ADD = Inserts(
    """
    INSERT INTO links (src, dst, url, anchor, kind, region, channel, found_at, nofollow)
    VALUES (:src, :dst, :url, :anchor, :kind, :region, :channel, :found_at, :nofollow)
    ON CONFLICT (src, dst) DO NOTHING
    """,
    links,
)
_MARKED = "SELECT src, dst FROM links WHERE nofollow AND src IN ({keys})"
_MARK = Statement("UPDATE links SET nofollow = :nofollow WHERE src = :src AND dst = :dst")
_LEADING = """
    SELECT l.url, l.anchor, l.kind, l.region, l.channel, l.nofollow, u.url AS page, u.site, count(*) OVER () AS pages,
           count(l.channel) OVER () AS lists
    FROM links l JOIN urls u ON u.key = l.src WHERE l.dst IN ({keys})
    ORDER BY CASE WHEN l.channel IS NULL THEN 1 ELSE 0 END, l.found_at, u.url LIMIT :count
    """


def rows_of(result: PageResult, keys: Mapping[str, int], now: float, channel: str | None) -> Iterator[dict[str, Any]]:
    """The links of a page, marked if all that it has to their URL are. ``channel``: the list that shows them."""
    src = result.lease.key
    followed = {keys[link.url] for link in result.links if not link.nofollow}
    for link in result.links:
        dst = keys[link.url]
        yield {
            "src": src, "dst": dst, "url": link.url, "anchor": link.text[:LONGEST_ANCHOR], "kind": link.kind,
            "region": link.region, "channel": channel, "found_at": now, "nofollow": dst not in followed,
        }  # fmt: skip


def add(conn: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Store the links that are not stored yet; of the others, whether they are marked now."""
    before = {(row.src, row.dst) for row in rows_among(conn, _MARKED, {row["src"] for row in rows})}
    _MARK.change_many(conn, [row for row in rows if row["nofollow"] != ((row["src"], row["dst"]) in before)])
    _ADD.change(conn, rows)


def leading_to(conn: Connection, keys: Iterable[int], count: int) -> list[Any]:
    """The first links to the URL that has one of these keys, those of lists before those of articles; each with its
    page, and how many pages and lists link to it in all. No index serves this: it reads all links."""
    return rows_among(conn, _LEADING, keys, {"count": count})
