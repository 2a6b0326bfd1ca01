"""The one thread that writes the store: many jobs in one transaction, each with its result once that is on disk.
``WRITER_...`` of ``settings.py`` set the size of a transaction, and how long it waits for pages and for the store."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Lock, RLock
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from newsspider.core.fetching.politeness import back_off
from newsspider.store.engine.batch import Attempt, GroupedJob, Job, OvertakingJob, QueuedJob, Trouble, Watch
from newsspider.store.engine.errors import StoreFailedError
from newsspider.store.engine.postgresql import end_if_idle, end_silent, limit_lock_waits, restore_connection
from newsspider.store.engine.watched_threads import Watchdog, start_thread
from newsspider.store.engine.writer_caches import Memory
from newsspider.store.tables.search import start_again

logger = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_PAUSE_SECONDS = 0.05
WRITER_CACHE = "PRAGMA cache_size = -8192"  # 8 MiB: keys are hashes, so pages of the tree are read at random
LONGEST_PAUSE_SECONDS = 5.0
LOOK_AGAIN_SECONDS = 0.1  # while waiting for the end of the thread


@dataclass(slots=True)
class WriterFigures:
    """The writer's counters."""

    transactions: int = 0
    jobs: int = 0
    failed_jobs: int = 0
    retries: int = 0
    longest_wait_seconds: float = 0.0  # of a job, from when it did not wait for others any more to its answer


