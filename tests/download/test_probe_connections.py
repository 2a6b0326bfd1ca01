"""What a person's fetch may connect to, asked of a real server on every address of this machine."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import URLError
from urllib.request import build_opener

import pytest

from newsspider.core.fetching.addresses import NONE, Exceptions
from newsspider.core.url import canonical
from newsspider.download.probe import NoAnswer, Visitor
from newsspider.download.probe_connections import AddressRefused, Guarded
from tests.core.fetching.test_addresses import SPELLINGS
from tests.pages.test_site_trial import GUEST

Server = tuple[int, list[str]]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A port, and what was asked for there."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"{self.connection.getsockname()[0]} {self.path}")
            moved = self.path.endswith("/robots.txt") and "127.0.0.6" in self.headers["Host"]
            self.send_response(302 if moved else 200)
            if moved:
                self.send_header("Location", f"http://127.0.0.1:{running.server_port}/robots.txt")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("0.0.0.0", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True).start()
        yield running.server_port, asked
        running.shutdown()


def visitor(*allowed: str) -> Visitor:
    return Visitor(replace(GUEST, allowed=Exceptions.read(allowed) if allowed else NONE))


@pytest.mark.parametrize("host", [*SPELLINGS, "localhost"])
def test_no_spelling_and_no_name_of_this_machine_is_asked(server: Server, host: str) -> None:
    port, asked = server
    with pytest.raises(NoAnswer) as refused:
        visitor().page(f"http://{host}:{port}/")
    assert not asked
    if canonical(f"http://{host}:{port}/"):  # others are no URLs of the web, and never come so far
        assert "ALLOWED_ADDRESSES" in str(refused.value)


def test_exceptions_are_asked_by_address_and_by_name(server: Server) -> None:
    port, asked = server
    visitor("127.0.0.5").page(f"http://127.0.0.5:{port}/")
    visitor("localhost").page(f"http://localhost:{port}/")
    assert asked == ["127.0.0.5 /robots.txt", "127.0.0.5 /", "127.0.0.1 /robots.txt", "127.0.0.1 /"]


def test_a_robots_txt_elsewhere_is_no_way_in(server: Server) -> None:
    port, asked = server
    with pytest.raises(NoAnswer, match="loopback address 127"):
        visitor("127.0.0.6").page(f"http://127.0.0.6:{port}/")
    assert asked == ["127.0.0.6 /robots.txt"]


def test_a_proxy_may_be_anywhere_but_is_asked_for_no_private_address(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    port, asked = server
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{port}")
    visitor().page("http://www.example.test/a")
    assert asked == ["127.0.0.1 http://www.example.test/robots.txt", "127.0.0.1 http://www.example.test/a"]
    with pytest.raises(NoAnswer, match="private address"):
        visitor().page("http://10.0.0.1/")
    assert len(asked) == 2


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_each_scheme_goes_through_the_door(server: Server, scheme: str) -> None:
    port, asked = server
    with pytest.raises(URLError) as refused:
        build_opener(Guarded(NONE)).open(f"{scheme}://localhost:{port}/", timeout=5)
    assert isinstance(refused.value.reason, AddressRefused)
    assert not asked


def test_https_is_spoken_to_who_may_be_asked(server: Server) -> None:
    port, asked = server
    with pytest.raises(URLError) as failed:
        build_opener(Guarded(Exceptions.read(["localhost"]))).open(f"https://localhost:{port}/", timeout=5)
    assert isinstance(failed.value.reason, ssl.SSLError), "the server speaks no TLS"
    assert not asked
