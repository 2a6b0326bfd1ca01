"""Events: what the stored articles report together, the hot words of a time, who took what from whom, and the sentences
that criticise.

It builds on no other feature. ``rules`` holds its decisions, without I/O or clock.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from newsspider.hooks import Derived, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, Table


@hookimpl(specname="tables")
def _tables() -> Sequence[Table]:
    from newsspider.features.events.tables import TABLES, event_decisions

    return *TABLES, event_decisions


@hookimpl
def derived() -> Derived:
    from newsspider.features.events.tables import ANALYSE, VERSION, is_current, start_again

    return Derived("events", ANALYSE, VERSION, is_current, start_again)


@hookimpl
def url_forgotten(conn: Connection, url: str) -> None:
    from newsspider.features.events.decisions import forget

    forget(conn, url)


@hookimpl(specname="commands")
def _commands() -> Path:
    return Path(__file__).parent / "commands"
