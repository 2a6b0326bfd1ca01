"""Visits one site: its lists, and one article of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from typing import TYPE_CHECKING

from newsspider.core.crawling.observations import garbled_share
from newsspider.core.crawling.visit import SHORT_BODY
from newsspider.core.extraction.article import unmatched_xpaths
from newsspider.core.extraction.dom.page import GarbledPageError, Page, UnreadablePageError, parse
from newsspider.core.links.page_links import links_of, listing_of
from newsspider.core.model import Article, PageType, Reason
from newsspider.core.url import canonical, host_of, same_site
from newsspider.crawl.fetch_notes import visit_of
from newsspider.features.health.check.faults import (
    STALE_DAYS,
    SiteFault,
    fault_of_failure,
    fault_of_move,
    fault_without_list,
)
from newsspider.features.health.rules.states import SLOW_SECONDS
from newsspider.features.health.rules.visit_diagnosis import GARBLED_SHARE
from newsspider.pages.failed_fetches import reason_of_error
from newsspider.pages.read_page import content_type_of, read_page
from newsspider.pages.site_trial import UNANSWERED, ChannelDocument, ChannelTrial, NoPageError, SiteTrial, cause_of
from newsspider.sites.model import Channel, ChannelKind, Site

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

LEAST_ITEMS = 3  # articles of a list that a new address must show
MOST_REGIONS = 3  # XPaths of a new list position
ARTICLES_TRIED = 2  # until one has a text: the first may be a film
LONGEST_EVIDENCE = 160
_NO_ANSWER = (Reason.DNS, Reason.CONNECTION, Reason.TIMEOUT, Reason.ADDRESS, Reason.NO_ROBOTS)


@dataclass(frozen=True, slots=True)
class SiteFinding:
    """A fault, the channel that has it (empty: the site or its article) and the evidence."""

    fault: SiteFault
    channel: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Repair:
    """Another value for a key of a channel (empty: of the site); ``regions`` may have several, the others have one."""

    channel: str
    key: str
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArticleRead:
    """The fields of the article that was read."""

    url: str
    title: str | None
    published_at: str | None
    source: str | None
    authors: tuple[str, ...]
    characters: int

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of those that it has."""
        values = {
            "title": self.title,
            "date": self.published_at,
            "source": self.source,
            "author": self.authors,
            "body": self.characters,
        }
        return tuple(name for name, value in values.items() if value)


@dataclass(frozen=True, slots=True)
class SiteCheck:
    """What one visit to a site showed."""

    name: str
    home: str
    lists: int
    found: int = 0  # lists with articles
    items: int = 0
    dated: int = 0
    newest: str | None = None  # the day of the newest item
    charset: str | None = None
    article: ArticleRead | None = None
    findings: tuple[SiteFinding, ...] = ()
    repairs: tuple[Repair, ...] = ()

    @property
    def fault(self) -> SiteFault | None:
        """The gravest fault; ``None`` if all is well."""
        order = list(SiteFault)
        return min((finding.fault for finding in self.findings), key=order.index, default=None)


async def check_site(
    site: Site, fetch: Callable[[str], Awaitable[Response]], settings: BaseSettings, now: datetime
) -> SiteCheck:
    """Visit the channels of a site one after the other, then an article of theirs. A host that does not answer is asked
    once."""
    if site.render:
        needed = SiteFinding(SiteFault.NEEDS_BROWSER, "", "render = true in its site file")
        return SiteCheck(site.name, site.home, len(site.channels), findings=(needed,))
    return await _Check(site, _once_if_dead(fetch), settings, now).run()


def _once_if_dead(fetch: Callable[[str], Awaitable[Response]]) -> Callable[[str], Awaitable[Response]]:
    """The fetch, which raises the same error again for a host that gave no answer."""
    dead: dict[str, Exception] = {}

    async def fetched(url: str) -> Response:
        origin = "{}://{}".format(url.partition("://")[0], host_of(url))
        if origin in dead:
            raise dead[origin]
        try:
            return await fetch(url)
        except UNANSWERED as error:
            if reason_of_error(cause_of(error)) in _NO_ANSWER:
                dead[origin] = error
            raise

    return fetched


