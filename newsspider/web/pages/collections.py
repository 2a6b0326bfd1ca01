"""Collections: the hits of a query at a moment, to be screened, annotated and exported; as pages and in the API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi import Path as PathParameter
from fastapi.responses import RedirectResponse, Response, StreamingResponse
from pydantic import BaseModel, Field
from sqlalchemy import Connection

from newsspider.core.query.grammar import BadRule
from newsspider.core.text.numbers import whole_number
from newsspider.library.export_formats import TABLES, TEXTS, csv_head, csv_line, markdown_section, writer_of
from newsspider.search.entry_rows import Scope
from newsspider.search.lookup import looked_up
from newsspider.search.query import Sort
from newsspider.store import collections
from newsspider.store.accounts import Role, storable
from newsspider.store.articles.export import articles_of
from newsspider.store.collections import LONGEST_NAME, LONGEST_NOTE, MOST_ARTICLES, VERDICTS
from newsspider.store.engine.database import reading
from newsspider.web.access import Change, Fields, changing, costly, needs
from newsspider.web.api.search import HIGHEST_ID
from newsspider.web.view import opened

SHOWN = 50  # articles of a page
TYPES = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8", "md": "text/markdown; charset=utf-8"}

router = APIRouter(include_in_schema=False)
api = APIRouter(prefix="/api/v1")


class NewCollection(BaseModel):
    """A collection that the hits of ``query`` fill."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    query: Annotated[str, Field(max_length=1000)] = ""
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""


class Screening(BaseModel):
    """What somebody says of an article: ``in``, ``out`` or nothing."""

    verdict: Annotated[str, Field(pattern="^(in|out|)$")] = ""
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""


@router.get("/collections")
def all_collections(request: Request, q: str = "") -> Response:
    """All collections, and a form for a new one."""
    with opened(request) as view:
        rows = collections.all_collections(view.conn)
        return view.page("collections.html", collections=rows, query=q, most=MOST_ARTICLES)


@router.post("/collections", dependencies=[Depends(costly)])
def add(request: Request, fields: Fields) -> Response:
    """A new collection of the present hits of a query."""
    query, note = fields.get("query", "")[:1000], fields.get("note", "")[:LONGEST_NOTE]
    number = _add(request, fields.get("name", ""), query, note).id
    return _to(request, f"/collections/{number}")


@router.get("/collections/{number}")
def one(request: Request, number: str, verdict: str = "all", n: str = "") -> Response:
    """A collection with its articles, all or those of one verdict."""
    with opened(request) as view:
        row = _existing(view.conn, number)
        shown = verdict if verdict in VERDICTS or verdict == "all" else "all"
        rows = collections.articles(view.conn, row.id, shown)
        limit = min(max(whole_number(n) or SHOWN, 1), MOST_ARTICLES)
        records = {record["id"]: record for record in articles_of(view.conn, [one.article_id for one in rows[:limit]])}
        return view.page(
            "collection.html", collection=row, rows=rows[:limit], records=records, verdict=shown, total=len(rows),
            more=min(limit + 2 * SHOWN, MOST_ARTICLES), formats=[*TEXTS, *TABLES],
        )  # fmt: skip


@router.post("/collections/{number}/screen")
def screen(request: Request, number: str, fields: Fields) -> Response:
    """Say of an article whether it belongs here."""
    verdict, article = fields.get("verdict", ""), whole_number(fields.get("article", "")) or 0
    if verdict not in VERDICTS:
        raise HTTPException(400, "a verdict is in, out or empty")
    with changing(request, Role.EDITOR) as change:
        row = _existing(change.conn, number)
        _screen(change, row, article, verdict, fields.get("note", "")[:LONGEST_NOTE])
    shown = fields.get("shown", "all")
    return _to(request, f"/collections/{row.id}?verdict={shown if shown in VERDICTS else 'all'}#a{article}")


@router.post("/collections/{number}/extend", dependencies=[Depends(costly)])
def extend(request: Request, number: str, fields: Fields) -> Response:
    """Add what the query finds by now."""
    with opened(request) as view:
        query = _existing(view.conn, number).query
    ids = _hits(request, query)
    with changing(request, Role.EDITOR) as change:
        row = _existing(change.conn, number)
        count = collections.put(change.conn, row.id, ids, change.now)
        change.note("collection.extend", row.name, after={"articles": count})
    return _to(request, f"/collections/{row.id}")


@router.post("/collections/{number}/remove")
def remove(request: Request, number: str, fields: Fields) -> Response:
    """Remove a collection; its articles stay in the store."""
    with changing(request, Role.EDITOR) as change:
        row = _existing(change.conn, number)
        collections.remove(change.conn, row.id)
        change.note("collection.remove", row.name, before={"query": row.query, "articles": row.articles})
    return _to(request, "/collections")