class Writer:
    """Runs jobs in the order of submission, up to ``batch`` of them in one transaction. Neighbours that are
    :class:`~newsspider.store.engine.batch.GroupedJob` of one step run together; the first waits ``gather`` seconds.
    Those that may wait longer share one commit when the first of them must go, or with the next job that may not
    wait; only an :class:`~newsspider.store.engine.batch.OvertakingJob` goes before them.

    A job that raises fails alone: its batch is rolled back and every job gets a transaction of its own, so a job must
    be repeatable. A store that is locked or briefly unreachable is tried again with growing pauses, for up to
    ``patience`` seconds; after a deadlock no other writer runs beside the batch. If the answer to a commit got lost
    with the connection, the server is asked whether it succeeded. A damaged search index is emptied, and the batch
    tried again. On PostgreSQL waits for locks time out, and then idle transactions of other writers are ended.
    A store that is full or broken, does not answer for ``patience`` seconds, or does not respond when the writer has to
    :meth:`hurry`, ends the writer: waiting and later jobs get :exc:`StoreFailedError`. So does an error in the writer's
    own thread. :attr:`failed` says why; :attr:`trouble` says what keeps it waiting.
    """

    def __init__(self, engine: Engine, batch: int, patience: float, gather: float = 0.0) -> None:
        self.engine = engine
        self.batch = batch
        self.gather = gather
        self.patience = patience
        self.failed: str | None = None
        self.trouble = Trouble(patience)
        self.figures = WriterFigures()
        self._memory = Memory()
        self._queue: SimpleQueue[QueuedJob | None] = SimpleQueue()
        self._lock = Lock()
        self._answering = RLock()
        self._closed = False
        self._under_way: list[QueuedJob] = []
        self._patient: list[QueuedJob] = []  # memory: jobs that wait for others: ``batch``
        self._end_at = math.inf  # of the monotonic clock
        self._try_began_at = math.inf  # of the monotonic clock: when the present try of a transaction began
        self._thread = start_thread("newsspider-writer", self._work, died=self.abandon)
        self._watchdog = Watchdog(self)

    def submit(self, job: Job[T]) -> Future[T]:
        """Queue a job; its future is set after the commit, in the writer's thread."""
        future: Future[T] = Future()
        self._put(job, future)
        return future

    async def run(self, job: Job[T]) -> T:
        """Run a job and wait for its commit; cancelling the caller does not stop the job."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._put(job, future, loop)
        return await future

    async def run_watched(self, job: Job[T], watch: Watch) -> tuple[T, Any]:
        """The same; also returns what ``watch`` says that its transaction changed."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[tuple[T, Any]] = loop.create_future()
        self._put(job, future, loop, watch)
        return await future

    def close(self) -> None:
        """Run the submitted jobs, then end the thread; later jobs are refused."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        while self._thread.is_alive() and time.monotonic() < self._end_at:
            self._thread.join(LOOK_AGAIN_SECONDS)
        self._watchdog.stop()

    def measure_wait(self) -> float:
        """The seconds that the present try of a transaction has lasted, 0 between two; the longest wait of a job is
        brought up to date."""
        now = time.monotonic()
        self._note_wait(self._under_way, now)
        return max(0.0, now - self._try_began_at)

    def abandon(self, cause: str) -> None:
        """Fail all jobs, present and later, without waiting for the thread."""
        with self._lock:
            self._closed = True
            self.failed = self.failed or cause
        self._end_at = min(self._end_at, time.monotonic())
        self._fail_all()

    def hurry(self, seconds: float) -> None:
        """Fail present and later jobs that take longer than ``seconds``, even if the store does not respond."""
        self._end_at = min(self._end_at, time.monotonic() + seconds)
        start_thread("newsspider-writer-hurry", partial(self._give_up_after, seconds), died=self.abandon)

    def _give_up_after(self, seconds: float) -> None:
        Event().wait(seconds)
        with self._lock:
            if self._closed and not self._thread.is_alive():
                return
            if not self._under_way and not self._patient and self._queue.empty():  # everything is written
                if not self._closed:  # else the thread only returns its connection, and nobody waits longer for that
                    self._end_at = math.inf
                    self.hurry(seconds)
                return
            self._closed = True
            self.failed = self.failed or "the store took too long for a crawl that was told to stop"
        logger.warning(self.failed)
        self._fail_all()

    def _fail_all(self) -> None:
        """Answer every job that is not done."""
        unwritten = [*self._under_way, *self._patient]
        with suppress(Empty):
            while (entry := self._queue.get_nowait()) is not None:
                unwritten.append(entry)
        self._queue.put(None)
        self._fail(unwritten)
        if unwritten:  # else the last job was written just now
            self._answer(unwritten)

    def _fail(self, entries: Iterable[QueuedJob]) -> None:
        for entry in entries:
            if not entry.done:
                entry.error = entry.error or StoreFailedError(self.failed)

    def _put(
        self, job: Job[Any], future: Any, loop: asyncio.AbstractEventLoop | None = None, watch: Watch | None = None
    ) -> None:
        now = time.monotonic()
        entry = QueuedJob(job, future, loop, watch, now, now + (job.wait if isinstance(job, GroupedJob) else 0.0))
        with self._lock:  # nothing may come after the end mark
            if not self._closed:
                self._queue.put(entry)
                return
        raise StoreFailedError(self.failed or "the writer is closed")

    def _work(self) -> None:
        conn: Connection | None = None
        closing = False
        try:
            while not closing:
                closing = self._fill_batch()
                entries = self._under_way
                if entries and self.failed is None:
                    conn = self._write(conn, entries)
                if self.failed is not None:
                    self._fail(entries)
                self._under_way = []
                self._answer(entries)
        except BaseException:
            self._disconnect(conn, lost=True)  # at once: the waiting jobs are failed next
            raise
        self._disconnect(conn)

    def _fill_batch(self) -> bool:
        """Wait for jobs and take a batch of them; returns whether they are the last."""
        entry = self._first()
        if entry is not None:
            self._under_way = [entry]  # at once: whatever happens from here on, it is answered
        grouped = entry is not None and isinstance(entry.job, GroupedJob)
        pause = self.gather - (time.monotonic() - entry.since) if entry is not None and grouped else 0.0
        if pause > 0 and self._queue.qsize() < self.batch:
            time.sleep(pause)  # pages that come meanwhile share the commit
        while entry is not None and len(self._patient) + len(self._under_way) < self.batch:
            try:
                entry = self._queue.get_nowait()
            except Empty:
                break
            if entry is not None:
                self._under_way.append(entry)
        if entry is None or not all(isinstance(other.job, OvertakingJob) for other in self._under_way):
            self._under_way, self._patient = [*self._patient, *self._under_way], []
        return entry is None

    def _first(self) -> QueuedJob | None:
        """Wait for the next job that does not wait for others, or whose time is up; ``None`` for the last one."""
        while True:
            now = time.monotonic()
            due_at = min((entry.patient_until for entry in self._patient), default=math.inf)
            if due_at <= now or len(self._patient) >= self.batch:
                return self._patient.pop()
            try:
                entry = self._queue.get(timeout=None if due_at == math.inf else due_at - now)
            except Empty:
                continue
            if entry is None or entry.patient_until <= now:
                return entry
            self._patient.append(entry)

    def _write(self, conn: Connection | None, entries: list[QueuedJob]) -> Connection | None:
        try:
            return self._transact(conn, entries)
        except Exception as error:
            if self.failed is not None:
                return conn
            if len(entries) == 1:
                entries[0].error = error
                self.figures.failed_jobs += 1
                return None
        conn = None  # the failed transaction gave it back
        for entry in entries:
            conn = self._write(conn, [entry])
            if self.failed is not None:
                break
        return conn

    def _transact(self, conn: Connection | None, entries: list[QueuedJob]) -> Connection:
        """Run the jobs in one transaction, repeated while the problem passes; other exceptions are raised."""
        attempt, tries, patient_until = Attempt(entries), 0, math.inf
        self.trouble.since = time.monotonic()
        while True:
            self._try_began_at = time.monotonic()
            try:
                conn = conn or self._connect()
                if attempt.transaction is None or not attempt.was_committed(conn):
                    attempt.make(conn, self._memory)
                self._memory.committed()
                if self.trouble.cause is not None:
                    self.trouble.over()
                for entry in entries:
                    entry.done = True
                self.figures.transactions += 1
                self.figures.jobs += len(entries)
                return conn
            except Exception as error:
                self._memory.rolled_back()
                verdict = attempt.failed(error, self.engine.dialect.loaded_dbapi)
                self._disconnect(conn, lost=verdict.lost)
                conn = None
                if verdict.index:
                    self._empty_index(error)
                patient_until = min(patient_until, time.monotonic() + self.patience)
                if verdict.locked and time.monotonic() > patient_until:
                    logger.warning("the store waits for rows that somebody else has locked for %.0f s", self.patience)
                    patient_until = time.monotonic() + self.patience
                if verdict.broken or (verdict.passing and time.monotonic() > min(patient_until, self._end_at)):
                    self.failed = f"the store cannot be written: {getattr(error, 'orig', error)}"
                    logger.error(self.failed)
                if not verdict.passing or self.failed is not None:
                    raise
                self.trouble.note(error, verdict)
            finally:
                self._try_began_at = math.inf
            self.figures.retries += 1
            tries += 1
            pause = back_off(tries, FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
            time.sleep(max(0.0, min(pause, self._end_at - time.monotonic())))

    def _empty_index(self, cause: Exception) -> None:
        """No page may be lost because of the search index, which can be rebuilt."""
        with self.engine.begin() as conn:
            start_again(conn, 0)
            waiting = conn.exec_driver_sql("SELECT count(*) FROM articles").scalar()
        logger.error("the search index is damaged (%s), now empty: %d articles wait for scrapy reindex", cause, waiting)

    def _connect(self) -> Connection:
        conn = self.engine.connect()
        if conn.dialect.name == "postgresql":
            with conn.begin():
                end_if_idle(conn)
                limit_lock_waits(conn)
                end_silent(conn)
        else:
            file: Any = conn.connection.driver_connection
            file.execute(WRITER_CACHE).close()
        self._memory.attach(conn)
        return conn

    def _disconnect(self, conn: Connection | None, *, lost: bool = False) -> None:
        if conn is not None and not conn.closed:
            with suppress(DBAPIError):
                if lost and not conn.invalidated:
                    conn.invalidate()
                if not conn.invalidated:
                    self._memory.detach(conn)
                    restore_connection(conn)
                conn.close()

    def _note_wait(self, entries: Sequence[QueuedJob], now: float) -> None:
        longest = max((now - entry.patient_until for entry in entries), default=0.0)
        self.figures.longest_wait_seconds = max(self.figures.longest_wait_seconds, longest)

    def _answer(self, entries: list[QueuedJob]) -> None:
        now = time.monotonic()
        self._note_wait(entries, now)
        loops: dict[asyncio.AbstractEventLoop, list[QueuedJob]] = {}
        for entry in entries:
            if entry.loop is None:
                with self._answering:  # if the writer gave up, another thread may have answered it, or do so now
                    if not entry.future.done() and entry.future.set_running_or_notify_cancel():
                        _fill_all([entry])
            else:
                loops.setdefault(entry.loop, []).append(entry)
        for loop, answered in loops.items():
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(_fill_all, answered)


def _fill_all(entries: list[QueuedJob]) -> None:
    """Set the results of the futures; called in the thread that waits, or before it waits."""
    for entry in entries:
        if entry.future.done():  # cancelled
            continue
        if entry.error is not None:
            entry.future.set_exception(entry.error)
        else:
            entry.future.set_result(entry.result)
