"""Search: a query, how it was understood, facets, and hits with what was found marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from markupsafe import Markup

from newsspider.core.query.highlights import highlights, snippet
from newsspider.core.query.language import MOMENT_FIELDS, Query, conjunction, field_tests, without
from newsspider.core.query.moments import ZONE
from newsspider.core.query.parser import BadRule
from newsspider.core.query.tree import Node
from newsspider.core.text.numbers import whole_number
from newsspider.features.console.access import costly
from newsspider.features.console.display import broken, marked
from newsspider.features.console.exports import offered
from newsspider.features.console.pages.labelling import list_values, title_of
from newsspider.features.console.view import opened, redirect
from newsspider.search.entry_rows import Scope
from newsspider.search.facets import Facets, facets
from newsspider.search.lookup import looked_up
from newsspider.search.query import Hit, Sort
from newsspider.store.index.rebuild import unfinished
from newsspider.store.searches import hot

PAGE = 20
DAYS_SEARCHED, MOST_HOT = 7, 10  # of the queries that are offered
MOST = 200  # hits of a page
PRESETS = {"": "不限", "today": "今天", "3d": "三天", "1w": "一周", "30d": "一月"}  # by what `since:` is told
SNIPPET, BEFORE = 110, 24  # characters of the text around what was found, and before it
URL = re.compile(r"https?://\S+")
FACETS = {"site": 8, "media": 8, "subtopic": 10}  # how many values of each are shown
MOST_DAYS, MOST_BARS = 14, 60  # of the latest days with articles; of all days

router = APIRouter()


@router.get("/search", dependencies=[Depends(costly)])
def search(
    request: Request, q: str = "", sort: str = "time", n: str = "", reprints: str = "", revisions: str = "",
    vanished: str = "", since: str = "", until: str = "",
) -> Response:  # fmt: skip
    """The hits of a query; of an empty one the newest articles. A URL leads to its own page. ``since`` and ``until``
    are the fields for dates: their values take the place of the bounds of time in the query."""
    options = {"reprints": reprints, "revisions": revisions, "vanished": vanished}
    if since or until:
        asked = {"q": dated(q, since, until), "sort": sort, **options}
        return redirect(request, f"/search?{urlencode({name: value for name, value in asked.items() if value})}")
    if URL.fullmatch(q.strip()):
        return redirect(request, f"/url?{urlencode({'u': q.strip()})}")
    order = Sort(sort) if sort in list(Sort) else Sort.TIME
    limit = min(whole_number(n) or PAGE, MOST)
    scope = Scope(bool(reprints), bool(vanished), bool(revisions))
    with opened(request) as view:
        values: dict[str, Any] = {"sort": order.value, "sorts": list(Sort), "limit": limit, "options": options}
        values |= {"formats": offered(), "presets": PRESETS}
        try:
            result = looked_up(view.conn, q, scope, limit=limit, sort=order, now=view.now)
        except BadRule as error:
            values |= {"error": error, "before": q[: error.at - 1], "rest": q[error.at - 1 :]}
            return view.page("search.html", status=400, **values, result=None, hits=[], words="", hot=[])
        values |= {"error": None, "words": result.searched_as, "incomplete": unfinished(view.conn)}
        if result.found.hits and not n:
            request.app.state.searches.add(q)
        values["hot"] = [] if q else hot(view.conn, view.now.timestamp(), DAYS_SEARCHED, MOST_HOT)
        hits = [shown_hit(hit, result.query.wanted) for hit in result.found.hits]
        counted = facets(view.conn, result.query, scope)
        values |= {"hits": hits, "more": min(limit + 2 * PAGE, MOST), "order": result.order, **_shown(counted)}
        values |= {"chips": [(test, without(q, [test])) for test in field_tests(q)], "undated": dated(q, "", "")}
        values["title_of"] = partial(title_of, request.app.state.settings)
        values |= {"first_day": _first_day(result.query), "last_day": _last_day(result.query)}
        values["days"] = every_day(counted.counts["day"], result.query, view.now, counted.newest)
        values |= list_values(view, [hit.record for hit in result.found.hits])
        return view.page("search.html", **values, result=result)


def dated(query: str, since: str, until: str) -> str:
    """The query with these bounds of time (empty: none) in place of its own; an early one that stands behind a late one
    is put before it.

    >>> dated("高考 since:3d", "2026-11-20", "2026-11-01"), dated("高考 until:today", "", "")
    ('高考 since:2026-11-01 until:2026-11-20', '高考')
    >>> dated('"', "2026-11-20", "")
    '"'
    """
    days = ["".join(day.split()) for day in (since, until)]
    since, until = sorted(days) if all(days) else days
    bounds = [f"{name}:{day}" for name, day in (("since", since), ("until", until)) if day]
    try:
        rest = without(query, [test for test in field_tests(query) if test.field in MOMENT_FIELDS])
        return conjunction(rest, *bounds)
    except BadRule:
        return query


def every_day(
    counted: Sequence[tuple[str, int]], query: Query, now: datetime, newest: int | None
) -> list[tuple[str, int]]:
    """The count of each day, also of those without articles: from the bounds of the query, else the first day that has
    some, to the last one; where only the ``newest`` were counted, from their first day; of more than :data:`MOST_BARS`
    days those up to the last one that has some."""
    if not counted:
        return []
    counts = dict(counted)
    last = _last_day(query) or (now.astimezone(ZONE).date() if query.since else date.fromisoformat(max(counts)))
    last = max(date.fromisoformat(max(counts)), min(last, now.astimezone(ZONE).date()))
    first = date.fromisoformat(min(counts))
    if newest is None:
        first = min(first, _first_day(query) or date.max)
    if (last - first).days >= MOST_BARS:
        last = date.fromisoformat(max(counts))
    length = min((last - first).days + 1, MOST_BARS)
    days = [(last - timedelta(days=back)).isoformat() for back in reversed(range(length))]
    return [(day, counts.get(day, 0)) for day in days]


def _first_day(query: Query) -> date | None:
    return None if query.since is None else query.since.astimezone(ZONE).date()


def _last_day(query: Query) -> date | None:
    """The last day that a query asks for, whose bound is the moment after it."""
    return None if query.until is None else (query.until - timedelta(seconds=1)).astimezone(ZONE).date()


def _shown(counted: Facets) -> dict[str, Any]:
    shown = {name: [pair for pair in counted.counts[name] if pair[0]][:most] for name, most in FACETS.items()}
    return {"facets": shown | {"day": sorted(counted.counts["day"])[-MOST_DAYS:]}, "newest": counted.newest}


def shown_hit(hit: Hit, node: Node) -> tuple[Hit, Markup, Markup]:
    """A hit, its title and a piece of its text, with what was found marked in both."""
    title = hit.record["title"]
    in_title = highlights(title, node)
    title_markup = marked(title, in_title) if in_title else broken(title)
    piece = snippet(hit.text, node, BEFORE, SNIPPET)
    before, behind = ("…" if is_cut else "" for is_cut in (piece.cut_before, piece.cut_behind))
    text = before + marked(piece.text, piece.places) + behind
    return hit, title_markup, text
