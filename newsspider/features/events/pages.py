"""Events in the console and its API: the largest ones, all that is known of one, and hot words; and what other pages
show of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Path, Query, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup
from pydantic import BaseModel, Field
from sqlalchemy import Connection

from newsspider.core.text.numbers import whole_number
from newsspider.core.text.regions import province_names, region_name
from newsspider.features.console.access import AuditedChange, Fields, begin_change, require_editor, require_role
from newsspider.features.console.accounts import Role
from newsspider.features.console.api.routing import HIGHEST_ID, api_router
from newsspider.features.console.pages.today import day_filters
from newsspider.features.console.rate_limits import limit_costly
from newsspider.features.console.view import View, open_view, redirect_to
from newsspider.features.events.counted_hot_words import MOST_WORDS
from newsspider.features.events.criticism import Criticism, criticism_model, criticisms_in
from newsspider.features.events.decisions import EventChange, last_decision, prepare_events
from newsspider.features.events.detection_run import count_unanalysed
from newsspider.features.events.events import (
    Event,
    EventPage,
    article_summaries,
    changes_of,
    events_by_size,
    of_article,
    read_events,
    whole_record,
)
from newsspider.features.events.hot_words import HotWord
from newsspider.search.day import last_day
from newsspider.store.articles.article_filters import Filters

SPAN_DAYS = {"1d": 1, "3d": 3, "1w": 7, "4w": 28}  # days
MOST_EVENTS = 40
MOST_PAGES_SHOWN, MOST_PAGES_SENT = 60, 1000
ARTICLE = "article-"  # begins the field of an article that is chosen
MOST_CRITICISMS, MOST_SENTENCES = 5, 300  # that are shown, that are judged for it
WORDS_SHOWN = 12  # on the front page
SHOWN_WORDS_SECONDS = 0.3  # for which the front page waits for them; the next page has those that came late

WORDS_SECONDS = 10.0  # seconds, twice: for the count of other hot words, and for these

router = APIRouter()
api = api_router()


class EventEdit(BaseModel):
    """A change of an event: ``split`` takes ``articles`` out, ``merge`` takes in the event ``other``, ``rename`` gives
    it a ``title``, or its own back without one, ``undo`` takes the last split or merge back, or makes it again if it
    was taken back; status 409 if that is not the ``decision`` that is named."""

    change: Literal["split", "merge", "rename", "undo"]
    articles: Annotated[list[int], Field(max_length=MOST_PAGES_SENT)] = []
    other: int = 0
    title: str = ""
    decision: int = 0


@router.get("/events")
def events(
    request: Request, span: Annotated[str, Query(pattern=f"^({'|'.join(SPAN_DAYS)})$")] = "1d", about: str = ""
) -> Response:
    """The events of which most pages are of the last day, three days, week or four weeks, of all or of those about a
    province or city."""
    about = _place(about)
    with open_view(request) as view:
        several, last = events_by_size(view.conn, _filters(view, span, about), MOST_EVENTS), None
        wider = None if several else _wider(view, span, about)
        if not several and wider is None:
            last = last_day(view.conn, Filters(until=view.now))
        return view.page(
            "events.html",
            events=several,
            span=span,
            spans=list(SPAN_DAYS),
            about=about,
            provinces=province_names(),
            left=count_unanalysed(view.conn),
            seconds=view.now.timestamp(),
            wider=wider,
            last=last,
        )


def _place(about: str) -> str:
    """The short name of a province or city, empty without one; status 422 if it is none."""
    name = region_name(about) if about else ""
    if name is None:
        raise HTTPException(422, f"about: {about!r} is no province or city")
    return name


def _filters(view: View, span: str, about: str) -> Filters:
    since = view.now - timedelta(days=SPAN_DAYS[span])
    return Filters(since=since, until=view.now, about=about or None)


def _wider(view: View, span: str, about: str) -> str | None:
    """The next longer span that has an event."""
    longer = [name for name, days in SPAN_DAYS.items() if days > SPAN_DAYS[span]]
    return next((name for name in longer if events_by_size(view.conn, _filters(view, name, about), 1)), None)


@router.get("/events/{number}", dependencies=[Depends(limit_costly)])
def event(request: Request, number: str) -> Response:
    """The event with this id; that of an article, or of an event that became part of another, leads to it."""
    with open_view(request) as view:
        event = _named(view.conn, number)
        if str(event.id) != number:
            return RedirectResponse(view.link(f"/events/{event.id}"), 303)
        return _page(view, event)


def _page(view: View, event: Event, status: int = 200, problem: str = "", typed: str = "") -> Response:
    """The page of an event; with the ``problem`` of what was ``typed`` into the form that merges events."""
    places, names = event.places_and_names()
    pages = event.pages[:MOST_PAGES_SHOWN]
    return view.page(
        "event.html",
        status=status,
        event=event,
        places=places,
        names=names,
        pages=pages,
        more=max(len(event.pages) - MOST_PAGES_SHOWN, 0),
        leads=_leads(view.conn, pages),
        changes=changes_of(view.conn, event.id),
        growth=event.growth(view.now.timestamp()),
        timeline=event.timeline(),
        decided=last_decision(view.conn, event.id),
        criticisms=_criticisms(view.conn, pages),
        problem=problem,
        typed=typed,
    )


@router.post("/events/{number}", dependencies=[Depends(require_editor)])
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
        with open_view(request) as view:
            return _page(view, _named(view.conn, number), 404, error.detail, fields.get("other", ""))
    return redirect_to(request, f"/events/{changed.id}")


def edited(
    request: Request, number: str, kind: str, articles: Sequence[int], other: str, title: str, decision: str
) -> Event:
    """Change an event, and return the one that its first article is in now. Status 400 for an unknown kind of change,
    409 if a ``decision`` that is to be undone is not the last one."""
    require_role(request, Role.EDITOR)
    with open_view(request) as view:
        names = (number, other) if kind == "merge" else (number,)
        prepare_events(view.conn, {_named(view.conn, name).id for name in names})
    with begin_change(request, Role.EDITOR) as change:
        return _edited(change, number, kind, articles, other, title, decision)


def _edited(
    change: AuditedChange, number: str, kind: str, articles: Sequence[int], other: str, title: str, decision: str
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
    event = read_events(conn, [event_id]).get(event_id) or of_article(conn, event_id)
    if event is None:
        raise HTTPException(404, f"no event has the id {number}")
    return event


def _leads(conn: Connection, pages: Sequence[EventPage]) -> dict[int, str]:
    """The first sentences of each article of these pages; empty where an earlier one has the same."""
    first, leads = article_summaries(conn, pages), dict[int, str]()
    for page in pages:
        lead = first.get(page.article_id, "")
        leads.setdefault(page.article_id, "" if lead in leads.values() else lead)
    return leads


def _criticisms(conn: Connection, pages: Sequence[EventPage]) -> Sequence[tuple[Criticism, ...]]:
    """The largest groups of like sentences in these pages that criticise."""
    articles = {page.article_id for page in pages}
    return criticisms_in(conn, criticism_model(), articles, MOST_SENTENCES).groups[:MOST_CRITICISMS]


@api.get("/hot-words", summary="Hot words", dependencies=[Depends(limit_costly)])
def hot_words(
    request: Request,
    hours: Annotated[int, Query(ge=1, le=24 * 366, description="how many hours back from now")] = 24,
    limit: Annotated[int, Query(ge=1, le=MOST_WORDS)] = 20,
    day: Annotated[date | None, Query(description="in China, instead of the last hours")] = None,
) -> dict[str, Any]:
    """As of `scrapy hot words`: the words that burst against 13 earlier times of the same length, with the articles
    that say why. They are counted at most every ten minutes."""
    words = hot_words_of(request.app, day, WORDS_SECONDS, hours)
    if words is None:
        raise HTTPException(503, "hot words are being counted; ask again", {"Retry-After": "5"})
    return {"words": [word.record() for word in words[:limit]]}


@api.get("/events", summary="Events", dependencies=[Depends(limit_costly)])
def list_events(
    request: Request,
    hours: Annotated[int, Query(ge=1, le=24 * 366, description="how many hours back from now")] = 24,
    limit: Annotated[int, Query(ge=1, le=MOST_EVENTS)] = 20,
    about: Annotated[str, Query(max_length=20, description="a province or city that the pages are about")] = "",
) -> dict[str, Any]:
    """The events that most pages of this time tell of; `left` articles are not with their events yet."""
    place = _place(about) or None
    with open_view(request) as view:
        seconds = view.now.timestamp()
        several = [
            event.record(seconds)
            for event in events_by_size(view.conn, replace(_last(hours, view.now), about=place), limit)
        ]
        return {"events": several, "left": count_unanalysed(view.conn)}


def _last(hours: int, now: datetime) -> Filters:
    return Filters(since=now - timedelta(hours=hours), until=now)


@api.get("/events/{number}", summary="One event", dependencies=[Depends(limit_costly)])
def read_event(
    request: Request,
    number: Annotated[int, Path(ge=1, le=HIGHEST_ID, description="its id, or that of one of its articles")],
    limit: Annotated[int, Query(ge=1, le=MOST_PAGES_SENT)] = 100,
) -> dict[str, Any]:
    """As of `scrapy event --json`: its pages by time as `nodes`, who took from whom as `edges`."""
    with open_view(request) as view:
        event = read_events(view.conn, [number]).get(number) or of_article(view.conn, number)
        if event is None:
            raise HTTPException(404, f"no event has the id {number}")
        return whole_record(view.conn, event, event.pages[:limit], view.now.timestamp())


@api.post("/events/{number}", summary="Split, merge or rename an event", dependencies=[Depends(limit_costly)])
def change(
    request: Request,
    number: Annotated[int, Path(ge=1, le=HIGHEST_ID, description="its id, or that of one of its articles")],
    body: EventEdit,
) -> dict[str, Any]:
    """The event with its first article after the change, as of `GET`. A decision survives a rebuild of the events.
    Takes the scope `edit`."""
    decision = str(body.decision or "")
    changed = edited(request, str(number), body.change, body.articles, str(body.other), body.title, decision)
    with open_view(request) as view:
        changed = of_article(view.conn, changed.first.article_id) or changed
        return whole_record(view.conn, changed, changed.pages[:MOST_PAGES_SENT], view.now.timestamp())


def front_part(view: View, shown: Mapping[str, Any]) -> Markup:
    """Beside the articles of a day: its largest events, and its hot words, once they are counted."""
    day = None if shown["is_today"] else shown["day"]
    words = hot_words_of(view.request.app, day, SHOWN_WORDS_SECONDS)
    return view.part("front_events.html", **shown, words=(words or ())[:WORDS_SHOWN])


def hot_words_of(app: FastAPI, day: date | None, patience: float, hours: int = 24) -> Sequence[HotWord] | None:
    """The hot words of a day, or of the last hours; ``None`` if counting takes longer than ``patience`` seconds."""
    now = app.state.clock.utc()
    key, filters = (hours, _last(hours, now)) if day is None else (day, day_filters(day))
    words: Sequence[HotWord] | None = app.state.hot_words.of(app.state.engine, key, filters, now, patience)
    return words


def article_part(view: View, article_id: int) -> Markup:
    """Beside an article: the event that others tell of, too."""
    event = of_article(view.conn, article_id)
    return Markup() if event is None or len(event.pages) < 2 else view.part("article_event.html", event=event.summary())
