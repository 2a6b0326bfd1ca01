"""Names that the machine itself resolves: its table of hosts, and its own resolver for names outside the DNS."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address
from pathlib import Path

from newsspider.core.crawling.internal_errors import shortage_of
from newsspider.core.fetching.addresses import Address, literal

HOSTS_FILE = Path("/etc/hosts")
THREADS = 8
LOCAL_ENDINGS = (".localhost", ".local", ".internal", ".home.arpa")  # RFC 6761, 6762, 8375, and ICANN's for private use

_THREADS = ThreadPoolExecutor(THREADS, "system-names")  # separate: a slow name must not delay the reading of pages


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
        address = literal(spelling)
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
