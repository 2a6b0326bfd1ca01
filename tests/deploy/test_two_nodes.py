"""Two scrapyds, one PostgreSQL and one Redis share a crawl; a node is killed, and its job starts on the other one."""

import os
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path

import pytest

from newsspider.store import jobs
from newsspider.store.engine.database import open_store
from tests.deploy.compose import MORNING
from tests.support.events import until
from tests.support.hosts import AGENT, Hosts, served
from tests.support.portal import rows
from tests.support.scrapyd import Scrapyd
from tests.support.servers import MIGRATED, Postgres, RedisServer

pytest.importorskip("croniter")
from newsspider.features.schedule.schedule_file import Schedule
from newsspider.features.schedule.schedule_service import TICK_SECONDS, ScheduleService

HOSTS = [f"127.0.4.{number}" for number in range(1, 9)]
ARTICLES, DELAY = 50, 1.2  # of each host: a minute, so that a node is killed in the middle
UNDER_WAY = 10  # articles of each worker
AGAIN_SECONDS = 240.0  # after which a job of a dead node runs elsewhere


def test_a_killed_nodes_job_runs_on_the_other_one_and_no_page_twice(
    deployed: Scrapyd, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, migrated: Postgres,
    shared_redis: RedisServer,
) -> None:  # fmt: skip
    database = migrated.create("two_nodes", MIGRATED)
    hosts = Hosts(ARTICLES)
    with served(hosts), node_like(deployed, tmp_path_factory.mktemp("second")) as second:
        until(lambda: not jobs_of(deployed), seconds=240, progress=lambda: f"{jobs_of(deployed)} of another test")
        plan = schedule(hosts.sites(tmp_path / "sites", HOSTS, DELAY), database, shared_redis.url, deployed, second)
        engine = open_store(database)
        service = ScheduleService(engine, plan, "first", now, print)
        assert service.lead()
        assert service.tick() == []
        with engine.begin() as conn:  # as a service had it that died an hour ago
            for entry in plan.jobs:
                jobs.put_due(conn, f"schedule:{entry.name}", (entry.latest(now()) - timedelta(hours=1)).timestamp(), 0.0)
        started = service.tick()
        assert len(started) == len(plan.jobs)
        again = ScheduleService(engine, plan, "first", now, print)  # the service was restarted
        assert again.lead()
        assert again.tick() == []
        assert sorted(jobs_of(node) for node in (deployed, second)) == sorted([job] for job in started)

        def logs() -> str:
            return "\n".join(node.log(job)[-1500:] for node, job in product((deployed, second), started))

        until(lambda: rows(database, "SELECT count(*) FROM workers") == [(2,)], seconds=240, progress=logs)
        hosts.open()
        until(lambda: min(articles_by_worker(hosts)[entry.name] for entry in plan.jobs) >= UNDER_WAY, seconds=240, progress=logs)
        (lost,) = jobs_of(second)
        kill(second)
        killed_at = time.time()
        until(started_again(again, lost), seconds=AGAIN_SECONDS)
        until(lambda: worker_of(lost) in {hit.worker for hit in hosts.hits if hit.at > killed_at + 1}, seconds=240)
        ended = [deployed.wait(job, 240) for job in started]
        engine.dispose()
    assert [job_end.exit_code for job_end in ended] == [0, 0], [job_end.log[-2000:] for job_end in ended]
    requests = Counter((hit.host, hit.path) for hit in hosts.hits if hit.path.startswith("/2024/"))
    assert len(requests) == len(HOSTS) * ARTICLES
    twice = [page for page, times in requests.items() if times > 1]
    lost_with_it = [hit for hit in hosts.hits if hit.at <= killed_at and (hit.host, hit.path) in twice]
    assert {hit.worker for hit in lost_with_it} <= {worker_of(lost)}, "only what the dead one had not stored"
    assert len(twice) <= 2 * len(HOSTS)  # one was asked for of each host, and one was not yet written
    assert rows(database, "SELECT count(*) FROM articles") == [(len(HOSTS) * ARTICLES,)]
    migrated.drop("two_nodes")


def now() -> datetime:
    return datetime.now(MORNING.tzinfo)


@contextmanager
def node_like(node: Scrapyd, folder: Path) -> Iterator[Scrapyd]:
    """Another node with what is deployed on this one; both know their project, which takes seconds the first time."""
    shutil.copytree(node.folder / "eggs", folder / "eggs")
    other = Scrapyd(folder)
    for service in (node, other):
        assert service.get("listspiders", project="newsspider")["status"] == "ok"
    try:
        yield other
    finally:
        other.close()


def schedule(sites: Path, database: str, redis: str, *nodes: Scrapyd) -> Schedule:
    """A job for each node, which may run on any; the hosts know the workers by the jobs' names."""
    shared = {"DATABASE_URL": database, "REDIS_URL": redis, "REDIS_PREFIX": "two_nodes", "DELAY_FACTOR": 0}
    patience = {"DOWNLOAD_FIRST_BYTE_SECONDS": 110, "DOWNLOAD_TIMEOUT": 110}  # lists, until both workers are there
    half_a_day_ago = f"0 {(now().hour + 12) % 24} * * *"  # no other moment comes while the test runs
    entries = [
        {
            "name": f"crawl-{letter}", "cron": half_a_day_ago, "arguments": {"sites": str(sites), "topic": "any"},
            "settings": {**shared, **patience, "USER_AGENT": f"{AGENT}crawl-{letter}"},
        }
        for letter in "ab"[: len(nodes)]
    ]  # fmt: skip
    return Schedule.model_validate({"nodes": [node.url.rstrip("/") for node in nodes], "jobs": entries})


def jobs_of(node: Scrapyd) -> list[str]:
    """The jobs that wait or run on a node."""
    listed = node.get("listjobs")
    return [job["id"] for state in ("pending", "running") for job in listed[state]]


def worker_of(job: str) -> str:
    return job.rpartition("-")[0]


def articles_by_worker(hosts: Hosts) -> Counter[str]:
    return Counter(hit.worker for hit in hosts.hits if hit.path.startswith("/2024/"))


def kill(node: Scrapyd) -> None:
    """Kill a node with all that runs on it, as if its machine had lost its power."""
    for running in node.get("listjobs")["running"]:
        os.kill(running["pid"], signal.SIGKILL)
    node.process.kill()
    node.process.wait()


def started_again(service: ScheduleService, job: str) -> Callable[[], bool]:
    """Whether the service has started this job, and no other one, as it looks every few seconds."""
    looked_at = 0.0

    def looks() -> bool:
        nonlocal looked_at
        if time.monotonic() < looked_at + TICK_SECONDS:
            return False
        looked_at = time.monotonic()
        assert service.lead()
        started = service.tick()
        assert started in ([], [job])
        return started == [job]

    return looks
