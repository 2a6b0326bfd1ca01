"""Which address of a host counts as the one that is contacted."""

import asyncio
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

import pytest
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.settings import Settings
from sqlalchemy import text

from newsspider.core.fetching.address_guard import AllowedAddresses
from newsspider.core.model import PageType
from newsspider.crawl.crawl import Crawl
from newsspider.download.graceful_shutdown import GivenBackError, told_to_stop
from newsspider.download.guarded_resolver import GuardedResolver, Proxies, installed_resolver
from newsspider.downloadermiddlewares.address import AddressMiddleware
from newsspider.downloadermiddlewares.politeness import HOPS
from newsspider.store import ledger
from tests.support.crawler import URL, crawler, lease_of_kind, request_of
from tests.support.events import until
from tests.support.name_server import name_server, names
from tests.support.samples import NOW, offer

__all__ = ["crawler"]

INNER, FIRST, SECOND = "10.0.0.7", "192.0.2.1", "192.0.2.2"


@pytest.fixture(autouse=True)
def resolver() -> Iterator[None]:
    """The host has these addresses, of which the first is forbidden."""
    from twisted.internet import reactor

    hosts: Any = {"a.example": tuple(map(ip_address, (INNER, FIRST, SECOND)))}
    allowed = AllowedAddresses.read(["192.0.2.0/24"])
    running: Any = reactor
    old_resolver = running.nameResolver
    running.installNameResolver(GuardedResolver(running, names("127.0.0.1:9", table=hosts), allowed, Proxies(Settings())))
    yield
    running.installNameResolver(old_resolver)


def placed(crawler: Crawler, request: Request) -> str:
    """The address of the host, as the ledger has it when the request has passed."""
    writer = Crawl.of(crawler).storage.writer

    async def ask() -> str:
        await writer.run(lambda conn: ledger.offer(conn, [offer(URL)], NOW))
        await AddressMiddleware.from_crawler(crawler).process_request(request)
        return str(await writer.run(lambda conn: conn.execute(text("SELECT address FROM hosts")).scalar()))

    return asyncio.run(ask())


@pytest.mark.parametrize(("so_far", "later"), [("", FIRST), (SECOND, FIRST), (FIRST, "")])
def test_a_host_is_placed_at_the_address_that_is_connected_to_first(crawler: Crawler, so_far: str, later: str) -> None:
    assert placed(crawler, request_of(lease_of_kind(address=so_far))) == later


def test_a_robots_file_that_moved_within_its_host_is_placed_once(crawler: Crawler) -> None:
    request = request_of(lease_of_kind(PageType.ROBOTS, "http://a.example/robots.txt"))
    request.meta[HOPS] = 1
    assert placed(crawler, request) == ""


def test_a_page_whose_name_is_being_looked_up_is_given_back_when_the_crawl_is_told_to_stop(crawler: Crawler) -> None:
    async def stop() -> None:
        guard = AddressMiddleware.from_crawler(crawler)
        lookup = asyncio.create_task(guard.process_request(Request("http://silent.example/")))
        await asyncio.to_thread(until, lambda: server.asked.total() > 0)
        crawler.signals.send_catch_log(told_to_stop)
        with pytest.raises(GivenBackError):
            await asyncio.wait_for(lookup, 5)

    with name_server() as (server, address):
        server.silent = True
        running: Any = installed_resolver()
        running.names = names(address, patience=60.0, attempt=60.0)
        asyncio.run(stop())
