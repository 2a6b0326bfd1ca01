"""The resolver of Scrapy's reactor: asynchronous, cached, and silent about every address that may not be asked
(SSRF guard)."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from scrapy.resolver import HostResolution
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IHostnameResolver
from zope.interface import implementer  # type: ignore[import-untyped]  # its interfaces are no types

from newsspider.core.fetching.address_guard import Address, AllowedAddresses, literal_address, refusal_of_address
from newsspider.download.dns_cache import Bounds, Names, ascii_name, hosts_table
from newsspider.download.name_servers import DnsServer, Servers, system_servers

if TYPE_CHECKING:
    from scrapy.crawler import CrawlerProcess
    from scrapy.settings import BaseSettings
    from twisted.internet.base import ReactorBase

LONGEST_KEPT_SECONDS = 86_400.0  # an answer, whatever its record says
NEGATIVE_SECONDS = 60.0  # until a name without an address is asked for again, or sooner if its zone says so
DEAD_SECONDS = 30.0  # for which a server is left out after two silences in a row
SYSTEM = "system"  # as the one name server: all names are asked of the system's resolver

logger = logging.getLogger(__name__)


Kinds = tuple[type[IPv4Address] | type[IPv6Address], ...]


@implementer(IHostnameResolver)
class GuardedResolver:
    """The guard of every connection: names are resolved here, and hosts that are literal addresses are checked with
    :meth:`refusal`.

    Settings: ``DNS_*``, ``DNSCACHE_SIZE``, ``ALLOWED_ADDRESSES``. A name of which no address is left cannot be
    resolved. The address of an HTTP proxy may be connected to at its own port, whatever it is; behind it no name is
    resolved here.
    """

    def __init__(self, reactor: ReactorBase, names: Names, allowed: AllowedAddresses, proxies: Proxies) -> None:
        self.reactor = reactor
        self.names = names
        self.allowed = allowed
        self.proxies = proxies
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    def from_crawler(cls, crawler: CrawlerProcess, reactor: ReactorBase) -> Self:
        settings = crawler.settings
        return cls(reactor, names_of(settings), allowed_addresses(settings), Proxies(settings))

    def install_on_reactor(self) -> None:
        self.reactor.installNameResolver(self)  # type: ignore[arg-type]  # as above

    def resolveHostName(  # noqa: N802 -- Twisted's names
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Kinds | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> HostResolution:
        resolution = HostResolution(hostName)
        resolutionReceiver.resolutionBegan(resolution)
        task = asyncio.get_running_loop().create_task(
            self._resolve(resolutionReceiver, hostName, portNumber, addressTypes or (IPv4Address, IPv6Address))
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return resolution

    async def _resolve(self, receiver: Any, host: str, port: int, kinds: Kinds) -> None:
        try:
            for address in await self.open_addresses(host, port):
                kind = IPv4Address if address.version == 4 else IPv6Address
                if kind in kinds:
                    receiver.addressResolved(kind("TCP", str(address), port))
        finally:
            receiver.resolutionComplete()

    async def open_addresses(self, host: str, port: int) -> list[Address]:
        """The addresses of a host that may be connected to."""
        public: list[Address] = []
        for address in await self.addresses(host):
            problem = None if self.proxies.is_proxy(host, port) else self.refusal(host, address)
            if problem is None:
                public.append(address)
            else:
                logger.debug("no connection to %s: %s", host, problem)
        return public

    async def addresses(self, host: str) -> tuple[Address, ...]:
        """All addresses of a host, refused ones too; none if there are none or no server answers."""
        address = literal_address(host)
        return (address,) if address is not None else (await self.names.find(host)).addresses

    def refusal(self, host: str, address: Address) -> str | None:
        """Why this address of a host may not be connected to, if so."""
        return None if self.allowed.allows_host(host) else refusal_of_address(address, self.allowed)

    def prefetch(self, host: str) -> None:
        """Ask for the addresses of a host (``name[:port]``) that is needed soon, on the event loop; unless a proxy
        does that."""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        if name and literal_address(name) is None and not self.proxies.stand_before(name):
            self.names.prefetch(name)


class Proxies:
    """The HTTP proxies that the environment names, as Scrapy's ``HttpProxyMiddleware`` reads them at start."""

    def __init__(self, settings: BaseSettings) -> None:
        proxies = getproxies() if settings.getbool("HTTPPROXY_ENABLED") else {}
        self.schemes = frozenset(proxies) & {"http", "https"}
        self._places = frozenset(filter(None, map(_place, proxies.values())))

    def stand_before(self, host: str, scheme: str | None = None) -> bool:
        """Whether a host is asked through a proxy (with this scheme, or with any)."""
        return bool(self.schemes if scheme is None else scheme in self.schemes) and not proxy_bypass(host)

    def is_proxy(self, host: str, port: int) -> bool:
        """Whether this is where a proxy listens; Twisted asks for port 0 where it means all."""
        return any(name == ascii_name(host) and port in (own, 0) for name, own in self._places)


def allowed_addresses(settings: BaseSettings) -> AllowedAddresses:
    """The addresses of ``ALLOWED_ADDRESSES``; a wrong entry stops the start."""
    try:
        return AllowedAddresses.read(settings.getlist("ALLOWED_ADDRESSES"))
    except ValueError as error:
        raise ValueError(f"ALLOWED_ADDRESSES: {error}") from None


def installed_resolver() -> GuardedResolver | None:
    """The resolver of the running reactor, if it is this one."""
    from twisted.internet import reactor

    resolver = getattr(reactor, "nameResolver", None)
    return resolver if isinstance(resolver, GuardedResolver) else None


def names_of(settings: BaseSettings) -> Names:
    """The DNS cache that the settings describe."""
    bounds = Bounds(
        settings.getfloat("DNS_TTL_MIN_SECONDS"),
        LONGEST_KEPT_SECONDS,
        NEGATIVE_SECONDS,
        settings.getint("DNSCACHE_SIZE"),
        settings.getfloat("DNS_TIMEOUT"),
    )
    servers = Servers(name_servers(settings), settings.getfloat("DNS_ATTEMPT_SECONDS"), DEAD_SECONDS)
    return Names(servers, bounds, settings.getlist("DNS_RECORDS"), hosts_table())


def name_servers(settings: BaseSettings) -> list[DnsServer]:
    """The servers of ``DNS_SERVERS``; a wrong entry stops the start."""
    configured = settings.getlist("DNS_SERVERS")
    if not configured:
        return system_servers()
    try:
        return [] if configured == [SYSTEM] else [DnsServer.read(server) for server in configured]
    except ValueError as error:
        raise ValueError(f"DNS_SERVERS: {error}") from None


def _place(url: str) -> tuple[str, int] | None:
    """Name and port of a proxy."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return None
    return (ascii_name(parts.hostname), port) if parts.hostname else None
