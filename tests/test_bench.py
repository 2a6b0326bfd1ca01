"""The benchmark works: on a small portal, each contestant reads the same pages; no figure of speed is asked for."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("trafilatura", reason="the peers of the benchmark are not installed: pip install -e '.[bench]'")

from bench.__main__ import different
from bench.naive import FIELDS
from bench.stages import STEPS, milliseconds
from bench.whole_job import LEAST_BYTES, MOST_DIFFERENT, Crawl, Portal, download_only, naive, ours


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Portal]:
    portal = Portal(tmp_path_factory.mktemp("bench"), articles=60)
    yield portal
    portal.close()


def test_the_contestants_read_the_same_pages_and_store_the_same_articles(portal: Portal) -> None:
    mine, peer = ours(portal, stages=True), naive(portal)
    with sqlite3.connect(portal.folder / "crawl" / "stored.db") as stored:
        row = stored.execute("SELECT * FROM articles").fetchone()
    limit = download_only(portal, mine.pages)
    assert different(mine, peer) <= MOST_DIFFERENT, (mine.pages ^ peer.pages, mine.articles, peer.articles)
    assert mine.articles >= 50
    assert limit.pages == mine.pages
    assert min(mine.rate, peer.rate, limit.rate) > 0
    assert len(row) == len(FIELDS)
    assert portal.median_bytes(mine.pages) >= LEAST_BYTES
    steps = dict(milliseconds(mine.stages, mine.cpu, len(mine.pages)))
    assert {label for label, _, _ in STEPS} - {"writer: all"} < set(steps)
    assert all(spent > 0 for name, spent in steps.items() if name != "writer: commit"), steps


def test_crawls_of_different_pages_or_articles_are_not_compared() -> None:
    two = Crawl(frozenset("ab"), 10, 1.0, 1.0, {})
    assert different(two, two) == 0
    assert different(two, Crawl(frozenset("ac"), 10, 1.0, 1.0, {})) == pytest.approx(2 / 3)
    assert different(two, Crawl(frozenset("ab"), 8, 1.0, 1.0, {})) == pytest.approx(0.2)


def test_the_naive_spider_stays_under_80_lines() -> None:
    assert len((Path(__file__).parents[1] / "bench/naive.py").read_text("utf-8").splitlines()) < 80
