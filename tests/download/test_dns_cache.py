"""How often names are asked for, and what becomes of the answers; all servers are real ones."""

from __future__ import annotations

import asyncio
import time

import pytest

from newsspider.download.dns_cache import ascii_name
from tests.download.conftest import Running, names, texts


def test_a_name_is_asked_once_within_the_time_to_live_and_again_after_it(server: Running) -> None:
    at, address = server
    at.add("a.test", "A", "192.0.2.1", "192.0.2.2", ttl=1)

    async def crawl() -> None:
        found = names(address)
        for _ in range(50):
            assert sorted(texts(await found.find("A.test."))) == ["192.0.2.1", "192.0.2.2"]
        assert at.names["a.test"] == 1
        at.add("a.test", "A", "192.0.2.3", ttl=1)
        await asyncio.sleep(1.05)
        assert texts(await found.find("a.test")) == ["192.0.2.3"]
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


@pytest.mark.parametrize(("ttl", "least", "most", "asked"), [(0, 60.0, 86400.0, 1), (86400, 0.01, 0.05, 2)])
def test_the_time_to_live_is_held_between_its_bounds(server: Running, ttl: int, least: float, most: float, asked: int) -> None:
    at, address = server
    at.add("a.test", "A", "192.0.2.1", ttl=ttl)

    async def crawl() -> None:
        found = names(address, least=least, most=most)
        await found.find("a.test")
        await asyncio.sleep(0.1)
        await found.find("a.test")
        assert at.names["a.test"] == asked

    asyncio.run(crawl())


def test_all_who_ask_at_once_wait_for_one_question(server: Running) -> None:
    at, address = server
    at.add("a.test", "A", "192.0.2.1")
    at.waits["a.test"] = 0.2

    async def crawl() -> None:
        found = names(address)
        found.prefetch("a.test")
        known = await asyncio.gather(*(found.find("a.test") for _ in range(100)))
        assert {tuple(texts(one)) for one in known} == {("192.0.2.1",)}
        assert at.names["a.test"] == found.asked == 1

    asyncio.run(crawl())


def test_who_is_cancelled_does_not_end_the_question_of_others(server: Running) -> None:
    at, address = server
    at.add("a.test", "A", "192.0.2.1")
    at.waits["a.test"] = 0.2

    async def crawl() -> None:
        found = names(address)
        one, other = asyncio.create_task(found.find("a.test")), asyncio.create_task(found.find("a.test"))
        await asyncio.sleep(0.05)
        one.cancel()
        assert texts(await other) == ["192.0.2.1"]

    asyncio.run(crawl())


def test_an_answer_that_takes_2_seconds_delays_no_other_name_and_not_the_loop(server: Running) -> None:
    at, address = server
    at.waits["slow.test"] = 2.0
    at.add("slow.test", "A", "192.0.2.9")
    for number in range(50):
        at.add(f"h{number}.test", "A", f"192.0.2.{number}")

    async def crawl() -> None:
        found = names(address)
        slow = asyncio.create_task(found.find("slow.test"))
        others = await asyncio.gather(*(found.find(f"h{number}.test") for number in range(50)))
        assert not slow.done()
        assert all(other.addresses for other in others)
        assert texts(await slow) == ["192.0.2.9"]

    asyncio.run(crawl())


def test_a_name_that_is_not_there_is_remembered_for_as_long_as_its_zone_says_within_the_bound(server: Running) -> None:
    at, address = server
    at.minimum = 1

    async def crawl() -> None:
        found = names(address)
        for _ in range(10):
            assert not (await found.find("none.test")).addresses
        assert at.asked == {("none.test", "A"): 1}  # there is no such name: no need to ask for AAAA
        at.add("none.test", "A", "192.0.2.1")
        await asyncio.sleep(1.05)
        assert texts(await found.find("none.test")) == ["192.0.2.1"]
        bounded = names(address, negative=0.05)
        at.minimum = 3600
        await bounded.find("other.test")
        await asyncio.sleep(0.1)
        await bounded.find("other.test")
        assert at.asked["other.test", "A"] == 2

    asyncio.run(crawl())


def test_aaaa_is_asked_only_where_there_is_no_a(server: Running) -> None:
    at, address = server
    at.add("four.test", "A", "192.0.2.1")
    at.add("four.test", "AAAA", "2001:db8::1")
    at.add("six.test", "AAAA", "2001:db8::2")

    async def crawl() -> None:
        found = names(address)
        assert texts(await found.find("four.test")) == ["192.0.2.1"]
        assert texts(await found.find("six.test")) == ["2001:db8::2"]
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
        found = names(address)
        known = await found.find("www.test")
        assert texts(known) == ["192.0.2.1"]
        assert known.until - time.monotonic() <= 1.0
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
        found = names(address, size=5)
        for number in range(5):
            await found.find(f"h{number}.test")
        await found.find("h0.test")  # used last
        await found.find("h5.test")  # h1 goes
        await found.find("h0.test")
        assert at.names["h0.test"] == 1
        await found.find("h1.test")
        assert at.names["h1.test"] == 2

    asyncio.run(crawl())


def test_chinese_names_are_asked_for_in_punycode(server: Running) -> None:
    at, address = server
    at.add("xn--fiqs8s.test", "A", "192.0.2.1")

    async def crawl() -> None:
        found = names(address)
        assert texts(await found.find("中国.test")) == ["192.0.2.1"]
        assert texts(await found.find("xn--fiqs8s.test")) == ["192.0.2.1"]
        assert at.names["xn--fiqs8s.test"] == 1

    asyncio.run(crawl())


@pytest.mark.parametrize("host", ["a..test", "x" * 64 + ".test", ".test", "*.test", "a b.test", "．test", "\udc80.test"])
def test_a_name_that_cannot_be_has_no_address(server: Running, host: str) -> None:
    async def crawl() -> None:
        assert not (await names(server[1]).find(host)).addresses

    asyncio.run(crawl())


def test_a_name_is_the_same_in_every_spelling() -> None:
    assert ascii_name("WWW.新闻.CN.") == ascii_name("www.xn--efvy88h.cn")
