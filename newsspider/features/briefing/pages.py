"""Briefings in the console and its API: made by a form, read, edited, and given out as files."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request
from fastapi.responses import Response

from newsspider.core.query.parser import RuleError
from newsspider.core.query.query_language import conjunction, parsed, value_test
from newsspider.core.text.characters import one_line, storable
from newsspider.core.text.numbers import whole_number
from newsspider.core.text.regions import provinces, region_name
from newsspider.features.briefing import made
from newsspider.features.briefing.content import MOST_HEADLINES, Briefing, Edit, Kind, edited
from newsspider.features.briefing.gathering import gather
from newsspider.features.briefing.office import file_of
from newsspider.features.briefing.rendering import HEADINGS, blame_facts, count_name, facts, heading, label, news_line
from newsspider.features.briefing.scope import Scope
from newsspider.features.briefing.words import with_words
from newsspider.features.console.access import Fields, changing, costly, editors
from newsspider.features.console.accounts import Role
from newsspider.features.console.api.routing import HIGHEST_ID, api_router
from newsspider.features.console.view import View, opened, redirect
from newsspider.features.events.events import iso
from newsspider.sites.holidays import Holidays

SHOWN_BRIEFINGS = 50
LONGEST_DAYS = 62  # of a special briefing
LONGEST_TITLE, LONGEST_NOTE, LONGEST_QUERY = 200, 500, 1000
Form = Literal["docx", "html", "md", "json", "txt"]
TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "json": "application/json",
    "txt": "text/plain; charset=utf-8",
}
NO_DOCX = "this server writes no .docx: python-docx is not installed"

Number = Annotated[int, Path(ge=1, le=HIGHEST_ID)]

router = APIRouter()
api = api_router()


@router.get("/briefings")
def show_all(request: Request) -> Response:
    """The latest briefings, and a form for a new one."""
    with opened(request) as view:
        several = made.latest(view.conn, SHOWN_BRIEFINGS)
        return view.page("briefings.html", briefings=several, provinces=provinces())


@router.post("/briefings", dependencies=[Depends(editors), Depends(costly)])
def make(request: Request, fields: Fields) -> Response:
    """Make and keep the briefing that the form asks for."""
    with opened(request) as view:
        scope, past = _asked(view, fields)
        settings, now = request.app.state.settings, view.now.timestamp()
        title = _line(fields, "title")
        briefing = gather(view.conn, scope, past, Holidays.of(settings), now, title, MOST_HEADLINES)
    if fields.get("words"):
        briefing = with_words(request.app.state.engine, settings, briefing, now) or briefing
    with changing(request, Role.EDITOR) as change:
        number = made.keep(change.conn, scope, briefing, change.now)
        change.note("briefing.make", str(number), after=heading(briefing))
    return redirect(request, f"/briefings/{number}")


@router.get("/briefings/{number}")
def show(request: Request, number: str, edit: str = "") -> Response:
    """A briefing; with ``edit`` the form that changes it."""
    with opened(request) as view:
        key, kept = _existing(view, number)
        edited_items = {item.event: item for item in kept.content.items()}
        return view.page(
            "briefing.html",
            number=key,
            briefing=kept.original if edit and view.may(Role.EDITOR) else kept.content,
            title=kept.content.title,
            edits=kept.edits,
            chosen=edited_items,
            places={event: place for place, event in enumerate(edited_items, 1)},
            edit=bool(edit) and view.may(Role.EDITOR),
            formats=list(TYPES),
            pictured=_query_of(kept.content),
            headings=HEADINGS,
            heading=heading,
            news_line=news_line,
            label=label,
            facts=facts,
            blame_facts=blame_facts,
            count_name=count_name,
        )


def _query_of(briefing: Briefing) -> str:
    """The query of the articles that a briefing is about, without their time; of all, those since its beginning."""
    tests = [value_test("topic", briefing.topic)] if briefing.topic else []
    if briefing.region:
        tests.append("({} OR {})".format(*(value_test(field, briefing.region) for field in ("region", "about"))))
    return conjunction(briefing.query, *tests) or f"since:{briefing.since[:10]}"


@router.post("/briefings/{number}", dependencies=[Depends(editors)])
def save(request: Request, number: str, fields: Fields) -> Response:
    """Store what the editor chose, ordered, titled and noted; or delete the briefing. Status 409 if somebody else
    edited it since the form was shown."""
    with opened(request) as view:
        key, kept = _existing(view, number)
    with changing(request, Role.EDITOR) as change:
        if fields.get("change") == "remove":
            made.remove(change.conn, key)
            change.note("briefing.remove", str(key), before=heading(kept.content))
            return redirect(request, "/briefings")
        new = edited(kept.original, _line(fields, "title") or kept.content.title, _edits(kept.original, fields))
        if not made.change(change.conn, key, new, whole_number(fields.get("edits", "")) or 0):
            raise HTTPException(409, "somebody else edited this briefing meanwhile; open it again")
        change.note("briefing.edit", str(key), before=len(kept.content.items()), after=len(new.items()))
    return redirect(request, f"/briefings/{key}")


@router.get("/briefings/{number}/file", dependencies=[Depends(costly)])
def download(request: Request, number: str, form: str = "docx") -> Response:
    """A briefing as a file."""
    with opened(request) as view:
        return _file(*_existing(view, number), form)


@api.get("/briefings", summary="List briefings")
def list_all(request: Request) -> dict[str, Any]:
    """The latest briefings that were made by `scrapy brief -o` or in the console, with their numbers."""
    with opened(request) as view:
        several = made.latest(view.conn, SHOWN_BRIEFINGS)
    shown = ("id", "heading", "events")
    return {"briefings": [{name: getattr(one, name) for name in shown} | {"until": iso(one.until)} for one in several]}


@api.get("/briefings/{number}", summary="One briefing", dependencies=[Depends(costly)])
def read_one(request: Request, number: Number, form: Annotated[Form, Query()] = "json") -> Response:
    """A briefing as an editor left it, in a format of `scrapy brief`."""
    with opened(request) as view:
        return _file(*_existing(view, str(number)), form)


def _existing(view: View, number: str) -> tuple[int, made.Kept]:
    key = whole_number(number) or 0
    kept = made.kept(view.conn, key) if 0 < key <= HIGHEST_ID else None
    if kept is None:
        raise HTTPException(404, "there is no such briefing")
    return key, kept


def _asked(view: View, fields: Mapping[str, str]) -> tuple[Scope, made.Past]:
    """The scope that the form asks for, and what was made before; status 400 for one that cannot be."""
    kind = Kind(fields["kind"]) if fields.get("kind") in list(Kind) else Kind.DAILY
    text, region = _line(fields, "query", LONGEST_QUERY), fields.get("region", "")
    region_asked = region_name(region) if region else ""
    if region_asked is None:
        raise HTTPException(400, f"{region!r} is no province or city")
    try:
        query = parsed(text, view.now) if text else None
    except RuleError as error:
        raise HTTPException(400, str(error)) from None
    until = view.now
    days = whole_number(fields.get("days", "")) or 1
    if kind is Kind.SPECIAL:
        since = until - timedelta(days=min(days, LONGEST_DAYS))
        return Scope(kind, since, until, "", region_asked, text, query), made.NO_PAST
    scope = Scope(kind, until, until, "", region_asked, text, query)
    past = made.past_of(view.conn, kind, scope.asked, until)
    return scope.beginning(made.since_of(kind, past, until)), past


def _edits(briefing: Briefing, fields: Mapping[str, str]) -> dict[int, Edit]:
    """The edits of the form, by event: of those without a place there is none."""
    edits = {}
    for item in briefing.items():
        place = whole_number(fields.get(f"place-{item.event}", ""))
        if place is not None:
            title = _line(fields, f"title-{item.event}", LONGEST_TITLE) or item.title
            note = _line(fields, f"note-{item.event}", LONGEST_NOTE)
            edits[item.event] = Edit(title, note, place)
    return edits


def _line(fields: Mapping[str, str], name: str, longest: int = LONGEST_TITLE) -> str:
    return one_line(storable(fields.get(name, "")), longest).strip()


def _file(number: int, kept: made.Kept, form: str) -> Response:
    if form not in TYPES:
        raise HTTPException(400, f"the format is one of {', '.join(TYPES)}")
    try:
        content = file_of(kept.content, f".{form}")
    except ImportError:
        raise HTTPException(501, NO_DOCX) from None
    headers = {"Content-Disposition": f'attachment; filename="briefing-{number}.{form}"'}
    return Response(content, media_type=TYPES[form], headers=headers)
