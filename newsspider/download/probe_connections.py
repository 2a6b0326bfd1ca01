"""Opens the connections of a fetch for people: to public addresses only, whatever name or spelling leads there."""

from __future__ import annotations

import socket
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit
from urllib.request import HTTPHandler, HTTPSHandler, Request

from newsspider.core.fetching.addresses import Exceptions, refusal


class AddressRefused(OSError):  # noqa: N818 -- a refusal, not a mistake
    """The host has no address that may be asked; the message is the plain reason."""


class Guarded(HTTPHandler, HTTPSHandler):
    """``http`` and ``https`` to public and to excepted addresses. What goes through a proxy is connected by the
    proxy."""

    def __init__(self, allowed: Exceptions) -> None:
        super().__init__()
        self.allowed = allowed

    def http_open(self, req: Request) -> HTTPResponse:
        return self._opened(HTTPConnection, req)

    def https_open(self, req: Request) -> HTTPResponse:
        return self._opened(HTTPSConnection, req)

    def _opened(self, kind: type[HTTPConnection], request: Request) -> HTTPResponse:
        def guarded(host: str, **options: Any) -> HTTPConnection:
            return _guarded(kind(host, **options), self.allowed)

        return self.do_open(kind if _proxied(request) else guarded, request)


def _proxied(request: Request) -> bool:
    return request.host != urlsplit(request.full_url).netloc


def _guarded(connection: HTTPConnection, allowed: Exceptions) -> HTTPConnection:
    """The connection, which asks here for its socket: the standard library has no other hook between a name and its
    addresses."""

    def create(place: tuple[str, int], timeout: float, source: tuple[str, int] | None = None) -> socket.socket:
        host, port = place
        problem: OSError | None = None
        for *_, found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            address = ip_address(str(found[0]).partition("%")[0])
            refused = None if allowed.name(host) else refusal(address, allowed)
            if refused is not None:
                problem = problem or AddressRefused(f"{host} has the {refused}; see ALLOWED_ADDRESSES")
                continue
            try:
                return socket.create_connection((str(address), port), timeout, source)
            except OSError as error:
                problem = error
        raise problem or OSError(f"{host} has no address")

    connection._create_connection = create  # type: ignore[attr-defined]
    return connection
