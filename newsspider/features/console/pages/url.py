"""Everything that the store knows of a URL, in the order in which it happened."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy import Connection

from newsspider.actions.unknown_url import site_at, site_of
from newsspider.core.url import url_key
from newsspider.features.console.access import Fields, changing, costly, needs
from newsspider.features.console.accounts import Role
from newsspider.features.console.child import NotDone
from newsspider.features.console.linking_pages import linking_pages
from newsspider.features.console.pages.labelling import sources, title_of
from newsspider.features.console.pages.sites import trying
from newsspider.features.console.pages.submit import fetch_now
from newsspider.features.console.view import opened, redirect, required_url, typed_url
from newsspider.store.articles import held_articles, labels
from newsspider.store.articles.export import article_at
from newsspider.store.engine.database import reading
from newsspider.store.exploring.crawls import keys_of
from newsspider.store.ledger.history import History, forget, histories_of, pages_linking_to

PATIENCE = 20.0  # seconds: one who looks for links waits for another one

router = APIRouter()


@router.post("/url/fetch")
def fetch(request: Request, fields: Fields) -> Response:
    """Have a URL fetched now, as ``scrapy submit`` does."""
    url = required_url(fields.get("url", ""))
    with changing(request, Role.EDITOR) as change:
        fetch_now(request, change, url)
    return redirect(request, f"/submit?{urlencode({'u': url})}")


@router.post("/url/forget")
def forget_url(request: Request, fields: Fields) -> Response:
    """Remove a URL, its links, and its article if no other URL has it, as ``scrapy forget`` does."""
    url = required_url(fields.get("url", ""))
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


def _label(conn: Connection, history: History) -> tuple[str, bool | None] | None:
    """The topic for which the article of a URL can be labelled, and its last label; ``None`` if its text is not
    stored."""
    key, article = url_key(history.url["url"]), history.article
    if article is not None:
        return article["topic"], labels.of_article(conn, article["topic"], article["id"])
    held_article = held_articles.of_key(conn, key)
    return labels.of_url(conn, key) or (held_article and (held_article.topic, None))


@router.get("/url")
def url(request: Request, u: str = "", links: str = "") -> Response:
    """What is known of the URL ``u``; of one that was never offered, with ``links``, the pages that link to it."""
    with opened(request) as view:
        address = typed_url(u)
        values: dict[str, Any] = {"asked": u.strip(), "address": address, "seconds": view.now.timestamp()}
        if address is None:
            return view.page("url.html", **values, histories=[])
        if histories := histories_of(view.conn, address):
            values |= {"number": article_at(view.conn, address), "topics": sources(request.app.state.settings)}
            label = _label(view.conn, histories[0])
            values["topic_title"] = title_of(request.app.state.settings, label and label[0])
            return view.page("url.html", **values, histories=histories, label=label)
        site, today = site_at(view.conn, address) or site_of(view.conn, address), view.now.date()
    linking, problem = None, ""
    if links:
        costly(request)
        try:
            with trying(request, PATIENCE):  # no state of the store is kept for it
                linking = linking_pages(request.app.state.engine, address, request.app.state.settings, today)
        except NotDone as error:
            problem = str(error)
    with opened(request) as view:
        return view.page("url_unknown.html", status=404, **values, site=site, linking=linking, problem=problem)
