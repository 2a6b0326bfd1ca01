"""``scrapy reread`` after one crawl of the sample portal, in ten makes and all their charsets: it reads as the crawl did.

Only an article that was read before lines of its site were learned may lose those lines: when they are learned depends on the order in
which the pages came.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.conftest import Crawled
from tests.support.portal import exported, rows, scrapy


@pytest.fixture
def copy(crawled: Crawled, tmp_path: Path) -> Path:
    """The store of the crawl, to be changed."""
    with closing(sqlite3.connect(crawled.database)) as source, closing(sqlite3.connect(tmp_path / "copy.db")) as target:
        source.backup(target)
    return tmp_path / "copy.db"


def settled(copy: Path, articles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records of the sites of which no lines were learned; their groups of reprints may hold articles of the others."""
    learned = {site for (site,) in rows(copy, "SELECT DISTINCT site FROM boilerplate_lines")}
    grouped = {"reprints", "reprint_of"} if learned else set()
    return [{name: article[name] for name in article if name not in grouped} for article in articles if article["site"] not in learned]


def test_what_a_crawl_read_is_read_the_same_again(crawled: Crawled, copy: Path) -> None:
    done = scrapy(copy, "reread")
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout)["articles"] == len(crawled.articles)
    reread = exported(copy)
    assert settled(copy, reread) == settled(copy, crawled.articles)
    assert json.loads(scrapy(copy, "reread").stdout) == {"articles": len(reread), "unchanged": len(reread)}
    assert exported(copy) == reread


def test_what_an_older_reader_left_out_is_filled_in(crawled: Crawled, copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as conn, conn:
        conn.execute("UPDATE articles SET editors = '[]', images = '[]', comments = '[]', modified_at = NULL, summary = ''")
    done = scrapy(copy, "reread")
    assert json.loads(done.stdout)["changed"] == len(crawled.articles)
    assert settled(copy, exported(copy)) == settled(copy, crawled.articles)
    assert rows(copy, "SELECT count(*) FROM batch_jobs WHERE kind = 'reread' AND finished_at IS NOT NULL") == [(1,)]
