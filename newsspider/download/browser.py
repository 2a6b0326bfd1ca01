"""A headless browser (Playwright) renders downloaded pages: their JavaScript fills them in. It never reaches the
network: whoever renders answers its requests."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, Playwright, Route

LONGEST_SECONDS = 600.0  # of one page: each of its requests waits for the delay of the host
QUIET_SECONDS = 1.0  # without a request under way: the page is filled in
TAKEN = frozenset({"script", "xhr", "fetch"})  # kinds of requests; pictures, styles and frames hold no text
MOST_REQUESTS = 40  # of one page
PAGES_AT_ONCE = 2  # pages: each takes the memory of a tab
NOWHERE = "http://127.0.0.1:1"  # the proxy of requests that nobody answers: no service is there
OFFLINE = [
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # its name until 2025
]


class Loaded(NamedTuple):
    """The answer to a request of a page: status, headers and body."""

    status: int
    headers: dict[str, str]
    body: bytes


class RenderError(RuntimeError):
    """The browser could not show a page; the text is its reason in one line."""


Load = Callable[[str], Awaitable[Loaded | None]]  # from a URL; None: refused or failed


class RenderingBrowser:
    """One browser process, started with the first page. ``program``: its name or path."""

    def __init__(self, program: str, agent: str) -> None:
        self.program = program
        self.agent = agent
        self._room = asyncio.Semaphore(PAGES_AT_ONCE)
        self._starting = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    async def render(self, url: str, markup: str, load: Load) -> str:
        """The markup of a page after its scripts have run; what they ask for comes from ``load``. Raises
        :exc:`RenderError`."""
        from playwright.async_api import Error

        async with self._room:
            try:
                async with asyncio.timeout(LONGEST_SECONDS):
                    return await self._rendered(url, markup, load)
            except (Error, TimeoutError) as error:
                reason = str(error).partition("\n")[0] or f"longer than {LONGEST_SECONDS:g} s"
                raise RenderError(f"the browser cannot show {url}: {reason}") from None

    async def _rendered(self, url: str, markup: str, load: Load) -> str:
        context = await self._context()
        try:
            page = await context.new_page()
            answers = _Answers(page, markup, load)
            await page.route("**/*", answers)
            await page.goto(url, wait_until="domcontentloaded", timeout=0)
            await answers.quiet()
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

    async def start(self) -> Browser:
        """The browser, started if it does not run."""
        async with self._starting:
            if self._browser is None or not self._browser.is_connected():
                await self.close()
                self._browser = await self._started()
            return self._browser

    async def _context(self) -> BrowserContext:
        browser = await self.start()
        context = await browser.new_context(
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

    def __init__(self, page: Page, markup: str, load: Load) -> None:
        self.page, self.markup, self.load = page, markup, load
        self.shown = False
        self.requests_left = MOST_REQUESTS
        self.loading = 0
        self.loaded_at = 0.0
        self.failure: Exception | None = None

    async def __call__(self, route: Route) -> None:
        from playwright.async_api import Error

        with suppress(Error):  # the page may be closed by now
            await self._answer(route)

    async def quiet(self) -> None:
        """Wait until nothing has been loaded for :data:`QUIET_SECONDS`; raises what ``load`` raised."""
        self.loaded_at = time.monotonic()  # a slow browser asks for what the scripts name only now
        while self.loading or (seconds_left := self.loaded_at + QUIET_SECONDS - time.monotonic()) > 0:
            await asyncio.sleep(QUIET_SECONDS if self.loading else seconds_left)
        if self.failure is not None:
            raise self.failure

    async def _answer(self, route: Route) -> None:
        request = route.request
        if request.is_navigation_request():
            if self.shown or request.frame is not self.page.main_frame:
                await route.abort()
                return
            self.shown = True
            await route.fulfill(status=200, content_type="text/html; charset=utf-8", body=self.markup)
            return
        if request.resource_type not in TAKEN or request.method != "GET" or self.requests_left == 0:
            await route.abort()
            return
        self.requests_left -= 1
        self.loading += 1
        try:
            loaded = await self._load(request.url)
            if loaded is None:
                await route.abort()
            else:
                await route.fulfill(status=loaded.status, headers=loaded.headers, body=loaded.body)
        finally:
            self.loading -= 1
            self.loaded_at = time.monotonic()

    async def _load(self, url: str) -> Loaded | None:
        try:
            return await self.load(url)
        except Exception as error:  # Playwright would raise it in whatever page calls it next
            self.failure = error
            return None


async def try_browser(program: str) -> None:
    """Start a browser and end it; raises ``UsageError``, with what to do, if none can be started."""
    check_browser(program)
    from playwright.async_api import Error

    browser = RenderingBrowser(program, "")
    try:
        await browser.start()
    except Error as error:
        reason = str(error).partition("\n")[0]
        raise UsageError(f"the browser of BROWSER, {program}, does not start: {reason}", print_help=False) from None
    finally:
        await browser.close()


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
