"""The counters of strategies: pairs of numbers that a crawl learned from pages, which add up in any order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection

from newsspider.core.strategies.link_probability import Pair
from newsspider.store.engine.statement import Statement, rows_among

_KNOWN = "SELECT name, first, second FROM strategy_counters WHERE crawl = :crawl AND name IN ({keys})"
_ADD = Statement(
    """
    INSERT INTO strategy_counters (crawl, name, first, second) VALUES (:crawl, :name, :first, :second)
    ON CONFLICT (crawl, name) DO UPDATE SET first = strategy_counters.first + excluded.first,
                                            second = strategy_counters.second + excluded.second
    """
)


def known(conn: Connection, crawl: str, names: Iterable[str]) -> dict[str, Pair]:
    """The stored counters with these names."""
    rows = rows_among(conn, _KNOWN, dict.fromkeys(names), {"crawl": crawl})
    return {row.name: Pair(row.first, row.second) for row in rows}


def add(conn: Connection, crawl: str, counters: Mapping[str, Pair]) -> None:
    """Add to the counters of a crawl."""
    rows = [
        {"crawl": crawl, "name": name, "first": pair.first, "second": pair.second}
        for name, pair in sorted(counters.items())
    ]
    _ADD.change_many(conn, rows)
