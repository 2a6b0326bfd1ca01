"""Words by a model, if somebody asks for them: it may title, shorten and join the sentences of a briefing or an event.

It builds on events (the words and names of a sentence) and has a part of the console's pages. ``rules`` holds its
decisions, without I/O or clock: whether a text speaks to a model, and whether a sentence says only what the articles say
that it names. Without ``LLM_URL`` and ``LLM_MODEL`` it does nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsspider.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

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

    return wording.worded(engine, settings, subjects, now)


@hookimpl
def page_part(view: View, place: str, shown: Mapping[str, Any]) -> Markup | None:
    from newsspider.features.llm.asking import server_of

    server = server_of(view.request.app.state.settings) if place == "new_briefing" else None
    return server and view.part("words_wanted.html", server=server)
