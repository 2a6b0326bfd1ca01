"""The workbench of topics: shows, tries, changes, trains and measures them; ``scrapy topics`` and ``scrapy score``.

It builds on the console.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from newsspider.hooks import hookimpl

if TYPE_CHECKING:
    from fastapi import FastAPI

HERE = Path(__file__).parent


@hookimpl(specname="commands")
def _commands() -> Path:
    return HERE / "commands"


@hookimpl
def templates() -> Path:
    return HERE / "templates"


@hookimpl
def routes(app: FastAPI) -> None:
    from fastapi import Depends

    from newsspider.features.console.access import admit, editors
    from newsspider.features.workbench import drafts, topics

    app.state.measurements = topics.Measurements()
    for pages in (topics.router, drafts.router):
        app.include_router(pages, include_in_schema=False, dependencies=[Depends(admit)])
    app.include_router(topics.api, dependencies=[Depends(admit)])
    app.include_router(drafts.api, dependencies=[Depends(admit), Depends(editors)])
