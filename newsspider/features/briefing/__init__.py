"""Briefings (简报): what happened in a day or a week, for somebody else to read; every sentence is one of an article.

It builds on events, attention (the counting), health (the sources that are silent) and alerts, by which briefings are
sent; the console has its pages, on which an editor picks and orders. ``rules`` holds its decisions, without I/O or
clock; ``forms`` the Jinja templates of its formats, which people copy and change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsspider.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from fastapi import FastAPI
    from sqlalchemy import Engine, Table

    from newsspider.cli.command_group import CommandGroup
    from newsspider.hooks import MessageContent
    from newsspider.sites.holidays import Holidays


@hookimpl(specname="tables")
def _tables() -> Sequence[Table]:
    from newsspider.features.briefing.tables import briefings

    return (briefings,)


@hookimpl
def put_messages(engine: Engine, console: str, holidays: Holidays, now: float) -> None:
    from newsspider.features.briefing import subscriptions

    subscriptions.put_due(engine, console, holidays, now)


@hookimpl
def message_content(engine: Engine, message: Mapping[str, Any], is_mail: bool) -> MessageContent | None:
    from newsspider.features.briefing import subscriptions

    return subscriptions.content_of(engine, message, is_mail) if message["type"] == subscriptions.TYPE else None


@hookimpl
def actions(group: CommandGroup) -> None:
    from newsspider.features.briefing import subscription_commands

    if group.name == "alerts":
        subscription_commands.add_action(group)


@hookimpl
def routes(app: FastAPI) -> None:
    from newsspider.features.briefing import pages
    from newsspider.features.console.access import add_routes
    from newsspider.features.console.view import add_link

    add_routes(app, pages.router, in_schema=False)
    add_routes(app, pages.api)
    add_link(app, "/briefings", "简报")
