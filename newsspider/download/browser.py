"""A browser that fills in downloaded pages by their scripts. It never reaches the network: whoever renders answers its
requests."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, Playwright, Route

LONGEST_SECONDS = 60.0  # of one page, with all that its scripts ask for
TAKEN = frozenset({"script", "xhr", "fetch"})  # kinds of requests; pictures, styles and frames hold no text
MOST_REQUESTS = 40  # of one page
AT_ONCE = 2  # pages: each takes the memory of a tab
NOWHERE = "http://127.0.0.1:1"  # the proxy of requests that nobody answers: no service is there
OFFLINE = ["--host-resolver-rules=MAP * ~NOTFOUND", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"]


class Loaded(NamedTuple):
    """The answer to a request of a page: status, headers and body."""

    status: int
    headers: dict[str, str]
    body: bytes


Load = Callable[[str], Awaitable[Loaded | None]]  # from a URL; None: it may not or cannot be had


class RenderingBrowser:
    """One browser process, started with the first page. ``program``: its name or path."""

    def __init__(self, program: str, agent: str) -> None:
        self.program = program
        self.agent = agent
        self._room = asyncio.Semaphore(AT_ONCE)
        self._starting = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    async def render(self, url: str, markup: str, load: Load) -> str:
        """The markup of a page after its scripts have run; what they ask for comes from ``load``.

        Raises Playwright's ``Error`` if the page cannot be shown.
        """
        async with self._room:
            context = await self._context()
            try:
                page = await context.new_page()
                await page.route("**/*", _Answers(page, url, markup, load))
                await page.goto(url, wait_until="domcontentloaded", timeout=LONGEST_SECONDS * 1000)
                with suppress(TimeoutError, _playwright_timeout()):  # what is there by then is taken
                    await page.wait_for_load_state("networkidle", timeout=LONGEST_SECONDS * 1000)
                return await page.content()
            finally:
                await context.close()

    async def close(self) -> None:
        """End the browser."""
        if self._browser is not None:
            await self._browser.close()
        if self._playwright is not None:
            await self._playwright.stop()
        self._browser = self._playwright = None

    async def _context(self) -> BrowserContext:
        async with self._starting:
            if self._browser is None or not self._browser.is_connected():
                await self.close()
                self._browser = await self._started()
        context = await self._browser.new_context(
            user_agent=self.agent, service_workers="block", accept_downloads=False, locale="zh-CN"
        )
        await context.route_web_socket("**/*", lambda socket: socket.close())
        return context

    async def _started(self) -> Browser:
        check_browser(self.program)
        from playwright.async_api import async_playwright

        self._playwright = await async_playwright().start()
        return await self._playwright.chromium.launch(
            executable_path=shutil.which(self.program),
            chromium_sandbox=os.geteuid() != 0,  # Chromium has none for root
            proxy={"server": NOWHERE},
            args=OFFLINE,
        )


class _Answers:
    """Answers the requests of one page: the page itself from its markup, scripts and data from ``load``."""

    def __init__(self, page: Page, url: str, markup: str, load: Load) -> None:
        self.page, self.url, self.markup, self.load = page, url, markup, load
        self.shown = False
        self.left = MOST_REQUESTS

    async def __call__(self, route: Route) -> None:
        request = route.request
        if request.is_navigation_request():
            if self.shown or request.frame is not self.page.main_frame:
                await route.abort()
                return
            self.shown = True
            await route.fulfill(status=200, content_type="text/html; charset=utf-8", body=self.markup)
            return
        loaded = None
        if request.resource_type in TAKEN and request.method == "GET" and self.left > 0:
            self.left -= 1
            loaded = await self.load(request.url)
        with suppress(_playwright_error()):  # the page may be closed by now
            if loaded is None:
                await route.abort()
            else:
                await route.fulfill(status=loaded.status, headers=loaded.headers, body=loaded.body)


def check_browser(program: str) -> None:
    """Raise ``UsageError``, with what to do, if pages cannot be rendered here."""
    try:
        import playwright.async_api  # noqa: F401 -- whether it is there
    except ImportError:
        raise UsageError(
            "pages with render = true need Playwright: pip install 'newsspider[render]'", print_help=False
        ) from None
    if shutil.which(program) is None:
        raise UsageError(
            f"pages with render = true need a browser: install Chromium, or name one in BROWSER; {program} is missing",
            print_help=False,
        )


def _playwright_error() -> type[Any]:
    from playwright.async_api import Error

    return Error


def _playwright_timeout() -> type[Any]:
    from playwright.async_api import TimeoutError as Timeout

    return Timeout
