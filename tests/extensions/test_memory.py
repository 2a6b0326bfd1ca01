"""The memory limit alone, over a real store."""

import asyncio
import sys
import time
from pathlib import Path

from newsspider.core.caching import bounded_cache
from newsspider.core.crawling.finish_reasons import Finish
from newsspider.core.extraction.keywords import extract_keywords, word_rarity
from newsspider.core.text.tokenizer import segmenter
from newsspider.crawl.crawl import Crawl
from newsspider.extensions.memory import REST_SECONDS, MemoryLimit
from tests.support.crawler import crawler_of


def test_a_crawl_that_ends_at_its_limit_of_pages_does_not_end_for_its_memory(tmp_path: Path) -> None:
    async def ended_for() -> Finish | None:
        crawl, limit = Crawl.of(crawler), MemoryLimit(crawler)
        crawl.ending.stop(Finish.PAGES)
        await limit.step()
        assert limit.closing is None
        await crawl.close("finished")
        return crawl.ending.reason

    crawler = crawler_of(tmp_path, MEMUSAGE_LIMIT_MB=1)
    assert asyncio.run(ended_for()) is Finish.PAGES
    assert crawler.stats is not None
    assert crawler.stats.get_value("memusage/limit_reached") is None


def test_a_crawl_without_a_response_for_a_minute_gives_its_dictionaries_back_once(tmp_path: Path) -> None:
    lengths = []
    cached = bounded_cache(8)(lambda text: lengths.append(len(text)))

    async def rests() -> None:
        crawl, limit = Crawl.of(crawler), MemoryLimit(crawler)
        crawl.claims.prepared = True
        for waited in (0.0, REST_SECONDS - 20, REST_SECONDS, REST_SECONDS):
            if limit.responded_at is not None:
                limit.responded_at = time.monotonic() - waited
            await limit.step()
            seen.append((crawler.stats.get_value("memusage/rests", 0), crawl.claims.prepared, segmenter.cache_info().currsize))
        await crawl.close("finished")

    crawler, seen = crawler_of(tmp_path), []
    assert crawler.stats is not None
    words, rare = extract_keywords("教育部公布高考改革试点名单", "教育部今天公布了高考改革的试点名单。" * 3, ()), word_rarity("高考")
    cached("a")
    crawler.stats.set_value("response_received_count", 1)
    asyncio.run(rests())
    assert seen == [(0, True, 1), (0, True, 1), (1, False, 0), (1, False, 0)]
    assert "rjieba" not in sys.modules
    cached("a")
    assert lengths == [1, 1]
    assert extract_keywords("教育部公布高考改革试点名单", "教育部今天公布了高考改革的试点名单。" * 3, ()) == words
    assert word_rarity("高考") == rare
