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


def test_a_lost_worker_is_recorded_as_dead_unless_it_recorded_its_own_end(conn):
    for worker in ("gone", "ended", "alive"):
        runs.start_run(conn, "education", worker, {}, 1.0)
    runs.finish_run(conn, "ended", "finished", 5.0)
    assert sorted(runs.open_workers(conn)) == ["alive", "gone"]
    runs.note_death(conn, "gone")
    runs.note_death(conn, "ended")
    assert runs.open_workers(conn) == ["alive"]
    by_worker = {row["worker"]: (row["reason"], row["finished_at"]) for row in runs.last_runs(conn, 3)}
    assert by_worker == {"gone": (runs.DIED, None), "ended": ("finished", 5.0), "alive": (None, None)}
    assert runs.finish_run(conn, "gone", "finished", 6.0), "it was alive after all"
