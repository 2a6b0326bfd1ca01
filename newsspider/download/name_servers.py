"""Asks name servers without blocking: they share the load, and a silent one is left out for a while. How long is waited
for an answer, and how long one is left out, are ``DNS_...`` of ``settings.py``."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address

import dns.asyncbackend
import dns.asyncquery
import dns.exception
import dns.message
import dns.rcode
import dns.resolver
import dns.ttl

from newsspider.core.crawling.internal_errors import shortage_of
from newsspider.core.fetching.address_guard import Address, literal_address

DEAD_SILENCES = 2  # questions in a row without an answer after which a server is left out
PORT = 53
MOST_ALIASES = 8  # CNAMEs that a server sends without the addresses of their target

_BACKEND = dns.asyncbackend.get_backend("asyncio")

logger = logging.getLogger(__name__)


class NoAnswerError(Exception):
    """No server could answer for a name; the message is the plain reason."""


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """The addresses of a name, the seconds for which they are valid, and whether the name exists at all."""

    addresses: tuple[Address, ...]
    seconds: float
    exists: bool = True


@dataclass(slots=True, eq=False)
class DnsServer:
    """A name server, how often in a row it did not answer, and until when it is left out."""

    host: str
    port: int = PORT
    silences: int = 0
    rests_until: float = 0.0
    asked: int = 0

    @classmethod
    def read(cls, text: str) -> DnsServer:
        """The server of an address, with a port if it is not 53: ``9.9.9.9``, ``127.0.0.1:5353``,
        ``[2620:fe::fe]:53``."""
        with_port = text.count(":") == 1 or "]:" in text
        host, _, port = text.rpartition(":") if with_port else (text, "", str(PORT))
        address = literal_address(host)
        if address is None or not port.isdecimal():
            raise ValueError(f"{text!r} is no address of a name server")
        return cls(str(address), int(port))


@dataclass(slots=True, eq=False)
class Servers:
    """Name servers that answer for all names; each question goes to the next live one."""

    servers: Sequence[DnsServer]
    attempt_seconds: float
    dead_seconds: float
    _turn: int = 0

    async def ask(self, name: str, record: str) -> DnsAnswer:
        """The records (``A``, ``AAAA``) of an ASCII name, at the end of its aliases; :exc:`NoAnswerError` if no server
        answers."""
        seconds = float(dns.ttl.MAX_TTL)
        for _ in range(MOST_ALIASES):
            answer, alias = await self._asked(name, record)
            seconds = min(seconds, answer.seconds)
            if alias is None:
                return replace(answer, seconds=seconds)
            name = alias
        raise NoAnswerError(f"more than {MOST_ALIASES} aliases")

    async def _asked(self, name: str, record: str) -> tuple[DnsAnswer, str | None]:
        """The answer of the first server that gives one, and the alias if its addresses are not in the answer."""
        try:
            query = dns.message.make_query(name, record)
        except dns.exception.DNSException as error:
            raise NoAnswerError(f"no name of a host: {error}") from None
        problem = "no server"
        for server in self._order():
            server.asked += 1
            try:
                response, _ = await dns.asyncquery.udp_with_fallback(
                    query,
                    server.host,
                    self.attempt_seconds,
                    server.port,
                    ignore_unexpected=True,
                    ignore_errors=True,
                    backend=_BACKEND,
                )
            except (dns.exception.Timeout, OSError, EOFError) as error:
                if shortage_of(error) is not None:  # of this machine: the server was not asked
                    raise
                self._silent(server)
                problem = f"{server.host} is silent ({type(error).__name__})"
                continue
            except dns.exception.DNSException as error:
                problem = f"{server.host} sends no valid answer ({type(error).__name__})"
                continue
            server.silences, server.rests_until = 0, 0.0
            if response.rcode() not in (dns.rcode.NOERROR, dns.rcode.NXDOMAIN):
                problem = f"{server.host} says {dns.rcode.to_text(response.rcode())}"
                continue
            try:
                return _read(response)
            except dns.exception.DNSException as error:
                problem = f"{server.host} sends no valid answer ({type(error).__name__})"
        raise NoAnswerError(problem)

    def _order(self) -> list[DnsServer]:
        """The servers to ask, in this order: the live ones in turn, a single one twice; if none is live, the one that
        was left out first."""
        if not self.servers:
            return []
        self._turn = (self._turn + 1) % len(self.servers)
        rotated = [*self.servers[self._turn :], *self.servers[: self._turn]]
        now = time.monotonic()
        alive = [server for server in rotated if server.rests_until <= now]
        if not alive:
            return [min(rotated, key=lambda server: server.rests_until)]
        return alive if len(alive) > 1 else alive * 2

    def _silent(self, server: DnsServer) -> None:
        server.silences += 1
        if server.silences >= DEAD_SILENCES:
            if server.rests_until <= time.monotonic():
                logger.warning("the name server %s is silent: left out for %g s", server.host, self.dead_seconds)
            server.rests_until = time.monotonic() + self.dead_seconds


def system_servers() -> list[DnsServer]:
    """The name servers of this machine's configuration; none if it names none."""
    try:
        addresses = dns.resolver.Resolver().nameservers
    except (dns.exception.DNSException, OSError):
        return []
    return [
        DnsServer(server) for server in addresses if isinstance(server, str) and literal_address(server) is not None
    ]


def _read(response: dns.message.Message) -> tuple[DnsAnswer, str | None]:
    """The answer of a response, and the alias at which it ends without addresses."""
    assert isinstance(response, dns.message.QueryMessage)
    chain = response.resolve_chaining()
    if chain.answer is not None:
        return DnsAnswer(tuple(ip_address(record.address) for record in chain.answer), chain.minimum_ttl), None
    exists = response.rcode() == dns.rcode.NOERROR
    if exists and chain.cnames and not response.authority:
        alias = chain.canonical_name.to_text(omit_final_dot=True)
        return DnsAnswer((), min(cname.ttl for cname in chain.cnames)), alias
    return DnsAnswer((), chain.minimum_ttl, exists), None
