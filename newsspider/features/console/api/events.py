"""Events in the API: the articles of a day, and the events that they tell of."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Annotated, Any, Literal

from fastapi import Depends, HTTPException, Path, Query, Request
from pydantic import BaseModel, Field

from newsspider.core.query.moments import ZONE
from newsspider.core.text.numbers import cursor_numbers
from newsspider.features.console.access import costly
from newsspider.features.console.api.routing import HIGHEST_ID, api_router
from newsspider.features.console.hot_words import MOST_WORDS
from newsspider.features.console.pages.events import MOST_EVENTS, edited
from newsspider.features.console.pages.search import MOST_HITS
from newsspider.features.console.view import opened
from newsspider.features.events.advance import unanalysed
from newsspider.features.events.events import largest, of_article, read, whole_record
from newsspider.search.day import day_of, filters_of_day, hits_of_day
from newsspider.search.paging import known_articles
from newsspider.store.articles.export import Filters

MOST_PAGES = 1000
WORDS_SECONDS = 10.0  # seconds, twice: for the count of other hot words, and for these

router = api_router()


class EventEdit(BaseModel):
    """A change of an event: ``split`` takes ``articles`` out, ``merge`` takes in the event ``other``, ``rename`` gives it
    a ``title``, or its own back without one, ``undo`` takes the last split or merge back, or makes it again if it was
    taken back; status 409 if that is not the ``decision`` that is named."""

    change: Literal["split", "merge", "rename", "undo"]
    articles: Annotated[list[int], Field(max_length=MOST_PAGES)] = []
    other: int = 0
    title: str = ""
    decision: int = 0


@router.get("/news", summary="The articles of a day", dependencies=[Depends(costly)])
def news(
    request: Request,
    day: Annotated[date | None, Query(description="in China; default: today")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_HITS)] = 40,
    cursor: Annotated[str, Query(description="the `next` of the answer before")] = "",
) -> dict[str, Any]:
    """One of each group of reprints, as of `scrapy news`: the heaviest source first, of equals the latest. `next` leads
    to the articles of the same day behind these, without those that are stored meanwhile."""
    newest_id, position = None, None
    if cursor:
        try:
            number, newest_id, *position = cursor_numbers(cursor, 5) or ()
            day = date.fromordinal(number)
        except (ValueError, OverflowError):
            raise HTTPException(400, "a cursor is the `next` of an answer") from None
    with opened(request) as view:
        day = day or view.now.astimezone(ZONE).date()
        newest_id = known_articles(view.conn) if newest_id is None else newest_id
        ranked = day_of(view.conn, _of_day(day), newest_id)
        behind = [article for article in ranked if position is None or list(article[:3]) > position]
        records = [hit.record for hit in hits_of_day(view.conn, behind[:limit])]
        cursors = (day.toordinal(), newest_id, *behind[limit - 1][:3]) if len(behind) > limit else ()
        following = ".".join(map(str, cursors)) or None
        return {"day": day.isoformat(), "total": len(ranked), "articles": records, "next": following}


@router.get("/hot-words", summary="Hot words", dependencies=[Depends(costly)])
def hot_words(
    request: Request,
    hours: Annotated[int, Query(ge=1, le=24 * 366, description="the last so many hours")] = 24,
    limit: Annotated[int, Query(ge=1, le=MOST_WORDS)] = 20,
    day: Annotated[date | None, Query(description="in China, instead of the last hours")] = None,
) -> dict[str, Any]:
    """As of `scrapy hot words`: the words that burst against 13 earlier times of the same length, with the articles
    that say why. They are counted at most every ten minutes."""
    engine, now = request.app.state.engine, request.app.state.clock.utc()
    key, filters = (hours, _last(hours, now)) if day is None else (day, _of_day(day))
    words = request.app.state.hot_words.of(engine, key, filters, now, WORDS_SECONDS)
    if words is None:
        raise HTTPException(503, "hot words are being counted; ask again", {"Retry-After": "5"})
    return {"words": [word.record() for word in words[:limit]]}


def _last(hours: int, now: datetime) -> Filters:
    return Filters(since=now - timedelta(hours=hours), until=now)


def _of_day(day: date) -> Filters:
    try:
        return filters_of_day(day)
    except OverflowError:
        raise HTTPException(400, f"{day} is not a day that can have articles") from None


@router.get("/events", summary="Events", dependencies=[Depends(costly)])
def events(
    request: Request,
    hours: Annotated[int, Query(ge=1, le=24 * 366, description="the last so many hours")] = 24,
    limit: Annotated[int, Query(ge=1, le=MOST_EVENTS)] = 20,
) -> dict[str, Any]:
    """The events that most pages of this time tell of; `left` articles are not with their events yet."""
    with opened(request) as view:
        seconds = view.now.timestamp()
        several = [event.record(seconds) for event in largest(view.conn, _last(hours, view.now), limit)]
        return {"events": several, "left": unanalysed(view.conn)}


@router.get("/events/{number}", summary="One event", dependencies=[Depends(costly)])
def event(
    request: Request,
    number: Annotated[int, Path(ge=1, le=HIGHEST_ID, description="its id, or that of one of its articles")],
    limit: Annotated[int, Query(ge=1, le=MOST_PAGES)] = 100,
) -> dict[str, Any]:
    """As of `scrapy event --json`: its pages by time as `nodes`, who took from whom as `edges`."""
    with opened(request) as view:
        event = read(view.conn, [number]).get(number) or of_article(view.conn, number)
        if event is None:
            raise HTTPException(404, f"no event has the id {number}")
        return whole_record(view.conn, event, event.pages[:limit], view.now.timestamp())


@router.post("/events/{number}", summary="Split, merge or rename an event", dependencies=[Depends(costly)])
def change(
    request: Request,
    number: Annotated[int, Path(ge=1, le=HIGHEST_ID, description="its id, or that of one of its articles")],
    body: EventEdit,
) -> dict[str, Any]:
    """The event with its first article after the change, as of `GET`. A decision survives a rebuild of the events.
    Takes the scope `edit`."""
    decision = str(body.decision or "")
    changed = edited(request, str(number), body.change, body.articles, str(body.other), body.title, decision)
    with opened(request) as view:
        changed = of_article(view.conn, changed.first.article_id) or changed
        return whole_record(view.conn, changed, changed.pages[:MOST_PAGES], view.now.timestamp())
