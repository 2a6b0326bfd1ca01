"""Renders the pages of sites that fill them in by script (``render = true`` in the site file)."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Self

from scrapy import Request, signals
from scrapy.http import HtmlResponse

from newsspider.core.url import canonical
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import LEASE, REDIRECTS, RENDERED, RENDERED_FOR, lease_of, location_of, visit_of
from newsspider.crawl.unleased_hosts import UnleasedHosts
from newsspider.download.browser import LONGEST_SECONDS, Loaded, RenderingBrowser
from newsspider.pages.failure import FAILED

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsspider.sites.model import Site

logger = logging.getLogger(__name__)

SCRIPTS_KEPT, LONGEST_SCRIPT = 100, 2 * 1024 * 1024  # bytes; a site's pages share their scripts
MOST_REDIRECTS = 3
HOP_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection", "set-cookie"})


class RenderMiddleware:
    """Puts the page that its scripts make in place of the page that was downloaded.

    The browser is offline: each script and each answer that a page asks for is downloaded by the crawl, as a request
    of its own: robots.txt, the address guard, limits of size and time, the user agent and the delay of the host hold
    for it. Only ``GET`` is sent, at most ``MOST_REQUESTS`` times for a page; scripts are kept for the pages that
    follow. Without a browser the crawl is refused at its start. Setting: ``BROWSER``.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        assert crawler.stats is not None
        self.stats = crawler.stats
        self.unleased = UnleasedHosts.of(crawler)
        self.browser = RenderingBrowser(crawler.settings["BROWSER"], crawler.settings["USER_AGENT"])
        self._scripts: OrderedDict[str, Loaded] = OrderedDict()  # memory: scripts of rendered pages: SCRIPTS_KEPT

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler)
        crawler.signals.connect(middleware.browser.close, signals.spider_closed)
        return middleware

    async def process_response(self, request: Request, response: Response) -> Response:
        if not (isinstance(response, HtmlResponse) and response.status == 200 and self._is_rendered(request)):
            return response
        visit = visit_of(request)
        if (site := self._site(request)) is not None:
            self.unleased.visited(request.url, visit, site.delay_seconds)
        began = self.unleased.clock.now()
        load = partial(self._loaded, page=request)
        try:
            async with asyncio.timeout(2 * LONGEST_SECONDS):
                markup = await self.browser.render(request.url, response.text, load)
        except Exception as error:  # whatever a browser raises: the page as it was downloaded is left
            self._log_failed(request.url, error)
            return response
        finally:
            seconds = self.unleased.clock.now() - began
            if visit.ended_at is not None:  # the host was asked until now, which is no latency of the page
                visit.ended_at, visit.paused = visit.ended_at + seconds, visit.paused + seconds
        self.stats.inc_value("render/pages")  # stat: pages that a browser filled in
        headers = response.headers.copy()
        headers["Content-Type"] = "text/html; charset=utf-8"
        return response.replace(body=markup.encode("utf-8", "replace"), headers=headers, encoding="utf-8")

    def _is_rendered(self, request: Request) -> bool:
        site = self._site(request)
        return bool(request.meta.get(RENDERED)) if site is None else site.render

    def _site(self, request: Request) -> Site | None:
        if LEASE not in request.meta:
            return None
        return Crawl.of(self.crawler).sites.place(lease_of(request))[0]

    async def _loaded(self, url: str, page: Request) -> Loaded | None:
        """The answer to a request that a page makes; ``None`` if it fails or is refused."""
        if (kept := self._scripts.get(url)) is not None:
            self._scripts.move_to_end(url)
            return kept
        response = await self._downloaded(url, page)
        if response is None:
            return None
        headers = {str(name).lower(): value for name, value in response.headers.to_unicode_dict().items()}
        loaded = Loaded(response.status, {k: v for k, v in headers.items() if k not in HOP_HEADERS}, response.body)
        is_script = "javascript" in headers.get("content-type", "") and "?" not in url
        if is_script and loaded.status == 200 and len(loaded.body) <= LONGEST_SCRIPT:
            self._scripts[url] = loaded
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

    def _log_failed(self, url: str, error: Exception) -> None:
        """Warn about the first one."""
        level = logging.DEBUG if self.stats.get_value("render/failed") else logging.WARNING
        logger.log(level, "%s is read as downloaded: the browser failed (%s); others are only counted", url, error)
        self.stats.inc_value("render/failed")  # stat: pages that no browser could fill in
