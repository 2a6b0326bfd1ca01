"""URLs, as pages and in the API: everything that the store knows of one, in the order in which it happened; to submit
and to forget one."""

from __future__ import annotations

import json
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import Response
from pydantic import Field
from sqlalchemy import Connection

from newsspider.actions.sites import watch_all
from newsspider.actions.unknown_url import site_at, site_of
from newsspider.core.crawling.start_url_message import StartUrl
from newsspider.core.model import State
from newsspider.core.url import canonical, url_key
from newsspider.download.guarded_resolver import allowed_addresses
from newsspider.features.console.access import AuditedChange, Fields, begin_change, require_role
from newsspider.features.console.accounts import Role
from newsspider.features.console.api.routing import api_router
from newsspider.features.console.child_process import ChildError
from newsspider.features.console.linking_pages import linking_pages
from newsspider.features.console.pages.labelling import title_of, topic_profiles
from newsspider.features.console.pages.sites import Address, trial_turn
from newsspider.features.console.rate_limits import limit_costly
from newsspider.features.console.view import open_view, redirect_to, required_url, typed_url
from newsspider.store.articles import held_articles, labels
from newsspider.store.articles.article_records import article_at
from newsspider.store.engine.database import reading
from newsspider.store.ledger.crawls import keys_of
from newsspider.store.ledger.submitted import NEVER_FETCHED
from newsspider.store.ledger.submitted import submit as submit_urls
from newsspider.store.sites import stored_sites
from newsspider.store.url_history import History, histories_of, pages_linking_to
from newsspider.store.url_history import forget_url as forget_key

ONCE, WATCH = "once", "watch"
REFRESH_SECONDS = 5
ANSWER_SECONDS = 20.0  # seconds: one who looks for links waits for another one

router = APIRouter()
api = api_router()


class Submission(Address):
    """A URL for the crawl."""

    watch: Annotated[bool, Field(description="poll it from now on, as a channel")] = False


@router.post("/url/fetch")
def fetch(request: Request, fields: Fields) -> Response:
    """Have a URL fetched now, as ``scrapy submit`` does."""
    url = required_url(fields.get("url", ""))
    with begin_change(request, Role.EDITOR) as change:
        fetch_now(request, change, url)
    return redirect_to(request, f"/submit?{urlencode({'u': url})}")


@router.post("/url/forget")
def send_forget(request: Request, fields: Fields) -> Response:
    """Remove a URL, its links, and its article if no other URL has it, as ``scrapy forget`` does."""
    url = required_url(fields.get("url", ""))
    forget(request, url)
    return redirect_to(request, f"/url?{urlencode({'u': url})}")


def _label(conn: Connection, history: History) -> tuple[str, bool | None] | None:
    """The topic for which the article of a URL can be labelled, and its last label; ``None`` if its text is not
    stored."""
    key, article = url_key(history.url["url"]), history.article
    if article is not None:
        return article["topic"], labels.of_article(conn, article["topic"], article["id"])
    held_article = held_articles.of_key(conn, key)
    return labels.of_url(conn, key) or (held_article and (held_article.topic, None))


@router.get("/url")
def url_page(request: Request, u: str = "", links: str = "") -> Response:
    """What is known of the URL ``u``; of one that was never offered, with ``links``, the pages that link to it."""
    with open_view(request) as view:
        address = typed_url(u)
        values: dict[str, Any] = {"asked": u.strip(), "address": address, "seconds": view.now.timestamp()}
        if address is None:
            return view.page("url.html", **values, histories=[])
        if histories := histories_of(view.conn, address):
            values |= {"number": article_at(view.conn, address), "topics": topic_profiles(request.app.state.settings)}
            label = _label(view.conn, histories[0])
            values["topic_title"] = title_of(request.app.state.settings, label and label[0])
            return view.page("url.html", **values, histories=histories, label=label)
        site, today = site_at(view.conn, address) or site_of(view.conn, address), view.now.date()
    linking, problem = None, ""
    if links:
        limit_costly(request)
        try:
            with trial_turn(request, ANSWER_SECONDS):  # no state of the store is kept for it
                linking = linking_pages(request.app.state.engine, address, request.app.state.settings, today)
        except ChildError as error:
            problem = str(error)
    with open_view(request) as view:
        return view.page("url_unknown.html", status=404, **values, site=site, linking=linking, problem=problem)


