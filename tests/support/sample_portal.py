"""A sample portal in a process of its own and plain requests to it, nothing hidden: no redirects, no retries."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Served:
    """What came back; ``status`` 0: the connection broke."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Portal:
    """A running portal."""

    base: str
    line: str
    process: subprocess.Popen[str]

    def get(self, url: str, timeout: float = 5.0, **headers: str) -> Served:
        """One request for an absolute URL, or for a path of the first site."""
        return self._ask("GET", url, b"", timeout, headers)

    def json(self, path: str) -> Any:
        """A control answer."""
        return json.loads(self.get(path, timeout=60).body)

    def post(self, path: str, **values: Any) -> Served:
        """A control request."""
        return self._ask("POST", path, json.dumps(values).encode(), 60, {})

    def _ask(self, method: str, url: str, body: bytes, timeout: float, headers: dict[str, str]) -> Served:
        parts = urlsplit(url if url.startswith("http") else self.base + url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(HTTPConnection(parts.hostname or "", parts.port, timeout=timeout)) as connection:
            try:
                connection.request(method, target, body, named)
                return _read(connection.getresponse())
            except ConnectionResetError:
                return Served(0, {}, b"")


def _read(answer: HTTPResponse) -> Served:
    headers = {name.lower(): value for name, value in answer.getheaders()}
    return Served(answer.status, headers, answer.read())


@contextmanager
def portal(*options: str) -> Iterator[Portal]:
    """A portal on a free port, ended by SIGTERM."""
    command = [sys.executable, "-m", "demo", "serve", "--port", "0", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            match = re.search(r"http://127\.0\.0\.1:\d+", line)
            assert match, line
            yield Portal(match[0], line, process)
        finally:
            process.terminate()
            assert process.wait(60) == 0
