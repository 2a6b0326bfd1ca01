"""``scrapy doctor`` names the cause of each breakage, and what mends that one."""

import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from redis import Redis
from sqlalchemy import make_url, text

from newsspider.store.engine.database import open_store
from tests.support.commands import ROOT, database, scrapy
from tests.support.servers import Postgres, RedisServer, free_port, redis_server, shared_postgres

__all__ = ["database", "scrapy", "shared_postgres"]

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Here:
    """What a breakage may break: a store, a folder that is the project, and two servers."""

    store: str
    folder: Path
    postgres: Postgres
    redis: RedisServer

    def file(self, name: str, content: str | bytes) -> Path:
        """A new file in the folder."""
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def at(self, name: str) -> dict[str, str]:
        """The setting for a SQLite file in the folder."""
        return {"DATABASE_URL": f"sqlite:///{self.folder / name}"}

    def changed(self, sql: str) -> dict[str, str]:
        """The setting for the store, after a statement."""
        engine = open_store(self.store)
        with engine.begin() as conn:
            conn.execute(text(sql))
        engine.dispose()
        return {"DATABASE_URL": self.store}

    def on_postgres(self, database: str = "postgres", **parts: object) -> dict[str, str]:
        """The setting for a database of the server, with other parts of its URL."""
        url = make_url(self.postgres.url(database)).set(**parts)  # type: ignore[arg-type]
        return {"DATABASE_URL": url.render_as_string(hide_password=False)}

    def on_redis(self, user: str = "", tail: str = "/0") -> dict[str, str]:
        """The setting for the Redis server."""
        return {"REDIS_URL": f"redis://{user}127.0.0.1:{self.redis.port}{tail}"}


@pytest.fixture(scope="module")
def guarded_redis() -> Iterator[RedisServer]:
    """A Redis server that asks for a password."""
    with redis_server() as server:
        with Redis.from_url(server.url) as client:
            client.config_set("requirepass", "right")
        yield server


@pytest.fixture
def here(database, tmp_path, shared_postgres, guarded_redis, scrapy, monkeypatch) -> Here:
    with open_store(database).begin() as conn:
        conn.execute(text("UPDATE hosts SET last_visit_at = 1"))
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = newsspider.settings\n")
    monkeypatch.chdir(folder)
    return Here(database, folder, shared_postgres, guarded_redis)


def foreign(here: Here) -> dict[str, str]:
    with closing(sqlite3.connect(here.folder / "notes.db")) as conn:
        conn.execute("CREATE TABLE notes (a)")
    return here.at("notes.db")


def foreign_on_postgres(here: Here) -> dict[str, str]:
    here.postgres.create("doctor_foreign")
    here.postgres.execute("CREATE TABLE notes (a int)", "doctor_foreign")
    return here.on_postgres("doctor_foreign")


def without_rights(here: Here) -> dict[str, str]:
    here.postgres.create("doctor_rights")
    here.postgres.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC", "doctor_rights")
    here.postgres.execute("CREATE ROLE plain LOGIN")
    return here.on_postgres("doctor_rights", username="plain")


def half(here: Here) -> dict[str, str]:
    file = Path(make_url(here.store).database or "")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    return {"DATABASE_URL": here.store}


def folder(here: Here) -> dict[str, str]:
    (here.folder / "data").mkdir()
    return here.at("data")


def topic(here: Here) -> dict[str, str]:
    return {"TOPIC": str(here.file("mine.toml", "name = "))}


def site(content: str | bytes) -> Callable[[Here], dict[str, str]]:
    def broken(here: Here) -> dict[str, str]:
        here.file("sites/mine.toml", content)
        return {}

    return broken


def password_file(content: bytes) -> Callable[[Here], dict[str, str]]:
    return lambda here: here.on_postgres(query={"password_file": str(here.file("secret", content))})


MOVED = "INSERT INTO batch_jobs (kind, arguments, last_id, began_at) VALUES ('move', 'sqlite:///a.db', 1, 1)"

