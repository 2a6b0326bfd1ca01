"""Runs commands in this process on a store that holds two articles."""

import sqlite3
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from scrapy.cmdline import execute
from scrapy.utils.project import get_project_settings
from sqlalchemy import make_url

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import PageType
from newsspider.store import pages
from newsspider.store.engine import database as opening
from newsspider.store.engine.database import open_store
from tests.support.samples import NOW, POLLED, lease_on, links, offer, save_article
from tests.support.servers import new_file

ROOT = Path(__file__).parents[2]
LIST, FIRST, SECOND, WAITING = "http://a.cn/list", "http://a.cn/1", "http://b.cn/2", "http://a.cn/waiting"


@dataclass(frozen=True)
class Ran:
    """How a call ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def database(tmp_path):
    file = tmp_path / "store" / "newsspider.db"
    file.parent.mkdir()
    file.write_bytes(two_articles())
    return f"sqlite:///{file}"


@cache
def two_articles() -> bytes:
    """The file of the store: a copy is made in a hundredth of the time."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "filled.db"
        _fill(new_file(file))
        return file.read_bytes()


def _fill(url: str) -> None:
    engine = open_store(url)
    with engine.begin() as conn:
        lease = lease_on(conn, LIST, kind=PageType.LIST, site="站", channel="要闻")
        offers = (offer(WAITING, parent=lease.key, anchor="等待"),)
        visit = replace(POLLED, host_delay=2.5, host_delay_reason="crawl_delay", due_at=NOW + 60)
        pages.save(conn, PageResult(lease, visit, links=links([WAITING]), offers=offers), NOW)
        save_article(conn, FIRST, "教育部发布高考改革方案。" * 20, title="高考改革方案发布" * 8)
        save_article(conn, SECOND, "各地中小学开学。", title="开学", site="乙", subtopics=("留学", "中小学"))
    engine.dispose()


@pytest.fixture
def locked(database, monkeypatch):
    """Another writer holds the store for longer than a command waits; here that is shorter than usual."""
    monkeypatch.setattr(opening, "PRAGMAS", (*opening.PRAGMAS, "busy_timeout = 50"))
    other = sqlite3.connect(make_url(database).database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.close()


@pytest.fixture
def scrapy(database, monkeypatch, capsys):
    """``scrapy(command, *words)``."""
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("SCRAPY_SETTINGS_MODULE", raising=False)
    settings = get_project_settings()
    settings.set("DATABASE_URL", database, priority="cmdline")

    def run(*words: str, **changed: str) -> Ran:
        own = settings.copy()
        for name, value in changed.items():
            own.set(name, value, priority="cmdline")
        with pytest.raises(SystemExit) as ended:
            execute(["scrapy", *words], own)
        captured = capsys.readouterr()
        return Ran(int(ended.value.code or 0), captured.out, captured.err)

    return run
