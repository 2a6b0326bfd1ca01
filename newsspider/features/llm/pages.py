"""An event in the words of a model, in the console."""

from __future__ import annotations

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import Response

from newsspider.core.text.numbers import whole_number
from newsspider.features.console.access import Fields, require_editor, run_alone
from newsspider.features.console.rate_limits import limit_costly
from newsspider.features.console.view import open_view
from newsspider.features.events.events import event_passages, of_article
from newsspider.features.llm.wording import write_subjects

router = APIRouter()


@router.post("/events/{number}/words", dependencies=[Depends(require_editor), Depends(limit_costly)])
def word_event(request: Request, number: str, fields: Fields) -> Response:
    """What the model makes of an event, and the sentences of articles on which none of it rests. Nothing is kept."""
    with open_view(request) as view:
        event = of_article(view.conn, whole_number(number) or 0)
        if event is None:
            raise HTTPException(404, f"no event has the id {number}")
        subject, now = event_passages(view.conn, event), view.now.timestamp()
    with run_alone(request, f"event {event.id}"):
        wording = write_subjects(request.app.state.engine, request.app.state.settings, [subject], now)
    if wording is None:
        raise HTTPException(404, "no model is set up")
    with open_view(request) as view:
        (words,) = wording.subjects
        shown = [*words.sentences, *(passage for passage in subject[1:] if words.left_of(passage.article))]
        return view.page("event_words.html", event=event, passages=shown, report=wording.report, words=words)
