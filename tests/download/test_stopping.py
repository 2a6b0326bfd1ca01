"""Downloads that are under way when the crawl is told to stop."""

import asyncio
from contextlib import suppress
from pathlib import Path

from newsspider.download.graceful_shutdown import PAGES_SECONDS, told_to_stop
from newsspider.download.handler import HttpHandler
from tests.support.crawler import crawler_of

LONG_SECONDS, OTHERS = 600.0, 20


def test_a_download_that_times_out_at_that_moment_keeps_no_other_one_from_its_limit(tmp_path: Path) -> None:
    async def run() -> None:
        crawler, loop = crawler_of(tmp_path), asyncio.get_running_loop()
        handler = HttpHandler(crawler)
        limits = [asyncio.timeout(LONG_SECONDS) for _ in range(OTHERS)]
        outcomes: list[object] = []

        async def download(limit: asyncio.Timeout) -> None:
            async with limit:
                handler._under_way.add(limit)
                await asyncio.Event().wait()

        async def late() -> None:
            async with asyncio.timeout(LONG_SECONDS) as limit:
                handler._under_way.add(limit)
                limit.reschedule(loop.time())  # it expires in the next turn of the loop, before the signal
                loop.call_soon(lambda: outcomes.extend(crawler.signals.send_catch_log(told_to_stop)))
                await asyncio.Event().wait()

        downloads = [asyncio.create_task(download(limit)) for limit in limits]
        await asyncio.sleep(0)
        with suppress(TimeoutError):
            await late()
        assert (handler._told_to_stop, None) in outcomes
        assert all((limit.when() or LONG_SECONDS) <= loop.time() + PAGES_SECONDS for limit in limits)
        for task in downloads:
            task.cancel()

    asyncio.run(run())
