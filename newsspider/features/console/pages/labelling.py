"""Labels several articles of a list at once, or saves them in a collection; the list that follows says so, and offers to
take the labels back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy import Connection

from newsspider.core.relevance.scoring import Model
from newsspider.core.text.numbers import whole_number
from newsspider.features.console import collections
from newsspider.features.console.access import Change, Fields, changing, needs
from newsspider.features.console.accounts import Role
from newsspider.features.console.pages.collections import existing
from newsspider.features.console.pages.topics import VERDICTS, profile_of, set_label, sources
from newsspider.features.console.view import View, redirect
from newsspider.store.articles import labels
from newsspider.store.articles.export import articles_of

MOST_PICKED = 200
LISTS = {"/", "/search"}  # the pages that have lists to pick from
DONE = re.compile(
    rf"([yn]|s\d{{1,18}})((?:-\d{{1,18}}[yn]?){{1,{MOST_PICKED}}})"
)  # what was done with which articles, each with its old label, or `y` if the collection had it before
LETTERS = {True: "y", False: "n", None: ""}
SAVED = "收藏"  # the collection of one's own that articles are saved in where no other is chosen

router = APIRouter()


@router.post("/labels")
def label_picked(request: Request, fields: Fields) -> Response:
    """Label the articles with a field ``aID``, each for its own topic; ``s`` saves them in a collection. ``undo`` gives
    each the label that the field names, or takes those without a letter out of the collection."""
    verdict, page = fields.get("verdict", ""), fields.get("page", "")
    picked = {whole_number(name[1:]) or 0: value for name, value in fields.items() if re.fullmatch(r"a\d{1,18}", name)}
    if verdict not in {*VERDICTS, "undo", "s"} or page not in LISTS or len(picked) > MOST_PICKED:
        raise HTTPException(400, f"say y, n, undo or s of at most {MOST_PICKED} articles of a list")
    with changing(request, Role.EDITOR) as change:
        if verdict == "s":
            done = _saved(change, picked, fields)
        elif number := verdict == "undo" and fields.get("collection", ""):
            done = _taken_out(change, picked, number)
        else:
            done = _labelled(request, change, picked, verdict)
    query = [(name, value) for name, value in parse_qsl(fields.get("query", "")[:4000]) if name != "done"]
    return redirect(request, f"{page}?{urlencode([*query, *([('done', done)] if done else [])])}")


def _labelled(request: Request, change: Change, picked: Mapping[int, str], verdict: str) -> str:
    """Label the articles; how that is written in the address of the list, empty for what was undone."""
    known, old = sources(request.app.state.settings), labels.of_articles(change.conn, list(picked))
    written = ""
    for record in articles_of(change.conn, list(picked)):
        number, topic = record["id"], record["topic"]
        if topic not in known or (profile := profile_of(known[topic])).model is Model.ANY:
            continue
        wanted = (picked[number] if picked[number] in VERDICTS else "remove") if verdict == "undo" else verdict
        if set_label(request, change, profile, record["url"], wanted):
            written += f"-{number}{LETTERS[old.get((number, topic))]}"
    return "" if verdict == "undo" else f"{verdict}{written}" if written else "none"


def _saved(change: Change, picked: Mapping[int, str], fields: Mapping[str, str]) -> str:
    """Save the articles in a collection: the one that was chosen, or :data:`SAVED`, which is added if there is none."""
    if not picked:
        return "none"
    number = fields.get("collection", "")
    if not number and (own := _own(collections.all_collections(change.conn), change.account)):
        number = str(own.id)
    if not number:
        number = str(collections.add(change.conn, change.account, SAVED, "", "", change.now))
        change.note("collection.add", SAVED, after={"query": "", "articles": 0})
    row = existing(change.conn, number)
    there = [record["id"] for record in articles_of(change.conn, list(picked))]
    old = {one.article_id for one in collections.articles(change.conn, row.id)}
    count = collections.put(change.conn, row.id, there, change.now)
    change.note("collection.extend", row.name, after={"articles": count})
    return f"s{row.id}" + "".join(f"-{one}{'y' if one in old else ''}" for one in there) if there else "none"


def _taken_out(change: Change, picked: Mapping[int, str], number: str) -> str:
    """Take the articles that were saved just now out of the collection again; nothing is written of it in the address
    of the list."""
    row = existing(change.conn, number)
    count = collections.take_out(change.conn, row.id, [article for article, letter in picked.items() if not letter])
    change.note("collection.reduce", row.name, after={"articles": count})
    return ""


def _own(rows: list[Any], account: str) -> Any | None:
    """The collection of an account that its articles are saved in; ``None`` if it has none."""
    return next((row for row in rows if row.name == SAVED and row.owner == account), None)


def list_values(view: View, records: list[dict[str, Any]]) -> dict[str, Any]:
    """What the template of a list needs to pick from it: labels by article, collections, what was done just now."""
    if not view.may(Role.EDITOR):
        return {"picks": None}
    known = labels.of_articles(view.conn, [record["id"] for record in records])
    own = {record["id"]: known.get((record["id"], record["topic"])) for record in records}
    done = _done(view.conn, view.request.query_params.get("done", ""))
    rows = collections.all_collections(view.conn)
    saved = _own(rows, needs(view.request, Role.EDITOR).account)
    others = [row for row in rows if row is not saved]
    return {"picks": {"labels": own, "saved": SAVED, "collections": others, "done": done}}


def _done(conn: Connection, written: str) -> dict[str, Any] | None:
    """What was done with articles picked from the list: their labels before, or the collection that has them now. The
    address says it, which may be old or made up: ``None`` if nothing of it is so."""
    match = DONE.fullmatch(written)
    if match is None:
        return {"before": {}} if written == "none" else None
    before = {int(number): letter for number, letter in re.findall(r"-(\d+)([yn]?)", match[2])}
    verdict, collection = match[1][0], int(match[1][1:] or 0)
    if verdict == "s":
        there = {row.article_id for row in collections.articles(conn, collection)}
    else:
        known, records = labels.of_articles(conn, before), articles_of(conn, list(before))
        there = {one["id"] for one in records if known.get((one["id"], one["topic"])) is VERDICTS[verdict]}
    before = {number: letter for number, letter in before.items() if number in there}
    done = {"verdict": verdict, "before": before, "collection": collections.collection(conn, collection)}
    return done if before else None