@router.get("/collections/{number}/export", dependencies=[Depends(costly)])
def export(request: Request, number: str, form: str = "jsonl", verdict: str = "all") -> Response:
    """The articles, or those of one verdict, in a format of ``scrapy export``."""
    with opened(request) as view:
        row = _existing(view.conn, number)
        ids = [one.article_id for one in collections.articles(view.conn, row.id, verdict)]
    if form not in (*TEXTS, *TABLES):
        raise HTTPException(400, f"a form is one of {', '.join((*TEXTS, *TABLES))}")
    headers = {"Content-Disposition": f'attachment; filename="collection-{row.id}.{form}"'}
    if form in TEXTS:
        return StreamingResponse(_pieces(request, form, ids), media_type=TYPES[form], headers=headers)
    with TemporaryDirectory(prefix="newsspider-export-") as folder, reading(request.app.state.engine) as conn:
        path = Path(folder, "articles")
        writer_of(form, str(path))(articles_of(conn, ids))
        return Response(path.read_bytes(), media_type="application/octet-stream", headers=headers)


def _pieces(request: Request, form: str, ids: list[int]) -> Iterator[str]:
    with reading(request.app.state.engine) as conn:
        if form == "csv":
            yield csv_head()
        for record in articles_of(conn, ids):
            if form == "csv":
                yield csv_line(record)
            else:
                yield markdown_section(record) if form == "md" else json.dumps(record, ensure_ascii=False) + "\n"


@api.get("/collections", summary="All collections")
def list_all(request: Request) -> dict[str, Any]:
    """The newest first, with how many articles each has, and how many are in and out."""
    with opened(request) as view:
        return {"collections": [row._asdict() for row in collections.all_collections(view.conn)]}


@api.post("/collections", summary="Keep the hits of a query", dependencies=[Depends(costly)], status_code=201)
def make(request: Request, wanted: NewCollection) -> dict[str, Any]:
    """A new collection of at most 1,000 articles, the newest that the query finds now. Takes the scope `edit`."""
    return dict(_add(request, wanted.name, wanted.query, wanted.note)._asdict())


@api.get("/collections/{number}", summary="One collection with its articles", dependencies=[Depends(costly)])
def read(
    request: Request,
    number: str,
    verdict: str = "all",
    limit: Annotated[int, Query(ge=1, le=MOST_ARTICLES)] = MOST_ARTICLES,
    offset: Annotated[int, Query(ge=0, le=HIGHEST_ID, description="how many to leave out")] = 0,
) -> dict[str, Any]:
    """Each article with its verdict, note and record; with `verdict` those of one. At most `limit` of them."""
    with opened(request) as view:
        row = _existing(view.conn, number)
        rows = collections.articles(view.conn, row.id, verdict)[offset : offset + limit]
        records = {record["id"]: record for record in articles_of(view.conn, [one.article_id for one in rows])}
        said = [{"verdict": one.verdict, "note": one.note, "article": records.get(one.article_id)} for one in rows]
        return dict(row._asdict()) | {"screened": said}


@api.post("/collections/{number}/articles/{article}", summary="Screen an article")
def say(
    request: Request, number: str, article: Annotated[int, PathParameter(ge=1, le=HIGHEST_ID)], screening: Screening
) -> dict[str, str]:
    """Whether it belongs to the collection. Takes the scope `edit`."""
    with changing(request, Role.EDITOR) as change:
        _screen(change, _existing(change.conn, number), article, screening.verdict, screening.note)
    return {"verdict": screening.verdict, "note": screening.note}


def _add(request: Request, name: str, query: str, note: str) -> Any:
    name = storable(name).strip()[:LONGEST_NAME]
    if not name:
        raise HTTPException(400, "a collection has a name")
    ids = _hits(request, query)
    with changing(request, Role.EDITOR) as change:
        number = collections.add(change.conn, change.account, name, query, note, change.now)
        count = collections.put(change.conn, number, ids, change.now)
        change.note("collection.add", name, after={"query": query, "articles": count})
        return _existing(change.conn, str(number))


def _hits(request: Request, query: str) -> list[int]:
    """The numbers of the articles that an editor's query finds; no writer waits for the search."""
    needs(request, Role.EDITOR)
    with opened(request) as view:
        try:
            result = looked_up(view.conn, query, Scope(), limit=MOST_ARTICLES, sort=Sort.TIME, now=view.now)
        except BadRule as error:
            raise HTTPException(400, f"the query, {error}") from None
    return [hit.record["id"] for hit in result.found.hits]


def _screen(change: Change, row: Any, article: int, verdict: str, note: str) -> None:
    if not collections.screen(change.conn, row.id, article, verdict, note):
        raise HTTPException(404, f"the collection has no article {article}")
    change.note("collection.screen", row.name, after={"article": article, "verdict": verdict, "note": note})


def _existing(conn: Connection, number: str) -> Any:
    row = collections.collection(conn, whole_number(number) or 0)
    if row is None:
        raise HTTPException(404, f"no collection has the number {number[:20]}")
    return row


def _to(request: Request, path: str) -> Response:
    return RedirectResponse(request.scope.get("root_path", "") + path, 303)
