"""The one thread that writes the store: jobs of many pages in one transaction, each job's answer when it is on disk."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from newsspider.store.memory import Memory

logger = logging.getLogger(__name__)

T = TypeVar("T")
Job = Callable[[Connection], T]

# SQLite's primary error codes and PostgreSQL's SQLSTATE classes: what passes by itself, and what stays.
PASSING_SQLITE = frozenset(
    {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
)
BROKEN_SQLITE = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_READONLY}
)
PASSING_SQLSTATES = ("08", "40", "55P03", "57P")  # connection, deadlock and serialization, lock, shutdown
BROKEN_SQLSTATES = ("25006", "53", "58", "XX")  # read-only, disk full, system error, corruption
FIRST_PAUSE_SECONDS = 0.05
LONGEST_PAUSE_SECONDS = 5.0


class StoreFailed(Exception):  # noqa: N818 -- reads as what it says
    """The store is broken or its writer is closed: the job was not done."""


@dataclass(slots=True)
class Figures:
    """What the writer did so far."""

    transactions: int = 0
    jobs: int = 0
    failed_jobs: int = 0
    retries: int = 0
    longest_wait_seconds: float = 0.0  # of a job, from its submission to its answer


class _Entry:
    __slots__ = ("done", "error", "future", "job", "loop", "result", "since")

    def __init__(self, job: Job[Any], future: Any, loop: asyncio.AbstractEventLoop | None) -> None:
        self.job = job
        self.future = future
        self.loop = loop  # None: the future is a thread's
        self.since = time.monotonic()
        self.done = False  # committed
        self.result: Any = None
        self.error: BaseException | None = None


class Writer:
    """Runs jobs in the order of their submission, up to ``batch`` of them in one transaction; ``gather`` seconds are given to others
    to join the first.

    A job that raises takes nothing along: its batch is rolled back and every job gets a transaction of its own, so a
    job must be repeatable. A store that is locked or briefly away is tried again with growing pauses, for up to
    ``patience`` seconds. One that is full or broken ends it: :attr:`failed` says why, all waiting and all later jobs get
    :exc:`StoreFailed`, nothing hangs.
    """

    def __init__(self, engine: Engine, batch: int, patience: float, gather: float = 0.0) -> None:
        self.engine = engine
        self.batch = batch
        self.gather = gather
        self.patience = patience
        self.failed: str | None = None
        self.figures = Figures()
        self._memory = Memory(engine)
        self._queue: SimpleQueue[_Entry | None] = SimpleQueue()
        self._lock = Lock()
        self._closed = False
        self._thread = Thread(target=self._work, name="newsspider-writer", daemon=True)
        self._thread.start()

    def submit(self, job: Job[T]) -> Future[T]:
        """Have the job done; the future is filled after the commit, in the writer's thread."""
        future: Future[T] = Future()
        self._put(_Entry(job, future, None))
        return future

    async def run(self, job: Job[T]) -> T:
        """Have the job done and wait for its commit; a caller that is cancelled does not stop the job."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._put(_Entry(job, future, loop))
        return await future

    def close(self) -> None:
        """Do what was submitted, then end the thread; later jobs are refused."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _put(self, entry: _Entry) -> None:
        with self._lock:  # nothing may come after the end mark
            if not self._closed:
                self._queue.put(entry)
                return
        raise StoreFailed(self.failed or "the writer is closed")

    def _work(self) -> None:
        conn: Connection | None = None
        closing = False
        while not closing:
            entries, closing = self._next_batch()
            if not entries:
                continue
            try:
                if self.failed is None:
                    conn = self._write(conn, entries)
            except Exception as error:  # the fence of the thread: whatever it was, nobody may wait for ever
                logger.exception("the writer failed")
                self.failed = self.failed or f"the writer failed: {error!r}"
            if self.failed is not None:
                for entry in entries:
                    if not entry.done:
                        entry.error = entry.error or StoreFailed(self.failed)
            self._answer(entries)
        self._end(conn)

    def _next_batch(self) -> tuple[list[_Entry], bool]:
        entry = self._queue.get()
        if self.gather and self._queue.qsize() < self.batch:
            time.sleep(self.gather)  # pages that come meanwhile share the commit
        entries: list[_Entry] = []
        while entry is not None:
            entries.append(entry)
            if len(entries) == self.batch:
                return entries, False
            try:
                entry = self._queue.get_nowait()
            except Empty:
                return entries, False
        return entries, True

    def _write(self, conn: Connection | None, entries: list[_Entry]) -> Connection | None:
        try:
            return self._transact(conn, entries)
        except Exception as error:
            if self.failed is not None:
                return conn
            if len(entries) == 1:
                entries[0].error = error
                self.figures.failed_jobs += 1
                return None
        for entry in entries:
            conn = self._write(None, [entry])
            if self.failed is not None:
                break
        return conn

    def _transact(self, conn: Connection | None, entries: list[_Entry]) -> Connection:
        """Do the jobs in one transaction, again and again while the trouble passes; any other exception goes up."""
        pause, give_up_at = FIRST_PAUSE_SECONDS, time.monotonic() + self.patience
        while True:
            try:
                conn = conn or self._connect()
                with conn.begin():
                    self._memory.begin(conn)
                    for entry in entries:
                        entry.result = entry.job(conn)
                self._memory.recent.committed()
                for entry in entries:
                    entry.done = True
                self.figures.transactions += 1
                self.figures.jobs += len(entries)
                return conn
            except Exception as error:
                self._memory.recent.rolled_back()
                self._disconnect(conn)
                conn = None
                passing, broken = _verdict(error)
                if broken or (passing and time.monotonic() > give_up_at):
                    self.failed = f"the store cannot be written: {getattr(error, 'orig', error)}"
                    logger.error(self.failed)
                if not passing or self.failed is not None:
                    raise
            self.figures.retries += 1
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    def _connect(self) -> Connection:
        conn = self.engine.connect()
        self._memory.attach(conn)
        return conn

    def _disconnect(self, conn: Connection | None) -> None:
        if conn is not None and not conn.closed:
            with suppress(DBAPIError):
                if not conn.invalidated:
                    self._memory.detach(conn)
                conn.close()

    def _end(self, conn: Connection | None) -> None:
        if conn is not None and self.failed is None:
            with suppress(DBAPIError), conn.begin():
                self._memory.bodies.save(conn)
        self._disconnect(conn)

    def _answer(self, entries: list[_Entry]) -> None:
        now = time.monotonic()
        self.figures.longest_wait_seconds = max(self.figures.longest_wait_seconds, now - entries[0].since)
        loops: dict[asyncio.AbstractEventLoop, list[_Entry]] = {}
        for entry in entries:
            if entry.loop is None:
                if entry.future.set_running_or_notify_cancel():
                    _fill(entry)
            else:
                loops.setdefault(entry.loop, []).append(entry)
        for loop, answered in loops.items():
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(_fill_all, answered)


def _fill_all(entries: list[_Entry]) -> None:
    for entry in entries:
        if not entry.future.done():  # cancelled
            _fill(entry)


def _fill(entry: _Entry) -> None:
    if entry.error is not None:
        entry.future.set_exception(entry.error)
    else:
        entry.future.set_result(entry.result)


def _verdict(error: Exception) -> tuple[bool, bool]:
    """Whether this trouble passes by itself, and whether it breaks the store; neither: it is the job's own."""
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        return code in PASSING_SQLITE, code in BROKEN_SQLITE
    state = str(getattr(cause, "sqlstate", "") or "")
    return lost or state.startswith(PASSING_SQLSTATES), state.startswith(BROKEN_SQLSTATES)
