"""The bar of a long job."""

from __future__ import annotations

import io

import pytest

from newsspider.progressbar import ProgressBar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_on_a_terminal_the_bar_moves_in_one_line():
    stream = Terminal()
    bar = ProgressBar(stream, 200, 50)
    bar.add(50)
    bar.close()
    first, last = stream.getvalue().split("\r")[1:]
    assert first.startswith("[###############...............] 100/200  50%")
    assert "left" in first
    assert last.endswith("\n")


def test_elsewhere_a_line_is_written_now_and_then():
    stream = io.StringIO()
    bar = ProgressBar(stream, 1000)
    for _ in range(1000):
        bar.add(1)
    bar.close()
    lines = stream.getvalue().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(f"[{'#' * 30}] 1000/1000 100%")


@pytest.mark.parametrize(("total", "done", "said"), [(0, 0, "0/0 100%"), (10, 10, "10/10 100%"), (3, 0, "0/3   0%")])
def test_a_job_with_nothing_to_do_is_done(total, done, said):
    assert said in ProgressBar(io.StringIO(), total, done).line()
