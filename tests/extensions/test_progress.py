"""The progress line alone, over a real store."""

import asyncio
import fcntl
import io
import os
import pty
import struct
import termios
from pathlib import Path

import pytest

from newsspider.core.model import State
from newsspider.crawl.crawl import Crawl
from newsspider.extensions.progress import ProgressLine, width
from tests.support.crawler import crawler_of
from tests.support.samples import offer
from tests.support.tables import each


def test_the_queue_is_counted_as_seldom_as_its_cost_asks_for(tmp_path: Path) -> None:
    async def shown() -> tuple[int, str]:
        crawl = Crawl.of(crawler)
        progress = ProgressLine.to(out, crawler, 1.0)
        await crawl.storage.frontier.offer([offer("http://a.cn/1"), offer("http://a.cn/2")])
        earlier_jobs = crawl.storage.writer.figures.jobs
        for _ in range(50):
            await progress.step()
        jobs = crawl.storage.writer.figures.jobs - earlier_jobs
        await crawl.close("finished")
        return jobs, out.getvalue()

    crawler, out = crawler_of(tmp_path), io.StringIO()
    jobs, text = asyncio.run(shown())
    assert jobs == 1
    assert text.count("waiting 2") == 50


def test_counts_are_renewed_when_their_cost_is_paid(tmp_path: Path) -> None:
    async def counted() -> int:
        crawl = Crawl.of(crawler)
        progress = ProgressLine.to(io.StringIO(), crawler, 1.0)
        await progress.step()
        await crawl.storage.frontier.offer([offer("http://a.cn/1")])
        progress.queue.count_again_at = 0.0
        await progress.step()
        await crawl.close("finished")
        return progress.queue.counts[State.WAITING]

    crawler = crawler_of(tmp_path)
    assert asyncio.run(counted()) == 1


def test_a_failing_store_is_reported_once_and_the_progress_line_continues(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def lines() -> bool:
        crawl = Crawl.of(crawler)
        progress = ProgressLine.to(out, crawler, 0.005)
        await crawl.close("finished")  # from now on the writer refuses every job
        progress.engine_started()
        while out.getvalue().count("pages/s") < 3:
            await asyncio.sleep(0.01)
            progress.queue.count_again_at = 0.0
        assert progress.task is not None
        alive = not progress.task.done()
        progress.spider_closed()
        return alive

    crawler, out = crawler_of(tmp_path), io.StringIO()
    assert asyncio.run(asyncio.wait_for(lines(), 20))
    assert crawler.stats is not None
    assert crawler.stats.get_value("progress/failed") >= 2
    assert [record.levelname for record in caplog.records if "progress line" in record.message] == ["WARNING"]


@each(("columns", "expected"), [(200, 199), (60, 59), (0, 79)])
def test_the_line_is_as_wide_as_the_terminal(columns: int, expected: int) -> None:
    master, slave = pty.openpty()
    try:
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with os.fdopen(slave, "w") as terminal:
            assert width(terminal) == expected
    finally:
        os.close(master)


def test_output_that_is_no_terminal_has_the_default_width() -> None:
    assert width(io.StringIO()) == 79
