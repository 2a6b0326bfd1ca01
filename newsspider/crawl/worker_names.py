"""Worker names, which show whether a worker of this machine is still alive."""

from __future__ import annotations

import os
import socket
import time

_STARTED = time.time_ns()  # a worker of this process began later


def worker_name() -> str:
    """A name for this process: host, process id and time."""
    return f"{socket.gethostname()}:{os.getpid()}:{time.time_ns()}"


def died_here(worker: str) -> bool:
    """Whether this worker was a process of this machine that no longer exists; this process may have its id now.

    On Windows other processes cannot be checked: the leases of a dead worker expire by themselves.
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
