"""A real crawler of the project that does not run: for tests of one component."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from scrapy.crawler import Crawler
from scrapy.http import Headers, Request, Response
from scrapy.utils.project import get_project_settings
from scrapy.utils.test import get_crawler, get_reactor_settings

from newsspider.core.crawling.visit import Lease
from newsspider.core.model import PageType
from newsspider.crawl.crawl import Crawl
from newsspider.crawl.fetch_notes import LEASE
from newsspider.spiders.education import EducationSpider
from tests.support.servers import new_file

URL = "http://a.example/2024/1.html"


def crawler_of(folder: Path, **settings: Any) -> Crawler:
    """A crawler of the spider, with a store of its own in the folder."""
    alone = {"DATABASE_URL": new_file(folder / "news.db"), "EXTENSIONS_BASE": {}}  # ours want the spider, which comes later
    all_settings = {**get_project_settings().copy_to_dict(), **get_reactor_settings(), **alone, **settings}
    with ThreadPoolExecutor(1) as outside:  # of the loop that a test may run: no crawl starts there
        crawler = outside.submit(get_crawler, EducationSpider, all_settings).result()
    crawler.spider = EducationSpider.from_crawler(crawler)
    return crawler


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    """A crawler that neither waits nor tries again; its store is closed after the test."""
    crawler = crawler_of(tmp_path, DELAY_MIN_SECONDS=0.0, RETRY_TIMES=0)
    yield crawler
    asyncio.run(Crawl.of(crawler).close("finished"))


def lease_of_kind(kind: PageType = PageType.ARTICLE, url: str = URL, **more: Any) -> Lease:
    """A lease as the frontier gives it."""
    return Lease(1, url, "a.example", kind, "a", "home", 2, "", 50, 1, 100.0, 0.0, **more)


def request_of(lease: Lease) -> Request:
    """The request of a lease."""
    return Request(lease.url, meta={LEASE: lease})


def response_of(request: Request, body: bytes = b"", status: int = 200, **headers: str) -> Response:
    """An answer; ``Content_Type="text/html"`` is a header."""
    response_headers = Headers({name.replace("_", "-"): value for name, value in headers.items()})
    return Response(request.url, status, response_headers, body, request=request)
