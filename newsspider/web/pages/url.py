"""Everything that is known of a URL, as the story of its life."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from newsspider.core.url import canonical
from newsspider.store.articles.export import article_at
from newsspider.store.exploring.crawls import keys_of
from newsspider.store.ledger.history import explain
from newsspider.web.view import opened

router = APIRouter()


@router.get("/url")
def url(request: Request, u: str = "") -> Response:
    """What is known of the URL ``u``."""
    with opened(request) as view:
        address = canonical(u.strip()) if u.strip() else None
        histories, number = [], None
        if address is not None:
            keys = keys_of(view.conn, address)
            histories = [history for key in keys if (history := explain(view.conn, key)) is not None]
            number = article_at(view.conn, address)
        return view.page(
            "url.html", status=404 if address and not histories else 200, asked=u.strip(), address=address,
            histories=histories, number=number, seconds=view.now.timestamp(),
        )  # fmt: skip
