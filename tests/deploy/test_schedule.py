"""A schedule starts jobs on real scrapyds: once each, wherever one answers."""

import json
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Engine

from newsspider.store import jobs
from newsspider.store.engine.database import open_store, reading
from newsspider.store.runs import of_job
from tests.support.events import until
from tests.support.portal import Portal, rows
from tests.support.scrapyd import Scrapyd, sample
from tests.support.servers import free_port

pytest.importorskip("croniter")
from newsspider.features.schedule.schedule_file import Schedule
from newsspider.features.schedule.schedule_service import ScheduleService
from tests.deploy.compose import MORNING

__all__ = ["sample"]


@contextmanager
def store(folder: Path) -> Iterator[Engine]:
    engine = open_store(f"sqlite:///{folder / 'news.db'}")
    yield engine
    engine.dispose()


class Clock:
    """Moved by the test."""

    def __init__(self, now: datetime = MORNING) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def recently() -> datetime:
    """A moment of the last minutes that is not the last minute of its hour: a minute later no other job is due."""
    now = datetime.now(MORNING.tzinfo)
    return now - timedelta(minutes=2) if now.minute == 59 else now


def schedule(folder: Path, sample: Portal, *nodes: str, name: str = "hourly") -> Schedule:
    job = {
        "name": name, "cron": "0 * * * *", "settings": {"DATABASE_URL": f"sqlite:///{folder / 'news.db'}"},
        "arguments": {"sites": str(sample.sites), "topic": "any", "pages": 5},
    }  # fmt: skip
    return Schedule.model_validate({"nodes": nodes, "jobs": [job]})


def test_each_moment_starts_one_job_whatever_happens_to_the_service(
    deployed: Scrapyd, sample: Portal, tmp_path: Path
) -> None:
    clock, notes = Clock(), list[str]()
    assert deployed.get("listspiders", project="newsspider")["status"] == "ok"  # which takes seconds the first time
    down = f"http://127.0.0.1:{free_port()}"
    plan = schedule(tmp_path, sample, down, deployed.url.rstrip("/"))
    with store(tmp_path) as engine:
        service, other = (ScheduleService(engine, plan, name, clock, notes.append) for name in "ab")
        assert service.lead()
        assert not other.lead(), "one works"
        assert service.tick() == [], "a job that is new waits for its next moment"
        clock.now += timedelta(hours=5)  # five moments were missed
        assert service.lead()
        assert service.tick() == ["hourly-20261126T130000"], notes
        assert service.tick() == [], "one of them is made up for"
        with engine.begin() as conn:  # as if the service had died before it kept that
            jobs.put_due(conn, "schedule:hourly", (MORNING - timedelta(hours=1)).timestamp(), 0.0)
        clock.now += timedelta(seconds=50)
        assert other.lead(), "the first one says nothing any more"
        assert other.tick() == []
        with reading(engine) as conn:
            stored_job = jobs.job(conn, "schedule:hourly")
        assert stored_job is not None
        assert (stored_job.due_at, stored_job.holder) == (MORNING.replace(hour=13, second=0).timestamp(), deployed.url.rstrip("/"))
    assert deployed.wait("hourly-20261126T130000").exit_code == 0
    assert rows(tmp_path / "news.db", "SELECT reason FROM runs") == [("pages_limit",)]
    assert [note for note in notes if "started on" in note]


def runs(folder: Path, name: str = "hourly") -> bool:
    """Whether a job holds its name."""
    return rows(folder / "news.db", f"SELECT 1 FROM jobs WHERE name = '{name}' AND holder IS NOT NULL") != []


def test_a_schedule_is_listed_with_what_comes_next(deployed: Scrapyd, tmp_path: Path) -> None:
    file = tmp_path / "schedule.toml"
    file.write_text('[[jobs]]\nname = "hourly"\ncron = "0 * * * *"\n[[jobs]]\nname = "often"\nevery = "10m"\n', "utf-8")
    database = ("-s", f"DATABASE_URL=sqlite:///{tmp_path}/news.db")
    listed = deployed.command("schedule", "list", "--file", str(file), *database)
    assert listed.returncode == 0, listed.stderr
    assert [line.split()[0] for line in listed.stdout.splitlines()] == ["hourly", "often"]
    assert "last never" in listed.stdout
    coming = deployed.command("schedule", "next", "--file", str(file), "--count", "8", *database)
    assert coming.stdout.count("often") >= 6
    assert "+0800" in coming.stdout
    dry = deployed.command("schedule", "run", "--dry-run", "--file", str(file), *database)
    assert (dry.returncode, dry.stdout.count("hourly") > 0) == (0, True)
    assert rows(tmp_path / "news.db", "SELECT count(*) FROM jobs") == [(0,)], "nothing is written"


