"""The rows of runs."""

from newsspider.store import jobs, runs


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


def test_the_runs_of_a_job_have_results(conn):
    jobs.take(conn, "每小时", "alive", 90.0)
    for began, worker, arguments in (
        (10.0, "gone", {"job": "每小时", "_job": "1"}), (20.0, "full", {"job": "每小时"}), (90.0, "alive", {"job": "每小时"}),
        (30.0, "other", {"job": "每小时_"}), (40.0, "none", {"topic": "每小时"}),
    ):  # fmt: skip
        runs.start_run(conn, "education", worker, arguments, began)
    runs.finish_run(conn, "full", "memusage_exceeded", 25.0)
    runs.note_end(conn, "education", {"job": "每小时", "_job": "2"}, 50.0, 52.0, "refused", 2, "no topic")
    results = [(run.started_at, run.job_id, run.sentence, run.failed) for run in runs.of_job(conn, "每小时", 9, 95.0)]
    assert results == [
        (90.0, "", "runs now", False), (50.0, "2", "refused, exit code 2, 2 s: no topic", True),
        (20.0, "", "memusage_exceeded, 5 s", False), (10.0, "1", "died", True),
    ]  # fmt: skip
    assert len(runs.of_job(conn, "每小时", 2, 95.0)) == 2


def test_the_end_of_a_process_is_noted_in_the_row_of_its_run(conn):
    arguments = {"job": "a", "topic": "any"}
    for began in (1.0, 5.0):
        runs.start_run(conn, "education", "w", arguments, began)
    runs.finish_run(conn, "w", "pages_limit", 8.0, {"pages": 3})
    runs.note_end(conn, "education", arguments, 4.0, 9.0, "pages_limit", 0, "stopped at the limit")
    later, earlier = runs.of_job(conn, "a", 9, 10.0)
    assert later.sentence == "pages_limit, exit code 0, 3 s: stopped at the limit"
    assert earlier.sentence == "pages_limit, exit code 4, 7 s"
    assert runs.last_runs(conn, 1)[0]["figures"] == {"pages": 3, "exit_code": 0, "last_line": "stopped at the limit"}
