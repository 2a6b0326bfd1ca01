"""No connection to an address that is not public, from a real crawler to real servers on this machine."""

import contextlib
import socket
import socketserver
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from tests.download.spider import ask
from tests.support.addresses import SPELLINGS
from tests.support.name_server import name_server
from tests.support.tables import each

REFUSE_ALL: dict[str, Any] = {"ALLOWED_ADDRESSES": [], "DNS_SERVERS": ["127.0.0.1:9"], "DNS_TIMEOUT": 1, "DNS_ATTEMPT_SECONDS": 0.2}
WITH_REASONS = {"DOWNLOADER_MIDDLEWARES": {"newsspider.downloadermiddlewares.address.AddressMiddleware": 50}}
OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"


class Listener(socketserver.ThreadingTCPServer):
    """Accepts on every address of this machine and counts the connections by the address that they came to."""

    address_family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, play: Callable[[str, bytes], str]) -> None:
        super().__init__(("::" if self.address_family == socket.AF_INET6 else "0.0.0.0", 0), Connection)
        self.play = play
        self.arrived: Counter[str] = Counter()
        self.heads: list[bytes] = []

    def server_bind(self) -> None:
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


class Connection(socketserver.StreamRequestHandler):
    server: Listener

    def handle(self) -> None:
        address = self.request.getsockname()[0].removeprefix("::ffff:")
        self.server.arrived[address] += 1
        head = self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        self.server.heads.append(head)
        self.wfile.write(self.server.play(address, head).encode())


@contextlib.contextmanager
def listening(play: Callable[[str, bytes], str] = lambda address, head: OK) -> Iterator[tuple[Listener, int]]:
    with Listener(play) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server, server.server_address[1]
        server.shutdown()


def urls(port: int) -> list[str]:
    return [f"http://{spelling}:{port}/" for spelling in SPELLINGS]


def test_no_spelling_of_a_private_address_reaches_a_server() -> None:
    with listening() as (server, port):
        report = ask(urls(port), REFUSE_ALL)
        assert not server.arrived
        assert not [url for url, result in report.items() if result == 200]
        report = ask(urls(port), REFUSE_ALL | {"ALLOWED_ADDRESSES": ["0.0.0.0/8", "127.0.0.0/8", "::/128", "::1"]})
        assert sum(server.arrived.values()) >= 20  # so it was the guard that refused them above


def test_each_spelling_has_the_reason_that_it_is_refused_for() -> None:
    with listening() as (server, port):
        report = ask(urls(port), REFUSE_ALL | WITH_REASONS)
        assert not server.arrived
        refused = [result for result in report.values() if str(result).startswith("AddressForbiddenError: ")]
        assert len(refused) >= 30
        assert all(" address " in result for result in refused)
        assert report["stats"]["addresses/refused"] == len(refused)


def test_a_name_that_leads_to_a_private_address_later_is_refused_then() -> None:
    """The listed address plays the public one: rebinding is a name whose second answer is another address."""
    with name_server() as (names, address), listening() as (server, port):
        names.add("rebind.test", "A", "127.0.0.5", ttl=0)
        names.add("mixed.test", "A", "127.0.0.1", "127.0.0.5", "10.255.255.254", ttl=0)
        names.add("mapped.test", "AAAA", "::ffff:127.0.0.1", "64:ff9b::7f00:1")
        names.add("alias.test", "CNAME", "inner.test")
        names.add("inner.test", "A", "127.0.0.1")
        settings = {"ALLOWED_ADDRESSES": ["127.0.0.5"], "DNS_SERVERS": [address], "DNS_TTL_MIN_SECONDS": 0}

        def first_then_private(where: str, head: bytes) -> str:
            names.add("rebind.test", "A", "127.0.0.1", ttl=0)
            return f"HTTP/1.1 302 Found\r\nLocation: http://rebind.test:{port}/again\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

        server.play = first_then_private
        report = ask([f"http://rebind.test:{port}/"], settings)
        assert server.arrived == {"127.0.0.5": 1}
        assert "CannotResolveHostError" in str(report[f"http://rebind.test:{port}/"])
        server.play = lambda address, head: OK
        report = ask([f"http://{name}.test:{port}/" for name in ("mixed", "mapped", "alias", "localhost")], settings | WITH_REASONS)
        assert report[f"http://mixed.test:{port}/"] == 200  # by the one address that may be asked
        assert set(server.arrived) == {"127.0.0.5"}
        assert report[f"http://alias.test:{port}/"] == "AddressForbiddenError: alias.test has the loopback address 127.0.0.1"
        assert report[f"http://mapped.test:{port}/"].startswith("AddressForbiddenError")


