"""Two workers on one PostgreSQL database, one of them killed; every command on what they stored."""

import json
import random
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.events import until
from tests.support.portal import Known, Portal, exported, known_urls, lost, rows, scrapy, start
from tests.support.servers import MIGRATED, Postgres
from tests.support.workers import OPEN, SETTLED

SITE = """
name = "站"
home = "http://127.0.0.1:9/"
weight = 5
media_class = "trade"
[[channels]]
name = "要闻"
url = "http://127.0.0.1:9/"
weight = 5
kind = "home"
"""


@dataclass
class Fleet:
    """What two workers stored on PostgreSQL, and what one stored in a file of SQLite."""

    url: str
    articles: list[dict[str, Any]]
    alone: list[dict[str, Any]]
    killed_at: int
    known: tuple[dict[str, Known], dict[str, Known]]


@pytest.fixture(scope="module")
def fleet(quiet: Portal, tmp_path_factory: pytest.TempPathFactory, migrated: Postgres) -> Iterator[Fleet]:
    """Two crawls at once on one database; one is killed at a random moment, the other one does the whole work."""
    folder = tmp_path_factory.mktemp("fleet")
    command = ("crawl", "education", "-a", f"sites={quiet.sites}", "-s", "LEASE_SECONDS=10", "-s", "DOWNLOAD_TIMEOUT=8")
    file = folder / "alone.db"
    assert scrapy(file, *command).returncode == 0
    url = migrated.create("fleet", MIGRATED)
    moment = random.randrange(5, rows(file, SETTLED)[0][0] * 3 // 4)
    survivor, victim = (start(url, *command, log=folder / name) for name in ("survivor", "victim"))
    until(lambda: rows(url, SETTLED)[0][0] >= moment, victim)
    victim.send_signal(signal.SIGKILL)
    victim.wait(240)
    assert survivor.wait(240) == 0, (folder / "survivor").read_text("utf-8")[-3000:]
    yield Fleet(url, exported(url), exported(file), moment, (known_urls(url), known_urls(file)))
    migrated.drop("fleet")


def test_the_fleet_stores_what_one_worker_stores_in_a_file(fleet: Fleet) -> None:
    ours, alone = ({record["canonical_url"]: record for record in articles} for articles in (fleet.articles, fleet.alone))
    assert ours.keys() == alone.keys(), f"killed at {fleet.killed_at}"
    assert len(ours) == len(fleet.articles) > 50
    same = ("title", "author", "published_at", "keywords", "summary", "score", "charset")
    for url, record in ours.items():
        twin = alone[url]
        assert sorted(record["urls"]) == sorted(twin["urls"])
        assert record["text"] == twin["text"]
        if record["url"] == twin["url"]:  # which of several reprints is met first is not the same in two crawls
            assert [record[name] for name in same] == [twin[name] for name in same]
    assert lost(*fleet.known) == lost(*fleet.known[::-1]) == set()


def test_nothing_is_left_undone_and_nobody_is_asked_twice_at_once(fleet: Fleet) -> None:
    assert rows(fleet.url, OPEN) == [(0,)]
    assert rows(fleet.url, "SELECT count(*) FROM hosts WHERE busy_key IS NOT NULL") == [(0,)]
    workers = rows(fleet.url, "SELECT reason FROM runs ORDER BY reason")
    assert len(workers) == 2
    assert ("finished",) in workers


def test_every_command_works_on_the_same_store(fleet: Fleet, tmp_path: Path) -> None:
    url = fleet.articles[0]["url"]
    status = json.loads(scrapy(fleet.url, "status", "--json").stdout)
    assert (status["articles"], status["urls"]) == (len(fleet.articles), sum(status["states"].values()))
    assert scrapy(fleet.url, "status").returncode == 0
    searched = scrapy(fleet.url, "search", f'"{fleet.articles[0]["title"]}"', "--json", "--limit", "500")
    assert url in {json.loads(line)["url"] for line in searched.stdout.splitlines()}
    since = scrapy(fleet.url, "export", "--since", "1990-01-01", "--limit", "3")
    assert len(since.stdout.splitlines()) == 3
    assert "stored" in scrapy(fleet.url, "explain", url).stdout
    (tmp_path / "site.toml").write_text(SITE, encoding="utf-8")
    for arguments in (
        ("sites", "list"), ("sites", "import", str(tmp_path / "site.toml")), ("sites", "disable", "站"), ("sites", "show", "站"),
        ("sites", "enable", "站"), ("sites", "export", str(tmp_path / "sites")), ("sites", "remove", "站"),
    ):  # fmt: skip
        done = scrapy(fleet.url, *arguments)
        assert done.returncode == 0, (arguments, done.stderr)
    assert scrapy(fleet.url, "forget", url).returncode == 0
    assert rows(fleet.url, f"SELECT count(*) FROM urls WHERE url = '{url}'") == [(0,)]
    assert "link " in scrapy(fleet.url, "explain", url).stdout  # of another page
    assert scrapy(fleet.url, "submit", url).returncode == 0
    assert rows(fleet.url, f"SELECT state, reason FROM urls WHERE url = '{url}'") == [("waiting", "submitted")]
