"""Starts the jobs of a schedule when they are due: once each, on a node that answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from threading import Event

from scrapy.exceptions import UsageError
from sqlalchemy import Engine, make_url

from newsspider.features.schedule.schedule_file import ANY, Schedule, ScheduleEntry, ScheduleFile, text_of
from newsspider.features.schedule.scrapyd_node import NodeDownError, ScrapydNode
from newsspider.store import jobs, runs
from newsspider.store.engine.database import reading, writing
from newsspider.store.engine.errors import StoreFailedError

TICK_SECONDS = 5.0
LEASE_SECONDS = 45.0  # after which a service that says nothing is replaced; longer than a node may take to start a job
CLOCKS_SECONDS = 5.0  # by which the clocks of two nodes may differ


class ScheduleService:
    """Of several services on one store one works; another takes over when it says nothing for 45 seconds.

    The moment for which an entry was started is kept in the store, and the id of the job in scrapyd is made of it. So
    a service that dies between the two starts it neither twice nor never. Of several missed moments one is made up for.
    """

    def __init__(
        self,
        engine: Engine,
        schedule: Schedule,
        name: str,
        clock: Callable[[], datetime],
        note: Callable[[str], None],
        file: ScheduleFile | None = None,
    ) -> None:
        self.engine = engine
        self.file = file
        self.name = name
        self.clock = clock
        self.note = note
        self._noted: dict[str, str] = {}  # memory: what was said of each entry: entries of the schedule
        self._use(schedule)

    def _use(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.nodes = {url: ScrapydNode(url, schedule.project) for url in schedule.nodes}
        # memory _ended: the last job of each entry that ended: entries of the schedule
        self._ended = dict.fromkeys((entry.name for entry in schedule.jobs), "")

    def run(self, ended: Event) -> None:
        """Work until the event is set."""
        works = False
        while not ended.is_set():
            try:
                self.read_again()
                leads = self.lead()
                if leads != works:
                    self.note("starting jobs" if leads else "another service starts the jobs; waiting to take over")
                works = leads
                if leads:
                    self.tick()
            except StoreFailedError as error:  # it may come back
                self._note_once(jobs.SCHEDULE, str(error))
            except Exception as error:  # the next round may go well
                self._note_once(jobs.SCHEDULE, f"an error of newsspider: {error!r}")
            ended.wait(TICK_SECONDS)
        if works:
            with writing(self.engine) as conn:
                jobs.release(conn, jobs.SCHEDULE, self.name, self.clock().timestamp(), quiet=0.0)

    def read_again(self) -> None:
        """Take up an edited file; one that cannot be used is named, and the jobs stay as they were."""
        try:
            if self.file is not None and (schedule := self.file.changed()) is not None:
                self._use(schedule)
                self.note(f"{self.file.path} has changed: {len(schedule.jobs)} jobs from now on")
        except UsageError as error:
            self.note(f"{error}; the jobs stay as they were")

    def lead(self) -> bool:
        """Whether this service is the one that works."""
        now = self.clock().timestamp()
        with writing(self.engine) as conn:
            extended = jobs.extend(conn, jobs.SCHEDULE, self.name, now, seconds=LEASE_SECONDS)
            return extended or jobs.take(conn, jobs.SCHEDULE, self.name, now, seconds=LEASE_SECONDS)

    def tick(self) -> list[str]:
        """Start what is due; the ids of the jobs."""
        now = self.clock()
        started = []
        for entry in self.schedule.jobs:
            try:
                self._look_back(entry, now)
                moment = self.due(entry, now)
                started.append(self._start(entry, moment) if moment else None)
            except StoreFailedError:
                raise
            except Exception as error:  # the other entries are started all the same
                self._note_once(entry.name, f"{entry.name}: an error of newsspider: {error!r}")
        return [job_id for job_id in started if job_id]

    def _look_back(self, entry: ScheduleEntry, now: datetime) -> None:
        """Note the end of the last run if its process did not, and say so if the last two runs failed. A job with a
        store of its own tells that one."""
        with reading(self.engine) as conn:
            last_start = jobs.job(conn, f"{jobs.SCHEDULE}{entry.name}")
        node = next((node for node in self.nodes.values() if last_start and node.shown == last_start.holder), None)
        if node is None or last_start is None or last_start.due_at is None or self._has_own_store(entry):
            return
        job_id = job_id_of(entry, datetime.fromtimestamp(last_start.due_at, now.tzinfo))
        if self._ended[entry.name] == job_id:
            return
        with reading(self.engine) as conn:
            last_runs = runs.of_job(conn, entry.name, runs.FEWEST_FAILURES, now.timestamp())
        run = next((run for run in last_runs if run.job_id == job_id), None)
        if run is None or run.result in (None, runs.DIED):
            try:
                if node.jobs().get(job_id) != "finished":
                    return
            except NodeDownError:
                return
            arguments = {name: text_of(value) for name, value in entry.arguments.items()}
            given = arguments | {"job": entry.name, "_job": job_id}
            began, line = last_start.started_at - CLOCKS_SECONDS, node.last_line(entry.spider, job_id)
            with writing(self.engine) as conn:
                runs.note_end(conn, entry.spider, given, began, now.timestamp(), runs.DIED, None, line)
        self._ended[entry.name] = job_id
        with reading(self.engine) as conn:
            if run := runs.failing_jobs(conn, now.timestamp()).get(entry.name):
                self.note(f"{entry.name}: failed {runs.FEWEST_FAILURES} times in a row: {run.sentence}")

    def _has_own_store(self, entry: ScheduleEntry) -> bool:
        url = entry.settings.get("DATABASE_URL")
        return url is not None and make_url(str(url)) != self.engine.url

    def due(self, entry: ScheduleEntry, now: datetime, *, keep: bool = True) -> datetime | None:
        """The moment for which an entry is to be started now; one that is seen for the first time waits for its next
        one, and one that still runs waits for its end."""
        latest = entry.latest(now)
        with reading(self.engine) as conn:
            last_start, running_job = jobs.job(conn, f"{jobs.SCHEDULE}{entry.name}"), jobs.job(conn, entry.name)
        if last_start is None or last_start.due_at is None:
            if keep:
                self._keep(entry, latest)
            return None
        if last_start.due_at >= latest.timestamp():
            return latest if self._is_lost(last_start, running_job, now) else None
        runs = running_job is not None and running_job.held_until > now.timestamp()
        return None if runs else latest

    def _is_lost(self, last_start: jobs.Job, running_job: jobs.Job | None, now: datetime) -> bool:
        """Whether the node that an entry was started on is down, and its run never began or says nothing any more."""
        node = next((node for node in self.nodes.values() if node.shown == last_start.holder), None)
        if node is None:
            return False
        began = running_job is not None and running_job.started_at >= last_start.started_at - CLOCKS_SECONDS
        if began and (running_job is None or running_job.holder is None or running_job.held_until > now.timestamp()):
            return False
        try:
            node.jobs()
        except NodeDownError:
            return True
        return False

    def _start(self, entry: ScheduleEntry, moment: datetime) -> str | None:
        """Start an entry on the node with the fewest jobs that answers; ``None`` if that has to wait."""
        job_id = job_id_of(entry, moment)
        waiting: list[tuple[int, str]] = []
        problems = []
        for url, node in self.nodes.items():
            try:
                states = node.jobs()
            except NodeDownError as error:
                problems.append(str(error))
                continue
            if job_id in states:  # the service died before it could keep that
                self._keep(entry, moment, node)
                return None
            busy = [busy_job for busy_job, state in states.items() if state != "finished"]
            if any(busy_job.rpartition("-")[0] == entry.name for busy_job in busy):
                self._note_queued(entry, node, states)
                return None  # the run before waits or works there
            if entry.node in (ANY, url):
                waiting.append((len(busy), url))
        for _, url in sorted(waiting):
            node = self.nodes[url]
            if not self.lead():  # a node may take long
                return None
            try:
                arguments = {name: text_of(value) for name, value in entry.arguments.items()} | {"job": entry.name}
                node.start(entry.spider, job_id, arguments, {k: text_of(v) for k, v in entry.settings.items()})
            except NodeDownError as error:
                if not _has(node, job_id):
                    problems.append(str(error))
                    continue
            self._keep(entry, moment, node)
            self._noted.pop(entry.name, None)
            self.note(f"{entry.name}: started on {node.shown} as {job_id}")
            return job_id
        why = "; ".join(problems)
        self._note_once(entry.name, f"{entry.name}: due since {moment:%Y-%m-%d %H:%M %z}, not started: {why}")
        return None

    def _note_queued(self, entry: ScheduleEntry, node: ScrapydNode, states: Mapping[str, str]) -> None:
        with reading(self.engine) as conn:
            last_start = jobs.job(conn, f"{jobs.SCHEDULE}{entry.name}")
        if since := queued_since(entry, last_start, states, self.clock()):
            self._note_once(entry.name, f"{entry.name}: {waiting_note(node, since)}")

    def _keep(self, entry: ScheduleEntry, moment: datetime, node: ScrapydNode | None = None) -> None:
        with writing(self.engine) as conn:
            now = self.clock().timestamp()
            jobs.put_due(conn, f"{jobs.SCHEDULE}{entry.name}", moment.timestamp(), now, node.shown if node else None)

    def _note_once(self, name: str, sentence: str) -> None:
        if self._noted.get(name) != sentence:
            self._noted[name] = sentence
            self.note(sentence)


def job_id_of(entry: ScheduleEntry, moment: datetime) -> str:
    """The id in scrapyd of the run of an entry for a moment."""
    return f"{entry.name}-{moment:%Y%m%dT%H%M%S}"


def queued_since(
    entry: ScheduleEntry, last_start: jobs.Job | None, states: Mapping[str, str], now: datetime
) -> datetime | None:
    """When the last run of an entry was put into a queue, if it still waits there after more than the time between two
    starts. ``states`` are those of the jobs of its node."""
    waits = any(state == "pending" and job_id.rpartition("-")[0] == entry.name for job_id, state in states.items())
    if last_start is None or not waits:
        return None
    period = next(entry.following(now)) - entry.latest(now)
    is_long = now.timestamp() - last_start.started_at > period.total_seconds()
    return datetime.fromtimestamp(last_start.started_at, now.tzinfo) if is_long else None


def waiting_note(node: ScrapydNode, since: datetime) -> str:
    """What is said of a run that waits too long."""
    return f"queued on {node.shown} since {since:%Y-%m-%d %H:%M %z}, longer than its period"


def _has(node: ScrapydNode, job_id: str) -> bool:
    """Whether a node took a job although its answer was lost."""
    try:
        return job_id in node.jobs()
    except NodeDownError:
        return False