@router.get("/submit")
def submit_page(request: Request, u: str = "", watched: str = "") -> Response:
    """The form, and what became of the URL ``u``; the page asks again while that is not known."""
    with open_view(request) as view:
        address = typed_url(u)
        history = next(iter(histories_of(view.conn, address)), None) if address else None
        pending = history is not None and history.url["state"] in {State.WAITING, State.PROCESSING}
        return view.page(
            "submit.html",
            asked=u.strip(),
            address=address,
            history=history,
            watched=watched,
            pending=pending,
            number=article_at(view.conn, address) if address else None,
            seconds=view.now.timestamp(),
            refresh=REFRESH_SECONDS,
            bookmarklet=bookmarklet(str(request.base_url)),
        )


def bookmarklet(base: str) -> str:
    """A bookmark that opens the form of this console in a new tab, with the URL of the page that one is on. It changes
    nothing: the form, with its CSRF token, does.

    >>> bookmarklet("https://news.cn/a/")
    'javascript:void open("https://news.cn/a/submit?u="+encodeURIComponent(location.href),"_blank","noopener")'
    """
    form = json.dumps(f"{base.rstrip('/')}/submit?u=")
    return f'javascript:void open({form}+encodeURIComponent(location.href),"_blank","noopener")'


@router.post("/submit")
def submitted(request: Request, fields: Fields) -> Response:
    """Hand the URL to the crawl, as ``scrapy submit`` does, and lead to what becomes of it."""
    url = required_url(fields.get("url", ""))
    watched = handed_over(request, url, watch=fields.get("how") == WATCH)
    query = {"u": url} | ({"watched": watched} if watched else {})
    return redirect_to(request, f"/submit?{urlencode(query)}")


def handed_over(request: Request, url: str, *, watch: bool) -> str | None:
    """Hand a canonical URL to the crawl; the site of which it is a channel from now on if it is to be watched."""
    with begin_change(request, Role.EDITOR) as change:
        if not watch:
            fetch_now(request, change, url)
            return None
        allowed = allowed_addresses(request.app.state.settings)
        (watched,) = watch_all(change.conn, stored_sites(change.conn), [url], allowed, change.now)
        change.note("url.watch", url, after=watched._asdict())
        return watched.site


def fetch_now(request: Request, change: AuditedChange, url: str) -> None:
    """Have a URL fetched by the next or the running crawl; status 400 if it never is."""
    settings = request.app.state.settings
    suffixes = frozenset(settings.getlist("IGNORED_SUFFIXES"))
    result = submit_urls(change.conn, [StartUrl(url)], change.now, suffixes, allowed_addresses(settings))
    if result.refused:
        raise HTTPException(400, NEVER_FETCHED.format(url))
    change.note("url.submit", url)


@api.get("/urls", summary="Explain a URL")
def urls(request: Request, url: str) -> dict[str, Any]:
    """Its state and reason in each crawl that knows it."""
    address = canonical(url)
    if address is None:
        raise HTTPException(400, f"{url[:200]!r} is not an http or https URL")
    with open_view(request) as view:
        histories = histories_of(view.conn, address)
        if not histories:
            raise HTTPException(404, "nothing is known of this URL")
        fields = (
            "url",
            "site",
            "channel",
            "kind",
            "state",
            "reason",
            "detail",
            "found_at",
            "last_fetched_at",
            "due_at",
        )
        return {"url": address, "known": [{name: history.url[name] for name in fields} for history in histories]}


@api.post("/urls", summary="Submit a URL", status_code=202)
def submit(request: Request, body: Submission) -> dict[str, Any]:
    """Have a URL fetched by the next or the running crawl, or watched from now on, as `scrapy submit` does; `GET` tells
    what became of it. Takes the scope `edit`."""
    url = required_url(body.url)
    return {"url": url, "watched_as": handed_over(request, url, watch=body.watch)}


@api.delete("/urls", summary="Forget a URL", status_code=204)
def forget(request: Request, url: Annotated[str, Query(max_length=2000)]) -> None:
    """With its links, and its article if no other URL has it, as `scrapy forget`. Takes the scope `edit`."""
    url = required_url(url)
    require_role(request, Role.EDITOR)
    with reading(request.app.state.engine) as conn:
        linking = pages_linking_to(conn, keys_of(conn, url))
    with begin_change(request, Role.EDITOR) as change:
        number, histories = article_at(change.conn, url), keys_of(change.conn, url)
        if not sum(forget_key(change.conn, key, linking) for key in histories):
            raise HTTPException(404, "nothing is known of this URL")
        change.note("url.forget", url, before={"article": number})
