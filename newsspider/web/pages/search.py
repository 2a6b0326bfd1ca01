"""Search: a query, how it was understood, facets, and hits with what was found marked."""

from __future__ import annotations

import re
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from markupsafe import Markup
from sqlalchemy import Connection

from newsspider.core.query.highlights import highlights, snippet
from newsspider.core.query.parser import BadRule
from newsspider.core.query.tree import Node
from newsspider.core.text.numbers import whole_number
from newsspider.search.entry_rows import Scope
from newsspider.search.facets import facets
from newsspider.search.lookup import Result, looked_up
from newsspider.search.query import Hit, Sort
from newsspider.store.index.rebuild import unfinished
from newsspider.store.searches import hot
from newsspider.web.access import costly
from newsspider.web.display import broken, marked
from newsspider.web.exports import FORMATS
from newsspider.web.view import opened, redirect

PAGE = 20
DAYS_SEARCHED, MOST_HOT = 7, 10  # of the queries that are offered
MOST = 200  # hits of a page
SNIPPET, BEFORE = 110, 24  # characters of the text around what was found, and before it
URL = re.compile(r"https?://\S+")
FACETS = {"site": 8, "media": 8, "subtopic": 10, "day": 14}  # how many values of each are shown

router = APIRouter()


class ShownHit(NamedTuple):
    """A hit as the page has it."""

    record: dict[str, Any]
    title: Markup
    snippet: Markup
    first: tuple[str, int] | None
    revised_at: float | None
    copied_at: int | None


@router.get("/search", dependencies=[Depends(costly)])
def search(
    request: Request, q: str = "", sort: str = "time", n: str = "", reprints: str = "", revisions: str = "",
    vanished: str = "",
) -> Response:  # fmt: skip
    """The hits of a query; of an empty one the newest articles. A URL leads to its own page."""
    if URL.fullmatch(q.strip()):
        return redirect(request, f"/url?{urlencode({'u': q.strip()})}")
    order = Sort(sort) if sort in list(Sort) else Sort.TIME
    limit = min(whole_number(n) or PAGE, MOST)
    scope = Scope(bool(reprints), bool(vanished), bool(revisions))
    options = {"reprints": reprints, "revisions": revisions, "vanished": vanished}
    with opened(request) as view:
        values: dict[str, Any] = {"sort": order.value, "sorts": list(Sort), "limit": limit, "options": options}
        values["formats"] = FORMATS
        try:
            result = looked_up(view.conn, q, scope, limit=limit, sort=order, now=view.now)
        except BadRule as error:
            values |= {"error": error, "before": q[: error.at - 1], "rest": q[error.at - 1 :]}
            return view.page("search.html", status=400, **values, result=None, hits=[], facets={}, words="", hot=[])
        values |= {"error": None, "words": result.searched_as, "incomplete": unfinished(view.conn)}
        if result.found.hits and not n:
            request.app.state.searches.add(q)
        values["hot"] = [] if q else hot(view.conn, view.now.timestamp(), DAYS_SEARCHED, MOST_HOT)
        hits = [shown_hit(hit, result.query.wanted) for hit in result.found.hits]
        values |= {"hits": hits, "more": min(limit + 2 * PAGE, MOST), "facets": _facets(view.conn, result, scope)}
        return view.page("search.html", **values, result=result)


def _facets(conn: Connection, result: Result, scope: Scope) -> dict[str, list[tuple[str, int]]]:
    counted = facets(conn, result.query, scope)
    named = {name: [pair for pair in counted[name] if pair[0]][:most] for name, most in FACETS.items()}
    return {name: sorted(pairs) if name == "day" else pairs for name, pairs in named.items()}


def shown_hit(hit: Hit, node: Node) -> ShownHit:
    """A hit with what was found marked in its title and a piece of its text."""
    title = hit.record["title"]
    in_title = highlights(title, node)
    title_markup = marked(title, in_title) if in_title else broken(title)
    piece = snippet(hit.text, node, BEFORE, SNIPPET)
    before, behind = ("…" if is_cut else "" for is_cut in (piece.cut_before, piece.cut_behind))
    text = before + marked(piece.text, piece.places) + behind
    return ShownHit(hit.record, title_markup, text, hit.first, hit.revised_at, hit.copied_at)
