"""Passwords of PostgreSQL and Redis that are changed while workers crawl: workers that read them from a file go on."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from newsspider.store.engine.database import open_store
from newsspider.store.engine.errors import StoreFailedError
from newsspider.store.maintenance.backups import back_up
from tests.support.news import News, news
from tests.support.servers import HOST, Postgres, RedisServer, redis_server
from tests.support.workers import (
    PATIENCE_SECONDS,
    SETTINGS,
    Store,
    assert_ends_well,
    assert_stored_once,
    until,
    workers,
)

ARTICLES = 120
OWNER = "reporter"
REFUSED = "password authentication failed"


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[News]:
    """A small portal."""
    with news(tmp_path_factory.mktemp("news"), ARTICLES, first_host=220) as running:
        yield running


@pytest.fixture(scope="module")
def server(server: Postgres) -> Postgres:
    """The same server: it asks one of its users for a password."""
    rules = server.data / "pg_hba.conf"
    rules.write_text(f"host all {OWNER} {HOST}/32 scram-sha-256\n{rules.read_text('utf-8')}", "utf-8")
    server.execute(f"CREATE ROLE {OWNER} LOGIN PASSWORD 'first'")
    server.execute("SELECT pg_reload_conf()")
    return server


def own(server: Postgres, file: Path, name: str) -> str:
    """An empty store of that user, whose URL names the file with the password."""
    file.write_text("first\n", "utf-8")
    server.execute(f'CREATE DATABASE {name} OWNER {OWNER} TEMPLATE "template0"')
    server.execute(f"ALTER ROLE {OWNER} PASSWORD 'first'")
    return f"postgresql://{OWNER}@{HOST}:{server.port}/{name}?password_file={file}"


def test_workers_follow_a_new_password_of_postgresql(portal: News, server: Postgres, tmp_path: Path) -> None:
    portal.forget_visits()
    url = own(server, tmp_path / "password", "followed")
    open_store(url).dispose()
    worker = Store(server.url("followed"), more={"NEWSSPIDER_DATABASE_URL": url})
    with workers(worker, tmp_path, 1, "education", "-a", f"sites={portal.sites}", *SETTINGS) as fleet:
        (crawl,) = fleet
        until(lambda: worker.settled() > 20, PATIENCE_SECONDS, crawl.log_end)
        server.execute(f"ALTER ROLE {OWNER} PASSWORD 'second'")
        server.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{OWNER}'")
        until(lambda: "the store cannot be written" in crawl.log_end(), PATIENCE_SECONDS, crawl.log_end)
        (tmp_path / "password").write_text("second", "utf-8")
        assert_ends_well(fleet)
        log = crawl.log.read_text("utf-8", "replace")
    assert_stored_once(worker, portal)
    refused = [line for line in log.splitlines() if REFUSED in line]
    assert len([line for line in refused if "the store cannot be written" in line]) == 1, refused
    assert "the store can be written again" in log
    assert "second" not in log.replace("seconds", "")


def test_workers_follow_a_new_password_of_redis(portal: News, server: Postgres, tmp_path: Path) -> None:
    portal.forget_visits()
    file = tmp_path / "password"
    url = own(server, tmp_path / "database", "redis_followed")
    open_store(url).dispose()
    with redis_server() as redis, Redis.from_url(redis.url) as admin:
        worker = Store(server.url("redis_followed"), f"{redis.url}?password_file={file}", {"NEWSSPIDER_DATABASE_URL": url})
        change_password(redis, admin, "first")
        file.write_text("first\n", "utf-8")
        slow = ("-s", "DELAY_MIN_SECONDS=2")  # Redis is left alone for five seconds after it refused
        arguments = ("education", "-a", f"sites={portal.sites}", *SETTINGS, *slow)
        with workers(worker, tmp_path, 1, *arguments) as fleet:
            (crawl,) = fleet
            until(lambda: worker.settled() > 20, PATIENCE_SECONDS, crawl.log_end)
            assert "Redis cannot be asked" not in crawl.log_end()
            change_password(redis, admin, "another")
            until(lambda: "Redis cannot be asked, so the ledger is" in crawl.log_end(), PATIENCE_SECONDS, crawl.log_end)
            file.write_text("another", "utf-8")
            assert_ends_well(fleet)
            log = crawl.log.read_text("utf-8", "replace")
    assert_stored_once(worker, portal)
    refused = [line for line in log.splitlines() if "Redis cannot be asked" in line]
    messages = [line.partition("WARNING: ")[2] for line in refused]
    assert sorted(set(messages)) == sorted(messages), "the frontier and the start URLs say it once each"
    assert all("password" in line for line in refused)
    assert "Redis answers again" in log


def change_password(redis: RedisServer, admin: Redis, password: str) -> None:
    """Require another password, also of those that are connected."""
    admin.config_set("requirepass", password)
    admin.execute_command("AUTH", password)
    admin.client_kill_filter(_type="normal", skipme=True)


def test_a_password_file_that_cannot_be_read_is_named(server: Postgres, tmp_path: Path) -> None:
    url = own(server, tmp_path / "password", "named")
    (tmp_path / "password").unlink()
    with pytest.raises(StoreFailedError, match=r"the password file .*/password cannot be read: No such file"):
        open_store(url)


def test_a_backup_is_made_with_the_password_of_the_file(server: Postgres, tmp_path: Path) -> None:
    engine = open_store(own(server, tmp_path / "password", "backed_up"))
    back_up(engine, tmp_path / "backup")
    engine.dispose()
    assert (tmp_path / "backup").stat().st_size > 1000
    engine = open_store(str(engine.url).partition("?")[0] + "?password=first")
    back_up(engine, tmp_path / "another")
    engine.dispose()
    assert (tmp_path / "another").stat().st_size > 1000
