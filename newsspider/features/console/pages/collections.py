"""Collections, as pages and in the API: the hits of a query at one moment, to be screened, annotated and exported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi import Path as PathParameter
from fastapi.responses import Response
from pydantic import BaseModel, Field
from sqlalchemy import Connection

from newsspider.core.text.characters import storable_text
from newsspider.core.text.numbers import cursor_numbers, whole_number
from newsspider.features.console import collections
from newsspider.features.console.access import AuditedChange, Fields, begin_change, require_role
from newsspider.features.console.accounts import Role
from newsspider.features.console.api.routing import HIGHEST_ID, api_router
from newsspider.features.console.collections import LONGEST_NAME, LONGEST_NOTE, MOST_ARTICLES, VERDICTS
from newsspider.features.console.export_answers import export_answer, offered_formats
from newsspider.features.console.rate_limits import limit_costly
from newsspider.features.console.view import UNSAID, open_view, redirect_to
from newsspider.library.export_formats import SCREENING
from newsspider.search.entry_rows import SearchScope
from newsspider.search.hits import Sort
from newsspider.search.query_relaxation import looked_up
from newsspider.store.articles.article_records import ARTICLES_AT_ONCE, articles_of
from newsspider.store.engine.database import reading
from newsspider.store.engine.statement import batched

PAGE_ARTICLES = 50
EVENT = "event"
SCREENING_FIELDS = tuple(SCREENING)  # of an article, beside its own

Verdict = Literal["all", "in", "out", ""]

router = APIRouter(include_in_schema=False)
api = api_router()


class NewCollection(BaseModel):
    """A collection that the hits of ``query`` fill."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    query: Annotated[str, Field(max_length=1000)] = ""
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""


class Screening(BaseModel):
    """The verdict on an article: ``in``, ``out`` or empty for undecided. Without a ``note`` its note stays."""

    verdict: Annotated[str, Field(pattern="^(in|out|)$")] = ""
    note: Annotated[str | None, Field(max_length=LONGEST_NOTE)] = None


@router.get("/collections")
def list_page(request: Request, q: str = "") -> Response:
    """All collections, and a form for a new one."""
    with open_view(request) as view:
        rows = collections.all_collections(view.conn)
        return view.page("collections.html", collections=rows, query=q, most=MOST_ARTICLES)


@router.post("/collections", dependencies=[Depends(limit_costly)])
def send_new(request: Request, fields: Fields) -> Response:
    """A new collection of the present hits of a query."""
    query, note = fields.get("query", "")[:1000], fields.get("note", "")[:LONGEST_NOTE]
    number = new_collection(request, fields.get("name", ""), query, note).id
    return redirect_to(request, f"/collections/{number}")


@router.get("/collections/{number}")
def show(
    request: Request,
    number: str,
    verdict: Verdict = "all",
    n: Annotated[int | None, UNSAID, Query(ge=1)] = None,
    by: Literal["", "event"] = "",
    after: str = "",
) -> Response:
    """A collection with its articles, all or those of one verdict, from behind the article ``after`` on; by ``event``
    those of one event together."""
    with open_view(request) as view:
        row = existing_collection(view.conn, number)
        everything = collections.articles(view.conn, row.id)
        labels = collections.clusters(view.conn, row.id) if by else {}
        position, limit = _position(after) if after else None, min(n or PAGE_ARTICLES, MOST_ARTICLES)
        if labels:
            everything = collections.in_clusters(everything, labels)
            ids = [screened.article_id for screened in everything]
            start = ids.index(position[1]) + 1 if position and position[1] in ids else 0
            behind = everything[start:]
        else:
            behind = collections.rows_behind(everything, position) if position else everything
        chosen, rows = ([mark for mark in some if verdict in ("all", mark.verdict)] for some in (everything, behind))
        part = rows[:limit]
        records = {record["id"]: record for record in articles_of(view.conn, [mark.article_id for mark in part])}
        return view.page(
            "collection.html",
            collection=row,
            rows=part,
            records=records,
            verdict=verdict,
            n=limit,
            after=after,
            more=min(limit + 2 * PAGE_ARTICLES, MOST_ARTICLES),
            behind=len(rows) - len(part),
            query=_query,
            next=collections.cursor_of(part[-1]) if part else "",
            formats=offered_formats(),
            labels=labels,
            sizes=Counter(labels.get(mark.article_id) for mark in chosen),
            by=by,
        )


