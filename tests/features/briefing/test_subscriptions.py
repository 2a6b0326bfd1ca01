"""Briefings on schedule: each is made and sent once, whichever process dies, and what is wrong is told."""

import json
import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

import pytest
from sqlalchemy import Engine, text

from bench.analysis import analyse
from bench.analysis import store as store_pages
from bench.event_stream import START, stream
from newsspider.features.alerts import channels, deliveries, mail
from newsspider.features.alerts.channels import TAKEN, send_message
from newsspider.features.alerts.chat_robots import WECOM_BYTES
from newsspider.features.alerts.delivery_loop import Deliverer
from newsspider.features.alerts.messages import trial_message
from newsspider.features.alerts.rhythm_and_quiet_hours import Rhythm
from newsspider.features.alerts.stored_alerts import AlertKind, mute, replace_channel
from newsspider.features.alerts.story_bundling import put_message
from newsspider.features.alerts.story_matching import note_story
from newsspider.features.briefing import stored_briefings, subscriptions
from newsspider.features.briefing.briefing_articles import BriefingScope
from newsspider.features.briefing.content import BriefingKind
from newsspider.features.briefing.gathering import gather_briefing
from newsspider.features.briefing.rendering import CHAT, briefing_document
from newsspider.features.briefing.subscriptions import Wanted, put_due
from newsspider.hooks import MessageContent
from newsspider.sites.holidays import NO_HOLIDAYS
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import reading, writing
from tests.support.events import until
from tests.support.mail_server import MailServer
from tests.support.receiver import Receiver, alert
from tests.support.stores import BACKENDS, store, url

__all__ = ["store", "url"]

DAY = timedelta(days=1)
TRIAL = trial_message({"name": "早报", "owner": "", "kind": "briefing", "query": ""}, "t", "http://console", 1.8e9)
MORNING = START.replace(hour=7, minute=30)


class At(Clock):
    """It is always the same moment."""

    def __init__(self, moment: datetime) -> None:
        super().__init__()
        self.moment = moment

    def now(self) -> float:
        return self.moment.timestamp()


@pytest.fixture
def backend() -> str:
    """The database, unless a test names others."""
    return "sqlite"


@pytest.fixture
def newsy(store: Engine) -> Engine:
    """A store with the news of two days."""
    store_pages(store, stream(days=2, noise_a_day=3, seed=2).pages)
    analyse(store)
    return store


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as there:
        yield there


def subscribe(engine: Engine, *channels: str, rhythm: str = "daily 07:30", wanted: Wanted | None = None, query: str = "") -> None:
    with writing(engine) as conn:
        details = (wanted or Wanted()).text()
        values = {"kind": AlertKind.BRIEFING, "query": query, "rhythm": Rhythm.read(rhythm), "details": details}
        alert(conn, *channels, name="早报", created_at=START.timestamp(), **values)


def put_at(engine: Engine, moment: datetime) -> list[dict]:
    """Make what is due then; all messages that there are, as they are shown on the page of the console."""
    put_due(engine, "http://console", NO_HOLIDAYS, moment.timestamp())
    with reading(engine) as conn:
        several = deliveries.about(conn, [one.path for one in stored_briefings.latest(conn, 99)])
    return [message for messages in several.values() for message in messages]


def deliver(engine: Engine, moment: datetime) -> None:
    Deliverer(engine, "http://console", 0.02, clock=At(moment)).run(Event(), once=True)


@pytest.mark.parametrize("backend", BACKENDS)
def test_each_is_made_once_by_many_processes_and_begins_where_the_last_ended(newsy: Engine, receiver: Receiver, monkeypatch) -> None:
    subscribe(newsy, receiver.url)
    gathered: list[float] = []
    monkeypatch.setattr(subscriptions, "gather_briefing", lambda *args: gathered.append(args[4]) or gather_briefing(*args))
    assert put_at(newsy, MORNING - timedelta(minutes=1)) == []
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: put_at(newsy, MORNING + DAY), range(8)))
    assert len(put_at(newsy, MORNING + DAY + timedelta(hours=3))) == 1
    assert len(gathered) == 1  # by one process, the others do not even begin
    deliver(newsy, MORNING + DAY)
    put_at(newsy, MORNING + 2 * DAY)
    deliver(newsy, MORNING + 2 * DAY)
    with reading(newsy) as conn:
        second, first = (stored_briefings.kept(conn, one.id).content for one in stored_briefings.latest(conn, 9))
    assert (second.since, second.last, second.number) == (first.until, first.until, 2)
    assert first.until.endswith("T07:30+08:00")
    events = [{item.event: item.pages for item in one.items()} for one in (first, second)]
    assert all(events[1][event] > events[0][event] for event in events[0].keys() & events[1].keys())
    bodies = [json.loads(body) for _, _, body in receiver.requests]
    assert [body["type"] for body in bodies] == ["briefing"] * 2
    assert first.headlines[0].title in bodies[0]["data"]["markdown"]
    assert bodies[0]["data"]["stories"][0]["console_url"] == "http://console/briefings/1"


