"""The one thread that writes the store: jobs of many pages in one transaction, each job's answer when it is on disk."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Lock, RLock, Thread, Timer
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from newsspider.store.cache.recent import Memory
from newsspider.store.engine.batch import Attempt, Entry, Job, Together
from newsspider.store.engine.postgresql import end_if_idle, end_silent, limit_lock_waits, restore
from newsspider.store.engine.trouble import Trouble
from newsspider.store.ledger import queues
from newsspider.store.tables.search import start_again

if TYPE_CHECKING:
    from newsspider.store.cache.fleet_keys import SharedKeys

logger = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_PAUSE_SECONDS = 0.05
WRITER_CACHE = "PRAGMA cache_size = -8192"  # 8 MiB: keys are hashes, so pages of the tree are met at random
LONGEST_PAUSE_SECONDS = 5.0
LOOK_AGAIN_SECONDS = 0.1  # while the end is waited for


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


class Writer:
    """Runs jobs in the order of submission, up to ``batch`` of them in one transaction. Neighbours that are
    :class:`~newsspider.store.engine.batch.Together` of one step are done in one go; the first waits ``gather`` seconds.

    A job that raises takes nothing along: its batch is rolled back and every job gets a transaction of its own, so
    a job must be repeatable. A store that is locked or briefly away is tried again with growing pauses, for up to
    ``patience`` seconds; after a deadlock the batch is alone. A commit whose answer got lost with the connection is
    asked for, not made twice. A search index that is damaged is emptied, and the batch tried again. On PostgreSQL a
    wait for a lock is broken off now and then, to end silent transactions of other writers. A store that is full or
    broken ends it: :attr:`failed` says why, all waiting and later jobs get :exc:`StoreFailed`, nothing hangs. Nor does
    it for a silent one, once the writer has to :meth:`hurry`. :attr:`trouble` says what keeps it waiting.
    """

    def __init__(self, engine: Engine, batch: int, patience: float, gather: float = 0.0) -> None:
        self.engine = engine
        self.batch = batch
        self.gather = gather
        self.patience = patience
        self.failed: str | None = None
        self.trouble = Trouble(patience)
        self.figures = Figures()
        self._memory = Memory()
        self._queue: SimpleQueue[Entry | None] = SimpleQueue()
        self._lock = Lock()
        self._answering = RLock()
        self._closed = False
        self._under_way: list[Entry] = []
        self._end_at = math.inf  # of the monotonic clock
        self._thread = Thread(target=self._work, name="newsspider-writer", daemon=True)
        self._thread.start()

    def submit(self, job: Job[T]) -> Future[T]:
        """Have the job done; the future is filled after the commit, in the writer's thread."""
        future: Future[T] = Future()
        self._put(Entry(job, future))
        return future

    async def run(self, job: Job[T]) -> T:
        """Have the job done and wait for its commit; a caller that is cancelled does not stop the job."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._put(Entry(job, future, loop))
        return await future

    async def run_noting(self, job: Job[T]) -> tuple[T, Sequence[queues.QueueRow]]:
        """The same; also the rows of ``queues``, as they were committed, of the hosts that its transaction changed."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[tuple[T, Sequence[queues.QueueRow]]] = loop.create_future()
        self._put(Entry(job, future, loop, noting=True))
        return await future

    def share(self, keys: SharedKeys) -> None:
        """Ask these for URLs that are known before the ledger is asked, and tell them what is; before the first job."""
        self._memory.shared = keys

    def close(self) -> None:
        """Do what was submitted, then end the thread; later jobs are refused."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        while self._thread.is_alive() and time.monotonic() < self._end_at:
            self._thread.join(LOOK_AGAIN_SECONDS)

    def hurry(self, seconds: float) -> None:
        """Fail what is not written in so many seconds, even if the store says nothing; what comes later has as many."""
        self._end_at = min(self._end_at, time.monotonic() + seconds)
        timer = Timer(seconds, self._give_up, [seconds])
        timer.daemon = True
        timer.start()

    def _give_up(self, seconds: float) -> None:
        with self._lock:
            if self._closed and not self._thread.is_alive():
                return
            if not self._under_way and self._queue.empty():  # the store did all that it was asked to do
                if not self._closed:  # else the thread only gives its connection back: nobody waits longer for that
                    self._end_at = math.inf
                    self.hurry(seconds)
                return
            self._closed = True
            self.failed = self.failed or "the store took too long for a crawl that was told to stop"
        logger.warning(self.failed)
        left = list(self._under_way)
        with suppress(Empty):
            while (entry := self._queue.get_nowait()) is not None:
                left.append(entry)
        self._queue.put(None)
        self._fail(left)
        if left:  # else the last job was done just now
            self._answer(left)

    def _fail(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            if not entry.done:
                entry.error = entry.error or StoreFailed(self.failed)

    def _put(self, entry: Entry) -> None:
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
            self._under_way = entries
            try:
                if self.failed is None:
                    conn = self._write(conn, entries)
            except BaseException as error:  # the fence of the thread: whatever it was, nobody may wait for ever
                logger.exception("the writer failed")
                self.failed = self.failed or f"the writer failed: {error!r}"
            if self.failed is not None:
                self._fail(entries)
            self._under_way = []
            self._answer(entries)
        self._disconnect(conn)
        if self._memory.shared is not None:
            self._memory.shared.close()

    def _next_batch(self) -> tuple[list[Entry], bool]:
        entry = self._queue.get()
        gathers = entry is not None and isinstance(entry.job, Together)
        left = self.gather - (time.monotonic() - entry.since) if entry is not None and gathers else 0.0
        if left > 0 and self._queue.qsize() < self.batch:
            time.sleep(left)  # pages that come meanwhile share the commit
        entries: list[Entry] = []
        while entry is not None:
            entries.append(entry)
            if len(entries) == self.batch:
                return entries, False
            try:
                entry = self._queue.get_nowait()
            except Empty:
                return entries, False
        return entries, True

    def _write(self, conn: Connection | None, entries: list[Entry]) -> Connection | None:
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

    def _transact(self, conn: Connection | None, entries: list[Entry]) -> Connection:
        """Do the jobs in one transaction, again and again while the trouble passes; any other exception goes up."""
        attempt, pause, patient_until = Attempt(entries), FIRST_PAUSE_SECONDS, time.monotonic() + self.patience
        self.trouble.begin()
        while True:
            try:
                conn = conn or self._connect()
                if not attempt.was_committed(conn):
                    attempt.make(conn, self._memory)
                self._memory.committed()
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
                if verdict.locked and time.monotonic() > patient_until:
                    logger.warning("the store waits for rows that somebody else has locked for %.0f s", self.patience)
                    patient_until = time.monotonic() + self.patience
                if verdict.broken or (verdict.passing and time.monotonic() > min(patient_until, self._end_at)):
                    self.failed = f"the store cannot be written: {getattr(error, 'orig', error)}"
                    logger.error(self.failed)
                if not verdict.passing or self.failed is not None:
                    raise
                self.trouble.note(error, verdict)
            self.figures.retries += 1
            time.sleep(max(0.0, min(pause, self._end_at - time.monotonic())))
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    def _empty_index(self, cause: Exception) -> None:
        """No page may be lost for the search index, which can be made again."""
        with self.engine.begin() as conn:
            start_again(conn, 0)
            waiting = conn.execute(text("SELECT count(*) FROM articles")).scalar()
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
                    restore(conn)
                conn.close()

    def _answer(self, entries: list[Entry]) -> None:
        now = time.monotonic()
        self.figures.longest_wait_seconds = max(self.figures.longest_wait_seconds, now - entries[0].since)
        loops: dict[asyncio.AbstractEventLoop, list[Entry]] = {}
        for entry in entries:
            if entry.loop is None:
                with self._answering:  # when the writer gave up, another thread answered it, or does just now
                    if not entry.future.done() and entry.future.set_running_or_notify_cancel():
                        entry.fill()
            else:
                loops.setdefault(entry.loop, []).append(entry)
        for loop, answered in loops.items():
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(_fill_all, answered)


def _fill_all(entries: list[Entry]) -> None:
    for entry in entries:
        if not entry.future.done():  # cancelled
            entry.fill()
