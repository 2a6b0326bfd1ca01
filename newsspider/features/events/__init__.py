"""Events: what the stored articles report together, the hot words of a time, who took what from whom, and the sentences
that criticise.

It builds on no other feature; the console, where there is one, has its pages. ``rules`` holds its decisions, without
I/O or clock.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from newsspider.hooks import Derived, EventSummary, hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from threading import Event

    from fastapi import FastAPI
    from markupsafe import Markup
    from sqlalchemy import Connection, Engine, Table

    from newsspider.features.console.view import View
    from newsspider.store.articles.article_filters import Filters


@hookimpl(specname="tables")
def _tables() -> Sequence[Table]:
    from newsspider.features.events.tables import TABLES, event_decisions

    return *TABLES, event_decisions


@hookimpl
def derived() -> Derived:
    from newsspider.features.events.tables import ANALYSE, RULES_VERSION, is_current, start_again

    return Derived("events", ANALYSE, RULES_VERSION, is_current, start_again)


@hookimpl
def url_forgotten(conn: Connection, url: str) -> None:
    from newsspider.features.events.decisions import forget_decisions

    forget_decisions(conn, url)


@hookimpl
def background(engine: Engine) -> Mapping[str, Callable[[Event], None]]:
    from newsspider.features.events.detection_run import keep_events

    return {"newsspider-events": partial(keep_events, engine)}


@hookimpl
def largest_events(conn: Connection, filters: Filters, limit: int) -> Sequence[EventSummary]:
    from newsspider.features.events.events import events_by_size

    return [event.summary() for event in events_by_size(conn, filters, limit)]


@hookimpl
def events_of(conn: Connection, articles: Sequence[int]) -> Mapping[int, int]:
    from newsspider.features.events.detection_run import numbers_of

    return numbers_of(conn, articles)


@hookimpl
def routes(app: FastAPI) -> None:
    from newsspider.features.console.access import add_routes
    from newsspider.features.console.view import add_link
    from newsspider.features.events import pages
    from newsspider.features.events.counted_hot_words import HotWords

    app.state.hot_words = HotWords()
    app.state.warm_ups.append(partial(pages.hot_words_of, app, None, 0.0))
    add_routes(app, pages.router, in_schema=False)
    add_routes(app, pages.api)
    add_link(app, "/events", "事件", behind="/search")


@hookimpl
def page_part(view: View, place: str, shown: Mapping[str, Any]) -> Markup | None:
    from newsspider.features.events import pages

    match place:
        case "front":
            return pages.front_part(view, shown)
        case "article":
            return pages.article_part(view, shown["id"])
    return None
