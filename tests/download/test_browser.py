"""The browser alone, with Debian's Chromium."""

import asyncio

from newsspider.download.browser import Loaded, RenderingBrowser
from tests.support.servers import chromium

PAGE = '<html><body><p id=app></p><script>fetch("/data").then(r => r.text()).then(t => { app.innerText = t; })</script></body></html>'


class UnforeseenError(Exception):
    """Loading what a page requests fails with an unexpected error."""


def test_an_unforeseen_failure_is_that_of_the_page_that_asked_and_of_no_other_one() -> None:
    failed = asyncio.Event()

    async def fail(url: str) -> Loaded | None:
        failed.set()
        raise UnforeseenError(url)

    async def load(url: str) -> Loaded | None:
        await failed.wait()
        await asyncio.sleep(0.1)  # the failure is handed on meanwhile
        return Loaded(200, {"content-type": "text/plain"}, b"loaded")

    async def render() -> list[str | BaseException]:
        browser = RenderingBrowser(chromium(), "test")
        pages = browser.render("http://a.example/", PAGE, fail), browser.render("http://b.example/", PAGE, load)
        try:
            async with asyncio.timeout(240):
                return await asyncio.gather(*pages, return_exceptions=True)
        finally:
            await browser.close()

    failure, markup = asyncio.run(render())
    assert isinstance(failure, UnforeseenError)
    assert ">loaded<" in str(markup)
