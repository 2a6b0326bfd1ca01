"""Search, articles, export and figures of the crawl in the API, ``/api/v1``; described by OpenAPI."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import Depends, HTTPException, Path, Query, Request
from fastapi.responses import Response
from sqlalchemy import Engine

from newsspider.core.model import Reason, State
from newsspider.core.query.language import Query as Wanted
from newsspider.core.query.parser import BadRule
from newsspider.core.url import canonical
from newsspider.features.console.access import costly
from newsspider.features.console.api.routing import HIGHEST_ID, api_router
from newsspider.features.console.exports import exported
from newsspider.features.console.view import View, opened, read_query
from newsspider.search.entry_rows import Scope
from newsspider.search.facets import facets
from newsspider.search.lookup import Result, looked_up
from newsspider.search.paging import Cursor, cursor_of, known_articles, page
from newsspider.search.query import Hit, Sort
from newsspider.store.articles.export import article_of
from newsspider.store.articles.reprints_report import of_url
from newsspider.store.engine.database import reading
from newsspider.store.ledger.history import histories_of
from newsspider.store.overview import latest_urls

MOST = 200
EXPORTED = 200  # articles that are read at once
_BEGIN = (1 << 45, 1 << 60)  # behind every moment, and every entry

router = api_router()


def scope_of(
    reprints: Annotated[bool, Query(description="every reprint, not one article a group")] = False,
    revisions: Annotated[bool, Query(description="also old versions")] = False,
    vanished: Annotated[bool, Query(description="also articles whose pages have vanished")] = False,
) -> Scope:
    """What is searched beside the present text of what is there."""
    return Scope(reprints, vanished, revisions)


Asked = Annotated[Scope, Depends(scope_of)]


@router.get("", summary="Where it is described")
def index(request: Request) -> dict[str, str]:
    """The path of the description of all that the API answers, by OpenAPI."""
    return {"openapi": f"{request.scope.get('root_path', '')}{request.app.openapi_url}"}


@router.get("/articles", summary="Search", dependencies=[Depends(costly)])
def articles(
    request: Request,
    scope: Asked,
    q: Annotated[str, Query(description="the query, as of `scrapy search`; empty: the newest articles")] = "",
    limit: Annotated[int, Query(ge=1, le=MOST)] = 20,
    sort: Sort = Sort.TIME,
    cursor: Annotated[str, Query(description="`next` of the page before")] = "",
) -> dict[str, Any]:
    """`total` articles (`more` than that if not all were counted), at most `limit` of them as records, and how the
    query was `searched_as`: a run of Chinese that is rare as a phrase by its words. In the order of time, `next` is the
    cursor of the page behind this one: send it with `searched_as` as `q`. What is stored meanwhile changes no page.
    `since` is the first day that was looked at if very many articles are similar, else empty: a page may then have few
    articles, or none, with more behind it."""
    with opened(request) as view:
        if cursor:
            return _next_page(view, q, scope, limit, sort, cursor)
        result = _looked_up(view, q, scope, limit, sort)
        hit_page, newest_id = result.found, known_articles(view.conn)
        following = None if hit_page.last is None else str(Cursor(newest_id, hit_page.last.moment, hit_page.last.id))
        counted = {"total": hit_page.total, "more": hit_page.more, "searched_as": result.searched_as or q}
        counted["since"] = hit_page.first_day
        return {**counted, "articles": [_record(hit) for hit in hit_page.hits], "next": following}


@router.get("/export", summary="Export all hits of a query", dependencies=[Depends(costly)])
def export(
    request: Request, scope: Asked, q: str = "", form: str = "jsonl", fields: Literal["", "all"] = ""
) -> Response:
    """Every article that a query finds, the latest first, in a format of `scrapy export`: `jsonl`, `csv`, `md`, `xlsx`
    or `parquet`; texts are sent as they are read. Of a group of reprints one, unless all are asked for. An `xlsx` has
    the columns that people read, with `fields=all` every field."""
    with opened(request) as view:
        query, newest_id = _looked_up(view, q, scope, 1, Sort.TIME).query, known_articles(view.conn)
    records = _all_records(request.app.state.engine, query, scope, Cursor(newest_id, *_BEGIN))
    return exported(form, "articles", records, fields=fields)


@router.get("/facets", summary="Count the hits of a query", dependencies=[Depends(costly)])
def counts(request: Request, scope: Asked, q: str = "") -> dict[str, Any]:
    """How many of the hits each site, media class, sub-topic and day has. Of more than 5,000 hits the newest are
    counted; `newest` says how many these are, and is null if all are counted."""
    with opened(request) as view:
        result = _looked_up(view, q, scope, 1, Sort.TIME)
        counted = facets(view.conn, result.query, scope)
        return {name: dict(pairs) for name, pairs in counted.counts.items()} | {"newest": counted.newest}


@router.get("/articles/{number}", summary="One article")
def article(request: Request, number: Annotated[int, Path(ge=1, le=HIGHEST_ID)]) -> dict[str, Any]:
    """Its record, and the chain of its reprints, the first source first."""
    with opened(request) as view:
        record = article_of(view.conn, number)
        if record is None:
            raise HTTPException(404, f"no article has the id {number}")
        group = of_url(view.conn, record["url"])
        return record | {"chain": [] if group is None else group.record()["chain"]}


@router.get("/urls", summary="Explain a URL")
def urls(request: Request, url: str) -> dict[str, Any]:
    """Its state and reason in each crawl that knows it."""
    address = canonical(url)
    if address is None:
        raise HTTPException(400, f"{url[:200]!r} is not an http or https URL")
    with opened(request) as view:
        histories = histories_of(view.conn, address)
        if not histories:
            raise HTTPException(404, "nothing is known of this URL")
        fields = (
            "url", "site", "channel", "kind", "state", "reason", "detail", "found_at", "last_fetched_at", "due_at",
        )  # fmt: skip
        return {"url": address, "known": [{name: history.url[name] for name in fields} for history in histories]}


@router.get("/health", summary="The health of the sources", dependencies=[Depends(costly)])
def health(request: Request) -> dict[str, Any]:
    """How many lists have each diagnosis, and the `problems` of the sites with evidence and advice; up to a minute
    old."""
    with opened(request) as view:
        sources = request.app.state.health.of(view.conn, view.now.timestamp())
        changes = [{**entry._asdict(), "evidence": entry.sentence} for entry in sources.changes]
        return {"lists": sources.counts, "problems": [entry.record() for entry in sources.problems], "quality": changes}


@router.get("/status", summary="The figures of the crawl")
def status(request: Request) -> dict[str, Any]:
    """As of `scrapy status --json`; of a large store up to a minute old."""
    with opened(request) as view:
        figures: dict[str, Any] = request.app.state.overview.of(view.conn, view.now.timestamp())
        return figures


@router.get("/status/urls", summary="URLs of a state and a reason")
def urls_of_reason(
    request: Request, state: State, reason: Reason, limit: Annotated[int, Query(ge=1, le=MOST)] = 50
) -> dict[str, Any]:
    """Of the URLs that `/status` counts under this state and reason, the `limit` that were found last, the latest
    first."""
    with opened(request) as view:
        return {"urls": latest_urls(view.conn, state, reason, limit)}


def _looked_up(view: View, q: str, scope: Scope, limit: int, sort: Sort) -> Result:
    try:
        return looked_up(view.conn, q, scope, limit=limit, sort=sort, now=view.now)
    except BadRule as error:
        raise HTTPException(400, f"the query, {error}") from None


def _next_page(view: View, q: str, scope: Scope, limit: int, sort: Sort, written: str) -> dict[str, Any]:
    cursor = cursor_of(written)
    if cursor is None or sort is not Sort.TIME:
        raise HTTPException(400, "a cursor is the `next` of an answer in the order of time")
    hits, following = page(view.conn, read_query(q, view.now), scope, limit, cursor)
    return {"articles": [_record(hit) for hit in hits], "next": following and str(following)}


def _record(hit: Hit) -> dict[str, Any]:
    return hit.record | {"revised_at": hit.revised_at}


def _all_records(engine: Engine, query: Wanted, scope: Scope, cursor: Cursor | None) -> Iterator[dict[str, Any]]:
    """The records of all hits; each page is a reading of its own, so that a slow reader keeps no state of the store."""
    while cursor is not None:
        with reading(engine) as conn:
            hits, cursor = page(conn, query, scope, EXPORTED, cursor)
        yield from (hit.record for hit in hits)
