"""Pages that take long to read leave the event loop to others."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine

import pytest
from scrapy.crawler import Crawler
from scrapy.http import Response

from newsspider.core.crawling.visit import PageResult
from newsspider.core.model import PageType
from newsspider.crawl.crawl import Crawl
from newsspider.features.explore.spiders.query import QuerySpider
from newsspider.pages.router import PageReader, page_reader
from newsspider.spiders.claim_loop import LONG_BYTES, LONG_MARKS, MANY_LINKS
from newsspider.spiders.education import EducationSpider
from tests.support.crawler import crawler, lease_of_kind, request_of, response_of
from tests.support.shapes import SHAPES

__all__ = ["crawler"]

URL = "http://a.example/2026/c12.html"
READ_SECONDS = 30.0  # the most that one page may take on a machine that is many times slower
TICK_SECONDS = 0.01
SHORT_SECONDS = 0.5  # any page may hold the event loop this long; a longer one half as long as without a thread
TRIES = 5  # one good try is enough, because a busy machine has delays of its own
WORST = (  # the shapes that take longest, and those with one long text or value
    "line breaks with words", "bylines", "pre", "links one in the other", "links", "one paragraph", "one title", "one JSON-LD",
    "ampersands", "nested boxes", "attributes of many tags", "strings in a script",
)  # fmt: skip


class Watch(PageReader):
    """A reader that remembers in which thread it read."""

    def result(self, response: Response) -> PageResult:
        self.thread = threading.current_thread()
        return super().result(response)


def spider_of(crawler: Crawler, kind: type[EducationSpider | QuerySpider] = EducationSpider) -> EducationSpider | QuerySpider:
    spider = kind() if kind is EducationSpider else kind(q="高考")
    reader = page_reader(crawler)
    spider.crawler = crawler
    spider.reader = Watch(reader.readers, reader.host_policy, reader.clock)
    return spider


async def read(spider: EducationSpider | QuerySpider, body: bytes, kind: PageType = PageType.ARTICLE) -> PageResult:
    return await spider.read(response_of(request_of(lease_of_kind(kind, URL)), body))


async def read_on_the_loop(spider: EducationSpider | QuerySpider, body: bytes, kind: PageType) -> PageResult:
    """Reads without a thread, for comparison."""
    return spider.reader.result(response_of(request_of(lease_of_kind(kind, URL)), body))


@pytest.mark.parametrize(
    ("body", "aside"),
    [
        (SHAPES["paragraphs"](20_000), False),
        (SHAPES["one paragraph"](LONG_BYTES), True),
        (SHAPES["ampersands"](140_000), True),  # takes 0.1 s; twice as many take 0.2 s
        (SHAPES["groups of nested links"](40_000), True),
        (SHAPES["line breaks"](5 * LONG_MARKS), True),
        (SHAPES["pre"](4 * LONG_MARKS), True),
    ],
    ids=["usual", "long", "ampersands", "nested links", "tags", "lines"],
)
@pytest.mark.parametrize(("spider", "kind"), [(EducationSpider, PageType.ARTICLE), (QuerySpider, PageType.LIST)])
def test_long_pages_are_read_in_a_thread_by_every_spider(
    crawler: Crawler, spider: type[EducationSpider | QuerySpider], body: str, aside: bool, kind: PageType
) -> None:
    watched_spider = spider_of(crawler, spider)
    asyncio.run(read(watched_spider, body.encode(), kind))
    assert isinstance(watched_spider.reader, Watch)
    assert (watched_spider.reader.thread is not threading.main_thread()) is aside


def test_no_long_page_is_read_while_many_links_of_another_one_are_not_stored(crawler: Crawler) -> None:
    spider, pool = spider_of(crawler), Crawl.of(crawler).pool
    lease = lease_of_kind(PageType.SITEMAP, URL)
    places = "".join(f"<url><loc>http://b.example/{n}</loc></url>" for n in range(MANY_LINKS + 1))

    async def scenario() -> None:
        pool.hold([lease])
        await read(spider, f"<urlset>{places}</urlset>".encode(), PageType.SITEMAP)
        other = asyncio.create_task(read(spider, SHAPES["one paragraph"](LONG_BYTES).encode()))
        assert not (await asyncio.wait([other], timeout=1.0))[0]
        pool.drop(lease)
        assert (await asyncio.wait_for(other, READ_SECONDS)).lease.url == URL

    asyncio.run(scenario())


@pytest.mark.parametrize("kind", [PageType.ARTICLE, PageType.LIST])
@pytest.mark.parametrize("name", WORST)
def test_no_page_holds_the_event_loop(crawler: Crawler, name: str, kind: PageType) -> None:
    spider = spider_of(crawler)
    body = SHAPES[name](600_000).encode()
    began = time.process_time()
    blocking_delay = asyncio.run(longest_delay(lambda: read_on_the_loop(spider, body, kind)))
    assert time.process_time() - began < READ_SECONDS
    delays = (asyncio.run(longest_delay(lambda: read(spider, body, kind))) for _ in range(TRIES))
    assert any(longest < max(SHORT_SECONDS, blocking_delay / 2) for longest in delays)


async def longest_delay(job: Callable[[], Coroutine[None, None, PageResult]]) -> float:
    """The longest delay of a task that sleeps for a moment again and again while the job runs."""
    longest, ends = 0.0, False

    async def tick() -> None:
        nonlocal longest
        while not ends:
            slept_at = time.monotonic()
            await asyncio.sleep(TICK_SECONDS)
            longest = max(longest, time.monotonic() - slept_at - TICK_SECONDS)

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0)
    await job()
    ends = True
    await ticking
    return longest
