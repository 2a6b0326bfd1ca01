"""Tools for assistants: programs that speak the Model Context Protocol ask the store as people ask the console.

It builds on the console and on events: a tool asks the console's API, within this process, so that figures, rights and
limits are those of the API. ``scrapy mcp`` speaks over standard input and output; the console has the same tools at
``/api/mcp``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsspider.hooks import hookimpl

if TYPE_CHECKING:
    from fastapi import FastAPI


@hookimpl
def routes(app: FastAPI) -> None:
    from starlette.routing import Route

    from newsspider.features.mcp.over_http import OverHttp, no_oauth

    app.router.routes += [
        Route("/api/mcp", OverHttp(app), methods=["POST"]),
        Route("/.well-known/{path:path}", no_oauth),
        Route("/register", no_oauth, methods=["POST"]),
    ]
