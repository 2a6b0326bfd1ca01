"""Processes of the console end, whatever becomes of it."""

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from newsspider.features.console.child_process import ChildError, done_apart
from tests.support.events import until

START = "from newsspider.features.console.child_process import done_apart; done_apart('tests.features.console.endless', {path!r}, 12)"


@pytest.mark.slow
def test_a_process_outlives_a_killed_console_by_its_time_at_most(tmp_path: Path) -> None:
    path = tmp_path / "number"
    parent = subprocess.Popen([sys.executable, "-c", START.format(path=str(path))])
    try:
        until(path.exists)
        child = os.pidfd_open(int(path.read_text(encoding="utf-8")))
    finally:
        parent.kill()
        parent.wait()
    ended, _, _ = select.select([child], [], [], 60)
    assert ended, "the process goes on"


def test_work_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    with pytest.raises(ChildError, match="longer than 1 s"):
        done_apart("tests.features.console.endless", str(tmp_path / "number"), 1)
