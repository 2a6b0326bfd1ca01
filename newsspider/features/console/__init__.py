"""The console: what the crawl collected, as pages in a browser (``scrapy web``), as JSON and as feeds.

It builds on the health of the sources. Alerts, the workbench and the tools for assistants take its accounts and pages,
alerts and events also its second process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsspider.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection, Table

    from newsspider.cli.command_group import CommandGroup


@hookimpl(specname="tables")
def _tables() -> Sequence[Table]:
    from newsspider.features.console.tables import TABLES

    return TABLES


@hookimpl
def articles_dropped(conn: Connection, successors: Mapping[int, int | None]) -> None:
    from newsspider.features.console import collections, reading_marks

    for article_id, other in successors.items():
        if other is not None:
            collections.hand_over(conn, article_id, other)
            reading_marks.hand_over(conn, article_id, other)


@hookimpl
def account_removed(conn: Connection, name: str) -> None:
    from newsspider.features.console import reading_marks, saved_searches

    reading_marks.forget_account(conn, name)
    saved_searches.forget_account(conn, name)


@hookimpl
def actions(group: CommandGroup) -> None:
    if group.name == "hot":
        from newsspider.features.console.search_counts import add_action

        add_action(group)
