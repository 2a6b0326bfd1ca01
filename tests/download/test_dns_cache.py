"""How often names are asked for, and what becomes of the answers; all servers are real ones."""

import asyncio
import time
from ipaddress import ip_address
from pathlib import Path

import pytest

from newsspider.download.dns_cache import ascii_name, hosts_table
from tests.support.name_server import Running, names, texts


def test_a_name_is_asked_once_within_the_time_to_live_and_again_after_it(server: Running) -> None:
    at, address = server
    at.add("a.test", "A", "192.0.2.1", "192.0.2.2", ttl=1)

    async def crawl() -> None:
        resolver = names(address)
        for _ in range(50):
            assert sorted(texts(await resolver.find("A.test."))) == ["192.0.2.1", "192.0.2.2"]
        assert at.names["a.test"] == 1
        at.add("a.test", "A", "192.0.2.3", ttl=1)
        await asyncio.sleep(1.05)
        assert texts(await resolver.find("a.test")) == ["192.0.2.3"]
        assert at.names["a.test"] == 2

    asyncio.run(crawl())


def test_addresses_have_one_order_however_the_server_rotates_them(server: Running) -> None:
    at, address = server
    several = ["192.0.2.1", "192.0.2.2", "192.0.2.10"]

    async def crawl() -> None:
        for turn in range(3):
            at.add("a.test", "A", *several[turn:], *several[:turn])
            assert texts(await names(address).find("a.test")) == several

    asyncio.run(crawl())


@pytest.mark.parametrize(("ttl", "least", "most", "questions"), [(0, 60.0, 86400.0, 1), (86400, 0.01, 0.05, 2)])
def test_the_time_to_live_is_held_between_its_bounds(server: Running, ttl: int, least: float, most: float, questions: int) -> None:
    at, address = server
    at.add("a.test", "A", "192.0.2.1", ttl=ttl)

    async def crawl() -> None:
        resolver = names(address, least=least, most=most)
        await resolver.find("a.test")
        await asyncio.sleep(0.1)
        await resolver.find("a.test")
        assert at.names["a.test"] == questions

    asyncio.run(crawl())


def test_concurrent_callers_share_one_query(server: Running) -> None:
    at, address = server
    at.add("a.test", "A", "192.0.2.1")
    at.waits["a.test"] = 0.2

    async def crawl() -> None:
        resolver = names(address)
        resolver.prefetch("a.test")
        answers = await asyncio.gather(*(resolver.find("a.test") for _ in range(100)))
        assert {tuple(texts(answer)) for answer in answers} == {("192.0.2.1",)}
        assert at.names["a.test"] == resolver.asked == 1

    asyncio.run(crawl())


def test_a_cancelled_caller_does_not_cancel_the_query_of_others(server: Running) -> None:
    at, address = server
    at.add("a.test", "A", "192.0.2.1")
    at.waits["a.test"] = 0.2

    async def crawl() -> None:
        resolver = names(address)
        cancelled, waiting = asyncio.create_task(resolver.find("a.test")), asyncio.create_task(resolver.find("a.test"))
        await asyncio.sleep(0.05)
        cancelled.cancel()
        assert texts(await waiting) == ["192.0.2.1"]

    asyncio.run(crawl())


def test_an_answer_that_takes_2_seconds_delays_no_other_name_and_not_the_loop(server: Running) -> None:
    at, address = server
    at.waits["slow.test"] = 2.0
    at.add("slow.test", "A", "192.0.2.9")
    for number in range(50):
        at.add(f"h{number}.test", "A", f"192.0.2.{number}")

    async def crawl() -> None:
        resolver = names(address)
        slow = asyncio.create_task(resolver.find("slow.test"))
        others = await asyncio.gather(*(resolver.find(f"h{number}.test") for number in range(50)))
        assert not slow.done()
        assert all(other.addresses for other in others)
        assert texts(await slow) == ["192.0.2.9"]

    asyncio.run(crawl())


def test_a_name_that_is_not_there_is_remembered_for_as_long_as_its_zone_says_within_the_bound(server: Running) -> None:
    at, address = server
    at.minimum = 1

    async def crawl() -> None:
        resolver = names(address)
        for _ in range(10):
            assert not (await resolver.find("none.test")).addresses
        assert at.asked == {("none.test", "A"): 1}  # there is no such name: no need to ask for AAAA
        at.add("none.test", "A", "192.0.2.1")
        await asyncio.sleep(1.05)
        assert texts(await resolver.find("none.test")) == ["192.0.2.1"]
        bounded = names(address, negative=0.05)
        at.minimum = 3600
        await bounded.find("other.test")
        await asyncio.sleep(0.1)
        await bounded.find("other.test")
        assert at.asked["other.test", "A"] == 2

    asyncio.run(crawl())


