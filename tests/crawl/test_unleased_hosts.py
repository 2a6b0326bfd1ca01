"""What is remembered of hosts that are asked without a lease."""

import asyncio

import pytest

from newsspider.core.fetching.politeness import DelayLimits
from newsspider.core.fetching.robots import CLOSED_SECONDS, FRESH_SECONDS, RobotsText
from newsspider.crawl.host_policy import UnleasedHosts
from newsspider.store.engine.clock import SteadyClock
from tests.support.clocks import HeldClock

DELAY = 0.05
URL = "http://a.example/1.html"


class Robots:
    """Gives every robots.txt and remembers which were asked for."""

    def __init__(self, clock: HeldClock | SteadyClock, text: bytes = b"", status: int | None = 200) -> None:
        self.clock, self.text, self.status = clock, text, status
        self.asked: list[str] = []

    async def fetch(self, url: str) -> RobotsText:
        self.asked.append(url)
        await asyncio.sleep(0)
        return RobotsText(self.status, self.text, self.clock.now())


def hosts_of(clock: HeldClock | SteadyClock, factor: float = 0.0) -> UnleasedHosts:
    return UnleasedHosts("newsspider", DelayLimits(factor, DELAY, 10 * DELAY), clock)


def test_two_requests_that_wait_for_one_host_keep_its_delay_and_another_host_waits_for_none() -> None:
    async def turns() -> list[float]:
        visits = await asyncio.gather(*(hosts.turn(url) for url in (URL, URL, URL, "http://b.example/")))
        return [visit.sent_at or 0.0 for visit in visits]

    hosts = hosts_of(SteadyClock())
    first, *later, other = asyncio.run(turns())
    second, third = sorted(later)
    assert other < second
    assert min(second - first, third - second) >= DELAY


def test_the_next_request_waits_for_a_crawl_delay_and_for_a_slow_host() -> None:
    async def next_at(text: bytes, latency: float, factor: float) -> float:
        clock = HeldClock()
        hosts = hosts_of(clock, factor)
        await hosts.robots(URL, Robots(clock, text).fetch)
        visit = await hosts.turn(URL)
        visit.ended_at = clock.now() + latency
        return hosts.next_at("a.example") - clock.now()

    assert asyncio.run(next_at(b"User-agent: *\nCrawl-delay: 7", 0.0, 0.0)) == 7
    assert asyncio.run(next_at(b"", DELAY / 25, 100.0)) == pytest.approx(4 * DELAY + DELAY / 25, abs=0.001)


@pytest.mark.parametrize(("status", "good_for"), [(200, FRESH_SECONDS), (404, FRESH_SECONDS), (503, CLOSED_SECONDS)])
def test_a_robots_txt_is_fetched_once_for_all_and_again_when_it_is_too_old(status: int, good_for: float) -> None:
    clock = HeldClock()
    hosts, robots = hosts_of(clock), Robots(clock, status=status)

    async def three() -> None:
        await asyncio.gather(*(hosts.robots(URL, robots.fetch) for _ in range(3)))

    asyncio.run(three())
    clock.advance(good_for - 1)
    asyncio.run(three())
    assert robots.asked == ["http://a.example/robots.txt"]
    clock.advance(1)
    asyncio.run(three())
    assert len(robots.asked) == 2