def test_nothing_is_sent_while_it_is_muted_nor_of_an_empty_day_unless_asked_for(store: Engine) -> None:
    subscribe(store, "console")
    assert put_at(store, MORNING + DAY) == []
    with writing(store) as conn:
        (one,) = subscriptions.subscriptions(conn)
        conn.execute(text("UPDATE alerts SET details = :details"), {"details": Wanted(empty=True).text()})
        mute(conn, one, (MORNING + 2 * DAY).timestamp() + 1, MORNING.timestamp())
    assert put_at(store, MORNING + 2 * DAY) == []
    assert put_at(store, MORNING + 2 * DAY + timedelta(hours=1)) == []  # a briefing of a muted morning is not made up for
    assert len(put_at(store, MORNING + 3 * DAY)) == 1


def test_one_that_cannot_be_made_holds_up_no_other_is_logged_and_made_later(newsy: Engine, caplog) -> None:
    subscribe(newsy, "console", query="title:(")
    with writing(newsy) as conn:
        alert(conn, "console", name="别的", kind=AlertKind.BRIEFING, query="", rhythm=Rhythm.read("daily 07:30"), created_at=0.0)
    with caplog.at_level(logging.WARNING):
        assert [message["name"] for message in put_at(newsy, MORNING + DAY)] == ["别的"]
    assert "the briefing '早报' could not be made" in caplog.text
    with writing(newsy) as conn:
        assert conn.execute(text("SELECT error FROM alerts WHERE name = '早报'")).scalar_one()
        conn.execute(text("UPDATE alerts SET query = ''"))
    assert len(put_at(newsy, MORNING + DAY + timedelta(seconds=1))) == 1  # it is not tried every second
    assert len(put_at(newsy, MORNING + DAY + timedelta(minutes=6))) == 2
    with reading(newsy) as conn:
        assert [one.error for one in subscriptions.subscriptions(conn)] == ["", ""]


def test_a_weekly_one_goes_out_in_its_time_zone(newsy: Engine) -> None:
    subscribe(newsy, "console", rhythm="weekly wed 07:30 Asia/Tokyo")  # the stream begins on a Tuesday
    assert put_at(newsy, MORNING + DAY - timedelta(minutes=61)) == []
    assert len(put_at(newsy, MORNING + DAY - timedelta(minutes=60))) == 1
    with reading(newsy) as conn:
        assert stored_briefings.kept(conn, 1).content.kind == BriefingKind.WEEKLY


def test_what_else_is_sent_by_hand_moves_no_beginning_and_no_two_send_the_same_time(newsy: Engine) -> None:
    subscribe(newsy, "console")
    put_at(newsy, MORNING + DAY)
    now = (MORNING + DAY).timestamp()
    later = MORNING + DAY + timedelta(hours=3)
    special = BriefingScope(BriefingKind.SPECIAL, MORNING, later, region="江苏")
    with writing(newsy) as conn:
        (alert,) = subscriptions.subscriptions(conn)
        briefing = gather_briefing(conn, special, stored_briefings.NO_PAST, NO_HOLIDAYS, now, "", 9)
        assert subscriptions.put(conn, alert, stored_briefings.keep(conn, special, briefing, now), briefing, "http://console", now)
        next_one = subscriptions.gather_for(conn, alert, (MORNING + 2 * DAY).timestamp(), NO_HOLIDAYS, now)
        by_hand = subscriptions.gather_for(conn, alert, later.timestamp(), NO_HOLIDAYS, now)
    assert (next_one[0].since, by_hand[0].since) == (MORNING + DAY, MORNING + DAY)
    assert next_one[1].number == 2
    with writing(newsy) as conn:
        assert stored_briefings.is_next(conn, by_hand[0])
        number = stored_briefings.keep(conn, *by_hand, now)
        subscriptions.put(conn, alert, number, by_hand[1], "http://console", now)
        stored_briefings.change(conn, number, replace(by_hand[1], title="改过"), 0)
        assert not stored_briefings.is_next(conn, next_one[0])  # it was gathered before the other was sent
        third = subscriptions.gather_for(conn, alert, (MORNING + 2 * DAY).timestamp(), NO_HOLIDAYS, now)
    assert (third[0].since, third[1].number) == (later, 3)


