"""A briefing is sent once, though ``scrapy web`` is killed with SIGKILL while it sends and a hundred readers read."""

import asyncio
import os
import re
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import cycle
from pathlib import Path
from threading import Event, Thread

import aiohttp
import pytest
from sqlalchemy import Engine, text

from newsspider.core.query.query_dates import ZONE
from newsspider.features.alerts import deliveries
from newsspider.features.alerts.rhythm_and_quiet_hours import Rhythm
from newsspider.features.alerts.stored_alerts import AlertKind
from newsspider.features.alerts.story_matching import note_story
from newsspider.features.briefing import stored_briefings
from newsspider.features.briefing.subscriptions import Wanted
from newsspider.features.console.background_process import keep_running
from newsspider.features.events.detection_run import analyse_new
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import reading, writing
from tests.support.events import until
from tests.support.mail_server import MailServer
from tests.support.portal import start
from tests.support.process import Process
from tests.support.receiver import Receiver, alert
from tests.support.samples import save_article
from tests.support.stores import BACKENDS

pytestmark = pytest.mark.long

READERS = 100
PAUSE_SECONDS = 0.5  # in which somebody reads a page
PATHS = ("/", "/briefings", "/search?q=火灾", "/events", "/attention?q=火灾", "/articles/1", "/alerts", "/events/1")
ADDRESSES = ["wang@a.cn", "li@a.cn", "zhao@b.cn"]


class Readers:
    """A hundred people who read the pages of consoles, one after the other, and what answered them."""

    def __init__(self, *bases: str) -> None:
        self.bases = list(bases)
        self.answers: Counter[tuple[str, int | str]] = Counter()
        self._ended = Event()
        self._thread = Thread(target=lambda: asyncio.run(self._read()))

    def __enter__(self) -> "Readers":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def failed(self) -> set[str]:
        """The consoles at which somebody got no page."""
        return {base for base, answer in self.answers if answer != 200}

    async def _read(self) -> None:
        await asyncio.gather(*(self._reader(number) for number in range(READERS)))

    async def _reader(self, number: int) -> None:
        """Somebody with an address of their own."""
        connector = aiohttp.TCPConnector(local_addr=(f"127.0.1.{number + 1}", 0))
        async with aiohttp.ClientSession(connector=connector) as session:
            for path in cycle(PATHS[number % len(PATHS) :] + PATHS[: number % len(PATHS)]):
                base = self.bases[number % len(self.bases)]
                try:
                    async with session.get(base + path) as answer:
                        await answer.read()
                        self.answers[base, answer.status] += 1
                except aiohttp.ClientError as error:
                    self.answers[base, type(error).__name__] += 1
                if self._ended.is_set():
                    return
                await asyncio.sleep(PAUSE_SECONDS)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("killed", ["the console alone", "before it is taken", "before it is noted"])
