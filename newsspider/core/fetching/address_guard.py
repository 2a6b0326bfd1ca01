"""Decides which IP addresses a crawler may connect to (SSRF guard): public ones and what is allowed besides."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

from newsspider.core.caching import bounded_cache

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# IANA's special-purpose registries (RFC 6890): networks that are not public, by name. The first match counts.
SPECIAL = {
    "unspecified": "0.0.0.0/8 ::/128",
    "loopback": "127.0.0.0/8 ::1/128",
    "private": "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7",
    "carrier-grade NAT": "100.64.0.0/10",
    "link-local": "169.254.0.0/16 fe80::/10 fec0::/10",
    "multicast": "224.0.0.0/4 ff00::/8",
    "documentation": "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20",
    "reserved": "192.0.0.0/24 192.88.99.0/24 198.18.0.0/15 240.0.0.0/4 2001::/23",
}
GLOBAL_V6 = IPv6Network("2000::/3")  # all that IANA has allocated
# IPv6 networks that embed an IPv4 address, and the number of bits to the right of it
EMBEDDING = {
    "::ffff:0:0/96": 0,  # v4-mapped (RFC 4291)
    "::/96": 0,  # v4-compatible (RFC 4291)
    "::ffff:0:0:0/96": 0,  # v4-translated (RFC 2765)
    "64:ff9b::/96": 0,  # NAT64 (RFC 6052)
    "2002::/16": 80,  # 6to4 (RFC 3056)
}
TEREDO = IPv6Network("2001::/32")  # RFC 4380: the server, and the client with inverted bits

_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+", re.ASCII)
_DOTS = str.maketrans("。．｡", "...")
_SPECIAL = tuple((ip_network(block), word) for word, blocks in SPECIAL.items() for block in blocks.split())
_EMBEDDING = tuple((IPv6Network(block), shift) for block, shift in EMBEDDING.items())


@dataclass(frozen=True, slots=True, eq=False)  # hashed on every lookup: by identity, not by its networks
class AllowedAddresses:
    """The addresses and names that may be requested although they are not public."""

    networks: tuple[Network, ...] = ()
    names: frozenset[str] = frozenset()

    @classmethod
    def read(cls, entries: Iterable[str]) -> AllowedAddresses:
        """Parse addresses, networks and exact host names; :exc:`ValueError` names an entry that is none of these.

        >>> AllowedAddresses.read(["127.0.0.0/8", "intranet.example.cn"]).names
        frozenset({'intranet.example.cn'})
        """
        networks: list[Network] = []
        names: set[str] = set()
        for entry in filter(None, map(str.strip, entries)):
            try:
                networks.append(ip_network(entry.strip("[]")))
            except ValueError:
                if "/" in entry or not re.fullmatch(r"[\w.-]*[^\W\d][\w.-]*", entry):
                    raise ValueError(f"{entry!r} is no address, network or host name") from None
                names.add(_plain(entry))
        return cls(tuple(networks), frozenset(names))

    def __contains__(self, address: Address) -> bool:
        return any(address in network for network in self.networks)

    def allows_host(self, host: str) -> bool:
        """Whether a host is allowed by name, whatever its addresses are."""
        return _plain(host) in self.names


NOTHING_ALLOWED = AllowedAddresses()


@bounded_cache(16384)  # cache: hosts and the address that each is
def literal_address(host: str) -> Address | None:
    """The IP address that a host *is*, in any notation that a resolver or browser understands; ``None`` for a name.

    Decimal, octal and hexadecimal numbers, one to four parts, Unicode dots and digits, brackets and zones.

    >>> literal_address("2130706433"), literal_address("0x7f.1"), literal_address("example.cn")
    (IPv4Address('127.0.0.1'), IPv4Address('127.0.0.1'), None)
    """
    host = _plain(host)
    if ":" in host:
        try:
            return IPv6Address(host.strip("[]").partition("%")[0])
        except ValueError:
            return None
    return _ipv4(host.split("."))


@lru_cache(maxsize=4096)  # cache: addresses and why each is refused
def refusal_of_address(address: Address, allowed: AllowedAddresses = NOTHING_ALLOWED) -> str | None:
    """The reason why an address must not be requested; ``None`` if it is public or excepted.

    An IPv6 address that embeds an IPv4 address is judged by that.

    >>> refusal_of_address(IPv4Address("93.184.215.14")), refusal_of_address(IPv6Address("64:ff9b::a00:1"))
    (None, 'private address 10.0.0.1')
    """
    if address in allowed:
        return None
    candidates: tuple[Address, ...] = _embedded(address) or (address, *_isatap(address))
    for candidate in candidates:
        if candidate not in allowed and (label := _special(candidate)):
            return f"{label} address {candidate}"
    return None


@bounded_cache(16384)  # cache: hosts and why each is refused
def refused_host(host: str, allowed: AllowedAddresses = NOTHING_ALLOWED) -> str | None:
    """The reason why a host that is an IP address must not be requested; ``None`` for a name, whose addresses are
    not resolved yet.

    >>> refused_host("127.1:8080"), refused_host("www.example.cn")
    ('loopback address 127.0.0.1', None)
    """
    if host.isascii() and host[-1:].isalpha() and "0x" not in host.lower():  # by far the most
        return None
    name = host if host.endswith("]") or (host.count(":") > 1 and "]" not in host) else host.rpartition(":")[0] or host
    address = literal_address(name)
    return refusal_of_address(address, allowed) if address is not None else None


def _plain(host: str) -> str:
    """A host in lower case with ASCII digits and dots, without trailing dots."""
    if not host.isascii():
        host = unicodedata.normalize("NFKC", host).translate(_DOTS)
    return host.rstrip(".").lower()


def _ipv4(parts: list[str]) -> IPv4Address | None:
    """Parse one to four numbers, the last one filling the remaining bytes, as ``inet_aton`` does."""
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    try:
        numbers = [_number(part) for part in parts]
    except ValueError:
        return None
    *first, last = numbers
    if any(number > 255 for number in first) or last >= 256 ** (4 - len(first)):
        return None
    return IPv4Address(sum(number << 8 * (3 - place) for place, number in enumerate(first)) + last)


def _number(text: str) -> int:
    if text[:2] in ("0x", "0X"):
        return int(text[2:] or "0", 16)
    return int(text, 8) if text[0] == "0" and len(text) > 1 else int(text)


def _embedded(address: Address) -> tuple[IPv4Address, ...]:
    """The IPv4 addresses that an IPv6 address embeds."""
    if isinstance(address, IPv4Address) or int(address) < 2:  # "::" and "::1" are themselves
        return ()
    if address in TEREDO:
        return IPv4Address(int(address) >> 64 & 0xFFFFFFFF), IPv4Address(~int(address) & 0xFFFFFFFF)
    return tuple(IPv4Address(int(address) >> shift & 0xFFFFFFFF) for network, shift in _EMBEDDING if address in network)


def _isatap(address: Address) -> tuple[IPv4Address, ...]:
    """The IPv4 address in the interface identifier of an IPv6 address (RFC 5214)."""
    if isinstance(address, IPv4Address) or int(address) >> 32 & 0xFDFFFFFF != 0x5EFE:
        return ()
    return (IPv4Address(int(address) & 0xFFFFFFFF),)


def _special(address: Address) -> str | None:
    for network, word in _SPECIAL:
        if address in network:
            return word
    return "reserved" if isinstance(address, IPv6Address) and address not in GLOBAL_V6 else None