def test_a_chat_says_that_nothing_happened_only_then(newsy: Engine) -> None:
    subscribe(newsy, "console")
    put_at(newsy, MORNING + DAY)
    with reading(newsy) as conn:
        content = stored_briefings.kept(conn, 1).content
    policies = replace(content, headlines=(), policies=content.headlines, subtopics=(), regions=())
    assert "没有新的报道" not in briefing_document(policies, CHAT, None)
    assert "没有新的报道" in briefing_document(replace(policies, policies=()), CHAT, None)


def test_alerts_go_out_while_a_briefing_is_made(newsy: Engine, receiver: Receiver, monkeypatch) -> None:
    going_on, ended = Event(), Event()
    monkeypatch.setattr(subscriptions, "gather_briefing", lambda *args: going_on.wait(60) and gather_briefing(*args))
    subscribe(newsy, "console")
    with writing(newsy) as conn:
        query_alert = alert(conn, receiver.url, name="高考")
        note_story(conn, query_alert.id, "a", None, TRIAL["data"]["stories"][0], START.timestamp())
    deliverer = Deliverer(newsy, "http://console", 0.02, clock=At(MORNING + DAY))
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(deliverer.run, ended)
        try:
            until(lambda: receiver.requests)
        finally:
            going_on.set()
            ended.set()
        running.result()
    with reading(newsy) as conn:
        assert len(stored_briefings.latest(conn, 9)) == 1


def test_a_mail_has_text_html_and_the_document_and_is_known_again_by_its_number(newsy: Engine) -> None:
    pytest.importorskip("docx")
    with MailServer(lambda address: address == "no@a.cn") as server:
        subscribe(newsy, server.channel("wang@a.cn", "li@a.cn", "no@a.cn"))
        put_at(newsy, MORNING + DAY)
        deliver(newsy, MORNING + DAY)
        (message,) = put_at(newsy, MORNING + DAY)
        assert (message["state"], message["error"]) == ("sent", "the mail server refused 1 of 3 addresses: 550 nobody of this name")
        ((addresses, mail),) = server.mails
        assert addresses == ["wang@a.cn", "li@a.cn"]
        assert mail["From"] == "news@a.cn"
        assert mail["Subject"] == "每日简报（2026年第1期）"
        assert mail["Message-ID"].startswith("<msg_")
        plain, page, document = (mail.get_body(("plain",)), mail.get_body(("html",)), next(mail.iter_attachments()))
        with reading(newsy) as conn:
            title = stored_briefings.kept(conn, 1).content.headlines[0].title
        assert title in plain.get_content()
        assert title in page.get_content()
        assert "http://console/briefings/1" in page.get_content()
        assert (document.get_filename()[-5:], document.get_content()[:2]) == (".docx", b"PK")
        content = MessageContent("题", "http://console/1", "", "正文", "<p>正文")
        outcome = send_message(server.channel("no@a.cn"), "msg_1", {}, 1.8e9, content)
        assert outcome.error == "the mail server refused it: 550 nobody of this name"


def test_a_mail_that_was_taken_counts_however_late_the_server_says_so_and_whatever_in_the_end(monkeypatch) -> None:
    monkeypatch.setattr(channels, "REQUEST_SECONDS", 0.5)
    monkeypatch.setattr(mail, "ANSWER_SECONDS", 20.0)
    with MailServer(farewell="421 too busy", stall=lambda is_taken: is_taken and sleep(1)) as server:
        content = MessageContent("题", "http://console/1", "", "正文", "<p>正文")
        assert send_message(server.channel("wang@a.cn"), "msg_1", TRIAL, 1.8e9, content) == TAKEN
        assert send_message(server.channel("wang@a.cn"), "msg_2", TRIAL, 1.8e9) == TAKEN
        (_, (_, last)) = server.mails
    began = monotonic()
    with MailServer(farewell="") as server:
        assert send_message(server.channel("wang@a.cn"), "msg_3", TRIAL, 1.8e9) == TAKEN
        assert monotonic() - began < 15  # for so long it would not be marked as sent
    assert last.get_content_type() == "text/plain"
    assert "这是一条测试消息" in last.get_content()


SERVICES = {"wecombot": "NotifyWeComBot", "dingtalk": "NotifyDingTalk", "feishu": "NotifyFeishu"}
MOST = {"wecombot": WECOM_BYTES, "dingtalk": 20_000, "feishu": 20_000}


