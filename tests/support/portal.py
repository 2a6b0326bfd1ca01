"""The sample portal and whole crawls of it, as processes of their own."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from tests.support.process import ROOT, Process, completed

__all__ = ["ROOT"]


@dataclass
class Portal:
    """A running sample portal."""

    base: str
    sites: Path
    process: subprocess.Popen[str] = field(repr=False)
    line: str  # what it said at its start

    def get(self, path: str) -> Any:
        """A control answer of the portal."""
        with urllib.request.urlopen(self.base + path, timeout=60) as answer:
            return json.load(answer)

    def post(self, path: str, body: dict[str, Any] | None = None) -> None:
        """A control request."""
        data = json.dumps(body or {}).encode()
        urllib.request.urlopen(urllib.request.Request(self.base + path, data=data, method="POST"), timeout=60).close()

    def hits(self) -> list[dict[str, Any]]:
        """What was asked for so far, without the control requests."""
        return [hit for hit in self.get("/__hits__") if not hit["path"].startswith("/__")]


@contextmanager
def portal(folder: Path, *options: str) -> Iterator[Portal]:
    """Start a portal on a free port; its site files lie in ``folder/sites``."""
    sites = folder / "sites"
    command = [sys.executable, "-m", "demo", "serve", "--port", "0", "--sites-dir", str(sites), *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            match = re.search(r"http://[\d.]+:\d+", line)
            assert match, line
            yield Portal(match[0], sites, process, line)
        finally:
            process.terminate()


def command(*arguments: str) -> list[str]:
    """A ``scrapy`` command line with this Python."""
    return [sys.executable, "-m", "scrapy", *arguments]


Database = Path | str  # a file of SQLite, or the URL of a database on PostgreSQL


def environment(database: Database) -> dict[str, str]:
    """The environment of a crawl into this database."""
    return {**os.environ, "NEWSSPIDER_DATABASE_URL": database if isinstance(database, str) else f"sqlite:///{database}"}


def scrapy(database: Database, *arguments: str, timeout: float = 240) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return completed(arguments, environment(database), timeout)


def cold(database: Database, *arguments: str, timeout: float = 240) -> subprocess.CompletedProcess[str]:
    """The same in a process that starts from nothing, as a user's does."""
    return subprocess.run(
        command(*arguments), cwd=ROOT, env=environment(database), capture_output=True, text=True, encoding="utf-8",
        timeout=timeout, check=False,
    )  # fmt: skip


def start(database: Database, *arguments: str, log: Path) -> Process:
    """Start a command and go on; its log goes to a file."""
    return Process(arguments, environment(database), log)


def stop(process: Process, number: int = signal.SIGTERM, timeout: float = 240) -> int:
    """Send a signal and wait for the end; the exit code."""
    process.send_signal(number)
    return process.wait(timeout)


def rows(database: Database, query: str) -> list[tuple[Any, ...]]:
    """The rows that a query of the store returns."""
    if isinstance(database, str):
        try:
            return _connection(database).execute(query.encode()).fetchall()
        except psycopg.OperationalError:  # the server was restarted since
            _connections.pop(database, None)
            return _connection(database).execute(query.encode()).fetchall()
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30) as conn:
        return conn.execute(query).fetchall()


_connections: dict[str, psycopg.Connection[Any]] = {}


def _connection(database: str) -> psycopg.Connection[Any]:
    """One for each database, kept: each new one costs the server a process, and tests look many times a second."""
    if database not in _connections:
        _connections[database] = psycopg.connect(database, autocommit=True)
    return _connections[database]


def exported(database: Database) -> list[dict[str, Any]]:
    """The stored articles."""
    done = scrapy(database, "export")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


class Known(NamedTuple):
    """The key of a URL, that of the page that led to it, and whether the words of its link spared the request."""

    key: int
    parent: int | None
    spared: bool


def known_urls(store: Database) -> dict[str, Known]:
    """The URLs of a store."""
    url_rows = rows(store, "SELECT url, key, parent, reason = 'off_topic' AND fetch_count = 0 FROM urls")
    return {url: Known(key, parent, bool(spared)) for url, key, parent, spared in url_rows}


def lost(ours: dict[str, Known], theirs: dict[str, Known]) -> set[str]:
    """What one store knows and another one does not, but for what a page led to that was not asked for there: which article off topic
    is read first, and spares those that read like it, is not the same in two crawls."""
    spared = {page.key for page in theirs.values() if page.spared}
    return {url for url in ours.keys() - theirs.keys() if ours[url].parent not in spared}
