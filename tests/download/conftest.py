"""A real name server for each test, and what asks it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from newsspider.download.dns_cache import Bounds, Known, Names
from newsspider.download.name_servers import Server, Servers
from tests.support.name_server import NameServer, name_server

Running = tuple[NameServer, str]


@pytest.fixture
def server() -> Iterator[Running]:
    """A name server that runs, and its address with the port."""
    with name_server() as running:
        yield running


def names(
    *servers: str, records: tuple[str, ...] = ("A", "AAAA"), least: float = 0.2, most: float = 86400.0,
    negative: float = 60.0, size: int = 1000, patience: float = 5.0, attempt: float = 3.0, dead: float = 30.0,
    table: dict | None = None,
) -> Names:  # fmt: skip
    """The names of a crawl, which are resolved by these servers."""
    name_servers = Servers([Server.read(text) for text in servers], attempt, dead)
    return Names(name_servers, Bounds(least, most, negative, size, patience), records, table or {})


def texts(resolved: Known) -> list[str]:
    """The addresses of a name as text."""
    return [str(address) for address in resolved.addresses]
