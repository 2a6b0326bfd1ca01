"""The frontiers that the contract is asked of; a new backend is one more name in ``FRONTIERS`` and a case in ``worker``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from newsspider.frontier.protocol import Frontier
from newsspider.frontier.sql import SqlFrontier
from newsspider.store.writer import Writer
from tests.store.conftest import conn, never_written, store, url, writer
from tests.store.samples import NOW

__all__ = ["conn", "never_written", "store", "url", "writer"]

FRONTIERS = ("sqlite", "postgresql")
LEASE_SECONDS = 60.0


class Worker:
    """A frontier whose methods are called and waited for."""

    def __init__(self, frontier: Frontier, runner: asyncio.Runner) -> None:
        self.frontier = frontier
        self.runner = runner

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self.frontier, name)

        async def called(*args: Any, **kwargs: Any) -> Any:
            return await method(*args, **kwargs)

        return lambda *args, **kwargs: self.runner.run(called(*args, **kwargs))


@pytest.fixture(params=FRONTIERS)
def backend(request: pytest.FixtureRequest) -> str:
    """The backend of the frontier and of the store below it."""
    return str(request.param)


@pytest.fixture
def worker(backend: str, writer: Writer) -> Iterator[Callable[[str], Worker]]:
    """Makes workers of one fleet by their names; their clock stands still."""
    with asyncio.Runner() as runner:

        def made(name: str) -> Worker:
            return Worker(SqlFrontier(writer, name, LEASE_SECONDS, clock=lambda: NOW), runner)

        yield made
