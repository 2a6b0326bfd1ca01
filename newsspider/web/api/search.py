"""The same as JSON, under ``/api/v1``; described by OpenAPI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request
from fastapi.responses import JSONResponse, Response

from newsspider.analysis.health import source_health
from newsspider.core.query.grammar import BadRule
from newsspider.core.url import canonical
from newsspider.search.entry_rows import Scope
from newsspider.search.facets import facets
from newsspider.search.lookup import looked_up
from newsspider.search.query import Sort
from newsspider.sites.holidays import Holidays
from newsspider.store.articles.export import article_of
from newsspider.store.articles.reprints_report import of_url
from newsspider.store.exploring.crawls import keys_of
from newsspider.store.ledger.history import explain
from newsspider.store.overview import overview
from newsspider.web.access import costly
from newsspider.web.view import opened

MOST = 200
HIGHEST_ID = 2**63 - 1

router = APIRouter(prefix="/api/v1")


@router.get("/articles", summary="Search", dependencies=[Depends(costly)])
def articles(
    request: Request,
    q: Annotated[str, Query(description="the query, as of `scrapy search`; empty: the newest articles")] = "",
    limit: Annotated[int, Query(ge=1, le=MOST)] = 20,
    sort: Sort = Sort.TIME,
    reprints: Annotated[bool, Query(description="every reprint, not one article a group")] = False,
    revisions: Annotated[bool, Query(description="also old versions")] = False,
    vanished: Annotated[bool, Query(description="also articles whose pages have vanished")] = False,
) -> dict[str, Any]:
    """`total` articles (`more` than that if not all were counted), at most `limit` of them as records, and how the
    query was `searched_as`: a run of Chinese that is rare as a phrase by its words."""
    with opened(request) as view:
        try:
            result = looked_up(view.conn, q, Scope(reprints, vanished, revisions), limit=limit, sort=sort, now=view.now)
        except BadRule as error:
            raise HTTPException(400, f"the query, {error}") from None
        searched_as = result.searched_as or q
        records = [hit.record | {"revised_at": hit.revised_at} for hit in result.found.hits]
        counted = {"total": result.found.total, "more": result.found.more}
        return {**counted, "searched_as": searched_as, "articles": records}


@router.get("/facets", summary="Count the hits of a query", dependencies=[Depends(costly)])
def counts(request: Request, q: str = "") -> dict[str, dict[str, int]]:
    """How many of the newest 2,000 hits each site, media class, sub-topic and day has."""
    with opened(request) as view:
        try:
            result = looked_up(view.conn, q, Scope(), limit=1, sort=Sort.TIME, now=view.now)
        except BadRule as error:
            raise HTTPException(400, f"the query, {error}") from None
        return {name: dict(pairs) for name, pairs in facets(view.conn, result.query).items()}


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
        raise HTTPException(400, "not an http or https URL")
    with opened(request) as view:
        histories = [history for key in keys_of(view.conn, address) if (history := explain(view.conn, key)) is not None]
        if not histories:
            raise HTTPException(404, "nothing is known of this URL")
        shown = ("url", "site", "channel", "kind", "state", "reason", "detail", "found_at", "last_fetched_at", "due_at")
        return {"url": address, "known": [{name: history.url[name] for name in shown} for history in histories]}


@router.get("/health", summary="The health of the sources")
def health(request: Request) -> dict[str, Any]:
    """How many lists have each diagnosis, and the `problems` of the sites with evidence and advice."""
    with opened(request) as view:
        found = source_health(view.conn, Holidays.of(request.app.state.settings), view.now.timestamp())
        changes = [{**one._asdict(), "evidence": one.sentence} for one in found.changes]
        return {"lists": found.counts, "problems": [one.record() for one in found.problems], "quality": changes}


@router.get("/status", summary="The figures of the crawl")
def status(request: Request) -> dict[str, Any]:
    """As of `scrapy status --json`."""
    with opened(request) as view:
        return overview(view.conn, view.now.timestamp())


def failed(status_code: int, reason: str, headers: Mapping[str, str]) -> Response:
    """An error as JSON."""
    return JSONResponse({"detail": reason}, status_code=status_code, headers=dict(headers))
