"""``scrapy schedule``: starts jobs on scrapyd when they are due."""

from __future__ import annotations

import time
from argparse import Namespace
from datetime import datetime
from heapq import merge
from itertools import islice, repeat
from typing import TYPE_CHECKING

from newsspider.cli.command import CommandError, DataCommand, print_line, print_note, print_record
from newsspider.cli.command_group import CommandGroup
from newsspider.crawl.wrong_use import whole_number

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from newsspider.features.schedule.schedule_file import Schedule, ScheduleEntry
    from newsspider.features.schedule.scrapyd_node import ScrapydNode
    from newsspider.store.jobs import Job
    from newsspider.store.runs import JobRun

FILE = "schedule.toml"
SHOWN_RUNS = 3  # of each job


class Command(CommandGroup):
    """The file lists the jobs, when they start, and which scrapyd servers may run them; docs/how-to/schedule.md has an
    example. Times are in the zone of the setting ``TIME_ZONE``."""

    summary = "Start jobs on scrapyd by a schedule; list them, show the next starts"

    def add_actions(self) -> None:
        run = self.add_action("run", run_schedule, "[--file FILE] [--dry-run]", "Start jobs until Ctrl-C", "--dry-run")
        run.add_argument("--dry-run", action="store_true", help="start nothing; show what is due and the next starts")
        listed = self.add_action("list", list_schedule, "[--file FILE] [--json]", "List the jobs", "--json")
        listed.add_argument("--json", action="store_true", help="one JSON line a job")
        coming = self.add_action("next", show_next, "[--file FILE] [--count N]", "Show the next starts", "--count 20")
        coming.add_argument("--count", metavar="N", default="10", help="the next N starts (10)")
        for parser in (run, listed, coming):
            _add_file(parser)


def _add_file(parser: ArgumentParser) -> None:
    parser.add_argument("--file", metavar="FILE", default=FILE, help=f"the schedule ({FILE})")


def run_schedule(command: DataCommand, opts: Namespace) -> None:
    """Start jobs until Ctrl-C or SIGTERM.

    Run it on two nodes with one store: one works, and the other takes over within a minute if it stops. A job that
    still runs is not started again, missed starts are made up for once, and nodes that are down are skipped.
    """
    import signal
    from threading import Event

    from newsspider.crawl.storage import worker_name
    from newsspider.features.schedule.schedule_file import ScheduleFile
    from newsspider.features.schedule.schedule_service import ScheduleService
    from newsspider.store.engine.errors import StoreFailedError

    file, zone = ScheduleFile(opts.file, command.settings), command.settings["TIME_ZONE"]
    schedule, ended = file.schedule, Event()
    with command.store() as engine:
        service = ScheduleService(engine, schedule, worker_name(), lambda: _now(zone), print_note, file)
        if opts.dry_run:
            now = _now(zone)
            for entry in schedule.jobs:
                if moment := service.due(entry, now, keep=False):
                    print_line(f"due since {_shown(moment)}  {entry.name}")
            _print_next(schedule, now, 10)
            return
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: ended.set())
        try:
            service.run(ended)
        except StoreFailedError as error:
            raise CommandError(str(error)) from None


def list_schedule(command: DataCommand, opts: Namespace) -> None:
    """Print each job: when it starts, for which moment it was started last, when next, whether it runs, and
    since when it is queued if scrapyd has not begun it for longer than its period. Below it its last runs: result, exit
    code, seconds and what was said last.

    With ``--json`` {name, spider, when, node, last, next, runs, queued_since, last_runs: [{started_at, result,
    exit_code, seconds, last_line}]}.
    """
    from newsspider.commands.export import reading_store
    from newsspider.features.schedule.schedule_file import ANY, load_schedule, now_in
    from newsspider.features.schedule.schedule_service import waiting_note
    from newsspider.features.schedule.scrapyd_node import url_without_login
    from newsspider.store import jobs, runs

    schedule, zone = load_schedule(opts.file, command.settings), command.settings["TIME_ZONE"]
    now = _now(zone)
    with reading_store(command) as conn:
        for entry in schedule.jobs:
            last_start, run = jobs.job(conn, f"{jobs.SCHEDULE}{entry.name}"), jobs.job(conn, entry.name)
            last = now_in(zone, last_start.due_at) if last_start and last_start.due_at is not None else None
            is_running = run is not None and run.holder is not None and run.held_until > now.timestamp()
            past = runs.of_job(conn, entry.name, SHOWN_RUNS, now.timestamp())
            queue = None if is_running else _long_queue(schedule, entry, last_start, now)
            coming = next(entry.following(now))
            when = entry.cron or f"every {entry.every}"
            if opts.json:
                node = entry.node if entry.node == ANY else url_without_login(entry.node)
                record = {"name": entry.name, "spider": entry.spider, "when": when, "node": node}
                start = {"last": last and last.isoformat(), "next": coming.isoformat(), "runs": is_running}
                told = {"last_runs": [_run_record(run, zone) for run in past]}
                print_record(record | start | {"queued_since": queue and queue[1].isoformat()} | told)
            else:
                last_run = "runs now" if is_running else f"last {_shown(last) if last else 'never'}"
                waits = f"  {waiting_note(*queue)}" if queue else ""
                print_line(f"{entry.name:<20} {when:<16} next {_shown(coming)}  {last_run}{waits}")
                for done in past:
                    print_line(f"    {_shown(now_in(zone, done.started_at))}  {done.sentence}")


def _run_record(run: JobRun, zone: str) -> dict[str, object]:
    from newsspider.features.schedule.schedule_file import now_in

    return {
        "started_at": now_in(zone, run.started_at).isoformat(),
        "result": run.result,
        "exit_code": run.exit_code,
        "seconds": run.seconds,
        "last_line": run.last_line,
    }


def _long_queue(
    schedule: Schedule, entry: ScheduleEntry, last_start: Job | None, now: datetime
) -> tuple[ScrapydNode, datetime] | None:
    """The node on which a job is queued for longer than its period, and since when."""
    from newsspider.features.schedule.schedule_service import queued_since
    from newsspider.features.schedule.scrapyd_node import NodeDownError, ScrapydNode, url_without_login

    url = next((url for url in schedule.nodes if last_start and url_without_login(url) == last_start.holder), None)
    if url is None:
        return None
    node = ScrapydNode(url, schedule.project)
    try:
        since = queued_since(entry, last_start, node.jobs(), now)
    except NodeDownError:
        return None
    return (node, since) if since else None


def show_next(command: DataCommand, opts: Namespace) -> None:
    """Print the next starts of all jobs, soonest first."""
    from newsspider.features.schedule.schedule_file import load_schedule

    count = whole_number("--count", opts.count, 1, 10_000)
    _print_next(load_schedule(opts.file, command.settings), _now(command.settings["TIME_ZONE"]), count)


def _print_next(schedule: Schedule, now: datetime, count: int) -> None:
    starts = merge(*(zip(entry.following(now), repeat(entry.name)) for entry in schedule.jobs))
    for moment, name in islice(starts, count):
        print_line(f"{_shown(moment)}  {name}")


def _now(zone: str) -> datetime:
    from newsspider.features.schedule.schedule_file import now_in

    return now_in(zone, time.time())


def _shown(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S %z}"
