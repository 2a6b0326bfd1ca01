"""Pictures in the console and its API: of a query, of several, or of an event."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import JSONResponse, Response

from newsspider.core.query.parser import RuleError
from newsspider.core.text.numbers import whole_number
from newsspider.features.attention.attention_lines import table_text
from newsspider.features.attention.counting import MOST_QUERIES, UNKNOWN, Split
from newsspider.features.attention.pages import Day, Queries, Typed, costly_each, file_of
from newsspider.features.attention.pictures import (
    REST,
    Asked,
    AttentionPicture,
    Measure,
    PictureKind,
    asked_for,
    draw_picture,
)
from newsspider.features.attention.rules.periods import PeriodLength
from newsspider.features.console.api.routing import HIGHEST_ID, api_router
from newsspider.features.console.view import View, open_view
from newsspider.features.events.events import read_events

router = APIRouter()
api = api_router()


@router.get("/attention/pictures", dependencies=[Depends(costly_each)])
def show_picture(
    request: Request,
    kind: PictureKind = PictureKind.MAP,
    q: Queries = [],  # noqa: B006
    event: str = "",
    measure: Measure = Measure.REGION,
    split: Split = Split.MEDIA,
    by: PeriodLength = PeriodLength.WEEK,
    since: Day = None,
    until: Day = None,
) -> Response:
    """The picture that the form asks for; without a query or an event, the form."""
    number = whole_number(event)
    if event and number is None:
        raise HTTPException(404, f"no event has the id {event[:20]}")
    typed = [text for text in q if text.strip()]
    if kind is not PictureKind.SHARES:
        typed = typed[:1]
    with open_view(request) as view:
        values = {"measure": measure, "split": split, "step": by, "since": since, "until": until}
        asked, picture = _drawn(view, kind, typed, number, values)
        address = {"event": number, "q": typed, "measure": measure, "split": split, "by": by, "since": since}
        address["until"] = until
        return view.page(
            "pictures.html",
            kind=kind,
            kinds=[one for one in PictureKind if one is not (PictureKind.SHARES if number else PictureKind.SPREAD)],
            event=asked.event if asked else None,
            asked_name=asked.name if asked else "",
            typed=typed,
            most=MOST_QUERIES,
            measure=measure,
            measures=list(Measure),
            split=split,
            splits=list(Split),
            by=by,
            steps=list(PeriodLength),
            since=since,
            until=until,
            picture=picture,
            unknown=UNKNOWN,
            rest=REST,
            address=urlencode({name: value for name, value in address.items() if value}, doseq=True),
        )


@api.get("/attention/pictures", summary="Pictures of queries or an event", dependencies=[Depends(costly_each)])
def picture_of(
    request: Request,
    kind: PictureKind,
    q: Typed = [],  # noqa: B006
    event: Annotated[int | None, Query(ge=1, le=HIGHEST_ID, description="an event, instead of a query")] = None,
    measure: Annotated[Measure, Query(description="what a map shows")] = Measure.REGION,
    split: Annotated[Split, Query(description="the shares of one query are those of these values")] = Split.MEDIA,
    by: Annotated[PeriodLength, Query(description="the periods of shares")] = PeriodLength.WEEK,
    since: Annotated[date | None, Query(description="in China; default: 30 days, 53 or 26 weeks")] = None,
    until: Annotated[date | None, Query(description="in China, to its end; default: today")] = None,
    form: Annotated[Literal["json", "csv", "svg"], Query(description="`svg`: a picture")] = "json",
) -> Response:
    """The `rows` of a picture, or the picture. `map`: articles and stories of each province by the `region` of their
    sites, by what they are `about`, or by `tendency`, how many of the articles of its sites criticise. `calendar`:
    articles of each day. `shares`: the `counts` of each `period` for several queries, or for the values of `split` of
    one, and their `sum`. `spread`: the pages of an event by time, and from which outlet each took it. `total` articles were
    counted, of an event pages; where not all, those from `counted_since` on."""
    with open_view(request) as view:
        values = {"measure": measure, "split": split, "step": by, "since": since, "until": until}
        asked, picture = _drawn(view, kind, q, event, values)
    if asked is None or picture is None:
        raise HTTPException(400, "say what to draw: q or event")
    if form == "csv":
        return file_of(table_text(picture.table()), "text/csv; charset=utf-8", f"{kind}.csv")
    if form == "svg":
        return file_of(picture.svg, "image/svg+xml", f"{kind}.svg")
    return JSONResponse({"kind": kind, "of": asked.name} | picture.record())


def _drawn(
    view: View, kind: PictureKind, typed: Sequence[str], number: int | None, values: dict[str, Any]
) -> tuple[Asked | None, AttentionPicture | None]:
    """What was asked for, and its picture; status 404 if there is no such event, 400 if it cannot be drawn."""
    event = read_events(view.conn, [number]).get(number) if number else None
    if number and event is None:
        raise HTTPException(404, f"no event has the id {number}")
    try:
        asked = asked_for(kind, typed, event, view.now, **values)
        return asked, draw_picture(view.conn, asked, view.now, view.language) if asked else None
    except RuleError:  # which has an answer of its own
        raise
    except OverflowError:
        raise HTTPException(400, "the calendar does not reach that far") from None
    except ValueError as error:
        raise HTTPException(400, str(error)) from None
