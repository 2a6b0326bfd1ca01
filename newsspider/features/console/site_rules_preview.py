"""What rules of a site read of one of its lists and of an article, before they are stored. A page comes from the store,
from a preview of a moment ago, or by the crawl's own downloader, with its address guard, robots.txt and delays."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from threading import Lock
from typing import Any

from scrapy.settings import BaseSettings

from newsspider.actions.page_fetcher import OnePage
from newsspider.core.extraction.dom.page import Page, UnreadablePageError, parse, select_by_xpath
from newsspider.core.fetching.politeness import polite_delay
from newsspider.core.links.script_lists import is_json
from newsspider.core.links.xml_stream import document_kind
from newsspider.core.url import host_of
from newsspider.crawl.host_policy import delay_limits
from newsspider.features.console.child_process import (
    ChildError,
    arguments_of_parent,
    done_apart,
    own_settings,
    return_result,
)
from newsspider.library.articles import ListPage, read_list, read_or_error
from newsspider.sites.field_types import XPATH_KEYS
from newsspider.sites.model import Site
from newsspider.store.engine.clock import Clock

MOST_LINKS = 40  # that are shown
SHOWN_TEXT = 400  # characters of an article
PREVIEW_SECONDS, LONGEST_SECONDS = 60.0, 600.0  # and the delay of the site for each request
FAILURE_KEPT_SECONDS = 60.0
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


Fetched = OnePage | str  # or why there is none


class FetchedPages:
    """Pages of previews, kept for a moment: a rule is tried several times, and its host is asked once, also where it
    gives none. Between two previews the delay of the host is kept."""

    def __init__(self) -> None:
        self._pages: dict[str, tuple[float, Fetched]] = {}  # memory: MOST_KEPT pages of LARGEST_KEPT bytes
        self._asked_next_at: dict[str, float] = {}  # memory: of the hosts of the MOST_KEPT latest previews
        self._lock = Lock()

    def get(self, url: str, now: float) -> Fetched | None:
        """What was had of this URL a moment ago."""
        at, page = self._pages.get(url, (float("-inf"), ""))
        return page if now - at < (FAILURE_KEPT_SECONDS if isinstance(page, str) else KEPT_SECONDS) else None

    def keep(self, url: str, page: Fetched, now: float) -> None:
        """Keep a page, instead of the one that was kept for longest if there are too many."""
        with self._lock:
            self._pages.pop(url, None)
            if isinstance(page, str) or len(page.body) <= LARGEST_KEPT:
                self._pages[url] = now, page
            while len(self._pages) > MOST_KEPT:
                del self._pages[next(iter(self._pages))]

    def rest(self, host: str, seconds: float, now: float) -> None:
        """Ask this host nothing for ``seconds``."""
        with self._lock:
            self._asked_next_at.pop(host, None)
            self._asked_next_at[host] = now + seconds
            while len(self._asked_next_at) > MOST_KEPT:
                del self._asked_next_at[next(iter(self._asked_next_at))]

    def rests(self, urls: Sequence[str], now: float) -> dict[str, float]:
        """For how many seconds the hosts of these URLs are to be asked nothing."""
        return {host: max(self._asked_next_at.get(host, now) - now, 0.0) for host in map(host_of, urls)}


def rules_preview(
    site: Site,
    channel: str,
    article_url: str,
    pages: dict[str, Fetched],
    cache: FetchedPages,
    clock: Clock,
    settings: BaseSettings,
) -> RulesPreview:
    """What the rules of a site read of the list of a channel and of an article, without a URL the first one of the
    list. What is not in ``pages`` is fetched, with the delay since it was fetched for another preview, and ``kept``."""
    listed = site.channel(channel)
    asked = [url for url in (listed.url if listed else "", article_url) if url]
    missing = [url for url in asked if url not in pages]
    rests = cache.rests(missing if article_url else asked, clock.now())
    delay = polite_delay(None, site.delay_seconds, None, delay_limits(settings)).seconds
    arguments = site, channel, article_url, pages, missing, rests, own_settings(settings)
    try:
        patience = min(PREVIEW_SECONDS + 3 * delay, LONGEST_SECONDS) + max(rests.values(), default=0.0)
        done = done_apart(__name__, arguments, patience)
    except ChildError as problem:
        now = clock.now()
        for url in missing:  # the rules may be what failed: the page is kept for no failure
            cache.rest(host_of(url), delay, now)
        return RulesPreview(list_problem=str(problem), article_problem=str(problem))
    now = clock.now()
    for url, page in done["fetched"].items():
        cache.keep(url, page if isinstance(page, str) else OnePage(page[0].encode("latin-1"), *page[1:]), now)
    for host, seconds in done["rests"].items():
        cache.rest(host, seconds, now)
    return RulesPreview(**done["preview"])


def main() -> None:
    """In the process of its own: read the pages with the rules."""
    site, name, article_url, pages, missing, rests, values = arguments_of_parent()
    channel = site.channel(name)
    preview = RulesPreview(list_url=channel.url if channel else "", article_url=article_url)
    if not article_url and preview.list_url in pages:
        missing = _first_article(site, name, pages[preview.list_url])
    fetched, rests = _fetched(site, name, missing, rests, values, article_url) if missing else ({}, {})
    pages |= fetched
    if not article_url and preview.list_url:
        article_url = preview.article_url = next(iter(_first_article(site, name, pages[preview.list_url])), "")
    if preview.list_url:
        if isinstance(page := pages[preview.list_url], str):
            preview.list_problem = page
        else:
            _read_list(preview, site, name, page)
    if article_url:
        if isinstance(page := pages[article_url], str):
            preview.article_problem = page
        else:
            _read_article(preview, site, page)
    pages_as_json = {
        url: page if isinstance(page, str) else (page.body.decode("latin-1"), page.url, page.content_type)
        for url, page in fetched.items()
    }
    return_result({"preview": asdict(preview), "fetched": pages_as_json, "rests": rests})


def _first_article(site: Site, name: str, page: Fetched) -> list[str]:
    """The URL of the first article of a list; none where it cannot be read or has none."""
    try:
        return [] if isinstance(page, str) else [link.url for link in _listing(site, name, page).articles[:1]]
    except UnreadablePageError:
        return []


def _fetched(
    site: Site, name: str, urls: Sequence[str], rests: Mapping[str, float], values: dict[str, Any], article_url: str
) -> tuple[dict[str, Fetched], dict[str, float]]:
    """The pages at these URLs, without an ``article_url`` the first article of the list, too, each host asked after its
    rest; and for how long the hosts are to rest then."""
    from scrapy.utils.project import get_project_settings

    from newsspider.actions.page_fetcher import Fetch, fetch_pages
    from newsspider.pages.read_page import content_type_of
    from newsspider.pages.site_trial import NoPageError, SiteTrial

    settings = get_project_settings()
    settings.setdict({**values, "LOG_ENABLED": False}, priority="cmdline")
    pages: dict[str, Fetched] = {}

    async def ask(fetch: Fetch) -> None:
        trial, channel, waiting = SiteTrial(site, fetch, settings), site.channel(name), list(urls)
        for url in waiting:  # grows by that article
            if host_of(url) not in map(host_of, pages):
                await asyncio.sleep(rests.get(host_of(url), 0.0))
            try:
                response = await trial.page(url)
                pages[url] = OnePage(response.body, response.url, content_type_of(response) or None)
            except NoPageError as problem:
                pages[url] = str(problem)
            if not article_url and channel is not None and url == channel.url:
                waiting += _first_article(site, name, pages[url])

    hosts = fetch_pages(settings, ask, site)
    return pages, {host: max(hosts.next_at(host) - hosts.clock.now(), 0.0) for host in map(host_of, pages)}


def _listing(site: Site, name: str, page: OnePage) -> ListPage:
    channel = site.channel(name)
    assert channel is not None
    return read_list(
        page.body,
        page.url,
        page.content_type,
        regions=channel.regions,
        next_page=channel.next_page,
        article_url=site.article_url,
        items=channel.items,
    )


def _read_list(preview: RulesPreview, site: Site, name: str, page: OnePage) -> None:
    channel = site.channel(name)
    assert channel is not None
    try:
        listing = _listing(site, name, page)
    except UnreadablePageError as problem:
        preview.list_problem = str(problem)
        return
    preview.found, preview.next_page = len(listing.articles), listing.next_page or ""
    preview.links = [(link.url, link.text) for link in listing.articles[:MOST_LINKS]]
    if document_kind(page.body, page.content_type) is None and not is_json(page.body):
        tree = parse(*page)
        preview.selected += [("regions", xpath, len(select_by_xpath(tree, xpath))) for xpath in channel.regions]
        _count(preview, tree, {"next_page": channel.next_page})
    if site.article_url is not None:
        matching = sum(site.article_url.search(link.url) is not None for link in listing.links)
        preview.selected.append(("article_url", site.article_url.pattern, matching))


def _read_article(preview: RulesPreview, site: Site, page: OnePage) -> None:
    record: dict[str, Any] = dict(read_or_error(*page, rules=site.rules))
    if "error" in record:
        preview.article_problem = record["error"]
        return
    texts = {name: str(record.get(name) or "") for name in ("title", "published_at", "source", "kind", "text")}
    if len(texts["text"]) > SHOWN_TEXT:
        texts["text"] = texts["text"][:SHOWN_TEXT] + "…"
    preview.article = texts | {"author": "、".join(record.get("author") or ())}
    _count(preview, parse(*page), {key: getattr(site.rules, key) for key in XPATH_KEYS})


def _count(preview: RulesPreview, page: Page, xpaths: dict[str, str | None]) -> None:
    preview.selected += [(key, xpath, len(select_by_xpath(page, xpath))) for key, xpath in xpaths.items() if xpath]
