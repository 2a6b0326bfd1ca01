"""The parsed robots.txt files of the hosts that were asked last, bounded in number and in bytes. How long one is valid:
:mod:`newsspider.core.fetching.robots`."""

from __future__ import annotations

from collections import OrderedDict

from newsspider.core.fetching.robots import Robots

ROBOTS_KEPT = 10_000  # hosts whose parsed rules are kept in memory
ROBOTS_BYTES = 32 * 1024 * 1024  # of memory that these take, about


class RobotsCache:
    """The rules of each host for one ``agent``, with a moment that the caller gives them."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        # memory _robots: parsed rules: ROBOTS_KEPT hosts and ROBOTS_BYTES bytes
        self._robots: OrderedDict[str, tuple[float | None, Robots]] = OrderedDict()
        self._bytes = 0

    def get(self, host: str) -> tuple[float | None, Robots] | None:
        """The rules of a host with their moment, if they are kept."""
        if host in self._robots:
            self._robots.move_to_end(host)
        return self._robots.get(host)

    def keep(self, host: str, moment: float | None, robots: Robots) -> Robots:
        """Keep the rules of a host, in place of older ones."""
        robots.crawl_delay(self.agent)  # the rules for us are read now: their size is known from here on
        self._forget(host)
        self._robots[host] = (moment, robots)
        self._bytes += robots.size
        while len(self._robots) > 1 and (len(self._robots) > ROBOTS_KEPT or self._bytes > ROBOTS_BYTES):
            self._forget(next(iter(self._robots)))
        return robots

    def crawl_delay(self, host: str) -> float | None:
        """The Crawl-delay of a host, if its rules are kept and name one."""
        cached = self._robots.get(host)
        return cached[1].crawl_delay(self.agent) if cached else None

    def _forget(self, host: str) -> None:
        if (forgotten := self._robots.pop(host, None)) is not None:
            self._bytes -= forgotten[1].size
