"""What the crawl does: its queues, hosts, failures and runs."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from newsspider.core.model import State
from newsspider.store.overview import movements, overview
from newsspider.web.view import opened

router = APIRouter()


@router.get("/crawl")
def crawl(request: Request) -> Response:
    """The figures of ``scrapy status``."""
    with opened(request) as view:
        figures = overview(view.conn, view.now.timestamp())
        slowest = max(figures["hosts"], key=lambda host: host["delay"] or 0.0, default=None)
        moving = movements(view.conn, view.now.timestamp())
        return view.page("crawl.html", figures=figures, moving=moving, slowest=slowest, states=list(State))
