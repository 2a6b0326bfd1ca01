"""A real name server on a loopback address, which counts what it is asked for."""

import contextlib
import socketserver
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import dns.flags
import dns.message
import dns.rcode
import dns.rrset

from newsspider.download.dns_cache import Bounds, KnownAddresses, Names
from newsspider.download.name_servers import DnsServer, Servers

HELD = 30.0  # seconds that an answer is held back at most
SOA = "ns.test. admin.test. 1 2 3 4 {minimum}"


class NameServer:
    """Records by name and type; everything about it may be changed while it runs."""

    def __init__(self, host: str) -> None:
        self.host = host
        self.records: dict[tuple[str, str], tuple[int, tuple[str, ...]]] = {}
        self.asked: Counter[tuple[str, str]] = Counter()
        self.by_tcp: Counter[str] = Counter()
        self.waits: dict[str, float] = {}
        self.held: dict[str, threading.Event] = {}  # names that are answered when something has happened
        self.rcodes: dict[str, dns.rcode.Rcode] = {}
        self.too_long: set[str] = set()  # names whose answer does not fit into a datagram
        self.unfinished: set[str] = set()  # names whose alias is told without what stands behind
        self.minimum = 60  # of the SOA: how long there is nothing
        self.silent = False
        self._lock = threading.Lock()

    def add(self, name: str, kind: str, *values: str, ttl: int = 300) -> None:
        """A set of records."""
        self.records[name, kind] = (ttl, values)

    @property
    def names(self) -> Counter[str]:
        """How often each name was asked for, whatever the type."""
        counts: Counter[str] = Counter()
        for (name, _), count in self.asked.items():
            counts[name] += count
        return counts

    def answer(self, wire: bytes, tcp: bool) -> bytes | None:
        """The answer to a question; ``None``: silence."""
        query = dns.message.from_wire(wire)
        question = query.question[0]
        name, kind = question.name.to_text(omit_final_dot=True).lower(), question.rdtype.name
        with self._lock:
            self.asked[name, kind] += 1
            self.by_tcp[name] += tcp
        time.sleep(self.waits.get(name, 0.0))
        if name in self.held:
            self.held[name].wait(HELD)
        if self.silent:
            return None
        response = dns.message.make_response(query)
        response.flags |= dns.flags.RA
        response.set_rcode(self.rcodes.get(name, dns.rcode.NOERROR))
        if name in self.too_long and not tcp:
            response.flags |= dns.flags.TC
        else:
            self._fill(response, name, kind)
        return response.to_wire(max_size=65535)

    def _fill(self, response: dns.message.Message, name: str, kind: str) -> None:
        question = name
        while (name, "CNAME") in self.records:
            ttl, values = self.records[name, "CNAME"]
            response.answer.append(dns.rrset.from_text(f"{name}.", ttl, "IN", "CNAME", f"{values[0]}."))
            name = values[0]
            if question in self.unfinished:
                return
        if (name, kind) in self.records:
            ttl, values = self.records[name, kind]
            response.answer.append(dns.rrset.from_text(f"{name}.", ttl, "IN", kind, *values))
            return
        if response.rcode() == dns.rcode.NOERROR and not any(record_name == name for record_name, _ in self.records):
            response.set_rcode(dns.rcode.NXDOMAIN)
        if response.rcode() in (dns.rcode.NOERROR, dns.rcode.NXDOMAIN):
            soa = SOA.format(minimum=self.minimum)
            response.authority.append(dns.rrset.from_text(f"{name.rpartition('.')[2]}.", 3600, "IN", "SOA", soa))


class _Datagram(socketserver.BaseRequestHandler):
    server: Any

    def handle(self) -> None:
        wire, reply_by = self.request
        answer = self.server.names.answer(wire, tcp=False)
        if answer is not None:
            reply_by.sendto(answer, self.client_address)


class _Stream(socketserver.StreamRequestHandler):
    server: Any

    def handle(self) -> None:
        head = self.rfile.read(2)
        if len(head) == 2:
            answer = self.server.names.answer(self.rfile.read(struct.unpack("!H", head)[0]), tcp=True)
            if answer is not None:
                self.wfile.write(struct.pack("!H", len(answer)) + answer)


class _Udp(socketserver.ThreadingUDPServer):
    daemon_threads = True
    names: NameServer


class _Tcp(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    names: NameServer


@contextlib.contextmanager
def name_server(host: str = "127.0.0.1") -> Iterator[tuple[NameServer, str]]:
    """A running name server and its address, ``host:port``."""
    names = NameServer(host)
    with _Tcp((host, 0), _Stream) as tcp, _Udp((host, tcp.server_address[1]), _Datagram) as udp:
        tcp.names = udp.names = names
        for server in (tcp, udp):
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield names, f"{host}:{tcp.server_address[1]}"
        tcp.shutdown()
        udp.shutdown()


Running = tuple[NameServer, str]


def names(
    *servers: str, records: tuple[str, ...] = ("A", "AAAA"), least: float = 0.2, most: float = 86400.0,
    negative: float = 60.0, size: int = 1000, patience: float = 5.0, attempt: float = 3.0, dead: float = 30.0,
    table: dict | None = None,
) -> Names:  # fmt: skip
    """The names of a crawl, which are resolved by these servers."""
    name_servers = Servers([DnsServer.read(text) for text in servers], attempt, dead)
    return Names(name_servers, Bounds(least, most, negative, size, patience), records, table or {})


def texts(resolved: KnownAddresses) -> list[str]:
    """The addresses of a name as text."""
    return [str(address) for address in resolved.addresses]
