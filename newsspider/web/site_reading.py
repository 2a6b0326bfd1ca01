"""The trial of a site by its URL, before it is added: finds its lists and reads some articles, and stores nothing.
The pages are asked for by the crawl's own downloader, with its address guard, robots.txt and delays, in a process of
its own."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from scrapy.settings import BaseSettings
from scrapy.utils.project import get_project_settings

from newsspider.actions.short_crawl import Fetch, fetch_pages
from newsspider.core.extraction.dom.page import UnreadablePage, parse
from newsspider.core.links.feeds import document_kind
from newsspider.core.links.json_lists import is_json
from newsspider.core.links.page_links import listing_of
from newsspider.library.articles import read_or_error
from newsspider.library.lists import read_list
from newsspider.pages.article_item import content_type_of
from newsspider.pages.site_trial import NoPage, SiteTrial
from newsspider.sites.model import from_home
from newsspider.web.child import NotDone, answer, done_apart, given_work, own_settings

READ_ARTICLES = 5
MOST_LINKS = 40  # that are shown
SECONDS = 120.0  # for everything
SHOWN_TEXT = 160  # characters of an article


@dataclass(slots=True)
class SiteReading:
    """A page as it was understood; ``problem`` says why it was not."""

    url: str
    problem: str = ""
    charset: str = ""
    kind: str = ""
    links: list[tuple[str, str]] = field(default_factory=list)  # URL and text of article links
    found: int = 0  # how many there are
    lists: list[str] = field(default_factory=list)  # XPaths of where they stand
    articles: list[dict[str, str]] = field(default_factory=list)  # the first ones, read: fields as texts


def site_reading(url: str, settings: BaseSettings) -> SiteReading:
    """What the page at a URL shows, and the first articles that it leads to; a crawl runs once a process, so it has one
    of its own."""
    try:
        return SiteReading(**done_apart(__name__, (url, own_settings(settings)), SECONDS))
    except NotDone as problem:
        return SiteReading(url, str(problem))


def main() -> None:
    """In the process of its own: read what to try, write what was understood."""
    url, values = given_work()
    reading = SiteReading(url)
    settings = get_project_settings()
    settings.setdict({**values, "LOG_ENABLED": False}, priority="cmdline")

    async def look(fetch: Fetch) -> None:
        try:
            await _read_page(reading, SiteTrial(from_home(url), fetch, settings), settings)
        except (NoPage, UnreadablePage) as problem:
            reading.problem = str(problem)

    fetch_pages(settings, look)
    answer(asdict(reading))


async def _read_page(reading: SiteReading, trial: SiteTrial, settings: BaseSettings) -> None:
    response = await trial.page(reading.url)
    body, content_type, address = response.body, content_type_of(response), response.url
    document = document_kind(body, content_type)
    if document is not None or is_json(body):
        reading.kind, links = document or "json", read_list(body, address, content_type).articles
    else:
        page = parse(body, address, content_type, settings["DEFAULT_CHARSET"])
        listing = listing_of(page)
        reading.charset, reading.lists = page.charset, list(listing.layout.paths)
        reading.kind = str(read_or_error(body, address, content_type).get("kind", ""))
        links = read_list(body, address, content_type).articles
    reading.found = len(links)
    reading.links = [(link.url, link.text) for link in links[:MOST_LINKS]]
    for link in links[:READ_ARTICLES]:
        reading.articles.append(await _read_article(trial, link.url))


async def _read_article(trial: SiteTrial, url: str) -> dict[str, str]:
    try:
        response = await trial.page(url)
    except NoPage as problem:
        return {"url": url, "problem": str(problem)}
    record: dict[str, Any] = dict(read_or_error(response.body, response.url, content_type_of(response)))
    if "error" in record:
        return {"url": url, "problem": record["error"]}
    shown = {name: str(record.get(name) or "") for name in ("title", "published_at", "source", "kind", "charset")}
    text = " ".join((record.get("text") or "").split())
    author = "、".join(record.get("author") or ())
    return {"url": url, "problem": "", **shown, "author": author, "text": text[:SHOWN_TEXT]}
