"""What is new, as server-sent events: the articles that a query asks for, and what the crawl does. A stream that was
cut off goes on where its reader stopped (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from operator import itemgetter
from typing import Annotated, Any, NamedTuple, TypeVar

from fastapi import APIRouter, Depends, Header, HTTPException, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.sse import EventSourceResponse, ServerSentEvent
from sqlalchemy import Connection

from newsspider.core.query.matching import asks_for, indexed_text
from newsspider.core.query.query_language import Query as Wanted
from newsspider.core.query.query_language import parse_query
from newsspider.features.console.access import NotLoggedInError, asker_of, require_login
from newsspider.features.console.api.routing import only_known_parameters
from newsspider.features.console.rate_limits import limit_costly
from newsspider.features.console.view import open_view
from newsspider.store.articles.arrivals import arrived_articles, settled
from newsspider.store.articles.article_records import articles_of
from newsspider.store.engine.database import reading
from newsspider.store.engine.errors import StoreFailedError
from newsspider.store.index.contents import of_article
from newsspider.store.overview import live_figures

POLL_SECONDS = 1.0
ADMIT_SECONDS = 15.0  # between two looks of a stream whether its token still holds; FastAPI sends comments as often
COUNTING_SHARE = 0.02  # of the time at most goes into counting, however large the ledger
MOST_STREAMS, MOST_OF_ONE = 40, 4  # of this process; of an account, or of an address (browsers open 6 lines)
MOST_BEHIND = 100_000  # articles that a stream catches up with
ARTICLES_AT_ONCE = 100  # articles

RETRY_MILLISECONDS = 3_000

_ID = re.compile(r"\d{1,18}", re.ASCII)

Result = TypeVar("Result")

logger = logging.getLogger(__name__)
router = APIRouter(prefix="/api/v1/stream", dependencies=[Depends(only_known_parameters)])


class Batch(NamedTuple):
    """The records of the articles up to the number ``last`` that a query asks for."""

    last: int
    records: list[dict[str, Any]]


async def place(request: Request) -> AsyncIterator[None]:
    """One of the places for streams while it lasts; status 429 if none is free."""
    open_streams: Counter[str] = request.app.state.streams
    who = asker_of(request)
    if open_streams.total() >= MOST_STREAMS or open_streams[who] >= MOST_OF_ONE:
        raise HTTPException(429, "too many streams are open; close one, or try again", {"Retry-After": "30"})
    open_streams[who] += 1
    try:
        yield
    finally:
        open_streams[who] -= 1
        if not open_streams[who]:
            del open_streams[who]


def start(
    request: Request,
    q: Annotated[str, Query(description="a query, as of an alert; empty: every article")] = "",
    last_event_id: Annotated[str, Header(description="the id of the last event that was read")] = "",
    since: Annotated[str, Query(description="the same, for clients that cannot send the header")] = "",
) -> tuple[str, int]:
    """The query, and the number of the article behind which the stream begins: the newest, or the last one read."""
    event_id = last_event_id or since
    with open_view(request) as view:
        parse_query(q, view.now)
        newest = settled(view.conn)
    if event_id and not _ID.fullmatch(event_id):
        raise HTTPException(400, f"{event_id[:40]!r} is not the id of an event")
    after = int(event_id) if event_id else newest
    if newest - after > MOST_BEHIND:
        raise HTTPException(400, f"more than {MOST_BEHIND:,} articles came since that id: read /api/v1/export")
    return q, after


Start = Annotated[tuple[str, int], Depends(start)]
STREAM = [Depends(limit_costly), Depends(place)]


@router.get("/articles", summary="New articles", dependencies=STREAM, response_class=EventSourceResponse)
async def articles(request: Request, begin: Start) -> AsyncIterator[ServerSentEvent]:
    """An event `article` for each article that is stored from now on and that the query asks for, with its record. What
    asks not to be indexed is left out. With `Last-Event-ID` it begins with what was stored since that event; events
    without data only say how far it has come."""
    query, after = begin
    yield ServerSentEvent(id=str(after), retry=RETRY_MILLISECONDS)
    async for _ in _turns(request):
        batch = await _try(_next_batch, request, query, after)
        if batch is None or batch.last == after:
            await asyncio.sleep(POLL_SECONDS)
            continue
        after = batch.last
        for record in batch.records:
            yield _event("article", record, str(record["id"]))
        yield ServerSentEvent(id=str(after))


@router.get("/crawl", summary="What the crawl does", dependencies=STREAM, response_class=EventSourceResponse)
async def crawl(request: Request) -> AsyncIterator[ServerSentEvent]:
    """An event `crawl` at once, and whenever its figures change: URLs by state, workers, pages and articles so far and
    of the last minute and hour, when the next URL is due."""
    figures: dict[str, Any] | None = None
    yield ServerSentEvent(retry=RETRY_MILLISECONDS)
    async for _ in _turns(request):
        fresh = await request.app.state.movements.read(request)
        if fresh not in (None, figures):
            figures = fresh
            yield _event("crawl", figures, None)
        await asyncio.sleep(POLL_SECONDS)


class Movements:
    """The figures of the crawl, which all streams share: counted once for all of them."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._figures: dict[str, Any] | None = None
        self._until = 0.0

    async def read(self, request: Request) -> dict[str, Any] | None:
        """The figures, of a moment ago at most; older ones where counting takes long; ``None`` if the store fails."""
        loop = asyncio.get_running_loop()
        async with self._lock:
            began = loop.time()
            if began >= self._until:
                self._figures = await _try(_movements, request)
                ended = loop.time()
                self._until = ended + max(POLL_SECONDS / 2, (ended - began) / COUNTING_SHARE)
        return self._figures


