"""Which pages link to a URL that was never offered, and why no crawl follows these links: all links of the store are
read, in a process of its own."""

from __future__ import annotations

from datetime import date
from typing import Any

from scrapy.settings import BaseSettings
from scrapy.utils.project import get_project_settings
from sqlalchemy import Engine

from newsspider.actions.unknown_url import judged_links_to
from newsspider.features.console.child_process import arguments_of_parent, done_apart, own_settings, return_result
from newsspider.store.engine.database import open_store, reading

SEARCH_SECONDS = 120.0
MOST_SHOWN = 20  # pages


def linking_pages(engine: Engine, url: str, settings: BaseSettings, today: date) -> dict[str, Any]:
    """On how many ``pages`` links to a canonical URL are, ``because`` of what they are not followed, and the first
    ``links``; :exc:`ChildError`."""
    store = engine.url.render_as_string(hide_password=False)
    record: dict[str, Any] = done_apart(__name__, (store, url, own_settings(settings), today), SEARCH_SECONDS)
    return record


def main() -> None:
    """In the process of its own."""
    store, url, values, today = arguments_of_parent()
    settings = get_project_settings()
    settings.setdict(values, priority="cmdline")
    with reading(open_store(store, readable=True)) as conn:
        linked_from = judged_links_to(conn, url, settings, today)
    if linked_from is None:
        return return_result({"pages": 0, "because": [], "links": []})
    links = [{"page": link.page, "anchor": link.anchor, "site": link.site} for link in linked_from.links[:MOST_SHOWN]]
    return return_result({"pages": linked_from.pages, "because": linked_from.because, "links": links})
