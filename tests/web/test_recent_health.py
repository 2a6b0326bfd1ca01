"""The console finds out the health of the sources once a minute, and keeps nobody waiting for that twice."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest
from sqlalchemy import create_engine, text

from newsspider.store.engine.database import reading
from newsspider.web import recent_health
from newsspider.web.recent_health import KEPT_SECONDS, RecentHealth
from tests.store.conftest import on_postgresql

SECONDS = 60


@pytest.fixture
def asked(monkeypatch):
    """The moments for which it was found out; while ``may_end`` is clear, that does not end."""
    moments = SimpleNamespace(asked=[], may_end=threading.Event(), begun=threading.Event())
    moments.may_end.set()

    def find_out(conn, holidays, now, *, with_changes):
        moments.asked.append(now)
        moments.begun.set()
        assert moments.may_end.wait(SECONDS)
        return f"health at {now}"

    monkeypatch.setattr(recent_health, "source_health", find_out)
    return moments


@pytest.fixture
def conn():
    """Of an empty database, for any thread."""
    engine = create_engine("sqlite://", connect_args={"check_same_thread": False})
    with engine.connect() as made:
        yield made
    engine.dispose()


def test_it_is_found_out_once_a_minute(asked, conn):
    health = RecentHealth(None)
    answers = [health.of(conn, now) for now in (0.0, KEPT_SECONDS - 1, KEPT_SECONDS, KEPT_SECONDS + 1)]
    assert asked.asked == [0.0, KEPT_SECONDS]
    assert answers == ["health at 0.0"] * 2 + [f"health at {KEPT_SECONDS}"] * 2
    assert health.of(conn, 1.0) == "health at 1.0", "the clock was set back"


def test_others_get_the_last_result_while_one_finds_out(asked, conn):
    health = RecentHealth(None)
    health.of(conn, 0.0)
    asked.begun.clear()
    asked.may_end.clear()
    first = threading.Thread(target=health.of, args=(conn, 100.0))
    first.start()
    assert asked.begun.wait(SECONDS)
    assert health.of(conn, 101.0) == "health at 0.0"
    asked.may_end.set()
    first.join(SECONDS)
    assert health.of(conn, 102.0) == "health at 100.0"


def test_the_first_who_ask_at_once_find_out_once(asked, conn):
    health = RecentHealth(None)
    asked.may_end.clear()
    readers = [threading.Thread(target=health.of, args=(conn, float(number))) for number in range(5)]
    for reader in readers:
        reader.start()
    assert asked.begun.wait(SECONDS)
    asked.may_end.set()
    for reader in readers:
        reader.join(SECONDS)
    assert len(asked.asked) == 1


def test_an_error_is_no_result(monkeypatch, asked, conn):
    health = RecentHealth(None)
    with monkeypatch.context() as broken:
        broken.setattr(recent_health, "source_health", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            health.of(conn, 0.0)
    assert health.of(conn, 1.0) == "health at 1.0"


def test_a_failure_leaves_the_last_result(monkeypatch, asked, conn):
    health = RecentHealth(None)
    health.of(conn, 0.0)
    with monkeypatch.context() as broken:
        broken.setattr(recent_health, "source_health", lambda *_, **__: 1 / 0)
        assert health.of(conn, KEPT_SECONDS) == "health at 0.0"
    assert health.of(conn, 2 * KEPT_SECONDS - 1) == "health at 0.0", "not at every request"
    assert health.of(conn, 2 * KEPT_SECONDS) == f"health at {2 * KEPT_SECONDS}", "it is asked again"


@on_postgresql
def test_after_a_failing_query_the_connection_works(monkeypatch, asked, store):
    health = RecentHealth(None)
    with reading(store) as conn:
        health.of(conn, 0.0)
        monkeypatch.setattr(recent_health, "source_health", lambda conn, *_, **__: conn.execute(text("SELECT 1 / 0")))
        assert health.of(conn, KEPT_SECONDS) == "health at 0.0"
        assert conn.execute(text("SELECT 1")).scalar() == 1