@router.post("/collections/{number}/screen")
def send_verdict(request: Request, number: str, fields: Fields) -> Response:
    """Store the verdict on an article. A note that was not edited on the page keeps its present text."""
    verdict, article = fields.get("verdict", ""), whole_number(fields.get("article", "")) or 0
    if verdict not in VERDICTS:
        raise HTTPException(400, "a verdict is in, out or empty")
    note = fields.get("note")
    if note is not None:
        note = None if note == fields.get("noted") else note[:LONGEST_NOTE]
    with begin_change(request, Role.EDITOR) as change:
        row = existing_collection(change.conn, number)
        set_verdict(change, row, article, verdict, note)
    place = _query(fields.get("shown", "all"), **{name: fields.get(name, "") for name in ("by", "n", "after")})
    return redirect_to(request, f"/collections/{row.id}?{place}#a{article}")


def _query(verdict: str, **others: object) -> str:
    """The query string of a collection's page. An empty verdict stays in it: it selects the undecided articles."""
    return urlencode({"verdict": verdict} | {name: value for name, value in others.items() if value})


@router.post("/collections/{number}/extend", dependencies=[Depends(limit_costly)])
def send_extend(request: Request, number: str, fields: Fields) -> Response:
    """Run the query again and add its new hits."""
    extend(request, number)
    return redirect_to(request, f"/collections/{number}")


@router.post("/collections/{number}/remove")
def send_remove(request: Request, number: str, fields: Fields) -> Response:
    """Remove a collection; its articles stay in the store."""
    remove(request, number)
    return redirect_to(request, "/collections")


def _records(request: Request, rows: list[Any], labels: Mapping[int, str]) -> Iterator[dict[str, Any]]:
    """The records in this order, each with its verdict, note and cluster."""
    for some in batched(rows, ARTICLES_AT_ONCE):
        with reading(request.app.state.engine) as conn:  # not longer: the reader may be slow
            records = {record["id"]: record for record in articles_of(conn, [row.article_id for row in some])}
        for row in some:
            if row.article_id in records:
                values = (row.verdict, row.note, labels.get(row.article_id, ""))
                yield records[row.article_id] | dict(zip(SCREENING_FIELDS, values, strict=True))


def new_collection(request: Request, name: str, query: str, note: str) -> Any:
    name = storable_text(name).strip()[:LONGEST_NAME]
    if not name:
        raise HTTPException(400, "a collection has a name")
    ids = _hits(request, query)
    with begin_change(request, Role.EDITOR) as change:
        number = collections.add(change.conn, change.account, name, query, note, change.now)
        count = collections.put(change.conn, number, ids, change.now)
        change.note("collection.add", name, after={"query": query, "articles": count})
        return existing_collection(change.conn, str(number))


def _hits(request: Request, query: str) -> list[int]:
    """The numbers of the articles that an editor's query finds. It is asked outside of any writing transaction."""
    require_role(request, Role.EDITOR)
    with open_view(request) as view:
        result = looked_up(view.conn, query, SearchScope(), limit=MOST_ARTICLES, sort=Sort.TIME, now=view.now)
    return [hit.record["id"] for hit in result.found.hits]


def set_verdict(change: AuditedChange, row: Any, article: int, verdict: str, note: str | None) -> str:
    """Say of an article whether it belongs to a collection; its note afterwards, which stays if none is given."""
    screening = collections.screen(change.conn, row.id, article, verdict, note)
    if screening is None:
        raise HTTPException(404, f"the collection has no article {article}")
    new_note = screening.note if note is None else storable_text(note)
    after = {"article": article, "verdict": verdict, "note": new_note}
    change.note("collection.screen", row.name, before=screening._asdict(), after=after)
    return str(new_note)


def existing_collection(conn: Connection, number: str) -> Any:
    row = collections.collection(conn, whole_number(number) or 0)
    if row is None:
        raise HTTPException(404, f"no collection has the number {number[:20]}")
    return row


@api.get("/collections", summary="All collections")
def list_all(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=MOST_ARTICLES)] = MOST_ARTICLES,
    before: Annotated[int, Query(ge=1, le=HIGHEST_ID, description="the `next` of the answer before")] = HIGHEST_ID,
) -> dict[str, Any]:
    """The newest first, with how many articles each has, and how many are in and out."""
    with open_view(request) as view:
        rows = [row._asdict() for row in collections.all_collections(view.conn) if row.id < before][:limit]
        return {"collections": rows, "next": rows[-1]["id"] if len(rows) == limit else None}


@api.post("/collections", summary="Keep the hits of a query", dependencies=[Depends(limit_costly)], status_code=201)
def make(request: Request, body: NewCollection) -> dict[str, Any]:
    """A new collection of at most 1,000 articles, the newest that the query finds now. Takes the scope `edit`."""
    return dict(new_collection(request, body.name, body.query, body.note)._asdict())


