"""The front page: the articles of a day, what came in, and what needs attention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import Response
from sqlalchemy import Connection

from newsspider.core.query.query_dates import ZONE
from newsspider.core.query.ranking import mix_groups
from newsspider.core.text.numbers import cursor_numbers
from newsspider.features.console.api.routing import api_router
from newsspider.features.console.pages.labelling import list_values
from newsspider.features.console.pages.marks import marking_values, wanted_hits
from newsspider.features.console.pages.search import MOST_HITS
from newsspider.features.console.rate_limits import limit_costly
from newsspider.features.console.view import open_view
from newsspider.hooks import EventSummary, plugins
from newsspider.search.day import RankedArticle, day_of, filters_of_day, hits_of_day, last_day, nearest_days
from newsspider.search.hits import Hit
from newsspider.search.paging import known_articles
from newsspider.store.articles.arrivals import HOURS_COUNTED
from newsspider.store.articles.article_filters import Filters
from newsspider.store.index.entries import unfinished_rebuild
from newsspider.store.ledger.site_knowledge import moved_lists
from newsspider.store.overview import failing_lists

MOST_SHOWN = 40
ARTICLES_ON_SCREEN, MOST_OF_SITE = 10, 3  # articles that are seen at once, and how many of them may be of one site
MOST_UNLISTED = 8  # sites with articles that are not shown
MOST_EVENTS = 5
MOST_SITES = 8
MOST_PROBLEMS = 6

router = APIRouter()
api = api_router()


class DayFigures(NamedTuple):
    """What takes long to read of a day: which articles it has, and its largest events."""

    day: date
    articles: Sequence[RankedArticle]
    events: Sequence[EventSummary]


@router.get("/")
def today(request: Request, day: str = "") -> Response:
    """The articles of ``day`` (default: today, or the last day that has some)."""
    with open_view(request) as view:
        this_day = view.now.astimezone(ZONE).date()
        chosen = _named(day) if day else this_day
        figures = request.app.state.front.of(view.conn, view.now.timestamp())
        if figures.day != this_day:  # a moment ago, before midnight
            figures = _figures(view.conn, this_day)
        if not day and not figures.articles:
            chosen = last_day(view.conn, filters_of_day(this_day)) or chosen
        if chosen != figures.day:
            figures = _figures(view.conn, chosen)
        articles, events = figures.articles, figures.events
        previous_day, next_day = nearest_days(view.conn, filters_of_day(chosen))
        places = mix_groups([article.site for article in articles], ARTICLES_ON_SCREEN, MOST_OF_SITE, MOST_SHOWN)
        shown = [articles[place] for place in sorted(places)]
        unlisted = Counter(article.site for article in articles) - Counter(article.site for article in shown)
        hits, unwanted = wanted_hits(view, list(hits_of_day(view.conn, shown)))
        by_site = request.app.state.intake.of(view.conn, view.now.timestamp())
        hours = [sum(counts) for counts in zip([0] * HOURS_COUNTED, *by_site.values(), strict=True)]
        sites = sorted(((site, sum(counts)) for site, counts in by_site.items()), key=lambda pair: (-pair[1], pair[0]))
        lead, story = _lead(hits, events)
        others = [hit for hit in hits if hit is not lead]
        order = mix_groups([hit.record["site"] for hit in others], ARTICLES_ON_SCREEN, MOST_OF_SITE, len(others))
        listed = [others[place] for place in order]
        return view.page(
            "today.html",
            day=chosen,
            is_today=chosen == this_day,
            before=previous_day,
            after=next_day if next_day is not None and next_day <= this_day else None,
            lead=lead,
            story=story,
            hits=listed,
            total=len(articles),
            most_of_site=_most_of_site(listed),
            unlisted=unlisted.most_common(MOST_UNLISTED),
            incomplete=unfinished_rebuild(view.conn),
            events=events,
            hours=hours,
            came_in=sum(hours),
            sites=sites[:MOST_SITES],
            failing=failing_lists(view.conn)[:MOST_PROBLEMS],
            moved=moved_lists(view.conn, MOST_PROBLEMS),
            **list_values(view, [hit.record for hit in hits]),
            **marking_values(view, [hit.record for hit in hits], unwanted),
        )


def figures_of(conn: Connection, now: float) -> DayFigures:
    """Those of the day of a moment."""
    return _figures(conn, datetime.fromtimestamp(now, ZONE).date())


def _figures(conn: Connection, day: date) -> DayFigures:
    filters = filters_of_day(day)
    events = plugins().hook.largest_events(conn=conn, filters=filters, limit=MOST_EVENTS)
    return DayFigures(day, day_of(conn, filters), events or ())


def _named(day: str) -> date:
    try:
        chosen = date.fromisoformat(day)
    except ValueError:
        chosen = date.min
    if not date.min.year < chosen.year < date.max.year:  # each page names the days beside its own
        raise HTTPException(404, f"{day[:40]!r} is not a day with articles")
    return chosen


def _most_of_site(listed: Sequence[Hit]) -> int:
    """How many articles of a screen are of the same site, at most."""
    screens = (listed[first : first + ARTICLES_ON_SCREEN] for first in range(0, len(listed), ARTICLES_ON_SCREEN))
    counters = (Counter(hit.record["site"] for hit in screen) for screen in screens)
    return max((count for counter in counters for count in counter.values()), default=0)


def _lead(hits: Sequence[Hit], events: Sequence[EventSummary]) -> tuple[Hit | None, EventSummary | None]:
    """The article that leads the page, and its event: one of the largest event of the day that is shown."""
    for event in events:
        if covering := [hit for hit in hits if hit.record["id"] in event.articles]:
            return max(covering, key=_claim), event
    return max(hits, key=_claim, default=None), None


def _claim(hit: Hit) -> tuple[int, int]:
    """The article that most others reprint leads the page; among equals that of the heaviest source."""
    return hit.record["reprints"], hit.record["priority"]


@api.get("/news", summary="The articles of a day", dependencies=[Depends(limit_costly)])
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
    with open_view(request) as view:
        day = day or view.now.astimezone(ZONE).date()
        newest_id = known_articles(view.conn) if newest_id is None else newest_id
        ranked = day_of(view.conn, day_filters(day), newest_id)
        behind = [article for article in ranked if position is None or list(article[:3]) > position]
        records = [hit.record for hit in hits_of_day(view.conn, behind[:limit])]
        cursors = (day.toordinal(), newest_id, *behind[limit - 1][:3]) if len(behind) > limit else ()
        following = ".".join(map(str, cursors)) or None
        return {"day": day.isoformat(), "total": len(ranked), "articles": records, "next": following}


def day_filters(day: date) -> Filters:
    """The articles of a day; status 400 if no article can have it."""
    try:
        return filters_of_day(day)
    except OverflowError:
        raise HTTPException(400, f"{day} is not a day that can have articles") from None
