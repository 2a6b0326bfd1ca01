"""The front page: the articles of a day, what came in, and what needs attention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy import Connection

from newsspider.core.query.moments import ZONE
from newsspider.core.query.ranking import mixed
from newsspider.features.console.pages.labelling import list_values
from newsspider.features.console.view import opened
from newsspider.features.events.events import Event, largest
from newsspider.search.day import RankedArticle, day_of, filters_of_day, hits_of_day, last_day, nearest_days
from newsspider.search.query import Hit
from newsspider.store.articles.intake import HOURS
from newsspider.store.index.rebuild import unfinished
from newsspider.store.ledger.list_positions import moved
from newsspider.store.overview import failing_lists

MOST_SHOWN = 40
SCREEN, MOST_OF_SITE = 10, 3  # articles that are seen at once, and how many of them may be of one site
MOST_UNLISTED = 8  # sites with articles that are not shown
MOST_EVENTS = 5
MOST_WORDS = 12
MOST_SITES = 8
MOST_PROBLEMS = 6
WORDS_SECONDS = 0.3  # seconds that the page waits for hot words, which the next one has

router = APIRouter()


class Figures(NamedTuple):
    """What takes long to read of a day: which articles it has, and its largest events."""

    day: date
    articles: Sequence[RankedArticle]
    events: Sequence[Event]


@router.get("/")
def today(request: Request, day: str = "") -> Response:
    """The articles of ``day`` (default: today, or the last day that has some)."""
    with opened(request) as view:
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
        places = mixed([article.site for article in articles], SCREEN, MOST_OF_SITE, MOST_SHOWN)
        shown = [articles[place] for place in sorted(places)]
        unlisted = Counter(article.site for article in articles) - Counter(article.site for article in shown)
        hits = list(hits_of_day(view.conn, shown))
        by_site = request.app.state.intake.of(view.conn, view.now.timestamp())
        hours = [sum(counts) for counts in zip([0] * HOURS, *by_site.values(), strict=True)]
        sites = sorted(((site, sum(counts)) for site, counts in by_site.items()), key=lambda pair: (-pair[1], pair[0]))
        lead, story = _lead(hits, events)
        others = [hit for hit in hits if hit is not lead]
        order = mixed([hit.record["site"] for hit in others], SCREEN, MOST_OF_SITE, len(others))
        listed = [others[place] for place in order]
        engine, counted = request.app.state.engine, request.app.state.hot_words
        if chosen == this_day:
            words = counted.of_hours(engine, HOURS, view.now, WORDS_SECONDS)
        else:
            words = counted.of(engine, chosen, filters_of_day(chosen), view.now, WORDS_SECONDS)
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
            incomplete=unfinished(view.conn),
            events=events,
            words=(words or ())[:MOST_WORDS],
            hours=hours,
            came_in=sum(hours),
            sites=sites[:MOST_SITES],
            failing=failing_lists(view.conn)[:MOST_PROBLEMS],
            moved=moved(view.conn, MOST_PROBLEMS),
            **list_values(view, [hit.record for hit in hits]),
        )


def figures_of(conn: Connection, now: float) -> Figures:
    """Those of the day of a moment."""
    return _figures(conn, datetime.fromtimestamp(now, ZONE).date())


def _figures(conn: Connection, day: date) -> Figures:
    filters = filters_of_day(day)
    return Figures(day, day_of(conn, filters), largest(conn, filters, MOST_EVENTS))


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
    screens = (listed[first : first + SCREEN] for first in range(0, len(listed), SCREEN))
    counters = (Counter(hit.record["site"] for hit in screen) for screen in screens)
    return max((count for counter in counters for count in counter.values()), default=0)


def _lead(hits: Sequence[Hit], events: Sequence[Event]) -> tuple[Hit | None, Event | None]:
    """The article that leads the page, and its event: one of the largest event of the day that is shown."""
    for event in events:
        numbers = {page.article_id for page in event.pages}
        if covering := [hit for hit in hits if hit.record["id"] in numbers]:
            return max(covering, key=_claim), event
    return max(hits, key=_claim, default=None), None


def _claim(hit: Hit) -> tuple[int, int]:
    """The article that most others reprint leads the page; among equals that of the heaviest source."""
    return hit.record["reprints"], hit.record["priority"]
