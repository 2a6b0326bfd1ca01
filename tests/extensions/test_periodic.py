"""The task of an extension, with steps that fail."""

import asyncio
import logging
from collections.abc import Iterator

import pytest
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler

from newsspider.extensions import periodic
from newsspider.extensions.periodic import Repeated
from tests.support.tables import each

NEVER = 3600.0


class Steps(Repeated):
    """Raises what it was given, one a step, and ends with the last."""

    work = "take a step"
    failure = "steps/failed"
    ended_by = (KeyError,)

    def __init__(self, seconds: float, *errors: Exception | None) -> None:
        super().__init__(seconds, MemoryStatsCollector(get_crawler()))
        self.errors: Iterator[Exception | None] = iter(errors)
        self.steps = 0
        self.stepped = asyncio.Event()

    async def step(self) -> None:
        self.steps += 1
        self.stepped.set()
        error = next(self.errors)
        if error is not None:
            raise error


class StepsAtOnce(Steps):
    at_once = True


async def until_its_end(steps: Repeated) -> None:
    steps.engine_started()
    assert steps.task is not None
    await asyncio.wait_for(steps.task, 20)


def test_a_step_that_fails_is_told_and_the_next_one_is_tried_until_the_last_exception() -> None:
    async def run() -> Steps:
        steps = Steps(0.001, None, ZeroDivisionError(), OSError(), None, KeyError(), None)
        await until_its_end(steps)
        return steps

    steps = asyncio.run(run())
    assert (steps.steps, steps.stats.get_value("steps/failed")) == (5, 2)


@each(("kind", "step_count"), [(Steps, 0), (StepsAtOnce, 1)])
def test_the_first_step_waits_unless_it_is_to_be_taken_at_once(kind: type[Steps], step_count: int) -> None:
    async def run() -> int:
        steps = kind(NEVER, None)
        steps.engine_started()
        for _ in range(5):
            await asyncio.sleep(0)
        steps.spider_closed()
        return steps.steps

    assert asyncio.run(run()) == step_count


def test_nothing_is_done_after_the_end_of_the_spider() -> None:
    async def run() -> bool:
        steps = StepsAtOnce(NEVER, None)
        steps.engine_started()
        await asyncio.wait_for(steps.stepped.wait(), 20)
        steps.spider_closed()
        assert steps.task is not None
        await asyncio.wait([steps.task], timeout=60)
        return steps.task.cancelled()

    assert asyncio.run(run())


def test_a_spider_may_close_before_the_engine_started() -> None:
    Steps(NEVER).spider_closed()


def test_failures_in_a_row_are_one_line_with_the_cause_and_their_end_is_another(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    outage = ConnectionError("the server\nis away")
    asyncio.run(until_its_end(StepsAtOnce(0.001, outage, outage, outage, None, None, OSError(), None, KeyError())))
    assert [record.getMessage() for record in caplog.records if record.name == periodic.__name__] == [
        "could not take a step: ConnectionError: the server is away (tried every 0.001 s; further failures are only counted)",
        "could take a step again; failed tries: 3",
        "could not take a step: OSError (tried every 0.001 s; further failures are only counted)",
        "could take a step again; failed tries: 1",
    ]
    assert "Traceback" not in caplog.text