@contextmanager
def robot(service: str, answers: Sequence[bytes], taken: list[bytes], monkeypatch) -> Iterator[None]:
    """The robots of a service of apprise answer so, from this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            taken.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answers[min(len(taken), len(answers)) - 1])

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        plugin = getattr(import_module(f"apprise.plugins.{service}"), SERVICES[service])
        secret = "{key}" if service == "wecombot" else "{token}"
        monkeypatch.setattr(plugin, "notify_url", f"http://127.0.0.1:{server.server_address[1]}/?key={secret}")
        yield
        server.shutdown()


@pytest.mark.parametrize("service", SERVICES)
def test_a_chat_gets_whole_items_within_its_bytes_and_a_refusal_is_told(service: str, monkeypatch) -> None:
    taken: list[bytes] = []
    answers = [b'{"errcode": 0, "code": 0}', b'{"errcode": 45009, "code": 45009, "errmsg": "too often"}']
    items = [f"{number}. [第{number}条](http://a.cn/{number})  \n句子“一”{'长' * 200}。" for number in range(200)]
    content = MessageContent("早报", "http://console/briefings/1", "\n\n".join(items))
    channel = f"{service}://{'a' * 64}"
    with robot(service, answers, taken, monkeypatch):
        assert send_message(channel, "msg_1", {}, 1.8e9, content).error == ""
        assert "45009 too often" in send_message(channel, "msg_1", {}, 1.8e9, content).error
        assert "45009 too often" in send_message(channel, "msg_1", TRIAL, 1.8e9).error
    body = taken[0]
    read = json.loads(body)
    shown = read["card"]["elements"][0]["text"]["content"] if service == "feishu" else next(iter(read["markdown"].values()))
    shown = read["markdown"]["text"] if service == "dingtalk" else shown
    size = len(shown.encode()) if service == "wecombot" else len(body)
    assert MOST[service] - 1000 < size <= MOST[service]
    *whole, end = shown.split("\n\n")
    assert whole == items[: len(whole)]
    assert end == "全文见 [http://console/briefings/1](http://console/briefings/1)"


@pytest.mark.parametrize("key", "ab")
@pytest.mark.parametrize("service", SERVICES)
def test_a_robot_gets_each_piece_of_a_digest_once_and_one_in_its_place_all(service, key, store: Engine, monkeypatch) -> None:
    taken: list[bytes] = []
    (story,) = TRIAL["data"]["stories"]
    stories = [story | {"title": f"第{number}条[1]{'长' * 900}"} for number in range(20)]
    digest = TRIAL | {"data": TRIAL["data"] | {"stories": stories}}
    answers = [b'{"errcode": 0, "code": 0}', b'{"errcode": 45009, "code": 45009}', b'{"errcode": 0, "code": 0}']
    with writing(store) as conn:
        put_message(conn, alert(conn, f"{service}://{'a' * 64}"), digest, ["digest"], START.timestamp())
    with robot(service, answers, taken, monkeypatch):
        deliver(store, START)
        with writing(store) as conn:
            if key != "a":
                replace_channel(conn, f"{service}://{'a' * 64}", f"{service}://{key * 64}")
        deliver(store, START + DAY)
    with reading(store) as conn:
        assert [(one.state, one.tries) for one in deliveries.listed(conn)] == [("sent", 2)]
    whole = "".join(map(bytes.decode, taken))
    again = taken[1:2] if key == "a" else taken[:2]
    assert (taken[2 : 2 + len(again)], len(set(taken))) == (again, len(taken) - len(again))
    assert len(taken) > 2
    assert all(f"第{number}条［1］" in whole for number in range(20))
    assert "http://console/alerts/mute/t" in whole


def test_one_that_cannot_be_written_is_tried_again_with_its_cause(newsy: Engine, tmp_path: Path) -> None:
    own = tmp_path / "own.md"
    own.write_text("{{ briefing.nothing }}", "utf-8")
    with Receiver() as receiver:
        subscribe(newsy, receiver.url, wanted=Wanted(template=str(own)))
        put_at(newsy, MORNING + DAY)
        deliver(newsy, MORNING + DAY)
        (message,) = put_at(newsy, MORNING + DAY)
        assert (message["state"], "nothing" in message["error"]) == ("waiting", True)
        own.write_text("{{ briefing.title }}!", "utf-8")
        deliver(newsy, MORNING + DAY + timedelta(hours=1))
    assert json.loads(receiver.requests[0][2])["data"]["markdown"] == "每日简报!"
