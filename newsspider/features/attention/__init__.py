"""Attention over time: how much was written of something, day by day, and by whom; and all that was written about a
school, an office or a person.

It builds on events: what made a peak; the console, where there is one, has its page. ``rules`` holds its decisions,
without I/O or clock.
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
    from newsspider.features.attention import pages, picture_pages
    from newsspider.features.console.access import add_routes
    from newsspider.features.console.view import add_link

    for module in (pages, picture_pages):
        add_routes(app, module.router, in_schema=False)
        add_routes(app, module.api)
    add_link(app, "/attention", "关注度", behind="/search")


@hookimpl
def page_part(view: View, place: str, shown: Mapping[str, Any]) -> Markup | None:
    match place:
        case "search" if shown["question"]:
            from newsspider.features.attention.pages import search_part

            return search_part(view, shown["question"])
        case "article":
            from newsspider.features.attention.pages import article_part

            return article_part(view, shown["title"], shown["text"])
        case "event":
            return view.anchor("/attention/pictures", "地图、日历与传播", event=shown["id"], kind="spread")
        case "briefing":
            asked = {"q": shown["query"], "since": shown["since"], "until": shown["until"]}
            return view.anchor("/attention/pictures", "地图", **asked, kind="map")
    return None
