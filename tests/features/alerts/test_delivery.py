"""Every story is delivered once by its key and none is lost, whichever process is killed at whichever moment."""

import os
import random
import sys
import threading
import time
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from threading import Event, Timer

import pytest
from sqlalchemy import Connection, text

from newsspider.features.alerts import deliveries, stored_alerts, story_bundling
from newsspider.features.alerts.delivery_loop import Deliverer
from newsspider.features.alerts.rhythm_and_quiet_hours import Rhythm
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import open_store, writing
from newsspider.store.engine.errors import StoreFailedError
from newsspider.store.engine.writer import Writer
from tests.support.events import until
from tests.support.process import Process
from tests.support.receiver import Receiver, alert, failing_a_third
from tests.support.samples import NOW, save_article

HOSTS = ("a.cn", "b.cn")
STORIES = int(os.environ.get("NEWSSPIDER_ALERT_STORIES", "600"))


def body(host: str, number: int) -> str:
    return f"{host}第{number}条高考新闻"


def store_articles(arguments: Sequence[str]) -> None:
    """A crawl, as far as the store sees it: pages saved by a writer, those that are stored are passed over."""
    url, host, count = arguments
    engine = open_store(url)
    writer = Writer(engine, 64, 60.0)
    with engine.connect() as conn:
        stored = {row.url for row in conn.execute(text("SELECT url FROM articles"))}
    waiting = []
    for number in range(int(count)):
        address = f"http://{host}/{number}"
        if address not in stored:
            waiting.append(writer.submit(partial(save_article, url=address, body=body(host, number), title=f"{host} {number}")))
        if len(waiting) >= 20:
            waiting.pop(0).result()
    for save in waiting:
        save.result()
    writer.close()


def deliver(arguments: Sequence[str]) -> None:
    """A process that delivers until it is killed."""
    engine = open_store(arguments[0])
    Deliverer(engine, "http://127.0.0.1:8800", 0.02, lease_seconds=2.0).run(Event())


def one(conn: Connection, sql: str) -> int:
    return int(conn.execute(text(sql)).scalar_one())


