"""Internal errors: which resource of the machine ran out, where an error came from, and when a crawl must stop.

An exception of the reader, a pipeline or the writer says nothing about the page at which it happened. If there are few,
their pages are tried again later (:func:`~newsspider.core.crawling.outcome.internal`). If there are many, on most
hosts, fetching further pages is useless.
"""

from __future__ import annotations

import errno
from collections import deque
from collections.abc import Collection, Iterator
from enum import StrEnum
from pathlib import PurePath

RECENT_PAGES = 500
FEWEST_ERRORS = 5  # a crawl goes on with up to this many errors among the recent pages,
SMALLEST_SHARE = 0.02  # or with up to this share of them
# Where there are fewer hosts, their own pages may be the cause: more must fail, for each bad page is tried twice.
ENOUGH_HOSTS = 3
ERRORS_OF_FEW_HOSTS = 40
SHARE_OF_FEW_HOSTS = 0.5
LONGEST_CHAIN = 20  # exceptions behind one exception


class ProxyUnreachableError(Exception):
    """The proxy of this crawl accepts no connection. No host is to blame, so no page is."""


class Shortage(StrEnum):
    """A resource of the machine that ran out, or is away."""

    FILES = "open files"
    THREADS = "threads"
    DISK = "disk"
    MEMORY = "memory"
    PROXY = "proxy"


# No page can use these up. A page alone can use up memory, and a proxy may be back soon.
AT_ONCE = frozenset({Shortage.FILES, Shortage.THREADS, Shortage.DISK})

_OF_ERRNO = {
    errno.EMFILE: Shortage.FILES,
    errno.ENFILE: Shortage.FILES,
    errno.ENOSPC: Shortage.DISK,
    errno.EDQUOT: Shortage.DISK,
    errno.ENOMEM: Shortage.MEMORY,
    errno.ENOBUFS: Shortage.MEMORY,
}
_NO_THREAD = "can't start new thread"  # as CPython says it
_SENTENCES = {
    Shortage.FILES: "the limit of open files{limit} is reached: raise it with `ulimit -n`",
    Shortage.THREADS: "no thread can be started: raise the limit of processes with `ulimit -u`, or free memory",
    Shortage.DISK: "a disk is full, or its quota is used up: make room",
    Shortage.MEMORY: "memory is used up: free some, or lower CONCURRENT_REQUESTS",
    Shortage.PROXY: "the proxy cannot be reached: start it, or name another in `http_proxy` and `https_proxy`",
}


def shortage_of(error: BaseException) -> Shortage | None:
    """The resource that ran out, as the exception or one behind it says; ``None`` if none did.

    >>> shortage_of(OSError(24, "Too many open files")), shortage_of(RuntimeError("can't start new thread"))
    (<Shortage.FILES: 'open files'>, <Shortage.THREADS: 'threads'>)
    >>> shortage_of(KeyError("x"))
    """
    return next((shortage for exception in _chain(error) if (shortage := _named(exception)) is not None), None)


def shortage_advice(shortage: Shortage, limit: int | None = None) -> str:
    """What ran out and what to do about it; ``limit`` is the process's limit of open files, if it has one.

    >>> shortage_advice(Shortage.FILES, 24)
    'the limit of open files (24) is reached: raise it with `ulimit -n`'
    """
    return _SENTENCES[shortage].format(limit="" if limit is None else f" ({limit})")


def place_of(error: BaseException) -> str:
    """The kind of an error: its type, and file and line where it was raised if that is known.

    >>> place_of(ZeroDivisionError("division by zero"))
    'ZeroDivisionError'
    """
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    name = type(error).__name__
    if last is None:
        return name
    # "<frozen importlib._bootstrap>" has no folder
    file = "/".join(PurePath(last.tb_frame.f_code.co_filename).parts[-2:])
    return f"{name} at {file}:{last.tb_lineno}"


def one_line(error: BaseException) -> str:
    """An error in one line: its type and what it says.

    >>> one_line(FileNotFoundError(2, "No such file", "t2s.json"))
    "FileNotFoundError: [Errno 2] No such file: 't2s.json'"
    """
    message = " ".join(str(error).encode("utf-8", "backslashreplace").decode().split())
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def outage_of(pages: Collection[tuple[str, bool]]) -> tuple[int, int] | None:
    """How many of how many pages failed because of an internal error, if the machine is the cause: more than a small
    share, on more than half of the hosts; with fewer than three hosts, more than 40 pages and more than half of them.
    ``pages`` are the last ones, each with its host and whether it failed."""
    failed = [host for host, is_failure in pages if is_failure]
    hosts = {host for host, _ in pages}
    many = len(hosts) >= ENOUGH_HOSTS
    fewest, share = (FEWEST_ERRORS, SMALLEST_SHARE) if many else (ERRORS_OF_FEW_HOSTS, SHARE_OF_FEW_HOSTS)
    few = len(failed) <= max(fewest, share * len(pages))
    return None if few or len(set(failed)) <= len(hosts) / 2 else (len(failed), len(pages))


def _named(error: BaseException) -> Shortage | None:
    if isinstance(error, MemoryError):
        return Shortage.MEMORY
    if isinstance(error, ProxyUnreachableError):
        return Shortage.PROXY
    if isinstance(error, OSError) and error.errno is not None:
        return _OF_ERRNO.get(error.errno)
    return Shortage.THREADS if isinstance(error, RuntimeError) and _NO_THREAD in str(error) else None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The exception, its causes and contexts, the nearest first."""
    waiting: deque[BaseException] = deque([error])
    visited: set[int] = set()
    while waiting and len(visited) < LONGEST_CHAIN:
        exception = waiting.popleft()
        if id(exception) in visited:
            continue
        visited.add(id(exception))
        yield exception
        behind = exception.exceptions if isinstance(exception, BaseExceptionGroup) else ()
        waiting.extend(other for other in (exception.__cause__, exception.__context__, *behind) if other is not None)


def forget_frames(error: BaseException) -> None:
    """Drop the tracebacks of a handled error and of its causes: their frames hold whole pages."""
    for exception in _chain(error):
        exception.__traceback__ = None
