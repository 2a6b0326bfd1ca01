"""What rules of a site read of one of its lists and of an article, before they are stored. A page comes from the store,
from a preview of a moment ago, or by the crawl's own downloader, with its address guard, robots.txt and delays."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from threading import Lock
from typing import Any

from scrapy.settings import BaseSettings

from newsspider.cli.command import emit
from newsspider.cli.one_page import OnePage
from newsspider.core.extraction.dom.page import Page, UnreadablePage, parse, selected
from newsspider.core.links.feeds import document_kind
from newsspider.core.links.json_lists import is_json
from newsspider.library.articles import read_or_error
from newsspider.library.lists import read_list
from newsspider.sites.field_types import XPATH_KEYS
from newsspider.sites.model import Site
from newsspider.web.child import NotDone, done_apart, given_work, own_settings

MOST_LINKS = 40  # that are shown
SHOWN_TEXT = 400  # characters of an article
SECONDS = 60.0
KEPT_SECONDS, MOST_KEPT, LARGEST_KEPT = 900.0, 8, 2 << 20  # how long pages are kept, how many, of how many bytes


@dataclass(slots=True)
class RulesPreview:
    """A list page and an article as rules read them; a ``problem`` says why one was not read."""

    list_url: str = ""
    list_problem: str = ""
    links: list[tuple[str, str]] = field(default_factory=list)  # URL and text of article links
    found: int = 0  # how many there are
    next_page: str = ""
    article_url: str = ""
    article_problem: str = ""
    article: dict[str, str] = field(default_factory=dict)  # its fields as texts
    selected: list[tuple[str, str, int]] = field(default_factory=list)  # key of a rule, the rule, what it selects

    @property
    def counts(self) -> dict[str, int]:
        """How much the rules of each key select, in all."""
        totals: dict[str, int] = {}
        for key, _, count in self.selected:
            totals[key] = totals.get(key, 0) + count
        return totals


class FetchedPages:
    """Pages of previews, kept for a moment: a rule is tried several times, and its host is asked once."""

    def __init__(self) -> None:
        self._pages: dict[str, tuple[float, OnePage]] = {}  # memory: MOST_KEPT pages of LARGEST_KEPT bytes
        self._lock = Lock()

    def get(self, url: str, now: float) -> OnePage | None:
        """The page at this URL, if it was fetched a moment ago."""
        at, page = self._pages.get(url, (float("-inf"), None))
        return page if now - at < KEPT_SECONDS else None

    def keep(self, url: str, page: OnePage, now: float) -> None:
        """Keep a page, instead of the one that was kept for longest if there are too many."""
        with self._lock:
            self._pages.pop(url, None)
            if len(page.body) <= LARGEST_KEPT:
                self._pages[url] = now, page
            while len(self._pages) > MOST_KEPT:
                del self._pages[next(iter(self._pages))]


def rules_preview(
    site: Site, channel: str, article_url: str, pages: dict[str, OnePage], settings: BaseSettings
) -> tuple[RulesPreview, dict[str, OnePage]]:
    """What the rules of a site read of the list of a channel and of an article, and the pages that were fetched for
    that, by URL; those in ``pages`` are not."""
    given = site, channel, article_url, pages, own_settings(settings)
    try:
        done = done_apart(__name__, given, SECONDS)
    except NotDone as problem:
        return RulesPreview(list_problem=str(problem), article_problem=str(problem)), {}
    fetched = {url: OnePage(body.encode("latin-1"), *more) for url, (body, *more) in done["fetched"].items()}
    return RulesPreview(**done["preview"]), fetched


def main() -> None:
    """In the process of its own: read the pages with the rules."""
    site, name, article_url, pages, values = given_work()
    channel = site.channel(name)
    preview = RulesPreview(list_url=channel.url if channel else "", article_url=article_url)
    missing = [url for url in (preview.list_url, article_url) if url and url not in pages]
    fetched, problems = _fetched(site, missing, values) if missing else ({}, {})
    pages |= fetched
    if preview.list_url:
        preview.list_problem = problems.get(preview.list_url, "")
        if not preview.list_problem:
            _read_list(preview, site, name, pages[preview.list_url])
    if article_url:
        preview.article_problem = problems.get(article_url, "")
        if not preview.article_problem:
            _read_article(preview, site, pages[article_url])
    shown = {url: (page.body.decode("latin-1"), page.url, page.content_type) for url, page in fetched.items()}
    emit({"preview": asdict(preview), "fetched": shown})


def _fetched(site: Site, urls: list[str], values: dict[str, Any]) -> tuple[dict[str, OnePage], dict[str, str]]:
    """The pages at these URLs, and why others could not be had."""
    from scrapy.utils.project import get_project_settings

    from newsspider.cli.short_crawl import Fetch, fetch_pages
    from newsspider.pages.article_item import content_type_of
    from newsspider.pages.site_trial import NoPage, SiteTrial

    settings = get_project_settings()
    settings.setdict({**values, "LOG_ENABLED": False}, priority="cmdline")
    pages: dict[str, OnePage] = {}
    problems: dict[str, str] = {}

    async def ask(fetch: Fetch) -> None:
        trial = SiteTrial(site, fetch, settings)
        for url in urls:
            try:
                response = await trial.page(url)
                pages[url] = OnePage(response.body, response.url, content_type_of(response) or None)
            except NoPage as problem:
                problems[url] = str(problem)

    fetch_pages(settings, ask, site)
    return pages, problems


def _read_list(preview: RulesPreview, site: Site, name: str, page: OnePage) -> None:
    channel = site.channel(name)
    assert channel is not None
    try:
        listing = read_list(
            page.body, page.url, page.content_type, regions=channel.regions, next_page=channel.next_page,
            article_url=site.article_url, items=channel.items,
        )  # fmt: skip
    except UnreadablePage as problem:
        preview.list_problem = str(problem)
        return
    preview.found, preview.next_page = len(listing.articles), listing.next_page or ""
    preview.links = [(link.url, link.text) for link in listing.articles[:MOST_LINKS]]
    if document_kind(page.body, page.content_type) is None and not is_json(page.body):
        tree = parse(*page)
        preview.selected += [("regions", xpath, len(selected(tree, xpath))) for xpath in channel.regions]
        _count(preview, tree, {"next_page": channel.next_page})
    if site.article_url is not None:
        matching = sum(site.article_url.search(link.url) is not None for link in listing.links)
        preview.selected.append(("article_url", site.article_url.pattern, matching))


def _read_article(preview: RulesPreview, site: Site, page: OnePage) -> None:
    record: dict[str, Any] = dict(read_or_error(*page, rules=site.rules))
    if "error" in record:
        preview.article_problem = record["error"]
        return
    shown = {name: str(record.get(name) or "") for name in ("title", "published_at", "source", "kind", "text")}
    if len(shown["text"]) > SHOWN_TEXT:
        shown["text"] = shown["text"][:SHOWN_TEXT] + "…"
    preview.article = shown | {"author": "、".join(record.get("author") or ())}
    _count(preview, parse(*page), {key: getattr(site.rules, key) for key in XPATH_KEYS})


def _count(preview: RulesPreview, page: Page, xpaths: dict[str, str | None]) -> None:
    preview.selected += [(key, xpath, len(selected(page, xpath))) for key, xpath in xpaths.items() if xpath]
