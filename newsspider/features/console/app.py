"""Puts the console together: pages, JSON, feeds, and what holds for each answer."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings
from scrapy.utils.project import get_project_settings
from sqlalchemy import Engine
from starlette.exceptions import HTTPException

from newsspider.core.query.parser import RuleError
from newsspider.features.console import feeds
from newsspider.features.console.access import (
    NotLoggedInError,
    add_routes,
    bearer_of,
    is_program,
    require_login,
    way_to_log_in,
)
from newsspider.features.console.accounts import Uses
from newsspider.features.console.api import stream
from newsspider.features.console.figures_cache import RecentFigures
from newsspider.features.console.oidc import Provider
from newsspider.features.console.pages import account_settings as settings_page
from newsspider.features.console.pages import (
    article,
    catalogue,
    collections,
    crawl,
    labelling,
    login,
    marks,
    search,
    site_rules,
    sites,
    today,
    urls,
)
from newsspider.features.console.rate_limits import (
    LOCKOUT_SECONDS,
    MOST_FAILURES,
    MOST_OIDC_VISITS,
    MOST_QUERIES,
    OIDC_VISIT_SECONDS,
    QUERY_SECONDS,
    RateLimit,
)
from newsspider.features.console.reading_marks import Opened
from newsspider.features.console.saved_searches import NewestArticles
from newsspider.features.console.search_counts import Searches
from newsspider.features.console.security_headers import HEADERS, HEALTH, Guard
from newsspider.features.console.site_rules_preview import FetchedPages
from newsspider.features.console.view import form_sentence, refusal_of, take_up_plugins
from newsspider.features.health.sources import source_health
from newsspider.sites.holidays import Holidays
from newsspider.sites.loader import SiteError
from newsspider.store.articles.arrivals import by_site_and_hour
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import reading
from newsspider.store.engine.errors import StoreFailedError
from newsspider.store.engine.watched_threads import start_thread
from newsspider.store.overview import store_overview
from newsspider.store.sites import BrokenSiteError

logger = logging.getLogger(__name__)
HERE = Path(__file__).parent
TITLE = "newsspider"
# Feed readers ask for it; the token is the password.
BASIC = {"WWW-Authenticate": 'Basic realm="newsspider", charset="UTF-8"'}


PAGE_MODULES = (
    today,
    search,
    article,
    collections,
    sites,
    site_rules,
    catalogue,
    crawl,
    urls,
    labelling,
    marks,
    settings_page,
    feeds,
)
API = (
    search.api,
    article.api,
    urls.api,
    crawl.api,
    stream.router,
    collections.api,
    sites.api,
    site_rules.api,
    catalogue.api,
    today.api,
    marks.api,
    settings_page.api,
)
HEALTH_SECONDS = 5.0  # that `/health` waits for the store
STORE_FAILS = "the store cannot be used now; the log of the console says why"


def create_app(
    engine: Engine,
    *,
    hosts: Sequence[str],
    clock: Clock | None = None,
    accounts_needed: bool = False,
    settings: BaseSettings | None = None,
) -> FastAPI:
    """The console of the store behind ``engine``, for requests that name one of ``hosts``; with ``accounts_needed`` it
    answers nobody without an account, even if there is none, as where ``OIDC`` is set. Without ``settings`` those of
    the project hold."""
    app = FastAPI(title=TITLE, version="1", docs_url=None, redoc_url=None, openapi_url="/api/v1/openapi.json")
    app.state.engine = engine
    app.state.clock = clock or Clock()
    app.state.settings = settings or get_project_settings()
    app.state.oidc = Provider(app.state.settings.getdict("OIDC"))
    app.state.oidc_visits = RateLimit(MOST_OIDC_VISITS, OIDC_VISIT_SECONDS)
    app.state.accounts_needed = accounts_needed or bool(app.state.oidc.options)
    app.state.trying, app.state.waiting = threading.Lock(), threading.Lock()
    app.state.fetched_pages = FetchedPages()
    app.state.searches = Searches()
    app.state.uses, app.state.opened, app.state.newest = Uses(), Opened(), NewestArticles()
    app.state.everybody = None  # the bearer that every request has, where nobody needs an account
    holidays = Holidays.of(app.state.settings)
    app.state.health = RecentFigures(lambda conn, now: source_health(conn, holidays, now, with_changes=True))
    app.state.intake = RecentFigures(by_site_and_hour)
    app.state.front = RecentFigures(today.figures_of)
    app.state.overview = RecentFigures(store_overview)
    app.state.probe = None  # the future of the last question whether the store answers
    app.state.running = {}  # what takes long and must not be done twice at a time
    app.state.streams = Counter[str]()
    app.state.movements = stream.Movements()
    app.state.is_ending = lambda: False
    app.state.is_asked = True  # since it last was looked whether the console may rest
    app.state.warm_ups = []  # what plug-ins begin when the server starts, so that the first reader does not wait
    app.state.queries = RateLimit(MOST_QUERIES, QUERY_SECONDS)
    app.state.failures = RateLimit(MOST_FAILURES, LOCKOUT_SECONDS)
    app.add_middleware(Guard, hosts=frozenset(hosts))
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    for part in PAGE_MODULES:
        add_routes(app, part.router, in_schema=False)
    for described in API:
        add_routes(app, described)
    app.include_router(login.router, include_in_schema=False)
    take_up_plugins(app)
    app.add_api_route(HEALTH, _health, include_in_schema=False)
    app.add_api_route("/favicon.ico", lambda: FileResponse(HERE / "static" / "icon.svg"), include_in_schema=False)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(UsageError, _misused)
    app.add_exception_handler(SiteError, _misused)
    app.add_exception_handler(BrokenSiteError, _misused)
    app.add_exception_handler(RuleError, _unreadable)
    app.add_exception_handler(StoreFailedError, _store_fails)
    app.add_exception_handler(Exception, _fails)
    return app


async def _health(request: Request) -> Response:
    """200 if the store can be read; 503 if it fails, or does not answer. A store that hangs holds a thread for each
    page that was asked for; this takes one thread more, however often it is asked."""
    state = request.app.state
    if state.probe is None or state.probe.done():
        state.probe = Future()
        start_thread("newsspider-health", partial(_probe, state.engine, state.probe))
    try:
        await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(state.probe)), HEALTH_SECONDS)
    except TimeoutError:
        return PlainTextResponse(f"the store has not answered for {HEALTH_SECONDS:g} s\n", status_code=503)
    except StoreFailedError as error:  # here: a handler would wait for one of the threads that hang
        logger.warning("the store fails: %s", error)
        return PlainTextResponse(f"{STORE_FAILS}\n", status_code=503)
    return PlainTextResponse("ok\n")


def _probe(engine: Engine, answered: Future[None]) -> None:
    try:
        with reading(engine) as conn:
            conn.exec_driver_sql("SELECT 1")
    except BaseException as error:  # whatever it is, nobody may wait for it
        answered.set_exception(error)
    else:
        answered.set_result(None)


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if bearer_of(request) is None and error.status_code == 404:  # no route has asked yet who it is
        try:
            require_login(request)
        except NotLoggedInError as refusal:
            error = refusal
        except StoreFailedError as failure:
            return _store_fails(request, failure)
    if isinstance(error, NotLoggedInError) and not is_program(request):
        return RedirectResponse(way_to_log_in(request), 303)
    headers = {**(BASIC if is_program(request) else {}), **(error.headers or {})}
    return refusal_of(request, error.status_code, str(error.detail), headers)


def _invalid(request: Request, error: Exception) -> Response:
    """What is wrong and where; in JSON without the value, for it cannot say each that a request may hold."""
    assert isinstance(error, RequestValidationError)
    if not is_program(request):
        fault = error.errors()[0]
        return refusal_of(
            request, 422, f"{fault['loc'][-1]} in the address cannot be read: {str(fault['input'])[:40]!r}"
        )
    detail = [{name: fault[name] for name in ("type", "loc", "msg")} for fault in error.errors()]
    return JSONResponse({"detail": detail}, status_code=422)


def _fails(request: Request, error: Exception) -> Response:
    """An error of ours, which is logged by the server; its answer goes past the :class:`Guard`."""
    return refusal_of(request, 500, "an error of the program; the log of the console says more", HEADERS)


def _misused(request: Request, error: Exception) -> Response:
    """A value that a command refuses, too, or a site that cannot be used, with its sentence."""
    return _refused(
        request, HTTPException(409 if isinstance(error, BrokenSiteError) else 400, form_sentence(str(error)))
    )


def _unreadable(request: Request, error: Exception) -> Response:
    """A query that cannot be read, with the place of the fault."""
    return _refused(request, HTTPException(400, f"the query, {error}"))


def _store_fails(request: Request, error: Exception) -> Response:
    """Without the error, which names the user and the host of a database; nobody can say now who asks."""
    logger.warning("%s could not be answered: %s", request.url.path, error)
    return refusal_of(request, 503, STORE_FAILS)
