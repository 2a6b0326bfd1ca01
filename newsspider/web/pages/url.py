"""Everything that is known of a URL, as the story of its life."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from newsspider.core.url import canonical
from newsspider.store.accounts import Role
from newsspider.store.articles.export import article_at
from newsspider.store.engine.database import reading
from newsspider.store.exploring.crawls import keys_of
from newsspider.store.ledger.history import explain, forget, pages_linking_to
from newsspider.web.access import Fields, changing, needs
from newsspider.web.pages.submit import fetch_now
from newsspider.web.view import opened, redirect

router = APIRouter()


@router.post("/url/fetch")
def fetch(request: Request, fields: Fields) -> Response:
    """Have a URL fetched now, as ``scrapy submit`` does."""
    url = canonical_of(fields.get("url", ""))
    with changing(request, Role.EDITOR) as change:
        fetch_now(request, change, url)
    return redirect(request, f"/submit?{urlencode({'u': url})}")


@router.post("/url/forget")
def forget_url(request: Request, fields: Fields) -> Response:
    """Remove a URL, its links, and its article if no other URL has it, as ``scrapy forget`` does."""
    url = canonical_of(fields.get("url", ""))
    forgotten(request, url)
    return redirect(request, f"/url?{urlencode({'u': url})}")


def forgotten(request: Request, url: str) -> None:
    """Remove a canonical URL, its links, and its article if no other URL has it."""
    needs(request, Role.EDITOR)
    with reading(request.app.state.engine) as conn:
        linking = pages_linking_to(conn, keys_of(conn, url))
    with changing(request, Role.EDITOR) as change:
        number, histories = article_at(change.conn, url), keys_of(change.conn, url)
        if not sum(forget(change.conn, key, linking) for key in histories):
            raise HTTPException(404, "nothing is known of this URL")
        change.note("url.forget", url, before={"article": number})


def canonical_of(given: str) -> str:
    """The canonical URL of what somebody typed; status 400 if it is none."""
    url = canonical(given.strip())
    if url is None:
        raise HTTPException(400, "not an http or https URL")
    return url


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
