"""Puts the console together: pages, JSON, feeds, and what holds for each answer."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles
from sqlalchemy import Engine
from starlette.exceptions import HTTPException

from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import reading
from newsspider.store.engine.errors import StoreFails
from newsspider.web import api, feeds
from newsspider.web.guard import Guard
from newsspider.web.pages import article, crawl, events, search, sites, today, url
from newsspider.web.view import opened

logger = logging.getLogger(__name__)
HERE = Path(__file__).parent
TITLE = "newsspider"


def create_app(engine: Engine, *, hosts: Sequence[str], clock: Clock | None = None) -> FastAPI:
    """The console of the store behind ``engine``, for requests that name one of ``hosts``."""
    app = FastAPI(title=TITLE, version="1", docs_url=None, redoc_url=None, openapi_url="/api/v1/openapi.json")
    app.state.engine = engine
    app.state.clock = clock or Clock()
    app.add_middleware(Guard, hosts=frozenset(hosts))
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    for part in (today, search, article, events, url, sites, crawl, feeds, api):
        app.include_router(part.router, include_in_schema=part is api)
    app.add_api_route("/health", _health, include_in_schema=False)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(StoreFails, _store_fails)
    return app


def _health(request: Request) -> Response:
    """200 if the store can be read."""
    with reading(request.app.state.engine) as conn:
        conn.exec_driver_sql("SELECT 1")
    return PlainTextResponse("ok\n")


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if request.url.path.startswith(f"{request.scope.get('root_path', '')}/api/"):
        return api.failed(error.status_code, str(error.detail))
    with opened(request) as view:
        return view.page("error.html", status=error.status_code, reason=str(error.detail))


def _store_fails(request: Request, error: Exception) -> Response:
    logger.warning("%s could not be answered: %s", request.url.path, error)
    return PlainTextResponse(f"{error}\n", status_code=503)
