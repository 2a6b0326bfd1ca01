"""Fetches a few pages for a person who waits, with the downloader of the crawl and without a store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess

from newsspider.core.fetching.politeness import polite_delay
from newsspider.crawl.component_check import check_wiring
from newsspider.crawl.fetch_notes import RENDERED
from newsspider.crawl.host_policy import UnleasedHosts, delay_limits
from newsspider.download.browser import check_browser
from newsspider.spiders.leased_components import set_leased_components

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.settings import Settings

    from newsspider.sites.model import Site

Fetch = Callable[..., Awaitable["Response"]]  # of a URL; delay: the one of its site file
Job = Callable[[Fetch], Awaitable[None]]
WANT_A_STORE = (
    "SPIDER_MIDDLEWARES",
    "SPIDER_MIDDLEWARES_BASE",
    "ITEM_PIPELINES",
    "ITEM_PIPELINES_BASE",
    "EXTENSIONS",
    "EXTENSIONS_BASE",
)


class PageFetcher(Spider):
    """Does one ``job``, which fetches pages one after the other, and remembers the error that ended it."""

    name = "pages"
    pages_only = True

    def __init__(self, job: Job, *, rendered: bool = False) -> None:
        super().__init__()
        self.job = job
        self.rendered = rendered  # by a browser
        self.error: Exception | None = None

    async def start(self) -> AsyncIterator[Request]:
        """Do the job; its requests pass the downloader middlewares, and nothing else."""
        try:
            await self.job(self.fetch)
        except Exception as error:  # Scrapy would only log it
            self.error = error
        return
        yield

    async def fetch(self, url: str, delay: float | None = None) -> Response:
        """The answer to a request, whatever its status; raises what the downloader and its middlewares raise."""
        assert self.crawler.engine is not None
        if delay is not None:
            UnleasedHosts.of(self.crawler).keep_delay(url, delay)
        request = Request(url, meta={RENDERED: self.rendered}, encoding="latin-1")
        return await self.crawler.engine.download_async(request)


def fetch_pages(settings: Settings, job: Job, site: Site | None = None) -> UnleasedHosts:
    """Do a job in a crawl of its own, which keeps the delay of a site and renders its pages if the site file says so;
    returns what it knows of the hosts, and raises what the job raises.

    A handful of requests that a person waits for: the delay does not follow the speed of the host. Only once a process.
    """
    own = settings.copy()
    rendered = site is not None and site.render
    if rendered:
        check_browser(own["BROWSER"])
    delay = polite_delay(None, site.delay_seconds if site else None, None, delay_limits(own)).seconds
    own.setdict({"DELAY_FACTOR": 0, "DELAY_MIN_SECONDS": delay}, priority="cmdline")
    set_leased_components(own)
    own.setdict({name: {} for name in WANT_A_STORE}, priority="cmdline")
    own.set("SCHEDULER", "scrapy.core.scheduler.Scheduler", priority="cmdline")
    check_wiring(own, ("DOWNLOADER_MIDDLEWARES",), ("TWISTED_DNS_RESOLVER", "DOWNLOADER"))
    process = AsyncCrawlerProcess(own)
    crawler = process.create_crawler(PageFetcher)
    process.crawl(crawler, job=job, rendered=rendered)
    process.start(install_signal_handlers=False)  # an interrupt ends it at once
    error = getattr(crawler.spider, "error", None)
    if error is not None:
        raise error
    return UnleasedHosts.of(crawler)


class OnePage(NamedTuple):
    """The bytes of a page, its URL and its ``Content-Type``."""

    body: bytes
    url: str
    content_type: str | None