def test_aaaa_records_are_queried_only_if_there_are_no_a_records(server: Running) -> None:
    at, address = server
    at.add("four.test", "A", "192.0.2.1")
    at.add("four.test", "AAAA", "2001:db8::1")
    at.add("six.test", "AAAA", "2001:db8::2")

    async def crawl() -> None:
        resolver = names(address)
        assert texts(await resolver.find("four.test")) == ["192.0.2.1"]
        assert texts(await resolver.find("six.test")) == ["2001:db8::2"]
        assert at.names == {"four.test": 1, "six.test": 2}
        assert texts(await names(address, records=("AAAA", "A")).find("four.test")) == ["2001:db8::1"]

    asyncio.run(crawl())


def test_aliases_are_followed_and_the_shortest_life_of_the_chain_counts(server: Running) -> None:
    at, address = server
    at.add("www.test", "CNAME", "cdn.test", ttl=1)
    at.add("cdn.test", "CNAME", "edge.test")
    at.add("edge.test", "A", "192.0.2.1")
    at.add("loop.test", "CNAME", "loop2.test")
    at.add("loop2.test", "CNAME", "loop3.test")

    async def crawl() -> None:
        resolver = names(address)
        answer = await resolver.find("www.test")
        assert texts(answer) == ["192.0.2.1"]
        assert answer.until - time.monotonic() <= 1.0
        assert at.names == {"www.test": 1}
        at.unfinished.add("www.test")  # a server that tells the alias only
        assert texts(await names(address).find("www.test")) == ["192.0.2.1"]
        at.unfinished |= {"loop.test", "loop2.test", "loop3.test"}
        at.add("loop3.test", "CNAME", "loop.test")
        assert not (await names(address).find("loop.test")).addresses

    asyncio.run(crawl())


def test_no_more_names_are_kept_than_there_is_room_for(server: Running) -> None:
    at, address = server
    for number in range(6):
        at.add(f"h{number}.test", "A", "192.0.2.1")

    async def crawl() -> None:
        resolver = names(address, size=5)
        for number in range(5):
            await resolver.find(f"h{number}.test")
        await resolver.find("h0.test")  # used last
        await resolver.find("h5.test")  # h1 goes
        await resolver.find("h0.test")
        assert at.names["h0.test"] == 1
        await resolver.find("h1.test")
        assert at.names["h1.test"] == 2

    asyncio.run(crawl())


def test_chinese_names_are_asked_for_in_punycode(server: Running) -> None:
    at, address = server
    at.add("xn--fiqs8s.test", "A", "192.0.2.1")

    async def crawl() -> None:
        resolver = names(address)
        assert texts(await resolver.find("中国.test")) == ["192.0.2.1"]
        assert texts(await resolver.find("xn--fiqs8s.test")) == ["192.0.2.1"]
        assert at.names["xn--fiqs8s.test"] == 1

    asyncio.run(crawl())


@pytest.mark.parametrize("host", ["a..test", "x" * 64 + ".test", ".test", "*.test", "a b.test", "．test", "\udc80.test"])
def test_an_invalid_name_has_no_address(server: Running, host: str) -> None:
    async def crawl() -> None:
        assert not (await names(server[1]).find(host)).addresses

    asyncio.run(crawl())


def test_a_name_is_the_same_in_every_spelling() -> None:
    assert ascii_name("WWW.新闻.CN.") == ascii_name("www.xn--efvy88h.cn")


def test_the_table_of_hosts_and_local_names_are_asked_of_no_server(server: Running, tmp_path: Path) -> None:
    at, address = server
    table = tmp_path / "hosts"
    table.write_text("# ours\n10.1.2.3 News.test alias.test # x\n::1 localhost6\nnonsense here\n\nfd00::7 news.test\n")

    async def crawl() -> None:
        resolver = names(address, table=hosts_table(table))
        assert texts(await resolver.find("news.test")) == ["10.1.2.3", "fd00::7"]
        assert texts(await resolver.find("alias.test")) == ["10.1.2.3"]
        assert ip_address("127.0.0.1") in (await resolver.find("localhost")).addresses
        assert not at.asked

    asyncio.run(crawl())
    assert not hosts_table(tmp_path / "none")


def test_without_name_servers_the_system_is_asked() -> None:
    async def crawl() -> None:
        assert ip_address("127.0.0.1") in (await names().find("localhost")).addresses

    asyncio.run(crawl())

