"""The workbench of topics: shows, tries, changes, trains and measures them; ``scrapy topics`` and ``scrapy score``.

It builds on the console.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newsspider.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapi import FastAPI
    from markupsafe import Markup

    from newsspider.features.console.view import View


@hookimpl
def routes(app: FastAPI) -> None:
    from newsspider.features.console.access import add_routes, require_editor
    from newsspider.features.console.view import add_link
    from newsspider.features.workbench import drafts, topic_pages

    add_link(app, "/topics", "主题", behind="/submit")
    app.state.measurements = topic_pages.Measurements()
    for pages in (topic_pages.router, drafts.router):
        add_routes(app, pages, in_schema=False)
    add_routes(app, topic_pages.api)
    add_routes(app, drafts.api, require_editor)


@hookimpl
def page_part(view: View, place: str, shown: Mapping[str, Any]) -> Markup | None:
    return view.part("try_title.html", topic=shown["topic"]) if place == "off_topic" else None
