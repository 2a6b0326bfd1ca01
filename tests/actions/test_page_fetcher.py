"""What a command's fetch may connect to, asked of a real server on every address of this machine."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import UsageError

from newsspider.core.url import canonical
from tests.support.addresses import SPELLINGS
from tests.support.short_crawls import pages_of

Server = tuple[int, list[str]]
TLS_HANDSHAKE = "\x16\x03"


@pytest.fixture
def server() -> Iterator[Server]:
    """A port, and the requests that came to it."""
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(f"{self.connection.getsockname()[0]} {self.path}")
            moved = self.path.endswith("/robots.txt") and "127.0.0.6" in self.headers["Host"]
            self.send_response(302 if moved else 200)
            if moved:
                self.send_header("Location", f"http://127.0.0.1:{running.server_port}/robots.txt")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def send_error(self, *_: object, **__: object) -> None:
            requests.append(self.raw_requestline[:2].decode("latin-1"))

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("0.0.0.0", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True).start()
        yield running.server_port, requests
        running.shutdown()


def fetched(*urls: str, allowed: str = "", proxy: str = "", **changed: Any) -> list[str]:
    """The text of each page, or why there is none."""
    settings = {"ALLOWED_ADDRESSES": allowed, "DELAY_MIN_SECONDS": 0, "DNS_SERVERS": ["system"], **changed}
    return pages_of(urls, settings, {"http_proxy": proxy} if proxy else {})


def test_no_spelling_or_name_of_this_machine_is_fetched(server: Server) -> None:
    port, requests = server
    urls = [f"http://{host}:{port}/" for host in (*SPELLINGS, "localhost")]
    problems = dict(zip(urls, fetched(*urls), strict=True))
    assert not requests
    assert all(problems.values())
    # the others are no web URLs and are refused earlier
    assert all("ALLOWED_ADDRESSES" in problems[url] for url in urls if canonical(url))


def test_excepted_hosts_are_fetched_by_address_and_by_name(server: Server) -> None:
    port, requests = server
    assert fetched(f"http://127.0.0.5:{port}/", allowed="127.0.0.5") == [""]
    assert fetched(f"http://localhost:{port}/", allowed="localhost") == [""]
    assert requests == ["127.0.0.5 /robots.txt", "127.0.0.5 /", "127.0.0.1 /robots.txt", "127.0.0.1 /"]


def test_a_redirected_robots_txt_does_not_bypass_the_address_guard(server: Server) -> None:
    port, requests = server
    (problem,) = fetched(f"http://127.0.0.6:{port}/", allowed="127.0.0.6")
    assert "loopback address 127" in problem
    assert requests == ["127.0.0.6 /robots.txt"]


def test_a_proxy_may_have_any_address_but_fetches_no_private_one(server: Server) -> None:
    port, requests = server
    public, private = fetched("http://www.example.test/a", "http://10.0.0.1/", proxy=f"http://127.0.0.1:{port}")
    assert requests == ["127.0.0.1 http://www.example.test/robots.txt", "127.0.0.1 http://www.example.test/a"]
    assert public == ""
    assert "private address" in private


def test_a_dead_proxy_is_named(server: Server) -> None:
    (problem,) = fetched("http://www.example.test/a", proxy="http://127.0.0.1:9")
    assert "127.0.0.1:9" in problem


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_each_scheme_passes_the_address_guard(server: Server, scheme: str) -> None:
    port, requests = server
    (problem,) = fetched(f"{scheme}://localhost:{port}/")
    assert "loopback address" in problem
    assert not requests


def test_an_allowed_host_is_fetched_over_https(server: Server) -> None:
    port, requests = server
    (problem,) = fetched(f"https://localhost:{port}/", allowed="localhost")
    assert problem.startswith("robots.txt could not be had: "), "the server speaks no TLS"
    assert set(requests) == {TLS_HANDSHAKE}


def test_nothing_is_fetched_if_a_downloader_component_is_missing(server: Server) -> None:
    port, requests = server
    with pytest.raises(UsageError, match="AddressMiddleware is missing"):
        fetched(f"http://127.0.0.1:{port}/", DOWNLOADER_MIDDLEWARES_BASE={})
    assert not requests


def test_a_short_crawl_creates_no_store(server: Server, tmp_path: Path) -> None:
    port, _ = server
    store = tmp_path / "news.db"
    assert fetched(f"http://127.0.0.1:{port}/", allowed="127.0.0.1", DATABASE_URL=f"sqlite:///{store}") == [""]
    assert not store.exists()
