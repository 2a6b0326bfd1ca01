"""What a reader marks: articles read, starred, noted on or unwanted, from a list, an article or the API; saved searches,
and the board of them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, Field
from sqlalchemy import Connection

from newsspider.core.query.query_language import parse_query
from newsspider.core.text.numbers import whole_number
from newsspider.features.console import reading_marks, saved_searches
from newsspider.features.console.access import AuditedChange, Fields, account_of, begin_change
from newsspider.features.console.accounts import Role
from newsspider.features.console.api.routing import HIGHEST_ID, api_router
from newsspider.features.console.pages.labelling import DONE_FIELDS, LISTS, MOST_PICKED
from newsspider.features.console.rate_limits import limit_costly
from newsspider.features.console.reading_marks import LONGEST_NOTE, Mark
from newsspider.features.console.saved_searches import LONGEST_NAME, MOST_COUNTED, MOST_SEARCHES
from newsspider.features.console.view import View, open_view, redirect_to
from newsspider.search.entry_rows import SearchScope
from newsspider.search.hits import Hit
from newsspider.search.similar import similar_articles
from newsspider.store.articles.article_records import article_of, articles_of
from newsspider.store.engine.database import reading

PAGE_OF_LIST = re.compile(r"/articles/\d{1,18}/similar")  # beside LISTS
MARKED = re.compile(rf"(read|star|less)([+~])((?:-\d{{1,18}}){{0,{MOST_PICKED}}})")  # what was marked or unmarked
FROM_LISTS = (Mark.READ, Mark.STAR, Mark.LESS)
SHOWN_OF_SEARCH = 5  # articles of each search on the board
SHOWN_LESS = 100  # articles that a reader wants no more like
SIMILAR_SHOWN = 20
MOST_ROWS = 1000  # of an answer of the API

Number = Annotated[int, Field(ge=1, le=HIGHEST_ID)]

router = APIRouter(include_in_schema=False)
api = api_router()


class Marking(BaseModel):
    """A mark for articles, or taken from them; ``note`` and ``is_shared`` belong to the mark ``note``."""

    mark: Mark
    articles: Annotated[list[Number], Field(min_length=1, max_length=MOST_PICKED)]
    is_set: bool = True
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""
    is_shared: bool = False


class SavedSearch(BaseModel):
    """A query and what its reader calls it; without a name the query."""

    query: Annotated[str, Field(min_length=1, max_length=1000)]
    name: Annotated[str, Field(max_length=LONGEST_NAME)] = ""


def existing_article(conn: Connection, number: str) -> dict[str, Any]:
    """The record of the article with this id; status 404 if there is none."""
    record = article_of(conn, whole_number(number) or 0)
    if record is None:
        raise HTTPException(404, f"no article has the id {number[:20]}")
    return record


def marks_in(view: View, articles: Sequence[int]) -> dict[int, set[Mark]]:
    """The marks of the reader on these articles."""
    return reading_marks.marks_of(view.conn, account_of(view.request), articles, view.request.app.state.opened)


def wanted_hits(view: View, hits: Sequence[Hit]) -> tuple[list[Hit], int]:
    """The hits without those like an article that the reader wants no more of, and how many these are; all of them
    where the address has ``less``, or asks for what one starred or noted on."""
    if _wants_all(view):
        return list(hits), 0
    numbers = [hit.record["id"] for hit in hits if hit.record["id"]]
    unwanted = reading_marks.unwanted_among(view.conn, account_of(view.request), numbers)
    return [hit for hit in hits if hit.record["id"] not in unwanted], sum(hit.record["id"] in unwanted for hit in hits)


def without_unwanted(view: View, scope: SearchScope, left_out: set[int]) -> SearchScope:
    """The scope without articles like one that the reader wants no more of, which a search puts into ``left_out``."""
    account = account_of(view.request)
    if _wants_all(view) or not reading_marks.newest_marked(account, Mark.LESS, view.conn, 1):
        return scope

    def wanted(conn: Connection, articles: Collection[int]) -> Set[int]:
        asked = articles if scope.only is None else scope.only(conn, articles)
        unwanted = reading_marks.unwanted_among(conn, account, asked)
        left_out.update(unwanted)
        return set(asked) - unwanted

    return replace(scope, only=wanted)


def _wants_all(view: View) -> bool:
    asked = view.request.query_params
    return bool(asked.get("less")) or asked.get("mine") in (Mark.STAR, Mark.NOTE)


def marking_values(view: View, records: Sequence[dict[str, Any]], unwanted: int = 0) -> dict[str, Any]:
    """What the template of a list needs to mark its articles: their marks, what was marked just now, and how many
    unwanted articles are left out."""
    marks = marks_in(view, [record["id"] for record in records if record["id"]])
    match = MARKED.fullmatch(view.request.query_params.get("marked", ""))
    marked = match and {"mark": match[1], "is_set": match[2] == "+", "articles": match[3].split("-")[1:]}
    return {"marks": marks, "marked": marked, "unwanted": unwanted}


@router.post("/marks")
def mark_picked(request: Request, fields: Fields) -> Response:
    """Mark the articles with a field ``aID``; where all have the mark already, take it back. ``way`` says which."""
    page, mark, way = fields.get("page", ""), fields.get("mark", ""), fields.get("way", "")
    picked = [whole_number(name[1:]) or 0 for name in fields if re.fullmatch(r"a\d{1,18}", name)]
    is_known = page in {*LISTS, "/board"} or PAGE_OF_LIST.fullmatch(page)
    if mark not in FROM_LISTS or not is_known or len(picked) > MOST_PICKED:
        raise HTTPException(400, f"say read, star or less of at most {MOST_PICKED} articles of a list")
    with begin_change(request, Role.READER) as change:
        marks = reading_marks.marks_of(change.conn, change.account, picked, request.app.state.opened)
        lacking = [article for article in picked if Mark(mark) not in marks[article]]
        is_set = way == "set" or (way != "unset" and bool(lacking))
        changed = lacking if is_set else [article for article in picked if article not in lacking]
        _mark(request, change, Mark(mark), changed, is_set=is_set)
    query = [(name, value) for name, value in parse_qsl(fields.get("query", "")[:4000]) if name not in DONE_FIELDS]
    done = f"{mark}{'+' if is_set else '~'}" + "".join(f"-{article}" for article in changed)
    return redirect_to(request, f"{page}?{urlencode([*query, *([] if way else [('marked', done)])])}")


@router.post("/articles/{number}/marks")
def mark_article(request: Request, number: str, fields: Fields) -> Response:
    """Mark one article, or take its mark back; or write its note: an empty one is taken back."""
    mark = fields.get("mark", "")
    if mark not in list(Mark):
        raise HTTPException(400, f"a mark is one of {', '.join(Mark)}")
    note = fields.get("note", "").strip()[:LONGEST_NOTE] if mark == Mark.NOTE else ""
    with begin_change(request, Role.READER) as change:
        article = existing_article(change.conn, number)["id"]
        marks = reading_marks.marks_of(change.conn, change.account, [article], request.app.state.opened)[article]
        is_set = bool(note) if mark == Mark.NOTE else Mark(mark) not in marks
        _mark(request, change, Mark(mark), [article], is_set=is_set, note=note, is_shared=bool(fields.get("shared")))
    return redirect_to(request, f"/articles/{article}{'?unread=1' if mark == Mark.READ and not is_set else ''}#marks")


def _mark(
    request: Request,
    change: AuditedChange,
    mark: Mark,
    articles: Sequence[int],
    *,
    is_set: bool,
    note: str = "",
    is_shared: bool = False,
) -> None:
    """Nothing of it is in the audit trail, which others read."""
    if mark is Mark.READ:
        request.app.state.opened.discard(change.account, articles)
    if is_set:
        reading_marks.set_mark(change.conn, change.account, mark, articles, change.now, note=note, is_shared=is_shared)
    else:
        reading_marks.unset_mark(change.conn, change.account, mark, articles)


@router.get("/articles/{number}/similar", dependencies=[Depends(limit_costly)])
def similar(request: Request, number: str) -> Response:
    """The articles most like one: of its event first, then those that share its keywords."""
    with open_view(request) as view:
        record = existing_article(view.conn, number)
        hits, unwanted = wanted_hits(view, similar_articles(view.conn, record, SIMILAR_SHOWN))
        values = marking_values(view, [hit.record for hit in hits], unwanted)
        return view.page("similar.html", record=record, hits=hits, picks=None, **values)


@router.get("/board", dependencies=[Depends(limit_costly)])
def board(request: Request) -> Response:
    """The newest articles of each saved search, how many of them are unread; and what the reader wants no more of."""
    with open_view(request) as view:
        account = account_of(request)
        tabs = search_tabs(view)
        shown = {number for tab in tabs for number in tab["newest"]}
        unwanted = reading_marks.unwanted_among(view.conn, account, shown)
        for tab in tabs:
            tab["shown"] = [number for number in tab["newest"] if number not in unwanted][:SHOWN_OF_SEARCH]
        less = reading_marks.newest_marked(account, Mark.LESS, view.conn, SHOWN_LESS)
        numbers = {*less, *(number for tab in tabs for number in tab["shown"])}
        records = {record["id"]: record for record in articles_of(view.conn, numbers)}
        values = marking_values(view, list(records.values()))
        counted = min(MOST_COUNTED, MOST_PICKED)
        return view.page("board.html", tabs=tabs, records=records, less=less, most=counted, picks=None, **values)


def search_tabs(view: View) -> list[dict[str, Any]]:
    """The saved searches of the reader, each with its newest articles and those of them that are unread."""
    account, state = account_of(view.request), view.request.app.state
    tabs = [{"query": row.query, "name": row.name} for row in saved_searches.saved_searches(view.conn, account)]
    for tab in tabs:
        tab["newest"] = state.newest.of(view.conn, tab["query"], view.now.timestamp())
    numbers = {number for tab in tabs for number in tab["newest"]}
    unread = reading_marks.unread_among(state.opened, account, view.conn, numbers)
    for tab in tabs:
        tab["unread"] = [number for number in tab["newest"] if number in unread]
    return tabs


@router.post("/board/searches")
def send_search(request: Request, fields: Fields) -> Response:
    """Save a search, or remove it; ``back`` leads to the search page."""
    query, name = fields.get("query", "").strip()[:1000], fields.get("name", "").strip()[:LONGEST_NAME]
    if fields.get("way") == "remove":
        with begin_change(request, Role.READER) as change:
            saved_searches.remove(change.conn, change.account, query)
    else:
        _save(request, query, name)
    return redirect_to(request, f"/search?{urlencode({'q': query})}" if fields.get("back") == "search" else "/board")


def _save(request: Request, query: str, name: str) -> None:
    if not query:
        raise HTTPException(400, "a saved search has a query")
    parse_query(query, request.app.state.clock.utc())
    with begin_change(request, Role.READER) as change:
        if not saved_searches.save(change.conn, change.account, query, name or query[:LONGEST_NAME], change.now):
            raise HTTPException(400, f"a reader saves at most {MOST_SEARCHES} searches")


@router.post("/board/read", dependencies=[Depends(limit_costly)])
def read_all(request: Request, fields: Fields) -> Response:
    """Mark the newest articles of a saved search as read: all that its number counts. The form is in ``board.html``."""
    query = fields.get("query", "")
    with open_view(request) as view:
        if query not in {row.query for row in saved_searches.saved_searches(view.conn, account_of(request))}:
            raise HTTPException(404, "no such search is saved")
        articles = request.app.state.newest.of(view.conn, query, view.now.timestamp())
    with begin_change(request, Role.READER) as change:
        _mark(request, change, Mark.READ, articles, is_set=True)
    return redirect_to(request, "/board")


@router.get("/board/export", dependencies=[Depends(limit_costly)])
def export(request: Request) -> Response:
    """All that is stored of what a reader marked and saved, as lines of JSON."""
    account = account_of(request)
    with open_view(request) as view:
        searches = [row._asdict() for row in saved_searches.saved_searches(view.conn, account)]

    def lines() -> Iterator[str]:
        yield from (json.dumps(search, ensure_ascii=False) + "\n" for search in searches)
        for mark in Mark:
            after, rows = 0, list[Any]()
            while not after or rows:
                with reading(request.app.state.engine) as conn:  # not longer: the reader may be slow
                    rows = list(reading_marks.rows_of_mark(conn, account, mark, after, MOST_ROWS))
                after = rows[-1].article_id if rows else 1
                yield from (json.dumps(_record(row), ensure_ascii=False) + "\n" for row in rows)

    headers = {"Content-Disposition": 'attachment; filename="reading.jsonl"', "Cache-Control": "no-store"}
    return StreamingResponse(lines(), media_type="application/x-ndjson", headers=headers)


def _record(row: Any) -> dict[str, Any]:
    return dict(row._asdict()) | {"is_shared": bool(row.is_shared)}


@api.get("/marks", summary="What one marked")
def list_marks(
    request: Request,
    mark: Mark,
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = MOST_ROWS,
    after: Annotated[int, Query(ge=0, le=HIGHEST_ID, description="the `next` of the answer before")] = 0,
) -> dict[str, Any]:
    """The articles with a mark of the account: `read`, `star`, `note` with its text, or `less`, those that it wants no
    more like. They come in the order of their numbers."""
    with open_view(request) as view:
        rows = reading_marks.rows_of_mark(view.conn, account_of(request), mark, after, limit)
        return {"marks": [_record(row) for row in rows], "next": rows[-1].article_id if len(rows) == limit else None}


@api.post("/marks", summary="Mark articles")
def send_marks(request: Request, body: Marking) -> dict[str, list[int]]:
    """Mark articles for the account, or take the mark back; the `articles` that are stored. Takes the scope `edit`."""
    if body.mark is Mark.NOTE and body.is_set and not body.note.strip():
        raise HTTPException(400, "a note has a text")
    note, is_shared = (body.note.strip(), body.is_shared) if body.mark is Mark.NOTE else ("", False)
    with begin_change(request, Role.READER) as change:
        there = sorted(record["id"] for record in articles_of(change.conn, set(body.articles)))
        _mark(request, change, body.mark, there, is_set=body.is_set, note=note, is_shared=is_shared)
    return {"articles": there}


@api.get("/articles/{number}/similar", summary="More like this", dependencies=[Depends(limit_costly)])
def list_similar(
    request: Request, number: str, limit: Annotated[int, Query(ge=1, le=SIMILAR_SHOWN)] = SIMILAR_SHOWN
) -> dict[str, Any]:
    """The articles most like one, best first: those of its event, then those that share its keywords."""
    with open_view(request) as view:
        record = existing_article(view.conn, number)
        return {"articles": [hit.record for hit in similar_articles(view.conn, record, limit)]}


@api.get("/searches", summary="Saved searches", dependencies=[Depends(limit_costly)])
def list_searches(request: Request) -> dict[str, Any]:
    """Those of the account, with how many of the newest 100 articles of each are `unread`."""
    with open_view(request) as view:
        tabs = search_tabs(view)
        return {"searches": [{**tab, "newest": list(tab["newest"]), "unread": len(tab["unread"])} for tab in tabs]}


@api.post("/searches", summary="Save a search", status_code=201)
def add_search(request: Request, body: SavedSearch) -> dict[str, str]:
    """Save a query, or give it another name. Takes the scope `edit`."""
    _save(request, body.query.strip(), body.name.strip())
    return {"query": body.query.strip(), "name": body.name.strip() or body.query.strip()[:LONGEST_NAME]}


@api.delete("/searches", summary="Remove a saved search", status_code=204)
def remove_search(request: Request, query: Annotated[str, Query(max_length=1000)]) -> None:
    """Takes the scope `edit`."""
    with begin_change(request, Role.READER) as change:
        if not saved_searches.remove(change.conn, change.account, query):
            raise HTTPException(404, "no such search is saved")
