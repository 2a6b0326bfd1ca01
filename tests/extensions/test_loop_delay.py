"""The longest delay of the event loop, measured in a loop of its own."""

import asyncio
import time
from pathlib import Path

from newsspider.extensions.periodic import LoopDelay
from tests.support.crawler import crawler_of


def test_what_holds_the_loop_is_the_longest_delay(tmp_path: Path) -> None:
    async def taken() -> tuple[float, float]:
        delays.engine_started()
        await asyncio.sleep(0)
        time.sleep(0.3)
        while not delays.longest:
            await asyncio.sleep(0)
        delays.engine_stopped()
        return delays.take(), delays.take()

    crawler = crawler_of(tmp_path)
    delays = LoopDelay.from_crawler(crawler)
    longest, since = asyncio.run(taken())
    assert longest >= 0.25
    assert since == 0
    assert crawler.stats is not None
    assert crawler.stats.get_value("loop/delay_max") == round(longest, 3)
