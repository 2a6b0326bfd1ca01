"""Serves the console until it is told to end."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import uvicorn
from anyio import to_thread
from fastapi import FastAPI
from scrapy.settings import BaseSettings
from sqlalchemy import Engine

from newsspider.crawl.freed_memory import give_memory_back, limit_arenas, return_large_blocks
from newsspider.features.console import background_process
from newsspider.features.console.app import create_app
from newsspider.features.console.view import TEMPLATES
from newsspider.search.entry_rows import PRESENT_TEXTS
from newsspider.search.facets import count_facets
from newsspider.search.hits import Sort
from newsspider.search.query_relaxation import looked_up
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import reading, writable
from newsspider.store.engine.errors import StoreFailedError
from newsspider.store.engine.watched_threads import start_thread
from newsspider.store.index.backend import COPY, ServerAwayError

if TYPE_CHECKING:
    from newsspider.store.index.opensearch import OpenSearchIndex

logger = logging.getLogger(__name__)
NOTES_SECONDS = 60.0
OPENED_SECONDS = 1.0  # less than a reader takes to say at another console that an article is unread
ANSWER_THREADS = 16  # more would only wait for the interpreter, each with a connection and its cache
ENDING_SECONDS = 5  # for the answers under way when the server ends
MOST_ARENAS = 2  # of the allocator; one a thread takes 50 MB more
COPY_SECONDS, AWAY_SECONDS = 5.0, 30.0  # between two tries to copy; after a failure
ANY_QUERY = "高考改革方案公布后的家长"  # so long that its words are looked for, too


def serve_console(
    engine: Engine,
    listening: socket.socket,
    names: Sequence[str],
    prefix: str,
    note: Callable[[str], None],
    settings: BaseSettings,
    *,
    accounts_needed: bool,
) -> None:
    """Serve the store on this socket for requests to these host names, and have alerts delivered; ``note`` is told the
    address of the console. ``prefix`` is the path that a reverse proxy has taken away from the requests that it passes
    on. With ``accounts_needed`` nobody is answered without an account, whatever becomes of the accounts."""
    limit_arenas(MOST_ARENAS)
    return_large_blocks()
    warm_up(engine)
    ended = threading.Event()
    app = create_app(engine, hosts=names, accounts_needed=accounts_needed, settings=settings)
    for begin in app.state.warm_ups:
        begin()
    host, port = listening.getsockname()[:2]
    note(f"console at http://{f'[{host}]' if ':' in host else host}:{port}{prefix}/ (Ctrl-C ends it)")
    workers = _started(engine, settings, ended, app) if writable(engine) else []
    server = uvicorn.Server(config_of(app, root_path=prefix))
    app.state.is_ending = lambda: server.should_exit
    asyncio.run(_answer(server, listening))
    ended.set()
    for worker in workers:
        worker.join(2 * background_process.END_SECONDS)


def _started(engine: Engine, settings: BaseSettings, ended: threading.Event, app: FastAPI) -> list[threading.Thread]:
    """What the console does beside answering, each in a thread that starts again if it dies."""
    works = {
        "newsspider-background": partial(background_process.keep_running, engine, settings, ended),
        "newsspider-notes": partial(_keep_notes, engine, ended, app),
        "newsspider-opened": partial(_store_opened, engine, ended, app),
    }
    copy = engine.get_execution_options().get(COPY)
    if copy is not None:
        works["newsspider-copy"] = partial(_copy, engine, copy, ended)
    return [start_thread(name, work, until=ended) for name, work in works.items()]


async def _answer(server: uvicorn.Server, listening: socket.socket) -> None:
    """Answer until the server is told to end."""
    to_thread.current_default_thread_limiter().total_tokens = ANSWER_THREADS
    await server.serve(sockets=[listening])


def config_of(app: Any, **options: Any) -> uvicorn.Config:
    """How an application is served."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        timeout_graceful_shutdown=ENDING_SECONDS,
        **options,
    )


def warm_up(engine: Engine) -> None:
    """Search as the first reader will: this loads the dictionaries and compiles the statements and the page."""
    try:
        now = datetime.fromtimestamp(Clock().now(), UTC)
        with reading(engine) as conn:
            result = looked_up(conn, ANY_QUERY, PRESENT_TEXTS, limit=1, sort=Sort.RELEVANCE, now=now)
            count_facets(conn, result.query)
    except StoreFailedError as error:
        logger.warning("no article can be searched for: %s", error)
    TEMPLATES.get_template("search.html")


def _keep_notes(engine: Engine, ended: threading.Event, app: FastAPI) -> None:
    """Write down what was searched for, and which sessions and tokens were used, once a minute and at the end; a
    console that nobody asked in that minute rests."""
    state, rests = app.state, False
    while not ended.is_set():
        ended.wait(NOTES_SECONDS)
        try:
            state.searches.store(engine, Clock().now())
            state.uses.store(engine)
        except StoreFailedError as error:
            logger.warning("searches and last uses are not noted: %s", error)
        if not state.is_asked and not rests:
            if TEMPLATES.cache is not None:
                TEMPLATES.cache.clear()
            give_memory_back(engine)
        rests, state.is_asked = not state.is_asked, False


def _store_opened(engine: Engine, ended: threading.Event, app: FastAPI) -> None:
    """Write down what was read, every second and at the end, so that other consoles know it."""
    while not ended.is_set():
        ended.wait(OPENED_SECONDS)
        try:
            app.state.opened.store(engine)
        except StoreFailedError as error:
            logger.warning("what was read is not noted: %s", error)
            ended.wait(NOTES_SECONDS)


def _copy(engine: Engine, copy: OpenSearchIndex, ended: threading.Event) -> None:
    """Copy to ``SEARCH_INDEX`` what it does not have, every few seconds; a server that is away is asked again."""
    while not ended.is_set():
        try:
            with reading(engine) as conn:
                count = copy.copy_next(conn)
            ended.wait(0.0 if count else COPY_SECONDS)
        except (ServerAwayError, StoreFailedError) as error:
            logger.warning("SEARCH_INDEX waits: %s", error)
            ended.wait(AWAY_SECONDS)
