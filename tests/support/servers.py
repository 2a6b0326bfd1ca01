"""Real PostgreSQL and Redis servers for tests and benchmarks: free loopback ports, temporary folders, gone at the end.

What is missing on the machine is installed with apt; where that cannot be done, the error says so and nothing is skipped.
"""

import fcntl
import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest
from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy import Engine

from newsspider.store.engine.database import open_store

MIGRATED = "migrated"  # an empty store: a copy is made in a tenth of the time
HOST = "127.0.0.1"
ADMIN = "newsspider"
UNPRIVILEGED = "postgres"  # the user of Debian's package; PostgreSQL refuses to run as root
START_SECONDS = 240
SETTINGS = {
    "listen_addresses": HOST,
    "max_connections": 100,
    "shared_buffers": "128MB",
    "autovacuum_naptime": "5s",
    "log_lock_waits": "on",
    "synchronous_commit": "on",  # the log is written before an answer, so that killed processes lose nothing
}
_databases = itertools.cycle(range(1, 15))  # of Redis
UNSYNCED = {
    "fsync": "off", "full_page_writes": "off",  # only a machine that loses its power would lose something
    "autovacuum": "off",  # what it has seen of a table decides between plans of equal cost
}  # fmt: skip


class Postgres:
    """A PostgreSQL server; ``fsync`` makes it as safe, and as slow, as in production."""

    def __init__(self, folder: Path, *, fsync: bool = False) -> None:
        self.folder, self.data = folder, folder / "data"
        self._bin = _postgresql_programs()
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:
            self._user = {"user": UNPRIVILEGED, "group": UNPRIVILEGED, "extra_groups": []}
            shutil.chown(folder, UNPRIVILEGED, UNPRIVILEGED)
        self._run("initdb", "--username", ADMIN, "--auth", "trust", "--encoding", "UTF8", "--no-locale", "--no-sync")
        self.port = free_port()  # late: it is nobody's until the server has started
        settings = SETTINGS | {"port": self.port, "unix_socket_directories": folder} | ({} if fsync else UNSYNCED)
        with (self.data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._run("pg_ctl", "--wait", "--timeout", str(START_SECONDS), "--log", str(self.folder / "log"), "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stop it; ``immediate`` is as if it had been killed."""
        self._run("pg_ctl", "--wait", "--mode", mode, "stop")

    def restart(self, mode: str = "immediate") -> None:
        """Stop it and start it again."""
        self.stop(mode)
        self.start()

    def freeze(self) -> None:
        """Stop all its processes where they are: connections stay open, and nobody answers."""
        stopped: set[str] = set()
        while not stopped.issuperset(listed := self._signal(signal.SIGSTOP)):
            stopped |= listed  # the first process may have started some before it stopped

    def thaw(self) -> None:
        """Let them go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> set[str]:
        """Send a signal to all its processes; returns those but the first one."""
        master = int((self.data / "postmaster.pid").read_text("utf-8").split("\n", 1)[0])
        os.kill(master, number)  # first, so that it starts no further ones
        children = _children(master)
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(int(child), number)
        return children

    def answers(self) -> bool:
        """Whether it accepts connections."""
        try:
            psycopg.connect(self.url("postgres"), connect_timeout=5).close()
        except psycopg.Error:
            return False
        return True

    def url(self, database: str) -> str:
        """The URL of a database, as newsspider takes it."""
        return f"postgresql://{ADMIN}@{HOST}:{self.port}/{database}"

    def create(self, database: str, template: str = "template0") -> str:
        """Make a database, empty or like another one; returns its URL."""
        self.execute(f'CREATE DATABASE "{database}" TEMPLATE "{template}"')
        return self.url(database)

    def drop(self, database: str) -> None:
        """Remove a database, whoever is still connected to it."""
        self.execute(f'DROP DATABASE "{database}" WITH (FORCE)')

    def execute(self, sql: str, database: str = "postgres") -> list[Any]:
        """Run one statement outside any transaction; the rows, if it has some."""
        with psycopg.connect(self.url(database), autocommit=True) as conn:
            cursor = conn.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def _run(self, program: str, *arguments: str) -> None:
        log = self.folder / "said"
        with log.open("w+", encoding="utf-8") as output:  # a pipe would stay open in the server
            done = subprocess.run(
                [self._bin / program, "--pgdata", str(self.data), *arguments], stdout=output, stderr=output,
                stdin=subprocess.DEVNULL, cwd=self.folder, check=False, **self._user,
            )  # fmt: skip
        if done.returncode:
            server = self.folder / "log"
            more = server.read_text("utf-8", "replace")[-2000:] if server.exists() else ""
            raise RuntimeError(f"{program} {' '.join(arguments)}: {log.read_text('utf-8', 'replace')}\n{more}")


class RedisServer:
    """A Redis server that keeps nothing on disk: started again, it is empty."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self._program = _program("redis-server", "redis-server")
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"redis://{HOST}:{self.port}/0"

    @property
    def pid(self) -> int:
        """The number of its process."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = {"--bind": HOST, "--port": self.port, "--save": "", "--appendonly": "no", "--dir": self.folder}
        arguments = [str(part) for option in options.items() for part in option]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen([self._program, *arguments], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        end = time.monotonic() + START_SECONDS
        with Redis.from_url(self.url) as client:
            while not _answers(client):
                if self._process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"redis-server: {(self.folder / 'log').read_text('utf-8', 'replace')[-2000:]}")
                time.sleep(0.02)

    def stop(self) -> None:
        """Kill it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def freeze(self) -> None:
        """Stop it where it is: connections stay open, and nobody answers."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def restart(self) -> None:
        """Kill it and start it again, empty."""
        self.stop()
        self.start()


def _children(parent: int) -> set[str]:
    """The numbers of its processes, from the table of all: the kernel's list of children may lack some."""
    children = set()
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if file.read_text("utf-8", "replace").rpartition(")")[2].split()[1] == str(parent):
                children.add(file.parent.name)
    return children


@contextmanager
def postgres(*, fsync: bool = False) -> Iterator[Postgres]:
    """A running PostgreSQL server of one's own, to be restarted or killed at will."""
    with _folder("postgres") as folder:
        server = Postgres(folder, fsync=fsync)
        server.start()
        try:
            yield server
        finally:
            if (server.data / "postmaster.pid").exists():
                server.stop()


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    """A running Redis server of one's own, to be restarted or killed at will."""
    with _folder("redis") as folder:
        server = RedisServer(folder)
        try:
            server.start()
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="session")
def shared_postgres() -> Iterator[Postgres]:
    """The PostgreSQL server of all tests that leave it running; each takes a database of its own."""
    with postgres() as server:
        yield server


@pytest.fixture(scope="session")
def shared_redis() -> Iterator[RedisServer]:
    """The Redis server of all tests that leave it running; each takes keys of its own."""
    with redis_server() as server:
        yield server


@pytest.fixture
def redis_url(shared_redis: RedisServer) -> str:
    """A database of a test's own on that server, whose keys are those of scrapy-redis; empty with :func:`redis`."""
    return shared_redis.url.removesuffix("/0") + f"/{next(_databases)}"


@pytest.fixture
def redis(redis_url: str) -> Iterator[Redis]:
    """A client of that database, which is emptied."""
    with Redis.from_url(redis_url) as client:
        client.flushdb()
        yield client


@pytest.fixture(scope="session")
def migrated(shared_postgres: Postgres) -> Postgres:
    """The same server with the database :data:`MIGRATED`."""
    open_store(shared_postgres.create(MIGRATED)).dispose()
    return shared_postgres


@pytest.fixture(scope="session")
def never_written(migrated: Postgres) -> Iterator[Engine]:
    """A store on PostgreSQL for transactions that are not kept: a database of their own would only cost time."""
    engine = open_store(migrated.create("never_written", MIGRATED))
    yield engine
    engine.dispose()


def new_file(file: Path) -> str:
    """Make an empty store of SQLite, if there is none; its URL. A copy is made in a hundredth of the time that the migrations take."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        file.write_bytes(_empty_file())
    return f"sqlite:///{file}"


@cache
def _empty_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "empty.db"
        open_store(f"sqlite:///{file}").dispose()
        return file.read_bytes()


@contextmanager
def _folder(name: str) -> Iterator[Path]:
    """A folder that an unprivileged user can enter, too: pytest's own are closed to others."""
    with tempfile.TemporaryDirectory(prefix=f"newsspider-{name}-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return int(listener.getsockname()[1])


def _answers(client: Redis) -> bool:
    try:
        return bool(client.ping())
    except RedisError:
        return False


def _postgresql_programs() -> Path:
    """The folder with initdb and pg_ctl: Debian keeps one a version, outside the search path."""
    with _one_process_at_a_time():
        folder = _newest_postgresql()
        if folder is None:
            _install("postgresql")
            folder = _newest_postgresql()
    if folder is None:
        raise RuntimeError("PostgreSQL is installed, but there is no initdb in /usr/lib/postgresql or on the search path")
    return folder


def _newest_postgresql() -> Path | None:
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    if versions:
        return versions[-1].parent
    there = shutil.which("initdb")
    return Path(there).resolve().parent if there else None


def chromium() -> str:
    """The path of Chromium."""
    return _program("chromium", "chromium")


def promtool() -> str:
    """The path of the tool of Prometheus that checks and tests rules."""
    return _program("promtool", "prometheus")


def prometheus() -> str:
    """The path of Prometheus."""
    return _program("prometheus", "prometheus")


def _program(name: str, package: str) -> str:
    with _one_process_at_a_time():
        path = shutil.which(name)
        if path is None:
            _install(package)
            path = shutil.which(name)
    if path is None:
        raise RuntimeError(f"{package} is installed, but there is no {name} on the search path")
    return path


@contextmanager
def _one_process_at_a_time() -> Iterator[None]:
    """Tests run in several processes: what one of them installs is there for the others once it is whole."""
    with (Path(tempfile.gettempdir()) / f"newsspider-apt-{os.geteuid()}.lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # until the file is closed
        yield


def _install(package: str) -> None:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise RuntimeError(f"the tests need {package}: install it (only root on Debian or Ubuntu can have it done here)")
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update", "-q"], ["install", "-q", "-y", "--no-install-recommends", package]):
        done = subprocess.run(["apt-get", *arguments], env=environment, capture_output=True, text=True, check=False)
        if done.returncode and arguments[0] == "install":
            raise RuntimeError(f"apt-get {' '.join(arguments)} failed: {done.stdout[-2000:]} {done.stderr[-2000:]}")
