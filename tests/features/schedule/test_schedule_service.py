"""One bad node or entry holds up no other, and no job can take the place of the service."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from urllib.parse import parse_qs
from zoneinfo import ZoneInfo

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from newsspider.crawl.arguments import job_of
from newsspider.features.schedule.scrapyd_node import NodeDownError, ScrapydNode
from newsspider.store.engine.database import open_store, reading
from newsspider.store.jobs import SCHEDULE, Job, job

pytest.importorskip("croniter")
from newsspider.features.schedule.schedule_file import Schedule, ScheduleEntry, ScheduleFile
from newsspider.features.schedule.schedule_service import ScheduleService, queued_since
from tests.support.tables import each

NOW = datetime(2026, 11, 26, 8, 0, 10, tzinfo=ZoneInfo("Asia/Shanghai"))
GOOD = {"status": "ok", "pending": [], "running": [], "finished": []}


def answer(content: object) -> bytes:
    return b"HTTP/1.0 200 OK\r\n\r\n" + json.dumps(content).encode()


@contextmanager
def node(raw: bytes) -> Iterator[str]:
    """The URL of a server that gives this answer to every request."""

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            length = 0
            while (line := self.rfile.readline().strip()):
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            self.rfile.read(length)
            self.wfile.write(raw)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@contextmanager
def node_that_loses_answers() -> Iterator[tuple[str, list[str]]]:
    """The URL of a scrapyd that takes jobs and hangs up before it says so, and the ids of its jobs."""
    job_ids: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.wfile.write(answer(GOOD | {"pending": [{"id": job_id} for job_id in job_ids]}))

        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            job_ids.append(form["jobid"][0])

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", job_ids
        server.shutdown()


def service_of(folder: Path, *nodes: str) -> ScheduleService:
    entries = [{"name": name, "every": "1h"} for name in ("schedule", "other")]
    schedule = Schedule.model_validate({"nodes": nodes, "jobs": entries})
    return ScheduleService(open_store(f"sqlite:///{folder / 'news.db'}"), schedule, "a", lambda: NOW, print)


@each(
    "raw",
    [
        b"junk\r\n\r\n", b"HTTP/1.0 200 OK\r\nContent-Length: 99\r\n\r\n{}", answer([]), answer({"status": "ok", "running": 5}),
        answer({"status": "ok", "running": [{}]}), answer({"status": "ok", "running": ["a"]}),
    ],
)  # fmt: skip
def test_a_node_that_answers_otherwise_than_scrapyd_is_down(raw: bytes) -> None:
    with node(raw) as url, pytest.raises(NodeDownError):
        ScrapydNode(url, "newsspider").jobs()


def test_every_entry_starts_beside_a_bad_node_and_one_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with node(answer([])) as bad, node(answer(GOOD)) as good:
        service = service_of(tmp_path, bad, good)
        assert service.lead()
        assert service.tick() == []
        service.clock = lambda: NOW + timedelta(hours=1)
        assert service.lead()
        assert service.tick() == ["schedule-20261126T090000", "other-20261126T090000"]
        latest = ScheduleEntry.latest

        def failing(entry: ScheduleEntry, now: datetime) -> datetime:
            if entry.name == "schedule":
                raise ZeroDivisionError
            return latest(entry, now)

        monkeypatch.setattr(ScheduleEntry, "latest", failing)
        service.clock = lambda: NOW + timedelta(hours=2)
        assert service.lead()
        assert service.tick() == ["other-20261126T100000"]
        with reading(service.engine) as conn:
            lease = job(conn, SCHEDULE)
        assert lease is not None
        assert lease.holder == "a"
        service.engine.dispose()


def test_an_error_of_ours_does_not_end_the_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[str] = []
    ended, rounds = threading.Event(), []

    def lead(_service: ScheduleService) -> bool:
        rounds.append(1)
        if len(rounds) < 3:
            raise ZeroDivisionError
        ended.set()
        return False

    monkeypatch.setattr(ScheduleService, "lead", lead)
    monkeypatch.setattr("newsspider.features.schedule.schedule_service.TICK_SECONDS", 0.01)
    service = service_of(tmp_path, "http://127.0.0.1:1")
    service.note = notes.append
    service.run(ended)
    assert notes == ["an error of newsspider: ZeroDivisionError()"]
    service.engine.dispose()


def test_a_job_whose_answer_is_lost_starts_on_no_other_node(tmp_path: Path) -> None:
    busy = GOOD | {"pending": [{"id": f"more-{number}"} for number in range(3)]}  # so the jobs go to the other node
    with node_that_loses_answers() as (losing, job_ids), node(answer(busy)) as good:
        service = service_of(tmp_path, losing, good)
        assert service.lead()
        service.tick()
        service.clock = lambda: NOW + timedelta(hours=1)
        assert service.lead()
        service.tick()
        assert job_ids == ["schedule-20261126T090000", "other-20261126T090000"]
        with reading(service.engine) as conn:
            started = job(conn, f"{SCHEDULE}schedule")
        assert started is not None
        assert started.holder == losing
        service.engine.dispose()


@each(
    ("states", "minutes", "when", "is_named"),
    [
        ({"a-1": "pending"}, 61, {"every": "1h"}, True),
        ({"a-1": "pending"}, 59, {"every": "1h"}, False),
        ({"a-1": "running"}, 600, {"every": "1h"}, False),
        ({"a-1": "finished"}, 600, {"every": "1h"}, False),
        ({"a-b-1": "pending"}, 600, {"every": "1h"}, False),
        ({}, 600, {"every": "1h"}, False),
        ({"a-1": "pending"}, 600, {"cron": "5 * * * *"}, True),
        ({"a-1": "pending"}, 600, {"cron": "0 6 * * *"}, False),
    ],
)
def test_a_job_is_named_that_waits_for_longer_than_its_period(
    states: dict[str, str], minutes: int, when: dict[str, str], is_named: bool
) -> None:
    started_at = NOW.timestamp() - minutes * 60
    entry = ScheduleEntry.model_validate({"name": "a", **when})
    since = queued_since(entry, Job("http://a", started_at, 0.0, started_at), states, NOW)
    assert (since is not None) == is_named
    assert queued_since(entry, None, states, NOW) is None


def test_the_service_names_a_job_that_stays_queued_once(tmp_path: Path) -> None:
    said: list[str] = []
    waiting = GOOD | {"pending": [{"id": "other-20261126T090000"}]}
    with node(answer(GOOD)) as url:
        service = service_of(tmp_path, url)
        service.note = said.append
        assert service.lead()
        service.tick()
        service.clock = lambda: NOW + timedelta(hours=1)
        assert service.lead()
        service.tick()
    with node(answer(waiting)) as url:
        service.nodes = {url: ScrapydNode(url, "newsspider")}
        for minutes in (119, 121, 122):
            service.clock = lambda minutes=minutes: NOW + timedelta(minutes=minutes)
            assert service.lead()
            service.tick()
        assert [line for line in said if "queued" in line] == [
            f"other: queued on {url} since 2026-11-26 09:00 +0800, longer than its period"
        ]
    service.engine.dispose()


def test_a_service_that_runs_takes_up_an_edited_file(tmp_path: Path) -> None:
    settings = Settings()
    settings.setmodule("newsspider.settings")
    path, said = tmp_path / "schedule.toml", list[str]()
    path.write_text('[[jobs]]\nname = "a"\nevery = "1h"\n', "utf-8")
    file = ScheduleFile(str(path), settings)
    engine = open_store(f"sqlite:///{tmp_path / 'news.db'}")
    service = ScheduleService(engine, file.schedule, "a", lambda: NOW, said.append, file)
    for text in ("[[jobs", 'nodes = ["http://127.0.0.1:1"]\n[[jobs]]\nname = "b"\nevery = "2h"\n'):
        path.write_text(text, "utf-8")
        service.read_again()
        service.read_again()
    assert said[0].endswith("; the jobs stay as they were")
    assert said[1:] == [f"{path} has changed: 1 jobs from now on"]
    assert ([entry.name for entry in service.schedule.jobs], list(service.nodes)) == (["b"], ["http://127.0.0.1:1"])
    engine.dispose()


def test_no_run_of_a_crawl_takes_the_name_of_the_service() -> None:
    assert job_of({"job": "schedule"}) == "schedule"
    with pytest.raises(UsageError, match="begin with schedule:"):
        job_of({"job": SCHEDULE})
