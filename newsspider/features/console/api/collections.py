"""Collections in the API."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Depends, HTTPException, Query, Request
from fastapi import Path as PathParameter
from fastapi.responses import Response
from pydantic import BaseModel, Field

from newsspider.core.text.numbers import cursor_numbers
from newsspider.features.console import collections
from newsspider.features.console.access import changing, costly
from newsspider.features.console.accounts import Role
from newsspider.features.console.api.routing import HIGHEST_ID, api_router
from newsspider.features.console.collections import LONGEST_NAME, LONGEST_NOTE, MOST_ARTICLES
from newsspider.features.console.pages.collections import (
    existing,
    export,
    extended,
    new_collection,
    removed,
    set_verdict,
)
from newsspider.features.console.view import opened
from newsspider.store.articles.export import articles_of

router = api_router()

Verdict = Literal["all", "in", "out", ""]


class NewCollection(BaseModel):
    """A collection that the hits of ``query`` fill."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    query: Annotated[str, Field(max_length=1000)] = ""
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""


class Screening(BaseModel):
    """The verdict on an article: ``in``, ``out`` or empty for undecided. Without a ``note`` its note stays."""

    verdict: Annotated[str, Field(pattern="^(in|out|)$")] = ""
    note: Annotated[str | None, Field(max_length=LONGEST_NOTE)] = None


@router.get("/collections", summary="All collections")
def list_all(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=MOST_ARTICLES)] = MOST_ARTICLES,
    before: Annotated[int, Query(ge=1, le=HIGHEST_ID, description="the `next` of the answer before")] = HIGHEST_ID,
) -> dict[str, Any]:
    """The newest first, with how many articles each has, and how many are in and out."""
    with opened(request) as view:
        rows = [row._asdict() for row in collections.all_collections(view.conn) if row.id < before][:limit]
        return {"collections": rows, "next": rows[-1]["id"] if len(rows) == limit else None}


@router.post("/collections", summary="Keep the hits of a query", dependencies=[Depends(costly)], status_code=201)
def make(request: Request, body: NewCollection) -> dict[str, Any]:
    """A new collection of at most 1,000 articles, the newest that the query finds now. Takes the scope `edit`."""
    return dict(new_collection(request, body.name, body.query, body.note)._asdict())


@router.get("/collections/{number}", summary="One collection with its articles", dependencies=[Depends(costly)])
def read(
    request: Request,
    number: str,
    verdict: Verdict = "all",
    limit: Annotated[int, Query(ge=1, le=MOST_ARTICLES)] = MOST_ARTICLES,
    after: Annotated[str, Query(description="the `next` of the answer before")] = "",
) -> dict[str, Any]:
    """Each article with its verdict, note and record, the latest first; with `verdict` those of one verdict. At most
    `limit` of them: `next` leads to those behind them, whatever is added, screened or removed meanwhile."""
    with opened(request) as view:
        row = existing(view.conn, number)
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


@router.post("/collections/{number}/articles/{article}", summary="Screen an article")
def screen(
    request: Request, number: str, article: Annotated[int, PathParameter(ge=1, le=HIGHEST_ID)], screening: Screening
) -> dict[str, str]:
    """Whether it belongs to the collection. Takes the scope `edit`."""
    with changing(request, Role.EDITOR) as change:
        note = set_verdict(change, existing(change.conn, number), article, screening.verdict, screening.note)
    return {"verdict": screening.verdict, "note": note}


@router.post("/collections/{number}/extend", summary="Ask its query again", dependencies=[Depends(costly)])
def extend(request: Request, number: str) -> dict[str, int]:
    """How many articles that the query finds by now were added. Takes the scope `edit`."""
    return {"added": extended(request, number)}


@router.delete("/collections/{number}", summary="Remove a collection", status_code=204)
def remove(request: Request, number: str) -> None:
    """Its articles stay in the store. Takes the scope `edit`."""
    removed(request, number)


@router.get("/collections/{number}/export", summary="Export a collection", dependencies=[Depends(costly)])
def export_all(
    request: Request, number: str, form: str = "jsonl", verdict: Verdict = "all", by: Literal["", "event"] = "",
    fields: Literal["", "all"] = "",
) -> Response:  # fmt: skip
    """Its articles, or those of one verdict, in a format of `scrapy export`, with `verdict`, `note` and `cluster`; by
    `event` those of one cluster together. An `xlsx` has the columns that people read, with `fields=all` every field."""
    return export(request, number, form, verdict, by, fields)


@router.get("/collections/{number}/clusters", summary="What belongs together", dependencies=[Depends(costly)])
def clusters(request: Request, number: str, verdict: Verdict = "all") -> dict[str, Any]:
    """The articles that others of the collection share an event with, or else a group of reprints, the largest cluster
    first, each in the order of time, the latest first; its title is that of the earliest. The others are `alone`."""
    with opened(request) as view:
        row = existing(view.conn, number)
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
