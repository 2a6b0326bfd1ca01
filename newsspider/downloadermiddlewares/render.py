"""Renders pages in a headless browser, for sites that fill them in by JavaScript (``render = true`` in the site
file)."""

from __future__ import annotations

import logging
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Self

from scrapy import Request, signals
from scrapy.http import HtmlResponse

from newsspider.core.url import canonical
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import LEASE, REDIRECTS, RENDERED, RENDERED_FOR, lease_of, location_of, visit_of
from newsspider.crawl.host_policy import UnleasedHosts
from newsspider.download.browser import Loaded, RenderError, RenderingBrowser
from newsspider.download.graceful_shutdown import GivenBackError
from newsspider.pages.failed_fetches import FAILED
from newsspider.pages.read_page import with_encoding

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


logger = logging.getLogger(__name__)

SCRIPTS_KEPT, LONGEST_SCRIPT = 50, 512 * 1024  # bytes; a site's pages share their scripts
SCRIPT_SECONDS = 300.0  # for which a script is kept: it may hold the data of a list
MOST_REDIRECTS = 3
HOP_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection", "set-cookie"})


class RenderMiddleware:
    """Puts the page that its scripts make in place of the page that was downloaded.

    The browser is offline: each script and each answer that a page asks for is downloaded by the crawl, as a request
    of its own: robots.txt, the address guard, limits of size and time, the user agent and the delay of the host hold
    for it; that of the page's own host over all workers, those of others in this one. Only ``GET`` is sent, at most
    ``MOST_REQUESTS`` times for a page; scripts are kept for minutes. A page that cannot be shown is an internal error
    and is tried again. Without a browser the crawl is refused at its start. Settings: ``BROWSER``, ``DEFAULT_CHARSET``.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        assert crawler.stats is not None
        self.stats = crawler.stats
        self.unleased = UnleasedHosts.of(crawler)
        self.browser = RenderingBrowser(crawler.settings["BROWSER"], crawler.settings["USER_AGENT"])
        # memory _scripts: scripts of rendered pages, and until when they are kept: SCRIPTS_KEPT
        self._scripts: OrderedDict[str, tuple[float, Loaded]] = OrderedDict()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler)
        crawler.signals.connect(middleware.browser.close, signals.spider_closed)
        return middleware

    async def process_response(self, request: Request, response: Response) -> Response:
        if not isinstance(response, HtmlResponse) or response.status != 200:
            return response
        site = Crawl.of(self.crawler).sites.place(lease_of(request))[0] if LEASE in request.meta else None
        if not (request.meta.get(RENDERED) if site is None else site.render):
            return response
        visit = visit_of(request)
        if site is not None:
            self.unleased.visited(request.url, visit, site.delay_seconds)
        began = self.unleased.clock.now()
        text = with_encoding(response, self.crawler.settings["DEFAULT_CHARSET"]).text
        try:
            markup = await self.browser.render(request.url, text, partial(self._loaded, page=request))
        except RenderError:  # what was downloaded is no reading of the page: it is tried again
            self.stats.inc_value("render/failed")  # stat: pages that the browser could not show
            raise
        finally:
            seconds = self.unleased.clock.now() - began
            if visit.ended_at is not None:  # the host was asked until now, which is no latency of the page
                visit.ended_at, visit.paused = visit.ended_at + seconds, visit.paused + seconds
        self.stats.inc_value("render/pages")  # stat: pages that a browser filled in
        headers = response.headers.copy()
        headers["Content-Type"] = "text/html; charset=utf-8"
        return response.replace(body=markup.encode("utf-8", "replace"), headers=headers, encoding="utf-8")

    async def _loaded(self, url: str, page: Request) -> Loaded | None:
        """The answer to a request that a page makes; ``None`` if it fails or is refused."""
        until, script = self._scripts.get(url, (0.0, None))
        if script is not None and self.unleased.clock.now() < until:
            return script
        response = await self._downloaded(url, page)
        if response is None:
            return None
        headers = {str(name).lower(): value for name, value in response.headers.to_unicode_dict().items()}
        loaded = Loaded(response.status, {k: v for k, v in headers.items() if k not in HOP_HEADERS}, response.body)
        is_script = "javascript" in headers.get("content-type", "") and "no-" not in headers.get("cache-control", "")
        if is_script and loaded.status == 200 and len(loaded.body) <= LONGEST_SCRIPT:
            self._scripts[url] = self.unleased.clock.now() + SCRIPT_SECONDS, loaded
            self._scripts.move_to_end(url)
            if len(self._scripts) > SCRIPTS_KEPT:
                self._scripts.popitem(last=False)
        return loaded

    async def _downloaded(self, url: str, page: Request) -> Response | None:
        assert self.crawler.engine is not None
        for _ in range(MOST_REDIRECTS + 1):
            if not url.startswith(("http://", "https://")):
                return None
            self.stats.inc_value("render/requests")  # stat: requests for scripts and data of rendered pages
            request = Request(url, headers={"Referer": page.url}, meta={RENDERED_FOR: page.url}, encoding="latin-1")
            try:
                response = await self.crawler.engine.download_async(request)
            except GivenBackError:  # what the page lacks without this answer is not to be stored
                raise
            except FAILED as error:
                logger.debug("%s for %s: %s", url, page.url, error)
                return None
            if response.status not in REDIRECTS:
                return response
            target = canonical(location_of(response), url)
            if target is None:
                return None
            url = target
        return None
