"""One crawl of the whole sample portal, shared by the tests that only look at it."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.portal import Portal, cold, exported, portal


@dataclass
class Crawled:
    """A portal that was crawled once, with everything that the crawl left."""

    portal: Portal
    database: Path
    done: subprocess.CompletedProcess[str]
    hits: list[dict[str, Any]]
    articles: list[dict[str, Any]]
    truth: dict[str, Any]

    @property
    def pages(self) -> dict[str, dict[str, Any]]:
        """The portal's articles by URL."""
        return {page["url"]: page for page in self.truth["pages"] if "relevant" in page}

    @property
    def by_url(self) -> dict[str, dict[str, Any]]:
        """The stored articles by each of their URLs."""
        return {url: article for article in self.articles for url in article["urls"]}


@pytest.fixture(scope="session")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """The portal with all its troubles, waits shortened, crawled for education with one command."""
    folder = tmp_path_factory.mktemp("crawled")
    with portal(folder, "--fast") as running:
        database = folder / "news.db"
        done = cold(database, "crawl", "education", "-a", f"sites={running.sites}", "-s", "RETRY_BASE_SECONDS=0.5")
        hits = running.hits()
        yield Crawled(running, database, done, hits, exported(database), running.get("/__truth__"))


@pytest.fixture(scope="session")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Portal]:
    """A small portal of well-behaved pages."""
    with portal(tmp_path_factory.mktemp("quiet"), "--plain", "--fast", "--articles", "300") as running:
        yield running
