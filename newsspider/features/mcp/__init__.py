"""Tools for assistants: programs that speak the Model Context Protocol ask the store as people ask the console.

It builds on the console: a tool asks its API, within this process, so that its figures, rights and limits are those of
the API. ``scrapy mcp`` speaks over standard input and output; the console has the same tools at ``/api/mcp``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from newsspider.hooks import hookimpl

if TYPE_CHECKING:
    from fastapi import FastAPI


@hookimpl(specname="commands")
def _commands() -> Path:
    return Path(__file__).parent / "commands"


@hookimpl
def routes(app: FastAPI) -> None:
    from newsspider.features.mcp.over_http import OverHttp

    app.mount("/api/mcp", OverHttp(app))
