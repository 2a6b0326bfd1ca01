"""What a crawl learned from the pages that it read: pairs of numbers under names, which add up in any order."""

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
    """What was learned under these names, as far as anything was."""
    rows = rows_among(conn, _KNOWN, dict.fromkeys(names), {"crawl": crawl})
    return {row.name: Pair(row.first, row.second) for row in rows}


def add(conn: Connection, crawl: str, told: Mapping[str, Pair]) -> None:
    rows = [
        {"crawl": crawl, "name": name, "first": pair.first, "second": pair.second}
        for name, pair in sorted(told.items())
    ]
    _ADD.change_many(conn, rows)
