"""Explore: what the pages are worth by the links between them (``scrapy graph``).

It builds on no other feature. ``rules`` holds its decisions, without I/O or clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsspider.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection, Table


@hookimpl(specname="tables")
def _tables() -> Sequence[Table]:
    from newsspider.features.explore.tables import ranks

    return (ranks,)


@hookimpl
def hub_scores(conn: Connection) -> Mapping[tuple[str, str], float]:
    from newsspider.features.explore.stored_ranks import hub_scores

    return hub_scores(conn)


@hookimpl
def url_facts(conn: Connection, key: int) -> Iterable[tuple[str, str]]:
    from newsspider.features.explore.stored_ranks import facts_of

    return facts_of(conn, key)


@hookimpl
def url_forgotten(conn: Connection, url: str) -> None:
    from newsspider.features.explore.stored_ranks import forget

    forget(conn, url)