def test_each_recipient_gets_a_briefing_once(store: Engine, url: str, tmp_path: Path, killed: str) -> None:
    now = Clock().utc()
    fill(store)
    go_on, mail_asked, hook_asked = Event(), Event(), Event()

    def stall(is_taken: bool) -> None:
        if is_taken == (killed == "before it is noted") and not mail_asked.is_set():
            mail_asked.set()
            go_on.wait(120)

    def answer(key: str) -> int:
        if hook_asked.is_set():
            return 200
        hook_asked.set()
        go_on.wait(120)
        return 503 if killed == "before it is taken" else 200

    with MailServer(stall=stall) as mail, Receiver(answer) as receiver, consoles(url, tmp_path, 2) as running, Readers(*running) as readers:
        until(lambda: readers.answers.total() > READERS)
        with writing(store) as conn:
            values = {"kind": AlertKind.BRIEFING, "query": "", "details": Wanted().text(), "name": "早报", "created_at": 0.0}
            alert(conn, mail.channel(*ADDRESSES), receiver.url, rhythm=Rhythm.read(f"daily {now.astimezone(ZONE):%H:%M}"), **values)
        until(lambda: mail_asked.is_set() and hook_asked.is_set())
        ((base, victim),) = [(base, console) for base, console in running.items() if is_connected(background_of(console), mail.port)]
        child = background_of(victim)
        victim.kill()
        if killed != "the console alone":
            os.kill(child, signal.SIGKILL)
            until(lambda: not is_connected(child, mail.port))
            with writing(store) as conn:
                conn.execute(text("UPDATE alert_deliveries SET leased_until = 0"))  # two minutes later
        go_on.set()
        until(lambda: states(store) == ["sent", "sent"])
        assert readers.failed() <= {base}, (base, readers.answers)
        with consoles(url, tmp_path, 1) as restarted:
            (other,) = (console for console in running.values() if console is not victim)
            other.kill()  # what comes now comes from the one that was restarted
            with writing(store) as conn:
                alert_id = alert(conn, receiver.url, name="高考").id
                story = {"title": "a", "url": None, "site": "a", "why": {"sentence": "a"}}
                note_story(conn, alert_id, "a", None, story, now.timestamp())
            until(lambda: "a" in receiver.titles())
            readers.bases[:] = list(restarted)
            before = readers.answers.total()
            until(lambda: readers.answers.total() > before + READERS)
            assert readers.failed() <= set(running), readers.answers
    with reading(store) as conn:
        assert [one.path for one in stored_briefings.latest(conn, 9)] == ["/briefings/1"]
    taken = 2 if killed == "before it is noted" else 1  # no protocol knows whether it was taken: the key is the same
    assert [addresses for addresses, _ in mail.mails] == [ADDRESSES] * taken
    assert len({mail["Message-ID"] for _, mail in mail.mails}) == 1
    sent = [key for key, message in receiver.taken.items() if message["type"] == "briefing"]
    assert [receiver.times[key] for key in sent] == [taken]
    assert {answer for (_, answer) in readers.answers if isinstance(answer, int)} == {200}


def states(store: Engine) -> list[str]:
    """What became of the messages of the briefing."""
    with reading(store) as conn:
        return [one["state"] for several in deliveries.about(conn, ["/briefings/1"]).values() for one in several]


def fill(store: Engine) -> None:
    """An event of this day, and some more."""
    with writing(store) as conn:
        for number in range(1, 6):
            moment = Clock().utc() - timedelta(hours=number + 1)
            body = "河东县育才小学食堂发生火灾，消防员到场扑救，无人受伤。县教育局正在调查起火原因。" + "后续" * number
            dates = {"published_at": moment, "crawled_at": moment}
            save_article(conn, f"http://a.cn/{number}", body, title="河东县育才小学食堂火灾", site=f"站{number}", **dates)
    for _ in analyse_new(store):
        pass


@contextmanager
def consoles(url: str, folder: Path, count: int) -> Iterator[dict[str, Process]]:
    """Consoles that were started, with what they do beside answering, by their addresses."""
    running: dict[str, Process] = {}
    database = url if url.startswith("postgresql") else Path(url.removeprefix("sqlite:///"))
    try:
        for number in range(count):
            log = folder / f"log{len(list(folder.iterdir()))}"
            console = start(database, "web", "--port", "0", log=log)
            running[str(number)] = console
            until(lambda log=log: log.exists() and "console at" in log.read_text("utf-8"), console)
            found = re.search(r"http://127\.0\.0\.1:\d+", log.read_text("utf-8"))
            assert found
            running[found[0]] = running.pop(str(number))
        for console in running.values():
            until(lambda console=console: background_of(console) > 0, console)
        yield running
    finally:
        for console in running.values():
            console.kill()


def background_of(console: Process) -> int:
    """The number of the process of events and alerts of a console; 0 if there is none."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text("utf-8").rpartition(")")[2].split()[1])
            if parent == console.pid and keep_running.__module__ in (folder / "cmdline").read_text("utf-8"):
                return int(folder.name)
        except OSError:
            continue
    return 0


def is_connected(pid: int, port: int) -> bool:
    """Whether a process has a connection to this port."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text("utf-8").splitlines()[1:]]
    sockets = {f"socket:[{row[9]}]" for row in rows if row[2].endswith(f":{port:04X}")}
    try:
        return any(str(file.readlink()) in sockets for file in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False
