"""The bar of a long job."""

import io

from newsspider.library.progress_bar import progress_bar
from tests.support.tables import each


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_on_a_terminal_the_bar_moves_in_one_line(monkeypatch):
    monkeypatch.setattr("newsspider.library.progress_bar.TERMINAL_SECONDS", 0)
    stream = Terminal()
    with progress_bar(stream, 200, 50) as bar:
        bar.update(50)
    first, second, last = stream.getvalue().split("\r")[1:]
    assert "] 50/200  25%" in first
    assert "] 100/200  50%" in second
    assert second.startswith("[#####")
    assert second.rstrip().endswith("left")
    assert last.endswith("\n")
    assert all(len(line.rstrip()) <= 79 for line in (first, second, last))


def test_without_a_terminal_progress_is_written_as_occasional_lines():
    stream = io.StringIO()
    with progress_bar(stream, 1_000_000) as bar:
        for _ in range(1_000_000):
            bar.update(1)
    first, last = stream.getvalue().removesuffix("\n").split("\n")
    assert "] 0/1000000   0%" in first
    assert "#] 1000000/1000000 100%" in last
    assert len(last) <= 79
    assert "\r" not in stream.getvalue()


def test_a_line_is_written_before_the_end_of_a_job_that_takes_long(monkeypatch):
    monkeypatch.setattr("newsspider.library.progress_bar.LINE_SECONDS", 0)
    stream = io.StringIO()
    with progress_bar(stream, 3) as bar:
        bar.update(2)
        assert "] 2/3  67%" in stream.getvalue().splitlines()[-1]


@each(("total", "done", "expected"), [(0, 0, ""), (10, 10, "] 10/10 100%"), (3, 0, "] 0/3   0%")])
def test_a_job_with_nothing_to_do_is_done(total, done, expected):
    stream = io.StringIO()
    progress_bar(stream, total, done).close()
    assert expected in stream.getvalue()
    assert bool(stream.getvalue()) == bool(expected)
