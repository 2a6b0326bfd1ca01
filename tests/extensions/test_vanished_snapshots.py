"""The snapshots of articles that vanished long ago, removed while a crawl goes on."""

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import text

from newsspider.crawl.crawl import Crawl
from newsspider.extensions.store_upkeep import VanishedSnapshots
from tests.support.crawler import crawler_of


def test_what_could_not_be_removed_is_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        crawl = Crawl.of(crawler)
        extension = VanishedSnapshots.from_crawler(crawler)
        with crawl.storage.engine.begin() as conn:
            conn.execute(text("ALTER TABLE articles RENAME TO elsewhere"))
        await extension.attempt()
        with crawl.storage.engine.begin() as conn:
            conn.execute(text("ALTER TABLE elsewhere RENAME TO articles"))
        await crawl.close("finished")

    crawler = crawler_of(tmp_path)
    asyncio.run(run())
    assert crawler.stats is not None
    assert crawler.stats.get_value("articles/snapshots_failed") == 1
    assert "could not remove the snapshots" in caplog.text
