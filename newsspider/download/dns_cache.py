"""The DNS cache: concurrent callers share one look-up of a name, and its answer is kept as long as its records allow;
names that only the system knows are asked of its resolver."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from pathlib import Path

import ada_url

from newsspider.core.crawling.internal_errors import shortage_of
from newsspider.core.fetching.address_guard import Address, literal_address
from newsspider.download.name_servers import NoAnswerError, Servers

SYSTEM_SECONDS = 60.0  # the system's resolver does not say how long an answer holds
FAILURE_SECONDS = 5.0  # RFC 9520: between 1 s and 5 min
PREFETCHED_AT_ONCE = 32  # more would crowd out the names that somebody waits for

logger = logging.getLogger(__name__)

HOSTS_FILE = Path("/etc/hosts")
NAME_THREADS = 8
LOCAL_ENDINGS = (".localhost", ".local", ".internal", ".home.arpa")  # RFC 6761, 6762, 8375, and ICANN's for private use

_THREADS = ThreadPoolExecutor(NAME_THREADS, "system-names")  # separate: a slow name must not delay the reading of pages


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of the time for which answers are kept, the time for negative answers, and the number of answers."""

    least_seconds: float
    most_seconds: float
    negative_seconds: float
    size: int
    patience_seconds: float


@dataclass(frozen=True, slots=True)
class KnownAddresses:
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
        self._known: OrderedDict[str, KnownAddresses] = OrderedDict()
        self._asking: dict[str, asyncio.Task[KnownAddresses]] = {}

    async def find(self, host: str) -> KnownAddresses:
        """The addresses of a host, looked up if needed; concurrent callers wait for one question."""
        name = ascii_name(host)
        entry = self._remembered(name)
        return entry if entry is not None else await asyncio.shield(self._question(name))

    def prefetch(self, host: str) -> None:
        """Look up a host that may be needed soon, unless it is cached or enough questions are under way."""
        name = ascii_name(host)
        if len(self._asking) < PREFETCHED_AT_ONCE and self._remembered(name) is None:
            self._question(name)

    def _remembered(self, name: str) -> KnownAddresses | None:
        entry = self._known.get(name)
        if entry is None or entry.until <= time.monotonic():
            return None
        self._known.move_to_end(name)
        return entry

    def _question(self, name: str) -> asyncio.Task[KnownAddresses]:
        """The question about a name that is under way, or a new one."""
        if name not in self._asking:
            task = asyncio.get_running_loop().create_task(self._looked_up(name))
            self._asking[name] = task
            task.add_done_callback(partial(self._answered, name))
        return self._asking[name]

    def _answered(self, name: str, task: asyncio.Task[KnownAddresses]) -> None:
        """Forget the question. Its error is raised where the answer is awaited; nobody awaits a prefetched one."""
        del self._asking[name]
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.debug("%s could not be asked for: %r", name, error)

    async def _looked_up(self, name: str) -> KnownAddresses:
        self.asked += 1
        try:
            async with asyncio.timeout(self.bounds.patience_seconds):
                addresses, seconds = await self._resolved(name)
            problem = "" if addresses else "no such name, or none with an address"
        except (NoAnswerError, TimeoutError) as error:
            addresses, seconds, problem = (), FAILURE_SECONDS, str(error) or "no answer in time"
        self.failed += not addresses
        logger.debug("%s: %s, for %g s", name, ", ".join(map(str, addresses)) or problem, seconds)
        entry = KnownAddresses(addresses, time.monotonic() + seconds, problem)
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


def is_local(name: str) -> bool:
    """Whether a name means something on this machine or network only.

    >>> is_local("localhost"), is_local("printer.local"), is_local("www.example.cn")
    (True, True, False)
    """
    return "." not in name or name.endswith(LOCAL_ENDINGS)


def hosts_table(file: Path = HOSTS_FILE) -> Mapping[str, tuple[Address, ...]]:
    """The names of the machine's table of hosts and their addresses, as they stand now; empty if there is none."""
    table: dict[str, tuple[Address, ...]] = {}
    try:
        lines = file.read_text("utf-8", "replace").splitlines()
    except OSError:
        return table
    for line in lines:
        spelling, *names = line.partition("#")[0].split() or [""]
        address = literal_address(spelling)
        for name in names if address else ():
            assert address is not None
            table[name.lower()] = (*table.get(name.lower(), ()), address)
    return table


async def system_addresses(name: str) -> tuple[Address, ...]:
    """The addresses that the system's resolver gives, asked in a thread; empty if it has none."""
    try:
        addresses = await asyncio.get_running_loop().run_in_executor(_THREADS, _asked, name)
    except (OSError, UnicodeError) as error:
        if shortage_of(error) is not None:  # of this machine: it says nothing of the name
            raise
        return ()
    return tuple(dict.fromkeys(addresses))


def _asked(name: str) -> list[Address]:
    answers = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return [ip_address(str(where[0]).partition("%")[0]) for *_, where in answers]