def test_no_redirect_leads_to_a_private_address() -> None:
    with listening() as (server, port):
        ascii_ones = [spelling for spelling in SPELLINGS if spelling.isascii()]

        def redirect(where: str, head: bytes) -> str:
            location = f"http://{ascii_ones[int(head.split()[1][1:])]}:{port}/"
            return f"HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

        server.play = redirect
        first_urls = [f"http://127.0.0.5:{port}/{number}" for number in range(len(ascii_ones))]
        ask(first_urls, REFUSE_ALL | {"ALLOWED_ADDRESSES": ["127.0.0.5"]})
        assert server.arrived == {"127.0.0.5": len(ascii_ones)}


def test_an_excepted_name_may_have_any_address() -> None:
    with name_server() as (names, address), listening() as (server, port):
        names.add("intranet.test", "A", "127.0.0.1")
        names.add("other.test", "A", "127.0.0.1")
        settings = {"ALLOWED_ADDRESSES": ["intranet.test"], "DNS_SERVERS": [address]} | WITH_REASONS
        report = ask([f"http://intranet.test:{port}/", f"http://other.test:{port}/", f"http://127.0.0.1:{port}/"], settings)
        assert report[f"http://intranet.test:{port}/"] == 200
        assert sum(server.arrived.values()) == 1


@each("proxy", ["127.0.0.1", "proxy.test"])
def test_behind_a_proxy_no_name_is_resolved_and_literal_private_addresses_are_refused_still(proxy: str) -> None:
    with name_server() as (names, address), listening() as (server, port):
        names.add("proxy.test", "A", "127.0.0.1")
        names.add("www.test", "A", "192.0.2.1")
        settings = {"ALLOWED_ADDRESSES": [], "DNS_SERVERS": [address]} | WITH_REASONS
        report = ask(["http://www.test/", *urls(port)], settings, http_proxy=f"http://{proxy}:{port}")
        assert report["http://www.test/"] == 200
        assert set(names.names) <= {"proxy.test"}
        assert not [head for head in server.heads if b"www.test" not in head and b"://" in head and is_private(head)]
        assert set(server.arrived) == {"127.0.0.1"}


@each("proxy", ["127.0.0.1", "proxy.test"])
def test_a_tunnel_goes_to_the_proxy_and_never_to_a_private_address(proxy: str) -> None:
    with name_server() as (names, address), listening() as (server, port):
        names.add("proxy.test", "A", "127.0.0.1")
        settings = {"ALLOWED_ADDRESSES": [], "DNS_SERVERS": [address]} | WITH_REASONS
        report = ask(["https://www.test/", "https://127.1/", "https://[::1]/"], settings, https_proxy=f"http://{proxy}:{port}")
        assert [head.split()[:2] for head in server.heads] == [[b"CONNECT", b"www.test:443"]]
        assert set(names.names) <= {"proxy.test"}
        assert report["stats"]["addresses/refused"] == 2


def is_private(head: bytes) -> bool:
    """Whether a proxy was asked for a host that is a private address."""
    from newsspider.core.fetching.address_guard import refused_host

    return refused_host(head.split(b"://", 1)[1].split(b"/", 1)[0].decode("latin-1")) is not None


def test_the_name_of_a_proxy_is_no_way_round_the_guard() -> None:
    with name_server() as (names, address), listening() as (server, port), listening() as (other, other_port):
        names.add("proxy.test", "A", "127.0.0.1")
        settings = {"ALLOWED_ADDRESSES": [], "DNS_SERVERS": [address]} | WITH_REASONS
        environment = {"http_proxy": f"http://proxy.test:{port}", "no_proxy": "proxy.test"}
        report = ask([f"http://proxy.test:{port}/", f"http://proxy.test:{other_port}/"], settings, **environment)
        assert not server.arrived
        assert not other.arrived
        assert all(str(report[url]).startswith("AddressForbiddenError") for url in report if url != "stats")
