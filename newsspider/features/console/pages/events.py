"""Events: those that most articles tell of, and all that is known of one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import Connection

from newsspider.core.text.numbers import whole_number
from newsspider.features.console.access import Change, Fields, changing, costly, editors, needs
from newsspider.features.console.accounts import Role
from newsspider.features.console.view import View, opened, redirect
from newsspider.features.events.actions import EventChange
from newsspider.features.events.advance import unanalysed
from newsspider.features.events.criticism_weights import criticism_model
from newsspider.features.events.decisions import last_decision, prepare
from newsspider.features.events.events import Event, Page, changes_of, largest, of_article, read, summaries
from newsspider.features.events.opinions import criticisms_in
from newsspider.features.events.rules.criticism import Criticism
from newsspider.search.day import last_day
from newsspider.store.articles.export import Filters

SPAN_DAYS = {"1d": 1, "3d": 3, "1w": 7, "4w": 28}  # days
MOST_EVENTS = 40
MOST_PAGES = 60
ARTICLE = "article-"  # begins the field of an article that is chosen
MOST_CRITICISMS, MOST_SENTENCES = 5, 300  # that are shown, that are judged for it

router = APIRouter()


@router.get("/events")
def events(request: Request, span: str = "1d") -> Response:
    """The events of which most pages are of the last day, three days, week or four weeks."""
    with opened(request) as view:
        chosen = span if span in SPAN_DAYS else next(iter(SPAN_DAYS))
        several, last = largest(view.conn, _filters(view, chosen), MOST_EVENTS), None
        wider = None if several else _wider(view, chosen)
        if not several and wider is None:
            last = last_day(view.conn, Filters(until=view.now))
        return view.page(
            "events.html", events=several, span=chosen, spans=list(SPAN_DAYS), left=unanalysed(view.conn),
            seconds=view.now.timestamp(), wider=wider, last=last,
        )  # fmt: skip


def _filters(view: View, span: str) -> Filters:
    return Filters(since=view.now - timedelta(days=SPAN_DAYS[span]), until=view.now)


def _wider(view: View, span: str) -> str | None:
    """The next longer span that has an event."""
    longer = [name for name, days in SPAN_DAYS.items() if days > SPAN_DAYS[span]]
    return next((name for name in longer if largest(view.conn, _filters(view, name), 1)), None)


@router.get("/events/{number}", dependencies=[Depends(costly)])
def event(request: Request, number: str) -> Response:
    """The event with this id; that of an article, or of an event that became part of another, leads to it."""
    with opened(request) as view:
        event = _named(view.conn, number)
        if str(event.id) != number:
            return RedirectResponse(view.link(f"/events/{event.id}"), 303)
        return _page(view, event)


def _page(view: View, event: Event, status: int = 200, problem: str = "", typed: str = "") -> Response:
    """The page of an event; with the ``problem`` of what was ``typed`` into the form that merges events."""
    places, names = event.places_and_names()
    pages = event.pages[:MOST_PAGES]
    return view.page(
        "event.html", status=status, event=event, places=places, names=names, pages=pages,
        more=max(len(event.pages) - MOST_PAGES, 0), leads=_leads(view.conn, pages),
        changes=changes_of(view.conn, event.id), growth=event.growth(view.now.timestamp()),
        timeline=event.timeline(), decided=last_decision(view.conn, event.id),
        criticisms=_criticisms(view.conn, pages), problem=problem, typed=typed,
    )  # fmt: skip


@router.post("/events/{number}", dependencies=[Depends(editors)])
def change_event(request: Request, number: str, fields: Fields) -> Response:
    """Split an event, merge it with another one, rename it, or undo that, as ``scrapy event`` does."""
    names = (name.removeprefix(ARTICLE) for name in fields if name.startswith(ARTICLE))
    articles = [article for name in names if (article := whole_number(name)) is not None]
    other = re.split(r"[?#]", fields.get("other", "").strip())[0].rstrip("/").rpartition("/")[2]
    kind, title, decision = (fields.get(name, "") for name in ("change", "title", "decision"))
    try:
        changed = edited(request, number, kind, articles, other, title, decision)
    except HTTPException as error:
        if kind != "merge" or error.status_code != 404:
            raise
        with opened(request) as view:
            return _page(view, _named(view.conn, number), 404, error.detail, fields.get("other", ""))
    return redirect(request, f"/events/{changed.id}")


def edited(
    request: Request, number: str, kind: str, articles: Sequence[int], other: str, title: str, decision: str
) -> Event:
    """Change an event, and return the one that its first article is in now. Status 400 for an unknown kind of change,
    409 if a ``decision`` that is to be undone is not the last one."""
    needs(request, Role.EDITOR)
    with opened(request) as view:
        names = (number, other) if kind == "merge" else (number,)
        prepare(view.conn, {_named(view.conn, name).id for name in names})
    with changing(request, Role.EDITOR) as change:
        return _edited(change, number, kind, articles, other, title, decision)


def _edited(
    change: Change, number: str, kind: str, articles: Sequence[int], other: str, title: str, decision: str
) -> Event:
    event = _named(change.conn, number)
    edit = EventChange(change.conn, change.now, change.account, event)
    match kind:
        case "split":
            edit.split(articles)
        case "merge":
            edit.merge(_named(change.conn, other))
        case "rename":
            edit.rename(title)
        case "undo":
            last = last_decision(change.conn, event.id)
            if decision and last and decision != str(last.number):
                raise HTTPException(409, "this event was split or merged again since you looked; look at it first")
            edit.undo()
        case _:
            raise HTTPException(400, "a change is one of split, merge, rename, undo")
    return of_article(change.conn, event.first.article_id) or event


def _named(conn: Connection, number: str) -> Event:
    """The event with this id, or of the article with this id; status 404 if there is none."""
    event_id = whole_number(number) or 0
    event = read(conn, [event_id]).get(event_id) or of_article(conn, event_id)
    if event is None:
        raise HTTPException(404, f"no event has the id {number}")
    return event


def _leads(conn: Connection, pages: Sequence[Page]) -> dict[int, str]:
    """The first sentences of each article of these pages; empty where an earlier one has the same."""
    first, leads = summaries(conn, pages), dict[int, str]()
    for page in pages:
        lead = first.get(page.article_id, "")
        leads.setdefault(page.article_id, "" if lead in leads.values() else lead)
    return leads


def _criticisms(conn: Connection, pages: Sequence[Page]) -> Sequence[tuple[Criticism, ...]]:
    """The largest groups of like sentences in these pages that criticise."""
    articles = {page.article_id for page in pages}
    return criticisms_in(conn, criticism_model(), articles, MOST_SENTENCES).groups[:MOST_CRITICISMS]