BREAKAGES: list[tuple[str, Callable[[Here], dict[str, str]], str, str, str]] = [
    # what is broken, how, the check that finds it, what it finds, what mends it
    ("newer store", lambda h: h.changed("UPDATE alembic_version SET version_num = '9999'"), "store", "newer newsspider",
     "pip install --upgrade newsspider.*store restore"),
    ("store from before the first release", lambda h: h.changed("UPDATE alembic_version SET version_num = '0001'"), "store",
     "before the first release", "NEWSSPIDER_DATABASE_URL=.*for a new store"),
    ("move that is not finished", lambda h: h.changed(MOVED), "store", "is not finished", "scrapy store move"),
    ("garbage", lambda h: h.file("x.db", "garbage " * 99) and h.at("x.db"), "store", "no SQLite database",
     r"NEWSSPIDER_DATABASE_URL=.*x\.db.*store restore"),
    ("database of another program", foreign, "store", "another application", "another file"),
    ("half a store", half, "store", "malformed|damaged", "store check"),
    ("folder for a file", folder, "store", "it is a folder", "/data/newsspider.db"),
    ("folder that cannot be", lambda _: {"DATABASE_URL": "sqlite:////proc/nowhere/news.db"}, "store", "/proc takes no files",
     "elsewhere.*chown"),
    ("file for a folder", lambda h: h.file("flat", "x") and h.at("flat/news.db"), "store", "flat takes no files", "elsewhere"),
    ("PostgreSQL that does not run", lambda h: h.on_postgres(port=free_port()), "store", "refused", "systemctl start postgresql"),
    ("no such database", lambda h: h.on_postgres("nowhere"), "store", '"nowhere" does not exist', "createdb -O .* nowhere"),
    ("no such role", lambda h: h.on_postgres(username="nobody"), "store", '"nobody" does not exist', "createuser --pwprompt nobody"),
    ("no such host", lambda h: h.on_postgres(host="db.invalid"), "store", r"db\.invalid", r"getent hosts db\.invalid"),
    ("role without rights", without_rights, "store", "permission denied", "ALTER DATABASE doctor_rights OWNER TO plain"),
    ("PostgreSQL of another program", foreign_on_postgres, "store", "another application", "createdb newsspider"),
    ("no password file", lambda h: h.on_postgres(query={"password_file": "/none/secret"}), "store", "/none/secret cannot be read",
     "write the password into /none/secret"),
    ("empty password file", password_file(b""), "store", "secret is empty", "write the password into .*secret"),
    ("password file of another encoding", password_file("密".encode("gbk")), "store", "is not UTF-8", "in UTF-8"),
    ("Redis that does not run", lambda _: {"REDIS_URL": f"redis://127.0.0.1:{free_port()}/0"}, "redis", "111|refused",
     "systemctl start redis"),
    ("Redis without its password", lambda h: h.on_redis(), "redis", "[Aa]uthenticat", "put the password into REDIS_URL"),
    ("wrong password of Redis", lambda h: h.on_redis(":wrong@"), "redis", "username-password|WRONGPASS", "correct the password"),
    ("no password file of Redis", lambda h: h.on_redis(tail="/0?password_file=/none/redis"), "redis", "/none/redis cannot be read",
     "write the password into /none/redis"),
    ("no such database of Redis", lambda h: h.on_redis(":right@", "/99"), "redis", "DB index", "from 0 to 15"),
    ("no such host of Redis", lambda _: {"REDIS_URL": "redis://redis.invalid:6379/0"}, "redis", r"redis\.invalid|not known|resolution",
     r"getent hosts redis\.invalid"),
    ("broken site file", site("name = "), "site files", r"mine\.toml: TOML: ", r"scrapy sites test .*mine\.toml"),
    ("site file with a misspelt key", site('name = "a"\nhoem = "http://a.cn/"\n'), "site files", r"mine\.toml: ho", "correct the file"),
    ("site file in GBK", site('name = "教育"'.encode("gbk")), "site files", r"mine\.toml: ", "correct the file"),
    ("broken topic", topic, "topic", r"mine\.toml", "scrapy topics list"),
]  # fmt: skip


@pytest.mark.parametrize(("broken", "check", "found", "advice"), [row[1:] for row in BREAKAGES], ids=[row[0] for row in BREAKAGES])
def test_a_breakage_has_its_cause_and_what_mends_it(
    scrapy, here: Here, broken: Callable[[Here], dict[str, str]], check: str, found: str, advice: str
) -> None:
    settings = broken(here)
    ran = scrapy("doctor", "--json", **settings)
    findings = [json.loads(line) for line in ran.out.splitlines()]
    failed = [finding for finding in findings if finding["check"] == check and finding["verdict"] == "fail"]
    assert (ran.code, len(failed)) == (1, 1), findings
    assert re.search(found, failed[0]["found"]), failed
    assert re.search(advice, failed[0]["advice"]), failed
    assert "{" not in failed[0]["advice"]
    others = {finding["check"] for finding in findings if finding["verdict"] == "fail"} - {check}
    assert not others, findings


def test_each_breakage_of_a_check_has_advice_of_its_own() -> None:
    assert len(BREAKAGES) >= 25
    advice = [(check, advice) for _, _, check, _, advice in BREAKAGES if check in ("store", "redis")]
    assert len(set(advice)) >= len(advice) - 1


@pytest.mark.parametrize(("hard", "advice"), [("64", r"LimitNOFILE=4096.*limits\.conf"), ("4000", "ulimit -n 4000`")])
def test_too_few_descriptors_are_raised_by_whoever_may(database, hard: str, advice: str) -> None:
    command = f"ulimit -Sn 64; ulimit -Hn {hard}; exec {sys.executable} -m scrapy doctor --json -s DATABASE_URL={database}"
    ran = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    (finding,) = [row for line in ran.stdout.splitlines() if (row := json.loads(line))["check"] == "descriptors"]
    assert (ran.returncode, finding["verdict"]) == (1, "fail"), ran.stderr
    assert re.search(advice, finding["advice"])
