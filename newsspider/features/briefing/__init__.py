"""Briefings (简报): what happened in a day or a week, for somebody else to read; every sentence is one of an article.

It builds on events, attention (the counting) and health (the sources that are silent); the console, where there is
one, has its pages, on which an editor picks and orders. ``rules`` holds its decisions, without I/O or clock; ``forms``
the Jinja templates of its formats, which people copy and change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsspider.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapi import FastAPI
    from sqlalchemy import Table


@hookimpl(specname="tables")
def _tables() -> Sequence[Table]:
    from newsspider.features.briefing.tables import briefings

    return (briefings,)


@hookimpl
def routes(app: FastAPI) -> None:
    from fastapi import Depends

    from newsspider.features.briefing import pages
    from newsspider.features.console.access import admit
    from newsspider.features.console.view import add_link

    app.include_router(pages.router, include_in_schema=False, dependencies=[Depends(admit)])
    app.include_router(pages.api, dependencies=[Depends(admit)])
    add_link(app, "/briefings", "简报")
