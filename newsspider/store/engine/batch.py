"""One batch of the writer's jobs: which run together, their transaction, and the outcome of its last try."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection

from newsspider.store.engine.database_errors import FailureVerdict, UnderWayError, verdict_on
from newsspider.store.engine.postgresql import lock_name, was_committed
from newsspider.store.engine.writer_caches import Memory

TROUBLE_SECONDS = 1.0  # trouble that passes sooner, as a deadlock does, is not logged
RACE_TRIES = 3
_INFO_KEY = "newsspider_deferred_steps"

logger = logging.getLogger(__name__)

T = TypeVar("T")
V = TypeVar("V")
Job = Callable[[Connection], T]
DeferredStep = Callable[[Connection, Sequence[V]], object]
# Watches a transaction inside its block; what it yields is called before the commit and returns what the block changed.
Watch = Callable[[Connection], AbstractContextManager[Callable[[], Any]]]


class Trouble:
    """A problem that keeps a writer from the store for longer than a moment; its start and end are logged."""

    def __init__(self, patience: float) -> None:
        self.patience = patience
        self.cause: str | None = None
        self.since = 0.0  # of the monotonic clock: when the transaction began

    def note(self, error: Exception, verdict: FailureVerdict) -> None:
        """Log the cause, once and not before :data:`TROUBLE_SECONDS`."""
        if self.cause is None and not verdict.locked and time.monotonic() - self.since > TROUBLE_SECONDS:
            self.cause = f"the store cannot be written: {' '.join(str(getattr(error, 'orig', error)).split())}"
            logger.warning("%s; tried again for up to %.0f s", self.cause, self.patience)

    def note_silence(self, seconds: float) -> None:
        """Log, once, that the store does not answer: a frozen server or disk raises no exception."""
        if self.cause is None:
            self.cause = f"the store does not answer, for {seconds:.0f} s so far"
            logger.warning("%s; it is waited for, for up to %.0f s", self.cause, self.patience)

    def over(self) -> None:
        """The transaction was committed after all."""
        self.cause = None
        logger.info("the store can be written again, after %.1f s", time.monotonic() - self.since)


@dataclass(frozen=True, slots=True)
class GroupedJob(Generic[V, T]):
    """A job that runs together with its neighbours of the same step in a batch.

    ``step`` gets the values of all of them, in order, and returns one result for each. If one of them fails, all fail,
    and the writer then runs each job alone. The job may wait ``wait`` seconds for others to share its commit.
    """

    step: Callable[[Connection, Sequence[V]], Sequence[T]]
    value: V
    wait: float = 0.0

    def __call__(self, conn: Connection) -> T:
        return self.step(conn, [self.value])[0]


@dataclass(frozen=True, slots=True)
class OvertakingJob(Generic[T]):
    """A job that need not run behind those that wait for others."""

    job: Job[T]

    def __call__(self, conn: Connection) -> T:
        return self.job(conn)


@dataclass(slots=True, eq=False)
class QueuedJob:
    """A job in the writer's queue: the future that waits for it, and its result."""

    job: Job[Any]
    future: Any
    loop: asyncio.AbstractEventLoop | None = None  # None: the future is a thread's
    watch: Watch | None = None  # its result comes with what this says of its transaction; all of a batch have the same
    since: float = 0.0  # of the monotonic clock
    patient_until: float = 0.0  # until then it may wait for others
    done: bool = False  # committed
    result: Any = None
    error: BaseException | None = None


@dataclass(slots=True, eq=False)
class Attempt:
    """One batch in a transaction of its own, and what its tries so far showed."""

    entries: list[QueuedJob]
    transaction: str | None = None  # its number, while it is unknown whether it was committed
    alone: bool = False
    races: int = 0

    def make(self, conn: Connection, memory: Memory) -> None:
        """Do the jobs and commit."""
        self.transaction = None
        with conn.begin():
            transaction = memory.begin(conn, alone=self.alone)
            watch = next((entry.watch for entry in self.entries if entry.watch is not None), None)
            with watch(conn) if watch else nullcontext() as changed, deferred_steps(conn):
                self._do_jobs(conn)
            if changed is not None:
                changes = changed()
                for entry in self.entries:
                    if entry.watch is not None:
                        entry.result = (entry.result, changes)
            self.transaction = transaction  # from here on it may be committed though an exception says otherwise
        self.transaction = None

    def _do_jobs(self, conn: Connection) -> None:
        """Do each job; neighbours of one step are done together."""
        for step, neighbours in groupby(self.entries, _step_of):
            entries = list(neighbours)
            if step is None:
                results: Sequence[Any] = [entry.job(conn) for entry in entries]
            else:
                results = step(conn, [entry.job.value for entry in entries if isinstance(entry.job, GroupedJob)])
            for entry, result in zip(entries, results, strict=True):
                entry.result = result

    def was_committed(self, conn: Connection) -> bool:
        """Whether the last try was committed after all, of which this is not known; raises :exc:`UnderWayError` while
        the server does not know either."""
        assert self.transaction is not None
        with conn.begin():
            committed = was_committed(conn, self.transaction)
        if committed is None:
            raise UnderWayError("the server has not ended the last transaction yet")
        return committed

    def failed(self, error: Exception, driver: Any) -> FailureVerdict:
        """What an exception means for the next try."""
        verdict = verdict_on(error, driver)
        if not verdict.lost:
            self.transaction = None
        self.alone = self.alone or verdict.conflict
        self.races += verdict.race
        if verdict.race and len(self.entries) == 1 and self.races < RACE_TRIES:
            return replace(verdict, passing=True)
        return verdict


def _step_of(entry: QueuedJob) -> Callable[[Connection, Sequence[Any]], Sequence[Any]] | None:
    return entry.job.step if isinstance(entry.job, GroupedJob) else None


@contextmanager
def deferred_steps(conn: Connection) -> Iterator[None]:
    """Run the steps deferred inside the block at its end, in order; the transaction must end right after the block."""
    steps: list[tuple[DeferredStep[Any], Any]] = []
    info = conn.info  # a lost connection has none to ask for at the end
    info[_INFO_KEY] = steps
    try:
        yield
    finally:
        info.pop(_INFO_KEY, None)
    if steps:
        lock_name(conn, _INFO_KEY)
    for step, neighbours in groupby(steps, itemgetter(0)):
        step(conn, [value for _, value in neighbours])


def defer_step(conn: Connection, step: DeferredStep[V], value: V) -> None:
    """Run a step at the end of the transaction, with the values of its neighbours of the same step; outside
    :func:`deferred_steps`, where nobody else writes, at once."""
    steps: list[tuple[DeferredStep[Any], Any]] | None = conn.info.get(_INFO_KEY)
    if steps is None:
        step(conn, [value])
    else:
        steps.append((step, value))