@api.get("/collections/{number}", summary="One collection with its articles", dependencies=[Depends(limit_costly)])
def read(
    request: Request,
    number: str,
    verdict: Verdict = "all",
    limit: Annotated[int, Query(ge=1, le=MOST_ARTICLES)] = MOST_ARTICLES,
    after: Annotated[str, Query(description="the `next` of the answer before")] = "",
) -> dict[str, Any]:
    """Each article with its verdict, note and record, the latest first; with `verdict` those of one verdict. At most
    `limit` of them: `next` leads to those behind them, whatever is added, screened or removed meanwhile."""
    with open_view(request) as view:
        row = existing_collection(view.conn, number)
        rows = collections.articles(view.conn, row.id, verdict)
        if after:
            rows = collections.rows_behind(rows, _position(after))
        rows, behind = rows[:limit], rows[limit:]
        records = {record["id"]: record for record in articles_of(view.conn, [mark.article_id for mark in rows])}
        screened = [
            {"verdict": mark.verdict, "note": mark.note, "article": records.get(mark.article_id)} for mark in rows
        ]
        return dict(row._asdict()) | {"screened": screened, "next": collections.cursor_of(rows[-1]) if behind else None}


def _position(after: str) -> tuple[int, ...]:
    position = cursor_numbers(after, 2)
    if position is None:
        raise HTTPException(400, "`after` is the `next` of an answer")
    return position


@api.post("/collections/{number}/articles/{article}", summary="Screen an article")
def screen(
    request: Request, number: str, article: Annotated[int, PathParameter(ge=1, le=HIGHEST_ID)], screening: Screening
) -> dict[str, str]:
    """Whether it belongs to the collection. Takes the scope `edit`."""
    with begin_change(request, Role.EDITOR) as change:
        note = set_verdict(change, existing_collection(change.conn, number), article, screening.verdict, screening.note)
    return {"verdict": screening.verdict, "note": note}


@api.post("/collections/{number}/extend", summary="Ask its query again", dependencies=[Depends(limit_costly)])
def extend(request: Request, number: str) -> dict[str, int]:
    """How many articles that the query finds by now were added. Takes the scope `edit`."""
    with open_view(request) as view:
        query = existing_collection(view.conn, number).query
    if not query:
        raise HTTPException(400, "a collection without a query is not asked again")
    ids = _hits(request, query)
    with begin_change(request, Role.EDITOR) as change:
        row = existing_collection(change.conn, number)
        collections.ask(change.conn, row.id, change.now)
        count = collections.put(change.conn, row.id, ids, change.now)
        change.note("collection.extend", row.name, after={"articles": count})
    return {"added": count}


@api.delete("/collections/{number}", summary="Remove a collection", status_code=204)
def remove(request: Request, number: str) -> None:
    """Its articles stay in the store. Takes the scope `edit`."""
    with begin_change(request, Role.EDITOR) as change:
        row = existing_collection(change.conn, number)
        collections.remove(change.conn, row.id)
        change.note("collection.remove", row.name, before={"query": row.query, "articles": row.articles})


@api.get("/collections/{number}/export", summary="Export a collection", dependencies=[Depends(limit_costly)])
def export_all(
    request: Request,
    number: str,
    form: str = "jsonl",
    verdict: Verdict = "all",
    by: Literal["", "event"] = "",
    fields: Literal["", "all"] = "",
) -> Response:
    """Its articles, or those of one verdict, in a format of `scrapy export`, with `verdict`, `note` and `cluster`; by
    `event` those of one cluster together. An `xlsx` has the columns that people read, with `fields=all` every field."""
    with open_view(request) as view:
        row = existing_collection(view.conn, number)
        rows, labels = collections.articles(view.conn, row.id, verdict), collections.clusters(view.conn, row.id)
    rows = collections.in_clusters(rows, labels) if by == EVENT else rows
    return export_answer(form, f"collection-{row.id}", _records(request, rows, labels), SCREENING_FIELDS, fields=fields)


@api.get("/collections/{number}/clusters", summary="What belongs together", dependencies=[Depends(limit_costly)])
def clusters(request: Request, number: str, verdict: Verdict = "all") -> dict[str, Any]:
    """The articles that others of the collection share an event with, or else a group of reprints, the largest cluster
    first, each in the order of time, the latest first; its title is that of the earliest. The others are `alone`."""
    with open_view(request) as view:
        row = existing_collection(view.conn, number)
        labels = collections.clusters(view.conn, row.id)
        several: dict[str, list[int]] = {}
        for article in collections.in_clusters(collections.articles(view.conn, row.id, verdict), labels):
            several.setdefault(labels.get(article.article_id, ""), []).append(article.article_id)
        alone = several.pop("", [])
        firsts = {record["id"]: record for record in articles_of(view.conn, [ids[-1] for ids in several.values()])}
        records = [
            {"cluster": label, "title": firsts[ids[-1]]["title"], "articles": ids} for label, ids in several.items()
        ]
        return {"clusters": records, "alone": alone}
