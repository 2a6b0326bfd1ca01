"""newsspider as its users have it: installed from the wheel in an environment of its own, in a project that it made."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.contract import forks
from tests.support.scrapyd import ROOT, clean_environment, copied_to

NOBODY = 65534


@dataclass(frozen=True)
class Installed:
    """The programs of an environment with newsspider, run as an ordinary user where that is possible."""

    home: Path
    user: list[str]  # words before a command that make its process that of an ordinary user
    forks: Path  # the socket of ``forks.py``

    @property
    def python(self) -> Path:
        """The Python of the environment."""
        return self.home / "venv/bin/python"

    def run(self, program: str, *arguments: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in a folder."""
        environment = clean_environment(self.home, **more)
        return subprocess.run(
            [*self.user, self.home / "venv/bin" / program, *arguments], cwd=folder, env=environment, capture_output=True,
            encoding="utf-8", timeout=300, check=False,
        )  # fmt: skip

    def fork(self, *words: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
        """Run the program ``newsspider`` of the environment, which has been imported already."""
        with tempfile.TemporaryFile("w+b") as out, tempfile.TemporaryFile("w+b") as err:
            process = Forked(self.forks, words, folder, clean_environment(self.home, **more), out.fileno(), err.fileno())
            try:
                code = process.wait(300)
            finally:
                process.kill()
            for file in (out, err):
                file.seek(0)
            return subprocess.CompletedProcess(words, code, out.read().decode(), err.read().decode())


class Forked:
    """A command that was forked in the environment of the wheel; used as a ``Popen``."""

    def __init__(self, forks: Path, words: Sequence[str], folder: Path, environment: Mapping[str, str], out: int, err: int) -> None:
        self.returncode: int | None = None
        self._answer = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._answer.connect(str(forks))
        command = {"words": ["newsspider", *words], "folder": str(folder), "environment": dict(environment)}
        with Path(os.devnull).open("rb") as nothing:
            socket.send_fds(self._answer, [json.dumps(command).encode()], [nothing.fileno(), out, err])
        self._pid = int(self._answer.recv(99))

    def wait(self, timeout: float | None) -> int:
        """The exit code, when it has ended."""
        if self.returncode is None:
            self._answer.settimeout(timeout)
            self.returncode = int(self._answer.recv(99))
            self._answer.close()
        return self.returncode

    def poll(self) -> int | None:
        """The exit code, if it has ended."""
        with suppress(BlockingIOError):
            self.wait(0)
        return self.returncode

    def terminate(self, number: int = signal.SIGTERM) -> None:
        """Send it a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self._pid, number)

    def kill(self) -> None:
        """Kill it, if it still runs, and wait for its end."""
        self.terminate(signal.SIGKILL)
        self.wait(30)


@contextmanager
def forking(installed: Installed) -> Iterator[None]:
    """``forks.py`` runs in the environment."""
    home = installed.home
    for file in (Path(forks.__file__), ROOT / "tests/support/warm.py"):
        shutil.copy(file, home)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(installed.forks))
        listener.listen()
        command = [*installed.user, installed.python, home / "forks.py", str(listener.fileno())]
        server = subprocess.Popen(command, stdin=subprocess.PIPE, cwd=home, env=clean_environment(home), pass_fds=[listener.fileno()])
    try:
        yield
    finally:
        server.communicate(timeout=60)


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with what ``make release`` builds, of a copy, since building writes beside the package."""
    copy = copied_to(tmp_path_factory.mktemp("built"))
    shutil.copytree(ROOT / "tests", copy / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([sys.executable, "-m", "build", "--no-isolation", copy], check=True, timeout=600, stdout=subprocess.DEVNULL)
    return copy / "dist"


@pytest.fixture(scope="session")
def wheel(release: Path) -> Path:
    """The wheel, which was built from the source archive."""
    (built,) = release.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path) -> Iterator[Installed]:
    """The wheel in a new environment; its requirements are those of this one."""
    with tempfile.TemporaryDirectory(prefix="newsspider-installed-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        home.chmod(0o755)
        venv.create(home / "venv", with_pip=False, symlinks=True)
        installed = Installed(home, ordinary_user(), home / "socket")
        pip = [sys.executable, "-m", "pip", "--python", installed.python, "install", "-q", "--no-deps", "--no-index", wheel]
        subprocess.run(pip, check=True, timeout=300)
        packages = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
        (site,) = (home / "venv/lib").glob("python*/site-packages")
        (site / "requirements.pth").write_text("\n".join(packages) + "\n", encoding="utf-8")
        (home / "empty").mkdir()
        if installed.user:
            os.chown(home / "empty", NOBODY, NOBODY)
        with forking(installed):
            yield installed


@pytest.fixture(scope="session")
def project(installed: Installed) -> Path:
    """The project that ``newsspider init`` made in an empty folder."""
    folder = installed.home / "empty"
    created = installed.run("newsspider", "init", "mywatch", folder=folder)
    assert created.returncode == 0, created.stderr
    return folder / "mywatch"


def ordinary_user() -> list[str]:
    """The words before a command that is run as an ordinary user; none, where nothing makes one.

    An interpreter in root's home can only be read by a user who may read all files; such a user writes no more than others.
    """
    if os.geteuid() != 0:
        return []
    plain = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    same = f"import sys, scrapy; sys.exit(sys.version != {sys.version!r})"
    for words in (plain, [*plain, "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]):
        with suppress(OSError):
            if not subprocess.run([*words, sys.executable, "-c", same], cwd="/", capture_output=True, check=False).returncode:
                return words
    return []
