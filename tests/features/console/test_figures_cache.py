"""The console computes slow figures at most once a minute; meanwhile readers get the last result."""

import threading
from itertools import count
from types import SimpleNamespace

import pytest
from sqlalchemy import create_engine, text

from newsspider.features.console.figures_cache import KEPT_TIMES, MOST_SECONDS, RecentFigures
from newsspider.store.engine.database import reading
from tests.support.stores import on_postgresql

SECONDS = 60


@pytest.fixture
def recorded():
    """Records the moment of each computation, none of which ends while ``may_end`` is clear."""
    moments = SimpleNamespace(asked=[], may_end=threading.Event(), begun=threading.Event())
    moments.may_end.set()

    def find_out(conn, now):
        if moments.error is not None:
            moments.error(conn)
        moments.asked.append(now)
        moments.begun.set()
        assert moments.may_end.wait(SECONDS)
        return f"health at {now}"

    moments.health, moments.error = RecentFigures(find_out, count(step=1).__next__), None
    return moments


@pytest.fixture
def conn():
    """Of an empty database, for any thread."""
    engine = create_engine("sqlite://", connect_args={"check_same_thread": False})
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def test_it_is_found_out_once_a_minute(recorded, conn):
    health = recorded.health
    answers = [health.of(conn, now) for now in (0.0, MOST_SECONDS - 1, MOST_SECONDS, MOST_SECONDS + 1)]
    assert recorded.asked == [0.0, MOST_SECONDS]
    assert answers == ["health at 0.0"] * 2 + [f"health at {MOST_SECONDS}"] * 2
    assert health.of(conn, 1.0) == "health at 1.0", "the clock was set back"


def test_what_is_quickly_found_out_is_kept_for_a_short_time(conn):
    quick = RecentFigures(lambda _, now: now, count(step=0.01).__next__)
    lifetime = 0.01 * KEPT_TIMES
    assert [quick.of(conn, now) for now in (0.0, lifetime - 0.1, lifetime + 0.1)] == [0.0, 0.0, lifetime + 0.1]


def test_others_get_the_last_result_while_one_finds_out(recorded, conn):
    health = recorded.health
    health.of(conn, 0.0)
    recorded.begun.clear()
    recorded.may_end.clear()
    first = threading.Thread(target=health.of, args=(conn, 100.0))
    first.start()
    assert recorded.begun.wait(SECONDS)
    assert health.of(conn, 101.0) == "health at 0.0"
    recorded.may_end.set()
    first.join(SECONDS)
    assert health.of(conn, 102.0) == "health at 100.0"


def test_the_first_who_ask_at_once_find_out_once(recorded, conn):
    health = recorded.health
    recorded.may_end.clear()
    readers = [threading.Thread(target=health.of, args=(conn, float(number))) for number in range(5)]
    for reader in readers:
        reader.start()
    assert recorded.begun.wait(SECONDS)
    recorded.may_end.set()
    for reader in readers:
        reader.join(SECONDS)
    assert len(recorded.asked) == 1


def test_an_error_is_no_result(recorded, conn):
    health = recorded.health
    recorded.error = lambda conn: 1 / 0
    with pytest.raises(ZeroDivisionError):
        health.of(conn, 0.0)
    recorded.error = None
    assert health.of(conn, 1.0) == "health at 1.0"


def test_a_failure_leaves_the_last_result(recorded, conn):
    health = recorded.health
    health.of(conn, 0.0)
    recorded.error = lambda conn: 1 / 0
    assert health.of(conn, MOST_SECONDS) == "health at 0.0"
    recorded.error = None
    assert health.of(conn, 2 * MOST_SECONDS - 1) == "health at 0.0", "not at every request"
    assert health.of(conn, 2 * MOST_SECONDS) == f"health at {2 * MOST_SECONDS}", "it is asked again"


@on_postgresql
def test_after_a_failing_query_the_connection_works(recorded, store):
    health = recorded.health
    with reading(store) as conn:
        health.of(conn, 0.0)
        recorded.error = lambda conn: conn.execute(text("SELECT 1 / 0"))
        assert health.of(conn, MOST_SECONDS) == "health at 0.0"
        assert conn.execute(text("SELECT 1")).scalar() == 1
