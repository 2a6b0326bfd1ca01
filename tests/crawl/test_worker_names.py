"""Which workers are dead because their process is gone."""

import os
import socket
import subprocess
import sys
import time

import pytest

from newsspider.crawl.storage import died_here, worker_name


def test_a_worker_of_this_process_is_alive_and_one_of_the_process_that_had_its_number_before_is_dead() -> None:
    assert not died_here(worker_name())
    assert died_here(f"{socket.gethostname()}:{os.getpid()}:{time.time_ns() - 86_400 * 10**9}")


def test_a_worker_whose_process_has_ended_is_dead() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert died_here(f"{socket.gethostname()}:{ended.pid}:1")


def test_where_processes_cannot_be_asked_only_a_reused_number_of_our_own_is_known_to_be_dead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "name", "nt")
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("on Windows this sends Ctrl-C"))
    assert not died_here(f"{socket.gethostname()}:1:1")
    assert died_here(f"{socket.gethostname()}:{os.getpid()}:1")


def test_no_worker_of_another_machine_or_with_a_malformed_name_counts_as_dead() -> None:
    assert not died_here("elsewhere.example:1:1")
    assert not died_here("a worker")