def test_a_job_that_dies_at_each_start_is_listed_with_its_end_and_named(deployed: Scrapyd, tmp_path: Path) -> None:
    clock, notes = Clock(recently()), list[str]()
    job = {"name": "dying", "cron": "0 * * * *", "settings": {"DATABASE_URL": f"sqlite:///{tmp_path / 'news.db'}"}}
    plan = {"nodes": [deployed.url.rstrip("/")], "jobs": [job | {"arguments": {"topic": "nowhere"}}]}
    with store(tmp_path) as engine:
        service = ScheduleService(engine, Schedule.model_validate(plan), "a", clock, notes.append)
        for _ in range(2):
            assert service.lead()
            service.tick()
            clock.now += timedelta(hours=1)
            assert service.lead()
            (started,) = service.tick()
            assert deployed.wait(started).exit_code == 2
        service.tick()
        service.tick()
        (named,) = [note for note in notes if "in a row" in note]
        assert named.startswith("dying: failed 2 times in a row: refused, exit code 2, ")
        assert "nowhere" in named
    file = tmp_path / "schedule.toml"
    file.write_text('[[jobs]]\nname = "dying"\ncron = "0 * * * *"\n', "utf-8")
    command = ("schedule", "list", "--file", str(file), "-s", f"DATABASE_URL=sqlite:///{tmp_path}/news.db")
    first, *past = deployed.command(*command).stdout.splitlines()
    assert first.startswith("dying ")
    assert [("  refused, exit code 2, " in line, "nowhere" in line) for line in past] == [(True, True)] * 2
    record = json.loads(deployed.command(*command, "--json").stdout)
    assert {(run["result"], run["exit_code"]) for run in record["last_runs"]} == {("refused", 2)}
    assert all(run["seconds"] > 0 and "nowhere" in run["last_line"] for run in record["last_runs"])


def test_a_job_that_was_killed_is_listed_as_dead_with_the_last_line_of_its_log(
    deployed: Scrapyd, sample: Portal, tmp_path: Path
) -> None:
    clock = Clock(recently())
    with store(tmp_path) as engine:
        service = ScheduleService(engine, schedule(tmp_path, sample, deployed.url.rstrip("/"), name="killed"), "a", clock, print)
        assert service.lead()
        service.tick()
        clock.now += timedelta(hours=1)
        assert service.lead()
        (job,) = service.tick()
        until(partial(runs, tmp_path, "killed"), seconds=300)
        for running in deployed.get("listjobs")["running"]:
            os.kill(running["pid"], signal.SIGKILL)
        deployed.wait(job)
        clock.now += timedelta(seconds=60)  # its lease has ended
        service.tick()
        with reading(engine) as conn:
            run = of_job(conn, "killed", 1, clock.now.timestamp())[0]
    assert (run.job_id, run.result, run.exit_code, run.failed) == (job, "died", None, True)
    assert " INFO: " in run.last_line


def test_a_job_that_stays_queued_is_named_by_the_service_and_the_list(
    deployed: Scrapyd, sample: Portal, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("full")
    shutil.copytree(deployed.folder / "eggs", folder / "eggs")
    node = Scrapyd(folder, poll_interval="100000")  # so that no job begins
    try:
        assert node.get("listspiders", project="newsspider")["status"] == "ok"
        clock, notes = Clock(recently() - timedelta(hours=3)), list[str]()
        url = node.url.rstrip("/")
        file = tmp_path / "schedule.toml"
        file.write_text(f'nodes = ["{url}"]\n[[jobs]]\nname = "hourly"\ncron = "0 * * * *"\n', "utf-8")
        with store(tmp_path) as engine:
            service = ScheduleService(engine, schedule(tmp_path, sample, url), "a", clock, notes.append)
            assert service.lead()
            service.tick()
            clock.now += timedelta(hours=1)
            assert service.lead()
            (job,) = service.tick()
            assert node.state(job) == "pending"
            queued = f"queued on {url} since {clock.now:%Y-%m-%d %H:%M %z}, longer than its period"
            clock.now += timedelta(minutes=59)
            service.tick()
            assert not [note for note in notes if "queued" in note]
            clock.now += timedelta(minutes=2)
            service.tick()
            service.tick()
            assert [note for note in notes if "queued" in note] == [f"hourly: {queued}"]
        command = ("schedule", "list", "--file", str(file), "-s", f"DATABASE_URL=sqlite:///{tmp_path}/news.db")
        listed = node.command(*command)
        assert queued in listed.stdout, listed.stderr
        assert json.loads(node.command(*command, "--json").stdout)["queued_since"]
    finally:
        node.close()
