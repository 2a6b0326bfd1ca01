"""Reads many article pages in several processes; a page that ends its process costs only itself."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from datetime import datetime
from functools import partial
from multiprocessing import get_context
from operator import length_hint

from newsspider.core.model import NO_RULES, ArticleRules
from newsspider.library.articles import UnreadPage, read_or_error
from newsspider.library.progress_bar import progress_bar
from newsspider.library.records import ArticleRecord
from newsspider.store.engine.clock import Clock

PAGES_AHEAD = 4  # pages a process that are read or wait: memory stays flat, however many there are

Page = tuple[bytes, str] | tuple[bytes, str, str | None]
Record = ArticleRecord | UnreadPage


def read_articles(
    pages: Iterable[Page],
    *,
    processes: int | None = None,
    progress: bool = True,
    now: datetime | None = None,
    rules: ArticleRules = NO_RULES,
) -> Iterator[Record]:
    """Read pages, each ``(body, url)`` or ``(body, url, content_type)``, in several processes; records in their order.

    A page that cannot be read gives ``{"url": ..., "error": ...}`` in its place, also one that ends its process.
    ``processes`` are by default as many as there are processors; 1 reads in this process, where a page that ends its
    process ends yours. ``progress`` shows a bar on standard error for pages whose number is known. ``now`` and
    ``rules`` are those of :func:`newsspider.read_article`. In a script, call it below ``if __name__ == "__main__":``,
    for each process imports the script.

    >>> pages = [(b"<h1>", "ftp://example.cn/")]
    >>> list(read_articles(pages, processes=1, progress=False))
    [{'url': 'ftp://example.cn/', 'error': 'not an http or https URL'}]
    """
    count = processes if processes is not None else getattr(os, "process_cpu_count", os.cpu_count)() or 1
    if count < 1:
        raise ValueError(f"processes={processes}: say a number above 0")
    read = partial(_read, now=now or Clock().utc(), rules=rules)
    records = map(read, pages) if count == 1 else _Pool(count, read).records(pages)
    return _shown(records, length_hint(pages) if progress else 0)


def _shown(records: Iterator[Record], total: int) -> Iterator[Record]:
    with progress_bar(sys.stderr, total) as bar:
        for record in records:
            bar.update()
            yield record


def _read(page: Page, now: datetime, rules: ArticleRules) -> Record:
    """The record of one page; an error of ours over it is the page's."""
    try:
        return read_or_error(*page, now=now, rules=rules)
    except Exception as error:
        return {"url": str(page[1]), "error": f"an error of newsspider: {type(error).__name__}: {error}"}


class _Pool:
    """Processes that read pages; where one ends, all begin again, and the page that was next is read alone."""

    def __init__(self, processes: int, read: partial[Record]) -> None:
        self.processes = processes
        self.read = read
        self.executor: ProcessPoolExecutor | None = None

    def records(self, pages: Iterable[Page]) -> Iterator[Record]:
        """The records of the pages, in their order."""
        waiting: deque[tuple[Page, Future[Record]]] = deque()
        try:
            for page in pages:
                waiting.append((page, self._submit(page)))
                if len(waiting) == PAGES_AHEAD * self.processes:
                    yield self._first(waiting)
            while waiting:
                yield self._first(waiting)
        finally:
            self._stop()

    def _first(self, waiting: deque[tuple[Page, Future[Record]]]) -> Record:
        page, future = waiting.popleft()
        try:
            return future.result()
        except BrokenProcessPool:
            record = self._alone(page)
        for place, (other, future) in enumerate(waiting):
            if future.cancelled() or (future.done() and future.exception() is not None):
                waiting[place] = other, self._submit(other)
        return record

    def _alone(self, page: Page) -> Record:
        self._stop()
        try:
            return self._submit(page).result()
        except BrokenProcessPool:
            self._stop()
            return {"url": str(page[1]), "error": "its process ended while it was read"}

    def _submit(self, page: Page) -> Future[Record]:
        if self.executor is None:
            self.executor = self._started()
        try:
            return self.executor.submit(self.read, page)
        except BrokenProcessPool as error:  # known before the result of an earlier page was asked for
            future: Future[Record] = Future()
            future.set_exception(error)
            return future

    def _started(self) -> ProcessPoolExecutor:
        """Processes that are known to start."""
        executor = ProcessPoolExecutor(self.processes, get_context("spawn"))  # a fork copies locks of other threads
        try:
            executor.submit(int).result()
        except BrokenProcessPool:
            raise RuntimeError(
                'processes do not start; in a script, call read_articles() below `if __name__ == "__main__":`'
            ) from None
        return executor

    def _stop(self) -> None:
        if self.executor is not None:
            self.executor.shutdown(cancel_futures=True)
            self.executor = None
