"""A console on a store with a few articles, asked without a network."""

import subprocess
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from newsspider.features.console import child_process
from newsspider.features.console.app import create_app
from newsspider.features.events import counted_hot_words
from newsspider.features.events.detection_run import analyse_new
from newsspider.features.events.hot_words import HotWord, hot_words
from newsspider.store.articles.article_filters import Filters
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import open_store, reading, writing
from newsspider.store.sites import sync_shipped
from tests.support.process import in_warm_process
from tests.support.samples import save_article
from tests.support.servers import new_file

TODAY = datetime(2026, 11, 25, 1, 0, tzinfo=UTC)  # nine in the morning in Beijing
HOST = "localhost"


class Morning(Clock):
    """It is always this morning."""

    def now(self) -> float:
        return TODAY.timestamp()


@pytest.fixture(autouse=True)
def _counts_words_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process: to start another one takes a second. ``tests/features/events/test_counted_hot_words.py`` starts it."""

    def counted(engine: Engine, filters: Filters) -> list[HotWord]:
        with reading(engine) as conn:
            return hot_words(conn, filters, counted_hot_words.MOST_WORDS)

    monkeypatch.setattr(counted_hot_words, "counted_apart", counted)


@pytest.fixture(autouse=True)
def _warm_child_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Child processes of the console are forked from one that has imported everything; :func:`new_child_processes` starts them."""
    monkeypatch.setattr(child_process, "subprocess", SimpleNamespace(**vars(subprocess) | {"run": in_warm_process}))


@pytest.fixture
def new_child_processes(monkeypatch: pytest.MonkeyPatch, _warm_child_processes: None) -> None:
    """They are started as the console starts them: one test of each program does."""
    monkeypatch.setattr(child_process, "subprocess", subprocess)


@pytest.fixture
def backend() -> str:
    """The kind of database; ``on_postgresql`` names the other one."""
    return "sqlite"


@pytest.fixture
def filled(backend: str, url: str, request: pytest.FixtureRequest) -> Engine:
    """Articles of this morning, of yesterday, one of a stranger who writes markup everywhere, and two of one event."""
    file = Path(url.removeprefix("sqlite:///"))
    copied = backend == "sqlite" and not file.exists()
    if copied:
        file.parent.mkdir(parents=True)
        file.write_bytes(_filled_file())
    store: Engine = request.getfixturevalue("store")
    if not copied:
        fill(store)
    return store


@cache
def _filled_file() -> bytes:
    """To fill a store takes 50 times as long as to copy it."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "filled.db"
        store = open_store(new_file(file))
        fill(store)
        store.dispose()
        return file.read_bytes()


def fill(store: Engine) -> None:
    """Store these articles, and put them with their events."""
    with writing(store) as conn:
        sync_shipped(conn, TODAY.timestamp())
        moment = TODAY - timedelta(minutes=18)
        text = "多地上调幼儿园延时服务收费标准。\n家长自愿选择，按月结算。"
        save_article(conn, "http://a.cn/1", text, title="幼儿园延时服务", terms=("幼儿园",), published_at=moment, crawled_at=moment)
        moment = TODAY - timedelta(days=1)
        save_article(
            conn, "http://a.cn/2", "全国高考改革方案公布", title="高考改革", published_at=moment, crawled_at=moment, site="乙", priority=9
        )  # fmt: skip
        hostile = '"><script>alert(1)</script>\x00\ufffe{{7*7}}'
        names = dict.fromkeys(("title", "site", "channel", "anchor", "source", "summary", "topic", "model", "media_class"), hostile)
        lists = dict.fromkeys(("authors", "terms", "keywords", "subtopics", "comments"), (hostile,))
        save_article(
            conn, "http://b.cn/3", f"正文{hostile}", published_at=TODAY, crawled_at=TODAY,
            attachments=("javascript:alert(1)",), **names, **lists,
        )  # fmt: skip
        for number in (4, 5):
            text = "河东县育才小学食堂发生火灾，消防员到场扑救，无人受伤。县教育局正在调查起火原因。" + "后续" * number
            moment = TODAY - timedelta(hours=8 - number)
            dates = {"published_at": moment, "crawled_at": moment}
            save_article(conn, f"http://c.cn/{number}", text, title="河东县育才小学食堂火灾", site=f"站{number}", **dates)
    for _ in analyse_new(store):
        pass


@pytest.fixture
def console(filled: Engine) -> TestClient:
    return TestClient(create_app(filled, hosts=[HOST], clock=Morning()), base_url=f"http://{HOST}")
