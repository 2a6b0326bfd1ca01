"""A program of the environment of the wheel that has imported everything, and forks for each command that a socket brings.

:mod:`tests.support.warm` lies beside it: there are no tests in that environment.
"""

import json
import os
import select
import socket
import sys

LONGEST = 200_000  # bytes of a command with its environment
ENCODING = {"encoding": "utf-8", "closefd": False}


def main() -> None:
    """Fork for each command until standard input is closed."""
    import warm  # type: ignore[import-not-found]  # noqa: F401

    del sys.path[0]  # the folder of this file
    listener = socket.socket(fileno=int(sys.argv[1]))
    while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
        answer, _ = listener.accept()
        if not os.fork():
            listener.close()
            answered(answer)
            return
        answer.close()
        while os.waitpid(-1, os.WNOHANG)[0]:  # those that have ended
            pass


def answered(answer: socket.socket) -> None:
    """Run the command in a process of its own, and send its number, and then how it ended."""
    command, files, *_ = socket.recv_fds(answer, LONGEST, 3)
    pid = os.fork()
    if not pid:
        answer.close()
        run(files, **json.loads(command))
        return
    answer.send(str(pid).encode())
    _, status = os.waitpid(pid, 0)
    answer.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def run(files: list[int], words: list[str], folder: str, environment: dict[str, str]) -> None:
    """Run a command as if Python had just started."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for stream, file in enumerate(files):
        os.dup2(file, stream)
        os.close(file)
    sys.stdin = os.fdopen(0, errors="surrogateescape", **ENCODING)
    sys.stdout = os.fdopen(1, "w", **ENCODING)
    sys.stderr = os.fdopen(2, "w", errors="backslashreplace", **ENCODING)
    sys.argv = words
    sys.modules.pop("newsspider.settings", None)  # they read the environment
    from newsspider.cli import program

    program.main()


if __name__ == "__main__":
    main()
