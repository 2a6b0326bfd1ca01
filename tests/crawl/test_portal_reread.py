"""``scrapy reread`` after one crawl of the sample portal, in ten makes and all their charsets: it reads as the crawl did."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.crawl.conftest import Crawled
from tests.crawl.portal import exported, rows, scrapy


@pytest.fixture
def copy(crawled: Crawled, tmp_path: Path) -> Path:
    """The store of the crawl, to be changed."""
    with closing(sqlite3.connect(crawled.database)) as source, closing(sqlite3.connect(tmp_path / "copy.db")) as target:
        source.backup(target)
    return tmp_path / "copy.db"


def test_what_a_crawl_read_is_read_the_same_again(crawled: Crawled, copy: Path) -> None:
    done = scrapy(copy, "reread")
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == {"articles": len(crawled.articles), "unchanged": len(crawled.articles)}
    assert exported(copy) == crawled.articles


def test_what_an_older_reader_left_out_is_filled_in(crawled: Crawled, copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as conn, conn:
        conn.execute("UPDATE articles SET editors = '[]', images = '[]', comments = '[]', modified_at = NULL, summary = ''")
    done = scrapy(copy, "reread")
    assert json.loads(done.stdout)["changed"] == len(crawled.articles)
    assert exported(copy) == crawled.articles
    assert rows(copy, "SELECT count(*) FROM passes WHERE kind = 'reread' AND finished_at IS NOT NULL") == [(1,)]
