"""The DNS cache: each name is looked up once for all who wait for it, and kept as long as its records allow."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import ada_url

from newsspider.core.fetching.addresses import Address
from newsspider.download.name_servers import NoAnswerError, Servers
from newsspider.download.system_resolver import is_local, system_addresses

SYSTEM_SECONDS = 60.0  # the system's resolver does not say how long an answer holds
FAILURE_SECONDS = 5.0  # RFC 9520: between 1 s and 5 min
PREFETCHED_AT_ONCE = 32  # more would crowd out the names that somebody waits for

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of the time for which answers are kept, the time for negative answers, and the number of answers."""

    least_seconds: float
    most_seconds: float
    negative_seconds: float
    size: int
    patience_seconds: float


@dataclass(frozen=True, slots=True)
class Known:
    """The addresses of a name, and until when (monotonic) they are valid; ``problem`` says why there are none."""

    addresses: tuple[Address, ...]
    until: float
    problem: str = ""


class Names:
    """The cache in front of the name servers; without servers the system's resolver is asked for every name.

    Types of ``records`` are asked for in their order, until one brings an address. Names in ``table`` are asked of
    nobody.
    """

    def __init__(
        self, servers: Servers, bounds: Bounds, records: Sequence[str], table: Mapping[str, tuple[Address, ...]]
    ) -> None:
        self.servers = servers
        self.bounds = bounds
        self.records = tuple(records)
        self.table = table
        self.asked = 0
        self.failed = 0
        # memory _known: names of at most 253 characters and their addresses: `DNSCACHE_SIZE`
        self._known: OrderedDict[str, Known] = OrderedDict()
        self._asking: dict[str, asyncio.Task[Known]] = {}

    async def find(self, host: str) -> Known:
        """The addresses of a host, looked up if needed; concurrent callers wait for one question."""
        name = ascii_name(host)
        entry = self._remembered(name)
        return entry if entry is not None else await asyncio.shield(self._question(name))

    def prefetch(self, host: str) -> None:
        """Look up a host that may be needed soon, unless it is cached or enough questions are under way."""
        name = ascii_name(host)
        if len(self._asking) < PREFETCHED_AT_ONCE and self._remembered(name) is None:
            self._question(name)

    def _remembered(self, name: str) -> Known | None:
        entry = self._known.get(name)
        if entry is None or entry.until <= time.monotonic():
            return None
        self._known.move_to_end(name)
        return entry

    def _question(self, name: str) -> asyncio.Task[Known]:
        """The question about a name that is under way, or a new one."""
        if name not in self._asking:
            task = asyncio.get_running_loop().create_task(self._looked_up(name))
            self._asking[name] = task
            task.add_done_callback(partial(self._answered, name))
        return self._asking[name]

    def _answered(self, name: str, task: asyncio.Task[Known]) -> None:
        """Forget the question. Its error is raised where the answer is awaited; nobody awaits a prefetched one."""
        del self._asking[name]
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.debug("%s could not be asked for: %r", name, error)

    async def _looked_up(self, name: str) -> Known:
        self.asked += 1
        try:
            async with asyncio.timeout(self.bounds.patience_seconds):
                addresses, seconds = await self._resolved(name)
            problem = "" if addresses else "no such name, or none with an address"
        except (NoAnswerError, TimeoutError) as error:
            addresses, seconds, problem = (), FAILURE_SECONDS, str(error) or "no answer in time"
        self.failed += not addresses
        logger.debug("%s: %s, for %g s", name, ", ".join(map(str, addresses)) or problem, seconds)
        entry = Known(addresses, time.monotonic() + seconds, problem)
        self._known[name] = entry
        self._known.move_to_end(name)
        while len(self._known) > self.bounds.size:
            self._known.popitem(last=False)
        return entry

    async def _resolved(self, name: str) -> tuple[tuple[Address, ...], float]:
        """The addresses of a name, and for how many seconds to keep them."""
        if name in self.table:
            return self.table[name], self.bounds.most_seconds
        if not self.servers.servers or is_local(name):
            addresses = await system_addresses(name)
            return addresses, SYSTEM_SECONDS if addresses else self.bounds.negative_seconds
        negative = self.bounds.negative_seconds
        for record in self.records:
            answer = await self.servers.ask(name, record)
            if answer.addresses:
                in_order = tuple(sorted(answer.addresses))  # servers rotate them: a host has its turn at the first one
                return in_order, max(self.bounds.least_seconds, min(self.bounds.most_seconds, answer.seconds))
            negative = min(negative, max(self.bounds.least_seconds, answer.seconds))
            if not answer.exists:
                break
        return (), negative


def ascii_name(host: str) -> str:
    """The name that is asked for: lower case, without a dot at the end, its Chinese labels in punycode.

    >>> ascii_name("WWW.Example.CN."), ascii_name("新闻.中国")
    ('www.example.cn', 'xn--efvy88h.xn--fiqs8s')
    """
    name = host.rstrip(".").lower()
    if name.isascii():
        return name
    return (
        ada_url.idna_to_ascii(name.encode("utf-8", "replace")).decode("ascii")
        or name.encode("ascii", "replace").decode()
    )
