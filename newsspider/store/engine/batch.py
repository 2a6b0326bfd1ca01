"""One batch of the writer's jobs: which run together, their transaction, and the outcome of its last try."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection

from newsspider.store.cache.recent import Memory
from newsspider.store.engine.postgresql import lock_name, was_committed
from newsspider.store.engine.trouble import UnderWayError, Verdict, verdict_on

T = TypeVar("T")
V = TypeVar("V")
Job = Callable[[Connection], T]
# Watches a transaction inside its block; what it yields is called before the commit and returns what the block changed.
Watch = Callable[[Connection], AbstractContextManager[Callable[[], Any]]]

RACE_TRIES = 3


@dataclass(frozen=True, slots=True)
class GroupedJob(Generic[V, T]):
    """A job that runs together with its neighbours of the same step in a batch.

    ``step`` gets the values of all of them, in order, and returns one result for each. If one of them fails, all fail,
    and the writer then runs each job alone.
    """

    step: Callable[[Connection, Sequence[V]], Sequence[T]]
    value: V

    def __call__(self, conn: Connection) -> T:
        return self.step(conn, [self.value])[0]


@dataclass(slots=True, eq=False)
class Entry:
    """A job in the writer's queue: the future that waits for it, and its result."""

    job: Job[Any]
    future: Any
    loop: asyncio.AbstractEventLoop | None = None  # None: the future is a thread's
    watch: Watch | None = None  # its result comes with what this says of its transaction; all of a batch have the same
    since: float = field(default_factory=time.monotonic)
    done: bool = False  # committed
    result: Any = None
    error: BaseException | None = None

    def fill(self) -> None:
        """Set the result of the future; called in the thread that waits, or before it waits."""
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


@dataclass(slots=True, eq=False)
class Attempt:
    """One batch in a transaction of its own, and what its tries so far showed."""

    entries: list[Entry]
    transaction: str | None = None  # its number, while it is unknown whether it was committed
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
        watch = next((entry.watch for entry in self.entries if entry.watch is not None), None)
        with watch(conn) if watch else nullcontext() as changed, deferred_steps(conn):
            for entries in _steps(self.entries):
                answers = _answers(conn, [entry.job for entry in entries])
                for entry, answer in zip(entries, answers, strict=True):
                    entry.result = answer
        if changed is not None:
            changes = changed()
            for entry in self.entries:
                if entry.watch is not None:
                    entry.result = (entry.result, changes)

    def was_committed(self, conn: Connection) -> bool:
        """Whether the last try was committed after all; raises :exc:`UnderWayError` while the server does not know."""
        if self.transaction is None:
            return False
        with conn.begin():
            committed = was_committed(conn, self.transaction)
        if committed is None:
            raise UnderWayError("the server has not ended the last transaction yet")
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
    """The entries in order, in groups that run together."""
    for step, neighbours in groupby(entries, _step_of):
        if step is not None:
            yield list(neighbours)
        else:
            yield from ([entry] for entry in neighbours)


def _step_of(entry: Entry) -> Callable[..., Any] | None:
    return entry.job.step if isinstance(entry.job, GroupedJob) else None


def _answers(conn: Connection, jobs: Sequence[Job[Any]]) -> Sequence[Any]:
    first = jobs[0]
    if isinstance(first, GroupedJob):
        return first.step(conn, [job.value for job in jobs if isinstance(job, GroupedJob)])
    return [first(conn)]


_INFO_KEY = "newsspider_deferred_steps"


@contextmanager
def deferred_steps(conn: Connection) -> Iterator[None]:
    """Run the steps deferred inside the block at its end, in order; the transaction must end right after the block."""
    steps: list[Callable[[], object]] = []
    info = conn.info  # a lost connection has none to ask for at the end
    info[_INFO_KEY] = steps
    try:
        yield
    finally:
        info.pop(_INFO_KEY, None)
    if steps:
        lock_name(conn, _INFO_KEY)
    for step in steps:
        step()


def defer(conn: Connection, step: Callable[[], object]) -> None:
    """Run a step at the end of the transaction; outside :func:`deferred_steps`, where nobody else writes, at once."""
    steps: list[Callable[[], object]] | None = conn.info.get(_INFO_KEY)
    if steps is None:
        step()
    else:
        steps.append(step)
