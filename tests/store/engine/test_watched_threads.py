"""Threads whose death is noticed."""

import logging
from threading import Event

import pytest

from newsspider.store.engine import watched_threads
from newsspider.store.engine.watched_threads import DEATHS, start_thread


@pytest.mark.parametrize("error", [ValueError("no value"), SystemExit(1), KeyboardInterrupt()])
def test_a_thread_that_dies_is_logged_counted_and_told(error: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    def work() -> None:
        raise error

    told: list[str] = []
    before = DEATHS["tried"]
    start_thread("tried", work, died=told.append).join(60)
    assert told == [f"the thread tried died: {error!r}"]
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert caplog.messages == [f"{told[0]} (deaths so far: {before + 1})"]


def test_a_thread_that_is_needed_starts_again_until_it_is_told_to_end(caplog: pytest.LogCaptureFixture) -> None:
    starts: list[int] = []
    ended, third = Event(), Event()

    def work() -> None:
        starts.append(1)
        if len(starts) == 3:
            third.set()
            ended.wait()
            return
        raise OSError(11, "no more processes")

    thread = start_thread("needed", work, until=ended, rest_seconds=0.01)
    assert third.wait(60)
    ended.set()
    thread.join(60)
    assert not thread.is_alive()
    assert len(caplog.messages) == 2
    assert [bool(record.exc_info) for record in caplog.records] == [True, False], "the traceback comes once"
    assert "no more processes" in caplog.text
    assert "it starts again in 0.01 s" in caplog.text


def test_a_thread_that_rests_ends_when_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched_threads, "REST_SECONDS", 600.0)
    ended, died = Event(), Event()

    def work() -> None:
        raise MemoryError

    thread = start_thread("resting", work, until=ended, died=lambda _: died.set())
    assert died.wait(60)
    ended.set()
    thread.join(60)
    assert not thread.is_alive()
