"""The rows of runs."""

from __future__ import annotations

from newsspider.store import runs


def test_a_run_begins_and_ends(conn):
    runs.start_run(conn, "education", "w", {"topic": "any"}, 1.0)
    runs.start_run(conn, "education", "v", {}, 2.0)
    assert runs.finish_run(conn, "w", "finished", 5.0, {"pages": 3})
    assert not runs.finish_run(conn, "w", "again", 6.0)
    open_run, ended = runs.last_runs(conn, 10)
    assert (open_run["worker"], open_run["finished_at"], open_run["reason"]) == ("v", None, None)
    assert (ended["arguments"], ended["figures"], ended["reason"]) == ({"topic": "any"}, {"pages": 3}, "finished")
    assert len(runs.last_runs(conn, 1)) == 1
