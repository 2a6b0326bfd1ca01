"""``scrapy web`` as people start it."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from argparse import Namespace
from pathlib import Path
from threading import Event

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from sqlalchemy import Engine

from newsspider.features.console import accounts, server
from newsspider.features.console.accounts import Role, hash_password
from newsspider.features.console.app import create_app
from newsspider.features.console.background_process import keep_running
from newsspider.features.console.commands.web import Command, opening_of
from newsspider.features.console.reading_marks import Mark, Opened, marks_of
from newsspider.features.console.server import _started, warm_up
from newsspider.store.engine import watched_threads
from newsspider.store.engine.database import open_store, reading, writing
from tests.support.events import until
from tests.support.portal import scrapy, start
from tests.support.receiver import Receiver, alert
from tests.support.samples import save_article


def test_it_serves_until_it_is_told_to_end(tmp_path: Path) -> None:
    log = tmp_path / "log"
    process = start(tmp_path / "news.db", "web", "--port", "0", log=log)
    until(lambda: log.exists() and "console at" in log.read_text("utf-8"), process)
    address = re.search(r"http://127\.0\.0\.1:\d+/", log.read_text("utf-8"))
    assert address
    with urllib.request.urlopen(address[0], timeout=60) as answer:
        assert "这一天还没有文章" in answer.read().decode()
    process.send_signal(signal.SIGINT)
    assert process.wait(240) in {0, 130}
    assert "Traceback" not in log.read_text("utf-8")


def test_it_loads_no_downloader() -> None:
    code = "import sys, newsspider.features.console.server; print({'aiohttp', 'pandas', 'scipy'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--host", "0.0.0.0"), "there are no accounts; make one first: scrapy accounts add NAME"),
        (("--name", "news.cn"), "--name news.cn: others reach the console by it, and there are no accounts"),
        (("--prefix", "/news"), "--prefix /news: others reach the console by it, and there are no accounts"),
        (("--host", "news.cn"), "--host 'news.cn': say an address of this machine, as 127.0.0.1 or 0.0.0.0"),
        (("--port", "x"), "--port x: say a number from 0 to 65535"),
        (("--prefix", "news"), "--prefix 'news': say a path that begins with one slash, as /news"),
        (("now",), "scrapy web takes no argument"),
    ],
)  # fmt: skip
def test_wrong_use_is_one_sentence(tmp_path: Path, arguments: tuple[str, ...], sentence: str) -> None:
    done = scrapy(tmp_path / "news.db", "web", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr


def test_log_in_by_oidc_takes_no_local_account(store: Engine) -> None:
    command, options = Command(), Namespace(host="127.0.0.1", name=[], prefix="/news")
    command.settings = Settings({"OIDC": {"issuer": "https://login.example.cn"}})
    command._check_accounts(store, options, opening_of(options))
    command.settings = Settings({"OIDC": {}})
    with pytest.raises(UsageError, match="there are no accounts"):
        command._check_accounts(store, options, opening_of(options))


def test_behind_a_proxy_nobody_is_served_when_the_last_account_is_gone(tmp_path: Path) -> None:
    engine, log = open_store(f"sqlite:///{tmp_path / 'news.db'}"), tmp_path / "log"
    with writing(engine) as conn:
        accounts.add(conn, "王芳", Role.ADMIN, hash_password("password of twelve and more"), 0.0)
    process = start(tmp_path / "news.db", "web", "--name", "news.cn", "--port", "0", log=log)
    until(lambda: log.exists() and "console at" in log.read_text("utf-8"), process)
    with writing(engine) as conn:
        accounts.remove(conn, "王芳")
    engine.dispose()
    address = re.search(r"http://127\.0\.0\.1:\d+/", log.read_text("utf-8"))
    assert address
    with urllib.request.urlopen(address[0], timeout=60) as answer:
        assert answer.url.endswith("/login")
    process.send_signal(signal.SIGINT)
    process.wait(240)


def test_off_loopback_it_serves_only_logged_in_users(tmp_path: Path) -> None:
    store = tmp_path / "news.db"
    engine = open_store(f"sqlite:///{store}")
    with writing(engine) as conn:
        accounts.add(conn, "王芳", Role.ADMIN, hash_password("password of twelve and more"), 0.0)
    engine.dispose()
    named = scrapy(store, "web", "--host", "0.0.0.0")
    assert "--name by which host name or address others reach it" in named.stderr
    log = tmp_path / "log"
    process = start(store, "web", "--host", "0.0.0.0", "--name", "127.0.0.1", "--port", "0", log=log)
    until(lambda: log.exists() and "console at" in log.read_text("utf-8"), process)
    port = re.search(r":(\d+)/ ", log.read_text("utf-8"))
    assert port
    with urllib.request.urlopen(f"http://127.0.0.1:{port[1]}/", timeout=60) as answer:
        assert answer.url.endswith("/login")
    process.send_signal(signal.SIGINT)
    process.wait(240)


def test_a_damaged_index_does_not_keep_the_console_from_starting(store: Engine, caplog: pytest.LogCaptureFixture) -> None:
    with store.begin() as conn:
        save_article(conn, "http://a.cn/1", "高考改革方案公布")
    with store.begin() as conn:
        conn.exec_driver_sql("UPDATE search_index_data SET block = x'ffffffffffffffffffff' WHERE id = 10")
    warm_up(store)
    assert "no article can be searched for" in caplog.text


def test_its_process_of_events_and_alerts_ends_with_it_even_if_it_is_killed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    process = start(tmp_path / "news.db", "web", "--port", "0", log=log)
    until(lambda: background_of(process.pid) != [], process)
    (child,) = background_of(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait(240)
    until(lambda: not is_running(child))
    assert "Traceback" not in log.read_text("utf-8")


def test_its_process_of_events_and_alerts_is_missed_when_it_dies(tmp_path: Path) -> None:
    log = tmp_path / "log"
    process = start(tmp_path / "news.db", "web", "--port", "0", log=log)
    until(lambda: background_of(process.pid) != [], process)
    os.kill(background_of(process.pid)[0], signal.SIGKILL)
    until(lambda: "the process of events and alerts ended with exit code -9" in log.read_text("utf-8"), process)
    process.send_signal(signal.SIGINT)
    assert process.wait(240) in {0, 130}


def test_a_process_of_events_and_alerts_that_cannot_be_started_is_tried_again(
    store: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(watched_threads, "REST_SECONDS", 0.02)
    ended = Event()
    with monkeypatch.context() as broken:
        broken.setattr(sys, "executable", "/nowhere/python")  # as when the system has no more processes
        thread, *_ = _started(store, Settings(), ended, create_app(store, hosts=["127.0.0.1"]))
        until(lambda: "the thread newsspider-background died: FileNotFoundError" in caplog.text)
    until(lambda: background_of(os.getpid()) != [])
    ended.set()
    thread.join(90)
    assert not thread.is_alive()


def test_searches_that_cannot_be_noted_end_neither_the_notes_nor_what_other_consoles_know_of_read_articles(
    store: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(watched_threads, "REST_SECONDS", 0.02)
    monkeypatch.setattr(server, "NOTES_SECONDS", 0.02)
    monkeypatch.setattr(sys, "executable", "/bin/true")
    with writing(store) as conn:
        article = save_article(conn, "http://a.cn/1", "今年高考时间公布").article_id
    app, ended = create_app(store, hosts=["127.0.0.1"]), Event()
    app.state.searches = None  # an error of ours
    app.state.opened.add("", article, 1.0)
    _, thread, _ = _started(store, Settings(), ended, app)
    until(lambda: "the thread newsspider-notes died: AttributeError" in caplog.text)
    assert thread.is_alive()
    until(lambda: not app.state.opened.among("", [article]))
    with reading(store) as conn:
        assert marks_of(conn, "", [article], Opened())[article] == {Mark.READ}
    ended.set()
    thread.join(90)
    assert not thread.is_alive()


def background_of(pid: int) -> list[int]:
    """The process of events and alerts that a console has started, if it still runs."""
    listed = subprocess.run(["ps", "-eww", "-o", "pid=,ppid=,stat=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(maxsplit=3) for line in listed.splitlines() if f"from {keep_running.__module__} " in line]
    return [int(child) for child, parent, state, _ in rows if int(parent) == pid and not state.startswith("Z")]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_it_delivers_alerts(tmp_path: Path) -> None:
    engine = open_store(f"sqlite:///{tmp_path / 'news.db'}")
    with Receiver() as receiver:
        with writing(engine) as conn:
            alert(conn, receiver.url)
            save_article(conn, "http://a.cn/1", "今年高考时间公布", title="高考时间")
        engine.dispose()
        process = start(tmp_path / "news.db", "web", "--port", "0", log=tmp_path / "log")
        until(lambda: receiver.titles() == ["高考时间"], process)
        process.send_signal(signal.SIGINT)
        assert process.wait(240) in {0, 130}
    assert "Warning" not in (tmp_path / "log").read_text("utf-8")
