"""The learned lines that sites put around the texts of their articles."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection

from newsspider.core.crawling.visit import NewBoilerplate
from newsspider.store.engine.statement import Statement
from newsspider.store.saved import Pages

_LEARN = Statement(
    "INSERT INTO boilerplate_lines (site, line, learned_at) VALUES (:site, :line, :now) ON CONFLICT DO NOTHING"
)
_FORGET = Statement("DELETE FROM boilerplate_lines WHERE site = :site")
_KNOWN = Statement("SELECT site, line FROM boilerplate_lines ORDER BY site, learned_at, line")
_OF = Statement("SELECT line FROM boilerplate_lines WHERE site = :site")


def note(conn: Connection, site: str, lines: Iterable[str], now: float) -> None:
    """Store lines that were learned of a site; those that another worker learned before stay as they are."""
    _LEARN.change_many(conn, [{"site": site, "line": line, "now": now} for line in lines])


def note_all(conn: Connection, pages: Pages[NewBoilerplate]) -> None:
    """The same for pages that taught such lines."""
    for page, learned in pages:
        note(conn, page.lease.site, learned.lines, page.now)


def forget(conn: Connection, site: str) -> int:
    """Remove all lines of a site; returns how many there were."""
    return _FORGET.change(conn, {"site": site})


def of_site(conn: Connection, site: str) -> list[str]:
    """The lines of one site."""
    return [row.line for row in _OF.run(conn, {"site": site})]


def known(conn: Connection) -> dict[str, list[str]]:
    """The lines of each site, the first learned first."""
    lines: dict[str, list[str]] = {}
    for row in _KNOWN.run(conn, {}):
        lines.setdefault(row.site, []).append(row.line)
    return lines
