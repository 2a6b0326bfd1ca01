"""A store that is backed up while a crawl writes: restored, the crawl goes on where the backup was made."""

import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.events import until
from tests.support.portal import Database, portal, rows, scrapy, start, stop
from tests.support.servers import MIGRATED, Postgres

ARTICLES = 60
ENOUGH_STORED = 15


@pytest.fixture(params=["sqlite", "postgresql"])
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Database, Database]]:
    """One to crawl into and one to restore to, of the same kind."""
    if request.param == "sqlite":
        yield tmp_path / "news.db", tmp_path / "restored.db"
        return
    server: Postgres = request.getfixturevalue("migrated")
    yield server.create("crawled_on", MIGRATED), server.create("crawled_on_restored")
    for name in ("crawled_on", "crawled_on_restored"):
        server.drop(name)


def test_a_restored_store_crawls_on_and_asks_for_nothing_that_it_has(
    databases: tuple[Database, Database], tmp_path: Path
) -> None:
    database, restored = databases
    with portal(tmp_path, "--plain", "--articles", str(ARTICLES), "--latency", "50") as sample:
        options = ("crawl", "education", "-a", f"sites={sample.sites}", "-a", "topic=any")
        process = start(database, *options, log=tmp_path / "log")
        until(lambda: rows(database, "SELECT count(*) FROM articles")[0][0] >= ENOUGH_STORED, process, seconds=300)
        backup = scrapy(database, "store", "backup", str(tmp_path / "news.backup"))
        assert backup.returncode == 0, backup.stderr
        stop(process, signal.SIGKILL)
        assert scrapy(restored, "store", "restore", str(tmp_path / "news.backup")).returncode == 0
        had = {url for (url,) in rows(restored, "SELECT url FROM article_urls")}
        assert len(had) >= ENOUGH_STORED
        asked_before = len(sample.hits())
        ended = scrapy(restored, *options)
        assert ended.returncode == 0, ended.stderr
        requests = Counter(f"http://{hit['host']}{hit['path']}" for hit in sample.hits()[asked_before:])
        pages = [page for page in sample.get("/__truth__")["pages"] if "relevant" in page]
    reachable = {page["url"] for page in pages if page["reachable"]}
    assert reachable <= {url for (url,) in rows(restored, "SELECT url FROM article_urls")}, "nothing is lost"
    assert max(times for url, times in requests.items() if url in reachable) == 1, "nothing is asked for twice"
    assert not had & reachable & requests.keys(), "nothing is fetched again that the backup has"
    assert scrapy(restored, "store", "check").returncode == 0