@dataclass(slots=True)
class _Check:
    """One visit: what it has found so far."""

    site: Site
    fetch: Callable[[str], Awaitable[Response]]
    settings: BaseSettings
    now: datetime
    findings: list[SiteFinding] = field(default_factory=list)
    repairs: list[Repair] = field(default_factory=list)
    articles: list[list[str]] = field(default_factory=list)  # the first of each list
    dates: list[datetime] = field(default_factory=list)
    charset: str | None = None
    found: int = 0
    items: int = 0
    dated: int = 0

    async def run(self) -> SiteCheck:
        for channel in self.site.channels:
            await self._channel(channel)
        self._home()
        article = await self._article()
        if self.items and not self.dated and (article is None or article.published_at is None):
            self._note(SiteFault.NO_DATES, "", f"{self.items} items without a date, and none on the article")
        newest = max(self.dates, default=None)
        if newest is not None and self.now - newest > timedelta(days=STALE_DAYS):
            self._note(SiteFault.STALE, "", f"the newest item is of {newest:%Y-%m-%d}")
        return SiteCheck(
            self.site.name,
            self.site.home,
            len(self.site.channels),
            self.found,
            self.items,
            self.dated,
            None if newest is None else f"{newest:%Y-%m-%d}",
            self.charset,
            article,
            tuple(self.findings),
            tuple(self.repairs),
        )

    def _note(self, fault: SiteFault, channel: str, evidence: str) -> None:
        self.findings.append(SiteFinding(fault, channel, " ".join(evidence.split())[:LONGEST_EVIDENCE]))

    def _repair(self, channel: str, key: str, old: tuple[str, ...], new: tuple[str, ...]) -> None:
        self.repairs.append(Repair(channel, key, old, new))

    async def _trial(self, channel: Channel) -> ChannelTrial:
        return await SiteTrial(replace(self.site, channels=(channel,)), self.fetch, self.settings).one(channel)

    async def _channel(self, channel: Channel) -> None:
        """Visit a channel, and look for it elsewhere if it is not there."""
        trial = await self._trial(channel)
        if trial.failure is None:
            self._read(channel, trial)
        else:
            self._failed(channel, trial.failure)
        last = self.findings[-1] if self.findings else None
        if last is None or last.channel != channel.name:
            return
        if last.fault is SiteFault.UNREACHABLE and channel.url.startswith("http:"):
            await self._try_elsewhere(channel, f"https{channel.url[4:]}", SiteFault.HTTPS, "https answers")
        elif last.fault in (SiteFault.GONE, SiteFault.SOFT_404, SiteFault.EMPTY_LIST) and (
            url := await self._linked_at_home(channel)
        ):
            await self._try_elsewhere(channel, url, last.fault, "the home page leads to it at another address")

    def _failed(self, channel: Channel, failure: NoPageError | UnreadablePageError) -> None:
        if isinstance(failure, NoPageError):
            self._note(fault_of_failure(failure.reason, failure.status, failure.detail), channel.name, str(failure))
        else:
            fault = SiteFault.BROKEN_FEED if channel.kind is ChannelKind.FEED else _fault_of_unreadable(failure)
            self._note(fault, channel.name, str(failure))

    def _read(self, channel: Channel, trial: ChannelTrial) -> None:
        """Note what a channel shows that was sent."""
        first = trial.documents[0]
        if self._moved(channel, first, shows_list=bool(trial.links)) is SiteFault.GONE:
            return  # what is there is not this list
        if any(visit_seconds(document) >= SLOW_SECONDS for document in trial.documents):
            seconds = max(map(visit_seconds, trial.documents))
            self._note(SiteFault.SLOW, channel.name, f"answers after {seconds:.0f} seconds")
        self.charset = self.charset or (first.page.charset if first.page else None)
        if garbled_share(link.text for link in trial.links) >= GARBLED_SHARE:
            read_as = f", read as {first.page.charset}" if first.page else ""
            self._note(SiteFault.WRONG_CHARSET, channel.name, f"{trial.links[0].text[:30]!r}{read_as}")
        if not trial.links:
            self._without_list(channel, trial)
            return
        if channel.kind is ChannelKind.FEED and first.kind is not PageType.FEED:
            self._note(SiteFault.BROKEN_FEED, channel.name, f"no feed but {content_type_of(first.visit.response)}")
        self._found(trial)
        self._regions(channel, trial)

    def _found(self, trial: ChannelTrial) -> None:
        """Count the list and its items."""
        self.found += 1
        self.items += len(trial.links)
        dates = [link.published_at for link in trial.links if link.published_at is not None]
        self.dated += len(dates)
        self.dates += [date if date.tzinfo else date.replace(tzinfo=UTC) for date in dates]
        urls = [link.url for link in trial.links]
        own = [url for url in urls if same_site(url, self.site.home)]
        self.articles.append((own or urls)[:ARTICLES_TRIED])

    def _moved(self, channel: Channel, first: ChannelDocument, *, shows_list: bool) -> SiteFault | None:
        """Note a permanent move, and return its fault; the new address is proposed if the list is there."""
        move = fault_of_move(channel.url, first.visit.redirects)
        if move is None:
            return None
        fault, target = move
        self._note(fault, channel.name, f"it leads to {target}")
        if fault is not SiteFault.GONE and shows_list:
            self._repair(channel.name, "url", (channel.url,), (target,))
        return fault

    def _without_list(self, channel: Channel, trial: ChannelTrial) -> None:
        first = trial.documents[0]
        if channel.kind is ChannelKind.FEED or first.kind is PageType.FEED:
            what = "a feed without entries" if first.kind is PageType.FEED else content_type_of(first.visit.response)
            self._note(SiteFault.BROKEN_FEED, channel.name, f"{what}{f'; {first.cut}' if first.cut else ''}")
        elif first.kind is PageType.SITEMAP:
            self.found += 1  # an index, or a news sitemap of two quiet days
        elif first.page is None:
            self._note(SiteFault.EMPTY_LIST, channel.name, "an answer in JSON without a list of articles")
        else:
            try:
                reading = read_page(first.page, self.now, self.site.rules, links_of=lambda _: first.links)
            except UnreadablePageError as error:
                self._note(_fault_of_unreadable(error), channel.name, str(error))
                return
            fault, evidence = fault_without_list(first.page, reading, first.links)
            self._note(fault, channel.name, evidence)

    def _regions(self, channel: Channel, trial: ChannelTrial) -> None:
        """Note XPaths of the channel that select nothing, and where the list is instead."""
        gone = [xpath for xpath in channel.regions if f"regions {xpath}" in trial.unmatched]
        page = trial.documents[0].page
        if channel.regions and len(gone) == len(channel.regions) and page is not None:
            paths = _list_paths(page, channel, self.site)
            self._note(SiteFault.LIST_MOVED, channel.name, f"{', '.join(gone)} selects nothing")
            self._repair(channel.name, "regions", channel.regions, paths)
        elif trial.unmatched:
            self._note(SiteFault.RULE_BROKEN, channel.name, f"{', '.join(trial.unmatched)} selects nothing")

    async def _linked_at_home(self, channel: Channel) -> str | None:
        """The address to which the home page links by the name of a channel, if it is another one."""
        if channel.kind is ChannelKind.HOME:
            return None
        try:
            response = await SiteTrial(self.site, self.fetch, self.settings).page(self.site.home)
            page = parse(response.body, response.url, content_type_of(response), self.settings["DEFAULT_CHARSET"])
        except (NoPageError, UnreadablePageError):
            return None
        urls = (canonical(link.url) for link in links_of(page) if link.text.strip() == channel.name)
        return next((url for url in urls if url and url != canonical(channel.url) and same_site(url, page.url)), None)

    async def _try_elsewhere(self, channel: Channel, url: str, fault: SiteFault, evidence: str) -> None:
        """Visit a channel at another address, and propose it if its list is there."""
        others = {canonical(other.url) for other in self.site.channels}
        if canonical(url) in others:
            return
        trial = await self._trial(replace(channel, url=url))
        if len(trial.links) >= LEAST_ITEMS:
            self._found(trial)
            self.findings[-1] = SiteFinding(fault, channel.name, f"{self.findings[-1].evidence}; {evidence}: {url}")
            self._repair(channel.name, "url", (channel.url,), (url,))

    def _home(self) -> None:
        """Repair the home page as the channels of its host."""
        home = self.site.home
        for repair in self.repairs:
            old, new = repair.old[:1], repair.new[:1]
            if repair.key != "url" or host_of(old[0]) != host_of(home):
                continue
            secure = new[0].startswith("https:") and home.startswith("http:") and host_of(new[0]) == host_of(home)
            if old[0] == home or secure:
                self._repair("", "home", (home,), new if old[0] == home else (f"https{home[4:]}",))
                return

    async def _article(self) -> ArticleRead | None:
        """The first article without a fault, of each list in turn; if none is, the first fault is noted, and the first
        article that could be read is returned."""
        first_fault: tuple[SiteFault, str] | None = None
        first_read: ArticleRead | None = None
        urls = dict.fromkeys(url for turn in zip_longest(*self.articles) for url in turn if url)
        for url in list(urls)[:ARTICLES_TRIED]:
            article, fault = await self._read_article(url)
            if fault is None:
                return article
            first_read, first_fault = first_read or article, first_fault or fault
        if first_fault is not None:
            self._note(first_fault[0], "", first_fault[1])
        return first_read

    async def _read_article(self, url: str) -> tuple[ArticleRead | None, tuple[SiteFault, str] | None]:
        trial = SiteTrial(self.site, self.fetch, self.settings)
        try:
            response = await trial.page(url)
            page = parse(response.body, response.url, content_type_of(response), self.settings["DEFAULT_CHARSET"])
            reading = read_page(page, self.now, self.site.rules)
        except NoPageError as error:
            return None, (fault_of_failure(error.reason, error.status, error.detail), f"article {url}: {error}")
        except UnreadablePageError as error:
            return None, (_fault_of_unreadable(error), f"article {url}: {error}")
        self.charset = self.charset or page.charset
        read = _fields(url, reading.article)
        if reading.kind in (PageType.LOGIN, PageType.ERROR):
            fault, evidence = fault_without_list(page, reading, reading.links)
            return read, (fault, f"article {url}: {evidence}")
        if len(reading.article.text) < SHORT_BODY and not reading.article.pictured:
            return read, (SiteFault.EMPTY_BODY, f"article {url}: {len(reading.article.text)} characters")
        if not reading.article.title:
            return read, (SiteFault.NO_TITLE, f"article {url}")
        rules = {name: getattr(self.site.rules, name) for name in self.site.rules.__dataclass_fields__}
        missing = unmatched_xpaths(page, {name: xpath for name, xpath in rules.items() if xpath})
        if missing:
            named = ", ".join(f"{name} {xpath}" for name, xpath in missing.items())
            return read, (SiteFault.RULE_BROKEN, f"article {url}: {named} selects nothing")
        return read, None


def visit_seconds(document: ChannelDocument) -> float:
    """How long the host took for a document, 0 if that was not measured."""
    request = document.visit.response.request
    return (visit_of(request).latency if request is not None else None) or 0.0


def _list_paths(page: Page, channel: Channel, site: Site) -> tuple[str, ...]:
    """Where the general reader finds the list of a channel; empty where it cannot say."""
    return listing_of(page, (), channel.next_page, site.article_url).layout.paths[:MOST_REGIONS]


def _fields(url: str, article: Article) -> ArticleRead:
    published = article.published_at.isoformat(timespec="minutes") if article.published_at else None
    return ArticleRead(url, article.title, published, article.source, tuple(article.authors), len(article.text))


def _fault_of_unreadable(error: UnreadablePageError) -> SiteFault:
    return SiteFault.WRONG_CHARSET if isinstance(error, GarbledPageError) else SiteFault.NOT_HTML
