"""Submit a URL: an article or a list to be fetched now, or a list or home page to be watched from now on."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from newsspider.actions.sites import watch_all
from newsspider.core.crawling.message import StartUrl
from newsspider.core.model import State
from newsspider.download.guarded_resolver import allowed_addresses
from newsspider.features.console.access import Change, Fields, changing
from newsspider.features.console.accounts import Role
from newsspider.features.console.view import opened, redirect, required_url, typed_url
from newsspider.store.articles.export import article_at
from newsspider.store.ledger.history import histories_of
from newsspider.store.ledger.submitted import NEVER_FETCHED, submit
from newsspider.store.sites import stored

ONCE, WATCH = "once", "watch"
REFRESH_SECONDS = 5

router = APIRouter()


@router.get("/submit")
def submit_page(request: Request, u: str = "", watched: str = "") -> Response:
    """The form, and what became of the URL ``u``; the page asks again while that is not known."""
    with opened(request) as view:
        address = typed_url(u)
        history = next(iter(histories_of(view.conn, address)), None) if address else None
        pending = history is not None and history.url["state"] in {State.WAITING, State.PROCESSING}
        return view.page(
            "submit.html", asked=u.strip(), address=address, history=history, watched=watched,
            pending=pending, number=article_at(view.conn, address) if address else None,
            seconds=view.now.timestamp(), refresh=REFRESH_SECONDS,
        )  # fmt: skip


@router.post("/submit")
def submitted(request: Request, fields: Fields) -> Response:
    """Hand the URL to the crawl, as ``scrapy submit`` does, and lead to what becomes of it."""
    url = required_url(fields.get("url", ""))
    watched = handed_over(request, url, watch=fields.get("how") == WATCH)
    query = {"u": url} | ({"watched": watched} if watched else {})
    return redirect(request, f"/submit?{urlencode(query)}")


def handed_over(request: Request, url: str, *, watch: bool) -> str | None:
    """Hand a canonical URL to the crawl; the site of which it is a channel from now on if it is to be watched."""
    with changing(request, Role.EDITOR) as change:
        if not watch:
            fetch_now(request, change, url)
            return None
        allowed = allowed_addresses(request.app.state.settings)
        (watched,) = watch_all(change.conn, stored(change.conn), [url], allowed, change.now)
        change.note("url.watch", url, after=watched._asdict())
        return watched.site


def fetch_now(request: Request, change: Change, url: str) -> None:
    """Have a URL fetched by the next or the running crawl; status 400 if it never is."""
    settings = request.app.state.settings
    suffixes = frozenset(settings.getlist("IGNORED_SUFFIXES"))
    result = submit(change.conn, [StartUrl(url)], change.now, suffixes, allowed_addresses(settings))
    if result.refused:
        raise HTTPException(400, NEVER_FETCHED.format(url))
    change.note("url.submit", url)
