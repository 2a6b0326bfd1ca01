"""What is learned of sites: where the lists stand on the pages of their channels, and the lines around the texts of
their articles."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, or_, select

from newsspider.core.crawling.visit import Lease, NewBoilerplate, Pages
from newsspider.core.model import Layout, Standing
from newsspider.store.engine.statement import Statement
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
_POSITION_COLUMNS = (
    channels.c.site,
    channels.c.name.label("channel"),
    channels.c.url,
    channels.c.list_paths,
    channels.c.list_learned_at,
    channels.c.list_moves,
    channels.c.list_lost_at,
)
_ADD_LINE = Statement(
    "INSERT INTO boilerplate_lines (site, line, learned_at) VALUES (:site, :line, :now) ON CONFLICT DO NOTHING"
)
_DELETE_LINES = Statement("DELETE FROM boilerplate_lines WHERE site = :site")
_LINES = Statement("SELECT site, line FROM boilerplate_lines ORDER BY site, learned_at, line")
_LINES_OF = Statement("SELECT line FROM boilerplate_lines WHERE site = :site")


def note_list_position(conn: Connection, lease: Lease, layout: Layout, now: float) -> None:
    """Store the positions of the lists of a lease's channel; what another worker stored already is no second move."""
    channel = {"site": lease.site, "name": lease.channel}
    if layout.standing in (Standing.LEARNED, Standing.MOVED):
        moved = int(layout.standing is Standing.MOVED)
        paths = json.dumps(layout.paths, ensure_ascii=False)
        _LEARN.change(conn, channel | {"now": now, "moved": moved, "paths": paths})
    else:
        _LOSE.change(conn, channel | {"lost": now if layout.standing is Standing.LOST else None})


def note_list_positions(conn: Connection, pages: Pages[Layout]) -> None:
    """The same for all pages whose layout is new."""
    for page, layout in pages:
        note_list_position(conn, page.lease, layout, page.now)


def known_list_positions(conn: Connection) -> dict[tuple[str, str], Layout]:
    """The layouts of all channels, by site and channel."""
    columns = (channels.c.site, channels.c.name, channels.c.list_paths, channels.c.list_lost_at)
    rows = conn.execute(select(*columns).where(channels.c.list_paths != ""))
    return {
        (row.site, row.name): Layout(
            Standing.KEPT if row.list_lost_at is None else Standing.LOST, tuple(json.loads(row.list_paths))
        )
        for row in rows
    }


def list_positions_of(conn: Connection, site: str) -> list[dict[str, Any]]:
    """The channels of a site with known list positions: where, since when, and whether they moved or were lost."""
    return _records(conn, select(*_POSITION_COLUMNS).where(channels.c.site == site, channels.c.list_paths != ""))


def moved_lists(conn: Connection, most: int) -> list[dict[str, Any]]:
    """The channels whose lists were redesigned or are lost, the latest first."""
    changed = or_(channels.c.list_moves > 0, channels.c.list_lost_at.is_not(None))
    return _records(conn, select(*_POSITION_COLUMNS).where(changed), most)


def _records(conn: Connection, query: Any, most: int | None = None) -> list[dict[str, Any]]:
    newest = query.order_by(channels.c.list_learned_at.desc(), channels.c.site, channels.c.name).limit(most)
    rows = [dict(row) for row in conn.execute(newest).mappings()]
    return [row | {"list_paths": json.loads(row["list_paths"] or "[]")} for row in rows]


def note_boilerplate(conn: Connection, site: str, lines: Iterable[str], now: float) -> None:
    """Store lines that were learned of a site; those that another worker learned before stay as they are."""
    _ADD_LINE.change_many(conn, [{"site": site, "line": line, "now": now} for line in lines])


def note_all_boilerplate(conn: Connection, pages: Pages[NewBoilerplate]) -> None:
    """The same for pages that taught such lines."""
    for page, learned in pages:
        note_boilerplate(conn, page.lease.site, learned.lines, page.now)


def forget_boilerplate(conn: Connection, site: str) -> int:
    """Remove all lines of a site; returns how many there were."""
    return _DELETE_LINES.change(conn, {"site": site})


def boilerplate_of(conn: Connection, site: str) -> list[str]:
    """The lines of one site."""
    return [row.line for row in _LINES_OF.run(conn, {"site": site})]


def known_boilerplate(conn: Connection) -> dict[str, list[str]]:
    """The lines of each site, the first learned first."""
    lines: dict[str, list[str]] = {}
    for row in _LINES.run(conn, {}):
        lines.setdefault(row.site, []).append(row.line)
    return lines
