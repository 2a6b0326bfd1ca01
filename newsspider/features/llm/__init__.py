"""Words by a model, if somebody asks: it may choose the sentences of a briefing or an event, and cut their ends.

It builds on events and has a part of the console's pages. ``rules`` decides, without I/O or clock, whether what a model
wrote is the beginning of a passage. Without ``LLM_URL`` and ``LLM_MODEL`` it does nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsspider.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from fastapi import FastAPI
    from markupsafe import Markup
    from scrapy.settings import BaseSettings
    from sqlalchemy import Engine, Table

    from newsspider.features.console.view import View
    from newsspider.hooks import Passage, Wording


@hookimpl(specname="tables")
def _tables() -> Sequence[Table]:
    from newsspider.features.llm.tables import llm_calls

    return (llm_calls,)


@hookimpl
def worded(engine: Engine, settings: BaseSettings, subjects: Sequence[Sequence[Passage]], now: float) -> Wording | None:
    from newsspider.features.llm import wording

    return wording.write_subjects(engine, settings, subjects, now)


@hookimpl
def page_part(view: View, place: str, shown: Mapping[str, Any]) -> Markup | None:
    from newsspider.features.llm.model_requests import TIMES_A_CALL, server_of

    form = {"new_briefing": "words_wanted.html", "beside_event": "event_words_wanted.html"}.get(place)
    server = server_of(view.request.app.state.settings) if form and view.may("editor") else None
    if not form or not server:
        return None
    longest = server.seconds * (TIMES_A_CALL if place == "new_briefing" else 1)
    return view.part(form, server=server, longest=round(longest), **shown)


@hookimpl
def routes(app: FastAPI) -> None:
    from newsspider.features.console.access import add_routes
    from newsspider.features.llm import pages

    add_routes(app, pages.router, in_schema=False)
