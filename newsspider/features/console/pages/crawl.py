"""What the crawl does, as pages and in the API: its queues, hosts, failures and runs."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import Response

from newsspider.core.model import Reason, State
from newsspider.features.console.api.routing import api_router
from newsspider.features.console.view import open_view
from newsspider.store.overview import latest_urls, live_figures

SHOWN_URLS = 50  # on the page
MOST_URLS = 200  # in the API

router = APIRouter()
api = api_router()


@router.get("/crawl")
def crawl(request: Request) -> Response:
    """The figures of ``scrapy status``; of a large store up to a minute old, which the live figures then correct."""
    with open_view(request) as view:
        figures = request.app.state.overview.of(view.conn, view.now.timestamp())
        slowest = max(figures["hosts"], key=lambda host: host["delay"] or 0.0, default=None)
        moving = live_figures(view.conn, view.now.timestamp(), figures["states"])
        return view.page("crawl.html", figures=figures, moving=moving, slowest=slowest, states=list(State))


@router.get("/crawl/urls")
def urls_page(request: Request, state: str = "", reason: str = "") -> Response:
    """The URLs of a state and a reason that were found last; each leads to its history."""
    if state not in list(State) or reason not in list(Reason):
        raise HTTPException(404, "there is no such state with such a reason")
    with open_view(request) as view:
        rows = latest_urls(view.conn, State(state), Reason(reason), SHOWN_URLS)
        return view.page("crawl_urls.html", urls=rows, state=state, reason=reason, most=SHOWN_URLS)


@api.get("/status", summary="The figures of the crawl")
def status(request: Request) -> dict[str, Any]:
    """As of `scrapy status --json`; of a large store up to a minute old."""
    with open_view(request) as view:
        figures: dict[str, Any] = request.app.state.overview.of(view.conn, view.now.timestamp())
        return figures


@api.get("/status/urls", summary="URLs of a state and a reason")
def urls_of_reason(
    request: Request, state: State, reason: Reason, limit: Annotated[int, Query(ge=1, le=MOST_URLS)] = 50
) -> dict[str, Any]:
    """Of the URLs that `/status` counts under this state and reason, the `limit` that were found last, the latest
    first."""
    with open_view(request) as view:
        return {"urls": latest_urls(view.conn, state, reason, limit)}
