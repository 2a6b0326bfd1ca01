"""An exception of a callback becomes the outcome of its lease."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import Reason, State
from newsspider.crawl.crawl import Crawl
from newsspider.spidermiddlewares.outcome import OutcomeMiddleware
from tests.crawler import crawler_of, lease_of_kind, request_of, response_of


@pytest.fixture
def settled(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> tuple[list[PageResult], str, int]:
    """What an exception yields, what is logged, what is counted."""

    async def caught() -> list[PageResult]:
        crawl = Crawl.of(crawler)
        middleware = OutcomeMiddleware.from_crawler(crawler)
        try:
            raise KeyError("a fault of ours" * 50)
        except KeyError as error:
            results = middleware.process_spider_exception(response_of(request_of(lease)), error)
        await crawl.close("finished")
        return results

    crawler, lease = crawler_of(tmp_path), lease_of_kind()
    results = asyncio.run(caught())
    assert crawler.stats is not None
    return results, caplog.text, crawler.stats.get_value("spider/internal_error")


def test_an_exception_of_a_callback_puts_its_page_off(settled: tuple[list[PageResult], str, int]) -> None:
    (result,), _, _ = settled
    assert result.lease == lease_of_kind()
    assert (result.settlement.state, result.settlement.reason) == (State.WAITING, Reason.RETRY)
    assert result.settlement.detail.startswith("internal: KeyError: 'a fault of ours")
    assert len(result.settlement.detail) <= 220
    assert result.settlement.faults == 1
    assert result.article is None


def test_it_is_logged_with_its_traceback_and_counted(settled: tuple[list[PageResult], str, int]) -> None:
    _, log, counted = settled
    assert "Traceback" in log
    assert "http://a.example/2024/1.html" in log
    assert counted == 1
