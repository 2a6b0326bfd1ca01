"""What the crawl does: its queues, hosts, failures and runs."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from newsspider.core.model import Reason, State
from newsspider.features.console.view import opened
from newsspider.store.overview import latest_urls, movements

MOST_URLS = 50

router = APIRouter()


@router.get("/crawl")
def crawl(request: Request) -> Response:
    """The figures of ``scrapy status``; of a large store up to a minute old, which the live figures then correct."""
    with opened(request) as view:
        figures = request.app.state.overview.of(view.conn, view.now.timestamp())
        slowest = max(figures["hosts"], key=lambda host: host["delay"] or 0.0, default=None)
        moving = movements(view.conn, view.now.timestamp(), figures["states"])
        return view.page("crawl.html", figures=figures, moving=moving, slowest=slowest, states=list(State))


@router.get("/crawl/urls")
def urls(request: Request, state: str = "", reason: str = "") -> Response:
    """The URLs of a state and a reason that were found last; each leads to its history."""
    if state not in list(State) or reason not in list(Reason):
        raise HTTPException(404, "there is no such state with such a reason")
    with opened(request) as view:
        rows = latest_urls(view.conn, State(state), Reason(reason), MOST_URLS)
        return view.page("crawl_urls.html", urls=rows, state=state, reason=reason, most=MOST_URLS)
