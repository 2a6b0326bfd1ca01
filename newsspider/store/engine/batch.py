"""One batch of the writer's jobs: what is done side by side, in which transaction, and what became of its last try."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection

from newsspider.store.cache.recent import Memory
from newsspider.store.engine.last_steps import last_steps
from newsspider.store.engine.postgresql import was_committed
from newsspider.store.engine.trouble import UnderWay, Verdict, verdict_on
from newsspider.store.ledger import queues

T = TypeVar("T")
V = TypeVar("V")
Job = Callable[[Connection], T]

RACE_TRIES = 3


@dataclass(frozen=True, slots=True)
class Together(Generic[V, T]):
    """A job that is done in one go with those of the same step that stand beside it in a batch.

    ``step`` gets the values of all of them, in their order, and gives back as many answers; the first thing that goes
    wrong with one of them fails all, and then the writer has each done alone.
    """

    step: Callable[[Connection, Sequence[V]], Sequence[T]]
    value: V

    def __call__(self, conn: Connection) -> T:
        return self.step(conn, [self.value])[0]


@dataclass(slots=True, eq=False)
class Entry:
    """A job, who waits for it, and what came of it."""

    job: Job[Any]
    future: Any
    loop: asyncio.AbstractEventLoop | None = None  # None: the future is a thread's
    noting: bool = False  # its answer comes with the queues that its transaction changed
    since: float = field(default_factory=time.monotonic)
    done: bool = False  # committed
    result: Any = None
    error: BaseException | None = None

    def fill(self) -> None:
        """Tell who waits what came of it; in the thread that waits, or before it looks."""
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


@dataclass(slots=True, eq=False)
class Attempt:
    """One batch in a transaction of its own, and what is known of the last try."""

    entries: list[Entry]
    transaction: str | None = None  # whose answer got lost
    alone: bool = False
    races: int = 0

    def make(self, conn: Connection, memory: Memory) -> None:
        """Do the jobs and commit."""
        self.transaction = None
        with conn.begin():
            transaction = memory.begin(conn, alone=self.alone)
            self._do(conn)
            self.transaction = transaction  # from here on it may be committed though an exception says otherwise
        self.transaction = None

    def _do(self, conn: Connection) -> None:
        noting = [entry for entry in self.entries if entry.noting]
        with queues.watched(conn) if noting else nullcontext() as hosts, last_steps(conn):
            for entries in _steps(self.entries):
                answers = _answers(conn, [entry.job for entry in entries])
                for entry, answer in zip(entries, answers, strict=True):
                    entry.result = answer
        if noting:
            rows = queues.rows(conn, sorted(hosts)) if hosts else []
            for entry in noting:
                entry.result = (entry.result, rows)

    def was_committed(self, conn: Connection) -> bool:
        """Whether the last try was committed after all; :exc:`UnderWay` while the server does not know yet."""
        if self.transaction is None:
            return False
        with conn.begin():
            committed = was_committed(conn, self.transaction)
        if committed is None:
            raise UnderWay("the server has not ended the last transaction yet")
        return committed

    def failed(self, error: Exception, driver: Any) -> Verdict:
        """What an exception means for the next try."""
        verdict = verdict_on(error, driver)
        if not verdict.lost:
            self.transaction = None
        self.alone = self.alone or verdict.conflict
        self.races += verdict.race
        if verdict.race and len(self.entries) == 1 and self.races < RACE_TRIES:
            return replace(verdict, passing=True)
        return verdict


def _steps(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """The entries in their order, those that can be done together side by side."""
    for step, found in groupby(entries, lambda entry: entry.job.step if isinstance(entry.job, Together) else None):
        if step is not None:
            yield list(found)
        else:
            yield from ([entry] for entry in found)


def _answers(conn: Connection, jobs: Sequence[Job[Any]]) -> Sequence[Any]:
    first = jobs[0]
    if isinstance(first, Together):
        return first.step(conn, [job.value for job in jobs if isinstance(job, Together)])
    return [first(conn)]
