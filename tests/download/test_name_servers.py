"""Name servers that fail, are silent or cut their answers; all of them are real ones."""

import asyncio
import time

import dns.rcode
import pytest

from newsspider.download.dns_cache import FAILURE_SECONDS
from newsspider.download.name_servers import DnsServer
from tests.support.name_server import Running, name_server, names, texts
from tests.support.tables import each


@pytest.mark.parametrize("rcode", [dns.rcode.SERVFAIL, dns.rcode.REFUSED])
def test_a_server_failure_does_not_prove_that_a_name_is_missing(server: Running, rcode: dns.rcode.Rcode) -> None:
    at, address = server
    at.rcodes["a.test"] = rcode

    async def crawl() -> None:
        with name_server("127.0.0.2") as (other, second):
            other.add("a.test", "A", "192.0.2.1")
            for _ in range(2):  # whichever is asked first
                assert texts(await names(address, second).find("a.test")) == ["192.0.2.1"]
        alone = names(address)
        answer = await alone.find("a.test")
        assert not answer.addresses
        assert dns.rcode.to_text(rcode) in answer.problem
        assert answer.until - time.monotonic() <= FAILURE_SECONDS
        assert alone.failed == 1

    asyncio.run(crawl())


def test_an_answer_that_was_cut_is_asked_for_again_by_tcp(server: Running) -> None:
    at, address = server
    at.add("long.test", "A", *(f"198.51.100.{number}" for number in range(200)))
    at.too_long.add("long.test")

    async def crawl() -> None:
        assert len((await names(address).find("long.test")).addresses) == 200
        assert at.by_tcp["long.test"] == 1

    asyncio.run(crawl())


def test_servers_share_the_load_and_a_dead_one_is_left_out_for_a_while(server: Running) -> None:
    async def crawl() -> None:
        with name_server("127.0.0.2") as (second, b), name_server("127.0.0.3") as (third, c):
            first, a = server
            for number in range(60):
                for upstream in (first, second, third):
                    upstream.add(f"h{number}.test", "A", "192.0.2.1")
            resolver = names(a, b, c, attempt=0.3, dead=3.0)
            for number in range(30):
                await resolver.find(f"h{number}.test")
            assert [sum(upstream.names.values()) for upstream in (first, second, third)] == [10, 10, 10]
            second.silent = True
            for number in range(30, 60):
                assert (await resolver.find(f"h{number}.test")).addresses
            assert sum(second.names.values()) == 12  # it was waited for twice, then it is left out
            second.silent = False
            await asyncio.sleep(3.0)
            for number in range(6):
                first.add(f"new{number}.test", "A", "192.0.2.1")
                second.add(f"new{number}.test", "A", "192.0.2.1")
                third.add(f"new{number}.test", "A", "192.0.2.1")
                await resolver.find(f"new{number}.test")
            assert sum(second.names.values()) == 14  # it is asked again after its rest

    asyncio.run(crawl())


def test_if_all_servers_are_silent_the_lookup_times_out_and_is_not_cached_for_long(server: Running) -> None:
    at, address = server
    at.silent = True

    async def crawl() -> None:
        resolver = names(address, attempt=0.1, patience=0.5)
        async with asyncio.timeout(20):
            answer = await resolver.find("a.test")
        assert answer.problem
        assert answer.until - time.monotonic() <= FAILURE_SECONDS

    asyncio.run(crawl())


@each(
    ("text", "host", "port"),
    [("9.9.9.9", "9.9.9.9", 53), ("127.0.0.1:5353", "127.0.0.1", 5353), ("2620:fe::fe", "2620:fe::fe", 53),
     ("[2620:fe::fe]:5353", "2620:fe::fe", 5353)],
)  # fmt: skip
def test_a_name_server_is_an_address_and_perhaps_a_port(text: str, host: str, port: int) -> None:
    server = DnsServer.read(text)
    assert (server.host, server.port) == (host, port)


@each("text", ["", "dns.example.cn", "9.9.9.9:dns", "9.9.9.9:", "1.2.3.4.5"])
def test_a_name_server_without_a_valid_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="name server"):
        DnsServer.read(text)
