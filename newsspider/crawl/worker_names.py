"""The names of workers, which say whether one of this machine is still alive."""

from __future__ import annotations

import os
import socket
import time

_STARTED = time.time_ns()  # a worker of this process began later


def worker_name() -> str:
    """A name for this process: host, process and moment."""
    return f"{socket.gethostname()}:{os.getpid()}:{time.time_ns()}"


def died_here(worker: str) -> bool:
    """Whether this worker's name says that it was a process of this machine, and there is none of that number but
    this one, begun since.

    On Windows no other process can be asked: the leases of a dead worker wait for their end.
    """
    name, _, moment = worker.rpartition(":")
    host, _, rest = name.rpartition(":")
    if host != socket.gethostname() or not rest.isdigit():
        return False
    if os.name == "posix":  # elsewhere signal 0 is Ctrl-C
        try:
            os.kill(int(rest), 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
    return int(rest) == os.getpid() and moment.isdigit() and int(moment) < _STARTED
