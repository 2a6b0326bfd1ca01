"""A real scrapyd service in a directory of its own, and its API as a client sees it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sysconfig
import threading
import time
import urllib.parse
import urllib.request
import venv
from collections.abc import Iterator
from configparser import ConfigParser
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.portal import Portal, portal
from tests.support.servers import free_port

ROOT = Path(__file__).parents[2]
PROJECT = "newsspider"
START_SECONDS = 240.0
POLL_SECONDS = 0.2

ENDED = re.compile(r"Process (?:finished:|died: exitstatus=(\w+)) .*job='([^']+)'")  # what scrapyd prints, the exit code if it is not 0
NO_PROXY = urllib.request.build_opener(urllib.request.ProxyHandler({}))
OURS = ("NEWSSPIDER_", "SCRAPY", "PYTHON", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "REQUESTS_")


@dataclass(frozen=True, slots=True)
class Ended:
    """A finished job: its exit code (``None`` after a signal that it did not catch) and its log."""

    exit_code: int | None
    log: str


def clean_environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of this process without what steers Scrapy, Python, proxies or newsspider."""
    inherited = {name: value for name, value in os.environ.items() if not name.upper().startswith(OURS)}
    return inherited | {"HOME": str(home), "NO_PROXY": "*"} | more


def python_without_newsspider(folder: Path) -> tuple[Path, dict[str, str]]:
    """A Python that has the requirements but not newsspider, so that only an egg can bring it; and its environment.

    An editable install works through a ``.pth`` file: Python reads it in its own site-packages, not on ``PYTHONPATH``.
    """
    venv.create(folder / "venv", with_pip=False, symlinks=True)
    packages = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    python = folder / "venv/bin/python"
    environment = clean_environment(folder, PYTHONPATH=os.pathsep.join(sorted(packages)))
    tried = subprocess.run(
        [python, "-c", "import newsspider"], env=environment, cwd=folder, capture_output=True, check=False
    )
    assert b"No module named 'newsspider'" in tried.stderr, "newsspider is installed here other than by pip install -e"
    return python, environment


class Scrapyd:
    """scrapyd, started with ``deploy/scrapyd.conf`` and other ``options`` on a free port of the loopback address, in the folder given."""

    def __init__(self, folder: Path, **options: str) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.python, environment = python_without_newsspider(folder)
        self.port = free_port()
        self.environment = environment | {
            "SCRAPYD_HTTP_PORT": str(self.port), "NEWSSPIDER_DATA_DIR": str(self.data), "PYTHONUNBUFFERED": "1",
            "NEWSSPIDER_ALLOWED_ADDRESSES": "127.0.0.0/8",
        }  # fmt: skip
        config = ConfigParser()
        config.read(ROOT / "deploy/scrapyd.conf", encoding="utf-8")
        config["scrapyd"].update(options)
        with (folder / "scrapyd.conf").open("w", encoding="utf-8") as file:
            config.write(file)
        self.output: list[str] = []
        self._started = threading.Event()
        self._ended = threading.Event()
        self.process = subprocess.Popen(
            [self.python, "-m", "scrapyd"], cwd=folder, env=self.environment, text=True, encoding="utf-8",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read_output, daemon=True)
        self._reader.start()
        if not self._started.wait(START_SECONDS) or self._ended.is_set():
            self.close()
            raise AssertionError("scrapyd did not start:\n" + "".join(self.output))

    @property
    def url(self) -> str:
        """Where the service answers."""
        return f"http://127.0.0.1:{self.port}/"

    def get(self, name: str, **query: str) -> dict[str, Any]:
        """What ``NAME.json`` answers to a GET."""
        return self._ask(f"{name}.json?{urllib.parse.urlencode(query)}", None)

    def post(self, name: str, **form: str | list[str]) -> dict[str, Any]:
        """What ``NAME.json`` answers to a POST, as ``curl -d`` sends it."""
        return self._ask(f"{name}.json", urllib.parse.urlencode(form, doseq=True).encode())

    def schedule(self, **form: str) -> str:
        """Schedule ``education`` with these arguments and give the job's id."""
        answer = self.post("schedule", project=PROJECT, spider="education", **form)
        assert answer["status"] == "ok", answer
        return str(answer["jobid"])

    def wait(self, job: str, seconds: float = 300.0, spider: str = "education") -> Ended:
        """Wait until the job is finished and the service has said how."""
        deadline = time.monotonic() + seconds
        while self.state(job) != "finished" or (ended := self._end_of(job)) is None:
            assert time.monotonic() < deadline, f"job {job} runs too long:\n{self.log(job)[-4000:]}"
            assert not self._ended.wait(POLL_SECONDS), "scrapyd ended:\n" + "".join(self.output)
        code = ended[1] or "0"
        return Ended(None if code == "None" else int(code), self.log(job, spider))

    def _end_of(self, job: str) -> re.Match[str] | None:
        return next((line for line in map(ENDED.search, self.output) if line and line[2] == job), None)

    def state(self, job: str) -> str | None:
        """``pending``, ``running`` or ``finished``, by ``listjobs.json``."""
        jobs = self.get("listjobs", project=PROJECT)
        return next((s for s in ("pending", "running", "finished") if any(entry["id"] == job for entry in jobs[s])), None)

    def log(self, job: str, spider: str = "education") -> str:
        """The job's log so far, as the service serves it."""
        path = self.folder / "logs" / PROJECT / spider / f"{job}.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the deployed egg, as ``scrapy`` would in a project."""
        environment = self.environment | {"SCRAPY_PROJECT": PROJECT}
        return subprocess.run(
            [self.python, "-m", "scrapyd.runner", *arguments], cwd=self.folder, env=environment,
            capture_output=True, text=True, encoding="utf-8", timeout=300, check=False,
        )  # fmt: skip

    def close(self) -> None:
        """Stop the service and what it still runs."""
        if not self._ended.is_set():
            for job in self.get("listjobs")["running"]:
                os.kill(job["pid"], signal.SIGKILL)
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(5)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def _ask(self, path: str, body: bytes | None) -> dict[str, Any]:
        with NO_PROXY.open(self.url + path, body, timeout=240) as answer:
            reply: dict[str, Any] = json.load(answer)
        return reply

    def _read_output(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.output.append(line)
            if f"starting on {self.port}" in line:
                self._started.set()
        self._ended.set()
        self._started.set()


ARTICLES = 60


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[Portal]:
    """The portal without failing pages; each answer takes a moment, so that there are always pages on their way."""
    with portal(tmp_path, "--plain", "--articles", str(ARTICLES), "--latency", "50") as started:
        yield started


PACKED = ("setup.py", "pyproject.toml", "scrapy.cfg", "requirements.txt", "README.md", "LICENSE", "MANIFEST.in", "docs/NOTICE")


def copied_to(copy: Path) -> Path:
    """Copy what is packed of the project to a folder, without what Python and editors leave behind."""
    for name in PACKED:
        (copy / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    shutil.copytree(ROOT / "newsspider", copy / "newsspider", ignore=shutil.ignore_patterns("__pycache__", ".*", "*~"))
    return copy
