"""Search, as a page and in the API: a query, how it was understood, facets, hits with what was found marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import Response
from markupsafe import Markup

from newsspider.core.query.parser import RuleError
from newsspider.core.query.query_dates import ZONE
from newsspider.core.query.query_language import MOMENT_FIELDS, conjunction, field_tests, parse_query, without_tests
from newsspider.core.query.query_language import Query as Wanted
from newsspider.core.query.query_tree import Node
from newsspider.core.query.snippets import find_highlights, make_snippet
from newsspider.features.console.access import account_of
from newsspider.features.console.api.routing import api_router
from newsspider.features.console.display import breakable_title, mark_places
from newsspider.features.console.export_answers import export_answer, offered_formats
from newsspider.features.console.pages.labelling import list_values, title_of
from newsspider.features.console.pages.marks import marking_values, search_tabs, wanted_hits, without_unwanted
from newsspider.features.console.rate_limits import limit_costly
from newsspider.features.console.reading_marks import scope_for
from newsspider.features.console.search_counts import DAYS_SEARCHED, hot_searches
from newsspider.features.console.view import UNSAID, open_view, redirect_to
from newsspider.search.entry_rows import SearchScope
from newsspider.search.facets import Facets, count_facets
from newsspider.search.hits import DEFAULT_SORT, FoundHits, Hit, Sort
from newsspider.search.paging import Cursor, all_records, cursor_of, known_articles, page_of_hits
from newsspider.search.query_relaxation import found_in_all_stores, looked_up
from newsspider.store.engine.database import reading
from newsspider.store.index.backend import COPY
from newsspider.store.index.entries import unfinished_rebuild

HITS_ON_PAGE = 20
MOST_HOT = 10  # queries that are offered
MOST_HITS = 200  # hits of a page
PRESETS = {"": "不限", "today": "今天", "3d": "三天", "1w": "一周", "30d": "一月"}  # by what `since:` is told
SNIPPET_CHARACTERS, CHARACTERS_BEFORE = 110, 24  # characters of the text around what was found, and before it
URL = re.compile(r"https?://\S+")
FACETS = {"site": 8, "media": 8, "region": 8, "about": 10, "subtopic": 10}  # how many values of each are shown
MOST_DAYS, MOST_BARS = 14, 60  # of the latest days with articles; of all days

router = APIRouter()
api = api_router()


@router.get("/search", dependencies=[Depends(limit_costly)])
def search(
    request: Request,
    q: str = "",
    sort: Annotated[Sort | None, UNSAID] = None,
    n: Annotated[int | None, UNSAID, Query(ge=1)] = None,
    reprints: str = "",
    revisions: str = "",
    vanished: str = "",
    stores: str = "",
    since: str = "",
    until: str = "",
    mine: Literal["", "unread", "star", "note"] = "",
    less: str = "",
) -> Response:
    """The hits of a query; of an empty one the newest articles. A URL leads to its own page. ``since`` and ``until``
    are the fields for dates: their values take the place of the bounds of time in the query. ``stores`` asks for the
    newest hits of all stores of the server of ``SEARCH_INDEX``; ``mine`` for those of this one that the reader has not
    read (``unread``), starred (``star``) or noted on (``note``); ``less`` also for those that one wants no more of."""
    options = {"reprints": reprints, "revisions": revisions, "vanished": vanished, "mine": mine, "less": less}
    options["stores"] = stores = "" if mine else stores
    if since or until:
        asked = {"q": dated(q, since, until), "sort": sort, **options}
        return redirect_to(request, f"/search?{urlencode({name: value for name, value in asked.items() if value})}")
    if URL.fullmatch(q.strip()):
        return redirect_to(request, f"/url?{urlencode({'u': q.strip()})}")
    order, limit = sort or DEFAULT_SORT, min(n or HITS_ON_PAGE, MOST_HITS)
    asked_scope = SearchScope(bool(reprints), bool(vanished), bool(revisions), **_scope_of_reader(request, mine))
    left_out = set[int]()
    with open_view(request) as view:
        scope = without_unwanted(view, asked_scope, left_out)
        values: dict[str, Any] = {"sort": order.value, "sorts": list(Sort), "limit": limit, "options": options}
        copy = view.conn.get_execution_options().get(COPY)
        values["many_stores"] = copy is not None and bool(copy.store)
        values |= {"formats": offered_formats(), "presets": PRESETS, "tabs": search_tabs(view)}
        try:
            everywhere = found_in_all_stores(view.conn, q, limit=limit, now=view.now) if stores else None
            result = everywhere or looked_up(view.conn, q, scope, limit=limit, sort=order, now=view.now)
        except RuleError as error:
            values |= {"error": error, "before": q[: error.at - 1], "rest": q[error.at - 1 :]}
            return view.page("search.html", status=400, **values, result=None, hits=[], words="", hot=[])
        values |= {"error": None, "words": result.searched_as, "incomplete": unfinished_rebuild(view.conn)}
        if result.found.hits and not n:
            request.app.state.searches.add(q)
        values["hot"] = [] if q else hot_searches(view.conn, view.now.timestamp(), DAYS_SEARCHED, MOST_HOT)
        wanted, unwanted = wanted_hits(view, result.found.hits) if everywhere else (result.found.hits, len(left_out))
        hits = [shown_hit(hit, result.query.wanted) for hit in wanted]
        counted = Facets({name: [] for name in (*FACETS, "day")}, None)
        if everywhere is None:
            counted = count_facets(view.conn, result.query, scope)
        values["alone"] = stores and everywhere is None
        values |= {
            "hits": hits,
            "more": min(limit + 2 * HITS_ON_PAGE, MOST_HITS),
            "order": result.order,
            **_shown(counted),
        }
        values |= {"chips": [(test, without_tests(q, [test])) for test in field_tests(q)], "undated": dated(q, "", "")}
        values["title_of"] = partial(title_of, request.app.state.settings)
        values |= {"first_day": _first_day(result.query), "last_day": _last_day(result.query)}
        values["days"] = every_day(counted.counts["day"], result.query, view.now, counted.newest)
        values |= list_values(view, [hit.record for hit in wanted if hit.record["id"]])
        values |= marking_values(view, [hit.record for hit in wanted], unwanted)
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
        rest = without_tests(query, [test for test in field_tests(query) if test.field in MOMENT_FIELDS])
        return conjunction(rest, *bounds)
    except RuleError:
        return query


def every_day(
    counted: Sequence[tuple[str, int]], query: Wanted, now: datetime, newest: int | None
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


def _first_day(query: Wanted) -> date | None:
    return None if query.since is None else query.since.astimezone(ZONE).date()


def _last_day(query: Wanted) -> date | None:
    """The last day that a query asks for, whose bound is the moment after it."""
    return None if query.until is None else (query.until - timedelta(seconds=1)).astimezone(ZONE).date()


def _shown(counted: Facets) -> dict[str, Any]:
    shown = {name: [pair for pair in counted.counts[name] if pair[0]][:most] for name, most in FACETS.items()}
    return {"facets": shown | {"day": sorted(counted.counts["day"])[-MOST_DAYS:]}, "newest": counted.newest}


def shown_hit(hit: Hit, node: Node) -> tuple[Hit, Markup, Markup]:
    """A hit, its title and a piece of its text, with what was found marked in both."""
    title = hit.record["title"]
    in_title = find_highlights(title, node)
    title_markup = mark_places(title, in_title) if in_title else breakable_title(title)
    piece = make_snippet(hit.text, node, CHARACTERS_BEFORE, SNIPPET_CHARACTERS)
    before, behind = ("…" if is_cut else "" for is_cut in (piece.cut_before, piece.cut_behind))
    text = before + mark_places(piece.text, piece.places) + behind
    return hit, title_markup, text


def _scope_of_reader(request: Request, mine: str) -> dict[str, Any]:
    return scope_for(account_of(request), request.app.state.opened, mine)


def scope_of(
    request: Request,
    reprints: Annotated[bool, Query(description="every reprint, not one article a group")] = False,
    revisions: Annotated[bool, Query(description="also old versions")] = False,
    vanished: Annotated[bool, Query(description="also articles whose pages have vanished")] = False,
    mine: Annotated[
        Literal["", "unread", "star", "note"],
        Query(description="only what the account has not read, starred, noted on"),
    ] = "",
) -> SearchScope:
    """What is searched beside the present text of what is there."""
    return SearchScope(reprints, vanished, revisions, **_scope_of_reader(request, mine))


Asked = Annotated[SearchScope, Depends(scope_of)]


@api.get("", summary="Where it is described")
def index(request: Request) -> dict[str, str]:
    """The path of the description of all that the API answers, by OpenAPI."""
    return {"openapi": f"{request.scope.get('root_path', '')}{request.app.openapi_url}"}


@api.get("/articles", summary="Search", dependencies=[Depends(limit_costly)])
def articles(
    request: Request,
    scope: Asked,
    q: Annotated[str, Query(description="the query, as of `scrapy search`; empty: the newest articles")] = "",
    limit: Annotated[int, Query(ge=1, le=MOST_HITS)] = 20,
    sort: Sort = DEFAULT_SORT,
    cursor: Annotated[str, Query(description="`next` of the page before")] = "",
    stores: Annotated[Literal["", "all"], Query(description="all: the newest of all stores")] = "",
) -> dict[str, Any]:
    """`total` articles (`more` than that if not all were counted; with their reprints if `counts_reprints`, which are
    shown as one), at most `limit` of them as records, and how the query was `searched_as`: a run of Chinese that is
    rare as a phrase by its words. In the order of time, `next` is the cursor of the page behind this one: send it
    with `searched_as` as `q`. What is stored meanwhile changes no page. `since` is the first day that was looked at
    if there is too much to look through, else empty: a page may then have few articles, or none, with more behind it.
    With `stores=all` the newest articles of all stores that share the server of `SEARCH_INDEX`, each with its
    `store`, in one page; those of other stores have no `id`. Status 503 if that server is away, or the store has no
    name there."""
    with open_view(request) as view:
        if stores:
            if scope.among or scope.only:
                raise HTTPException(400, "marks are of this store: leave out `stores` or `mine`")
            everywhere = found_in_all_stores(view.conn, q, limit=limit, now=view.now)
            if everywhere is None:
                raise HTTPException(503, "the server of SEARCH_INDEX is away, or the store has no name there")
            records = [_record(hit) for hit in everywhere.found.hits]
            counted = _counted(everywhere.found, q)
            return {**counted, "articles": records, "next": None}
        if cursor:
            begin = cursor_of(cursor)
            if begin is None or sort is not Sort.TIME:
                raise HTTPException(400, "a cursor is the `next` of an answer in the order of time")
            hits, behind = page_of_hits(view.conn, parse_query(q, view.now), scope, limit, begin)
            return {"articles": [_record(hit) for hit in hits], "next": behind and str(behind)}
        result = looked_up(view.conn, q, scope, limit=limit, sort=sort, now=view.now)
        hit_page, newest_id = result.found, known_articles(view.conn)
        following = None if hit_page.last is None else str(Cursor(newest_id, hit_page.last.moment, hit_page.last.id))
        counted = _counted(hit_page, result.searched_as or q)
        return {**counted, "articles": [_record(hit) for hit in hit_page.hits], "next": following}


def _counted(found: FoundHits, searched_as: str) -> dict[str, Any]:
    return {
        "total": found.total,
        "more": found.more,
        "counts_reprints": not found.grouped,
        "searched_as": searched_as,
        "since": found.first_day,
    }


@api.get("/export", summary="Export all hits of a query", dependencies=[Depends(limit_costly)])
def export(
    request: Request, scope: Asked, q: str = "", form: str = "jsonl", fields: Literal["", "all"] = ""
) -> Response:
    """Every article that a query finds, the latest first, in a format of `scrapy export`: `jsonl`, `csv`, `md`, `xlsx`
    or `parquet`; texts are sent as they are read. Of a group of reprints one, unless all are asked for. An `xlsx` has
    the columns that people read, with `fields=all` every field."""
    with open_view(request) as view:
        query = looked_up(view.conn, q, scope, limit=1, sort=Sort.TIME, now=view.now).query
    records = all_records(partial(reading, request.app.state.engine), query, scope)
    return export_answer(form, "articles", records, fields=fields)


@api.get("/facets", summary="Count the hits of a query", dependencies=[Depends(limit_costly)])
def counts(request: Request, scope: Asked, q: str = "") -> dict[str, Any]:
    """How many of the hits each site, media class, sub-topic and day has. Of more than 5,000 hits the newest are
    counted; `newest` says how many these are, and is null if all are counted."""
    with open_view(request) as view:
        result = looked_up(view.conn, q, scope, limit=1, sort=Sort.TIME, now=view.now)
        counted = count_facets(view.conn, result.query, scope)
        return {name: dict(pairs) for name, pairs in counted.counts.items()} | {"newest": counted.newest}


def _record(hit: Hit) -> dict[str, Any]:
    return hit.record | {"revised_at": hit.revised_at}
