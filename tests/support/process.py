"""``scrapy`` as a process that starts at once: forked from one that has imported everything already."""

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path

ROOT = Path(__file__).parents[2]
Program = Callable[[Sequence[str]], None]

_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(["tests.support.warm", __name__])


def scrapy(arguments: Sequence[str]) -> None:
    """Run a ``scrapy`` command in this process."""
    from scrapy.cmdline import execute

    execute(["scrapy", *arguments])


class Process:
    """A ``scrapy`` command, or another program, that runs; its standard error, or all its output, goes to a log. Used as a ``Popen``."""

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str], log: Path, out: Path | None = None, stdin: Path | None = None,
        program: Program = scrapy,
    ) -> None:  # fmt: skip
        self.arguments = list(arguments)
        self._process: ForkServerProcess = _forks.Process(
            target=_run, args=(program, self.arguments, dict(environment), out or log, log, stdin or Path(os.devnull)), daemon=True
        )
        self._process.start()

    @property
    def pid(self) -> int:
        """The number of the process."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, if it has ended."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """The same."""
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, when it has ended; :exc:`subprocess.TimeoutExpired` if it still runs after so many seconds."""
        self._process.join(timeout)
        if self.returncode is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired(self.arguments, timeout)
        return self.returncode

    def kill(self) -> None:
        """Kill it, if it still runs, and wait for its end."""
        if self.poll() is None:
            self.send_signal(signal.SIGKILL)
            self._process.join(30)


def completed(
    arguments: Sequence[str], environment: Mapping[str, str], timeout: float, program: Program = scrapy
) -> subprocess.CompletedProcess[str]:
    """A ``scrapy`` command, or another program, that has run to its end."""
    done = answered(arguments, environment, timeout, program=program)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def answered(
    arguments: Sequence[str], environment: Mapping[str, str], timeout: float, stdin: bytes = b"", program: Program = scrapy
) -> subprocess.CompletedProcess[bytes]:
    """The same in bytes, with something on its standard input."""
    with tempfile.TemporaryDirectory(prefix="newsspider-said-") as folder:
        out, log, standard_input = (Path(folder) / name for name in ("out", "log", "in"))
        standard_input.write_bytes(stdin)
        process = Process(arguments, environment, log, out, standard_input, program)
        try:
            code = process.wait(timeout)
        finally:
            process.kill()
        return subprocess.CompletedProcess(process.arguments, code, out.read_bytes(), log.read_bytes())


def with_an_ascii_locale(*arguments: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A ``scrapy`` command in a new process, which may not expect UTF-8."""
    ascii_only = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "scrapy", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | ascii_only | environment, input=stdin.encode(), capture_output=True, check=False
    )


def in_warm_process(
    command: Sequence[str], *, input: bytes, timeout: float, **_: object  # noqa: A002, as subprocess.run names it
) -> subprocess.CompletedProcess[bytes]:
    """What ``subprocess.run`` does for ``python -c CODE``, without the seconds that a new interpreter takes to import everything."""
    done = answered(command[-1:], os.environ, timeout, input, _python)
    done.check_returncode()
    return done


def _python(code: Sequence[str]) -> None:
    exec(code[0], {})


def _run(program: Program, arguments: list[str], environment: dict[str, str], out: Path, log: Path, stdin: Path) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    for stream, path in ((1, out), (2, log)):
        with path.open("ab") as file:
            os.dup2(file.fileno(), stream)
    with stdin.open("rb") as file:
        os.dup2(file.fileno(), 0)
    sys.stdin = os.fdopen(0, encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.modules.pop("newsspider.settings", None)  # they read the environment, which is another one now
    program(arguments)