@pytest.mark.long
def test_each_of_many_stories_is_told_once_though_processes_are_killed(store, url, tmp_path):
    with Receiver(failing_a_third(27)) as receiver:
        with writing(store) as conn:
            alert(conn, receiver.url, once="reprints")
        start = time.monotonic()
        deliveries_received = _killed_and_restarted(url, receiver, tmp_path / "log")
        seconds = time.monotonic() - start
    expected = {f"{host} {number}" for host in HOSTS for number in range(STORIES // 2)}
    assert sorted(deliveries_received.titles()) == sorted(expected)  # none is missing, and no key has what another has
    assert len(deliveries_received.taken) == len(expected)
    again = sum(deliveries_received.times.values()) - len(deliveries_received.times)
    with store.connect() as conn:
        assert one(conn, "SELECT count(*) FROM alert_deliveries WHERE state = 'sent'") == len(expected)
    figures = f"{len(deliveries_received.requests)} requests, {again} taken again by their key, {seconds:.0f} s"
    sys.stderr.write(f"{len(expected)} stories, {figures}\n")


def _killed_and_restarted(url: str, receiver: Receiver, log) -> Receiver:
    """Two crawls and two deliverers at once, each killed three times and started again."""
    chance = random.Random(STORIES)
    environment = dict(os.environ)

    def crawl(host: str) -> Process:
        return Process([url, host, str(STORIES // 2)], environment, log, program=store_articles)

    def deliverer() -> Process:
        return Process([url], environment, log, program=deliver)

    crawls, deliverers = [crawl(host) for host in HOSTS], [deliverer() for _ in range(2)]
    try:
        for part in range(1, 4):
            until(lambda part=part: len(receiver.taken) >= part * STORIES // 5, seconds=600)
            victim = chance.randrange(2)
            deliverers[victim].kill()
            crawls[victim].kill()
            deliverers[victim], crawls[victim] = deliverer(), crawl(HOSTS[victim])
        until(lambda: all(process.poll() == 0 for process in crawls), seconds=600)
        engine = open_store(url)
        until(lambda: _is_done(engine), seconds=600, progress=lambda: f"{len(receiver.taken)} taken")
        engine.dispose()
    finally:
        for process in (*crawls, *deliverers):
            process.kill()
    return receiver


def _is_done(engine) -> bool:
    with engine.connect() as conn:
        untold = one(conn, "SELECT count(*) FROM alert_stories WHERE told_in IS NULL")
        return untold == 0 and one(conn, "SELECT count(*) FROM alert_deliveries WHERE state = 'waiting'") == 0


def test_a_message_whose_process_died_is_sent_again_with_its_key(store, receiver):
    with writing(store) as conn:
        alert(conn, receiver.url)
        save_article(conn, "http://a.cn/1", "今年高考时间公布")
    dying = Deliverer(store, "http://x", 0.02, lease_seconds=0.5)
    dying._settle = lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)  # it is sent, and the process ends
    with pytest.raises(KeyboardInterrupt):
        dying.run(Event(), once=True)
    until(lambda: _ran(store) and len(receiver.requests) == 2, seconds=60)
    assert len(receiver.taken) == 1
    assert set(receiver.times.values()) == {2}


@pytest.mark.parametrize("error", [ValueError, SystemExit])
def test_a_channel_that_raises_anything_costs_one_try_and_ends_nobody(store, receiver, monkeypatch, error):
    with writing(store) as conn:
        alert(conn, receiver.url)
        save_article(conn, "http://a.cn/1", "今年高考时间公布")
    with monkeypatch.context() as broken:
        broken.setattr("newsspider.features.alerts.delivery_loop.send_message", lambda *_: (_ for _ in ()).throw(error))
        _ran(store)
    with store.connect() as conn:
        assert conn.execute(text("SELECT error FROM alert_deliveries")).scalar() == f"the channel failed: {error.__name__}"
    until(lambda: _ran(store) and len(receiver.taken) == 1, seconds=60)


def _ran(store) -> bool:
    Deliverer(store, "http://x", 0.02).run(Event(), once=True)
    return True


def test_what_is_refused_for_good_is_given_up_and_sent_again_when_asked(store):
    with Receiver(lambda key: 410) as receiver:
        with writing(store) as conn:
            alert(conn, receiver.url)
            save_article(conn, "http://a.cn/1", "今年高考时间公布")
        _ran(store)
        with store.connect() as conn:
            (dead,) = deliveries.listed(conn, "dead")
        assert (dead.error, dead.tries) == ("HTTP 410 Gone", 1)
        _ran(store)
        assert len(receiver.requests) == 1
        receiver.answer = lambda key: 200
        with writing(store) as conn:
            assert deliveries.resend(conn, Clock().now(), dead.key) == 1
            assert deliveries.resend(conn, Clock().now(), "msg_none") == 0
        _ran(store)
        assert list(receiver.taken) == [dead.key]


def test_a_slow_or_dead_channel_holds_up_no_other(store, receiver):
    release = Event()

    def wait(key: str) -> int:
        release.wait(60)
        return 200

    with Receiver() as slow:
        slow.take = lambda *_: wait("")  # type: ignore[method-assign]
        with writing(store) as conn:
            alert(conn, slow.url, once="reprints")
            alert(conn, receiver.url, once="reprints")
            for number in range(40):
                save_article(conn, f"http://a.cn/{number}", f"第{number}条高考新闻")
        process = Event()

        thread = threading.Thread(target=Deliverer(store, "http://x", 0.02).run, args=(process,))
        thread.start()
        until(lambda: len(receiver.taken) == 40, seconds=60)
        release.set()
        process.set()
        thread.join(60)
    assert not thread.is_alive()


def test_what_takes_longer_than_its_lease_is_sent_by_nobody_else(store):
    waits, go_on, ended = Event(), Event(), Event()
    with Receiver(lambda key: waits.set() or (go_on.wait(60) and 200)) as receiver:
        with writing(store) as conn:
            alert(conn, receiver.url)
            save_article(conn, "http://a.cn/1", "今年高考时间公布")
        first, second = (Deliverer(store, "http://x", 0.02, lease_seconds=seconds) for seconds in (1.5, 1e6))
        threads = [threading.Thread(target=one.run, args=(ended,)) for one in (first, second)]
        threads[0].start()
        until(waits.is_set)
        renewed = first.next_renewal
        threads[1].start()
        until(lambda: len(receiver.requests) > 1 or first.next_renewal > renewed + 3)
        go_on.set()
        ended.set()
        for thread in threads:
            thread.join(60)
        assert len(receiver.requests) == 1


def test_a_deliverer_that_is_to_end_does_so_though_the_store_is_down(store, receiver):
    ended = Event()
    with writing(store) as conn:
        alert(conn, receiver.url)
        save_article(conn, "http://a.cn/1", "今年高考时间公布")
    working = Deliverer(store, "http://x", 0.02)

    def end_without_store(*_: object) -> None:
        ended.set()
        raise StoreFailedError("away")

    working._settle = end_without_store  # type: ignore[method-assign]
    thread = threading.Thread(target=working.run, args=(ended,), daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()


def test_many_messages_of_one_channel_hide_no_other_and_none_is_claimed_twice(store):
    with writing(store) as conn:
        for name, count in (("many", 600), ("one", 1)):
            number = alert(conn, "http://127.0.0.1:1/", name=name).id
            sql = text(
                "INSERT INTO alert_deliveries (key, alert_id, channel, message, due_at, created_at) VALUES (:key, :id, 0, '{}', :due, 0)"
            )
            conn.execute(sql, [{"key": f"{name}{n}", "id": number, "due": count - 600 + n} for n in range(count)])
        claimed = deliveries.claim(conn, "a", 16, 700.0, 10.0, [])
        assert sorted(delivery.key for delivery in claimed) == ["many0", "many1", "many2", "many3", "one0"]
        sending = [delivery for delivery in claimed if delivery.key in {"many0", "one0"}]
        again = deliveries.claim(conn, "a", 16, 800.0, 10.0, sending)  # all leases have ended
        assert sorted(delivery.key for delivery in again) == ["many1", "many2", "many3"]


def at(clock: str) -> float:
    return datetime.fromisoformat(f"2026-11-25T{clock}+08:00").timestamp()


@pytest.mark.parametrize("quiet", ["", "22:00-07:00", "12:30-13:15"])
def test_no_message_that_failed_is_sent_again_in_quiet_hours(store, quiet):
    with writing(store) as conn:
        new_alert = alert(conn, "http://127.0.0.1:1/", rhythm=Rhythm.read("immediately", quiet))
        save_article(conn, "http://a.cn/1", "今年高考时间公布", at("12:00"))
        story_bundling.put(conn, story_bundling.due(conn, at("12:10")), "http://x", at("12:10"))
        clocks = ("12:29", "12:30", "13:14", "13:15", "21:59", "22:00", "23:59", "00:00", "06:59", "07:00")
        moments = [at(clock) + 86_400 for clock in clocks]
        tried = [moment for moment in moments if deliveries.claim(conn, "a", 16, moment, -1e6, [])]
        assert tried == [moment for moment in moments if not new_alert.rhythm.is_quiet(moment)]
        assert tried == [moment for moment in moments if deliveries.is_due(conn, moment)]


def test_no_message_of_a_muted_alert_is_sent_before_it_is_told_again(store):
    with writing(store) as conn:
        muted_alert = alert(conn, "http://127.0.0.1:1/")
        save_article(conn, "http://a.cn/1", "今年高考时间公布", NOW)
        assert story_bundling.put(conn, story_bundling.due(conn, NOW + 300), "http://x", NOW + 300) == 1
        stored_alerts.mute(conn, muted_alert, NOW + 3600, NOW + 301)
        assert not deliveries.is_due(conn, NOW + 3599)
        assert deliveries.claim(conn, "a", 16, NOW + 3599, 10.0, []) == []
        assert deliveries.is_due(conn, NOW + 3600)
        stored_alerts.mute(conn, muted_alert, stored_alerts.FOREVER, NOW + 3600)
        assert not deliveries.is_due(conn, NOW + 1e6)
        stored_alerts.mute(conn, muted_alert, 0.0, NOW + 1e6)
        assert len(deliveries.claim(conn, "a", 16, NOW + 1e6, 10.0, [])) == 1


def test_nothing_is_told_of_what_was_stored_before_the_alert(store, receiver):
    with writing(store) as conn:
        save_article(conn, "http://a.cn/1", "今年高考时间公布")
        alert(conn, receiver.url)
        save_article(conn, "http://a.cn/1", "今年高考时间公布", NOW + 10_000)
    _ran(store)
    assert receiver.requests == []


@pytest.mark.parametrize("fails", ["_watch", "_analyse", "_tidy"])
def test_what_fails_whenever_it_is_tried_stops_no_delivery(store, receiver, monkeypatch, fails):
    from newsspider.features.alerts import delivery_loop

    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(delivery_loop, "ERROR_SECONDS", 0.01)
    with writing(store) as conn:
        alert(conn, receiver.url, once="reprints")
        save_article(conn, "http://a.cn/1", "今年高考时间公布")
    working, ended = Deliverer(store, "http://x", 0.02), Event()
    monkeypatch.setattr(working, fails, fail)
    receiver.answer = lambda key: ended.set() or 200
    watchdog = Timer(20, ended.set)
    watchdog.start()
    working.run(ended)
    watchdog.cancel()
    assert len(receiver.taken) == 1


def test_an_error_of_ours_stops_no_delivery(store, receiver, monkeypatch):
    from newsspider.features.alerts import delivery_loop

    monkeypatch.setattr(delivery_loop, "ERROR_SECONDS", 0.01)
    with writing(store) as conn:
        alert(conn, receiver.url)
        save_article(conn, "http://a.cn/1", "今年高考时间公布")
    working = Deliverer(store, "http://x", 0.02)
    prepare, ended = working.prepare, Event()
    calls = []

    def fails_once() -> int:
        calls.append(1)
        if len(calls) == 1:
            raise ZeroDivisionError
        return prepare()

    monkeypatch.setattr(working, "prepare", fails_once)
    receiver.answer = lambda key: ended.set() or 200
    working.run(ended)
    assert len(receiver.taken) == 1