async def _turns(request: Request) -> AsyncIterator[None]:
    """Turns, until the server or the right to read ends."""
    loop = asyncio.get_running_loop()
    admitted = loop.time()
    while not request.app.state.is_ending():
        if loop.time() - admitted >= ADMIT_SECONDS:
            try:
                await run_in_threadpool(require_login, request)
            except (NotLoggedInError, StoreFailedError):
                return
            admitted = loop.time()
        yield


async def _try(work: Callable[..., Result], *arguments: object) -> Result | None:
    """What the work returns; ``None`` if the store fails: the stream waits until it is there again."""
    try:
        return await run_in_threadpool(work, *arguments)
    except StoreFailedError as error:
        logger.warning("a stream waits: %s", error)
        return None


def _next_batch(request: Request, query: str, after: int) -> Batch:
    """The articles behind the one of this number, at most :data:`ARTICLES_AT_ONCE`."""
    engine = request.app.state.engine
    with reading(engine) as conn:
        last = settled(conn)
    with reading(engine) as conn:
        numbers = arrived_articles(conn, after, last, ARTICLES_AT_ONCE)
        parsed_query = parse_query(query, request.app.state.clock.utc())
        records = articles_of(conn, [number for number in numbers if _is_asked_for(conn, parsed_query, number)])
        visible = sorted((record for record in records if not record["noindex"]), key=itemgetter("id"))
    return Batch(max([after, *numbers[-1:]]), visible)


def _is_asked_for(conn: Connection, query: Wanted, number: int) -> bool:
    source = of_article(conn, number)
    if source is None:
        return False
    content = source.content()
    return asks_for(query, indexed_text(content.texts, content.values), content.moment)


def _movements(request: Request) -> dict[str, Any]:
    with reading(request.app.state.engine) as conn:
        return live_figures(conn, request.app.state.clock.now())


def _event(name: str, data: object, event_id: str | None) -> ServerSentEvent:
    return ServerSentEvent(event=name, raw_data=json.dumps(data, ensure_ascii=False), id=event_id)
