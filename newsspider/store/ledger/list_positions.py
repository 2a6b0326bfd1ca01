"""The learned positions of lists on the pages of channels, and when these were redesigned."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, or_, select

from newsspider.core.crawling.visit import Lease
from newsspider.core.model import Layout, Standing
from newsspider.store.engine.statement import Statement
from newsspider.store.saved import Pages
from newsspider.store.tables import channels

_LEARN = Statement(
    """
    UPDATE channels SET list_moves = list_moves + CASE WHEN list_paths <> :paths THEN :moved ELSE 0 END,
                        list_learned_at = CASE WHEN list_paths <> :paths THEN :now ELSE list_learned_at END,
                        list_paths = :paths, list_lost_at = NULL
    WHERE site = :site AND name = :name
    """
)
_LOSE = Statement("UPDATE channels SET list_lost_at = :lost WHERE site = :site AND name = :name")


def note(conn: Connection, lease: Lease, layout: Layout, now: float) -> None:
    """Store the positions of the lists of a lease's channel; what another worker stored already is no second move."""
    channel = {"site": lease.site, "name": lease.channel}
    if layout.standing in (Standing.LEARNED, Standing.MOVED):
        moved = int(layout.standing is Standing.MOVED)
        paths = json.dumps(layout.paths, ensure_ascii=False)
        _LEARN.change(conn, channel | {"now": now, "moved": moved, "paths": paths})
    else:
        _LOSE.change(conn, channel | {"lost": now if layout.standing is Standing.LOST else None})


def note_all(conn: Connection, pages: Pages[Layout]) -> None:
    """The same for all pages whose layout is new."""
    for page, layout in pages:
        note(conn, page.lease, layout, page.now)


def known(conn: Connection) -> dict[tuple[str, str], Layout]:
    """The layouts of all channels, by site and channel."""
    columns = (channels.c.site, channels.c.name, channels.c.list_paths, channels.c.list_lost_at)
    rows = conn.execute(select(*columns).where(channels.c.list_paths != ""))
    return {
        (row.site, row.name): Layout(
            Standing.KEPT if row.list_lost_at is None else Standing.LOST, tuple(json.loads(row.list_paths))
        )
        for row in rows
    }


def of_site(conn: Connection, site: str) -> list[dict[str, Any]]:
    """The channels of a site with known list positions: where, since when, and whether they moved or were lost."""
    return _records(conn, select(*_COLUMNS).where(channels.c.site == site, channels.c.list_paths != ""))


def moved(conn: Connection, most: int) -> list[dict[str, Any]]:
    """The channels whose lists were redesigned or are lost, the latest first."""
    changed = or_(channels.c.list_moves > 0, channels.c.list_lost_at.is_not(None))
    return _records(conn, select(*_COLUMNS).where(changed), most)


_COLUMNS = (
    channels.c.site,
    channels.c.name.label("channel"),
    channels.c.url,
    channels.c.list_paths,
    channels.c.list_learned_at,
    channels.c.list_moves,
    channels.c.list_lost_at,
)


def _records(conn: Connection, query: Any, most: int | None = None) -> list[dict[str, Any]]:
    newest = query.order_by(channels.c.list_learned_at.desc(), channels.c.site, channels.c.name).limit(most)
    rows = [dict(row) for row in conn.execute(newest).mappings()]
    return [row | {"list_paths": json.loads(row["list_paths"] or "[]")} for row in rows]
