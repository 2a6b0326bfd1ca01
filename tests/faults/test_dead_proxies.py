"""A proxy that dies in mid-crawl costs time, not articles, and the exit code says that something is left."""

import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from newsspider.core.crawling.finish_reasons import Finish, ending_of_reason
from tests.support.news import news
from tests.support.servers import new_file
from tests.support.workers import PATIENCE_SECONDS, SETTINGS, SETTLED, Store, assert_stored_once, until, workers

ARTICLES, HOSTS = 80, 8
ENDS_SECONDS = 300.0
OUTAGE = ending_of_reason(Finish.INTERNAL_OUTAGE).exit_code
STORED = "SELECT count(*) FROM articles"
GIVEN_UP = "SELECT url, state, reason, detail FROM urls WHERE state = 'error' AND due_at IS NULL"


class AnyStatus(urllib.request.HTTPErrorProcessor):
    """Takes every answer as it is: 404, too."""

    def http_response(self, request: urllib.request.Request, response: Any) -> Any:
        return response


class Forwarding(BaseHTTPRequestHandler):
    """Fetches what it is asked for, without a proxy of its own."""

    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), AnyStatus)

    def do_GET(self) -> None:
        with self.opener.open(self.path, timeout=10) as answer:
            body = answer.read()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers["Content-Type"])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def forwarding(port: int = 0) -> Iterator[int]:
    """A proxy at this port, or at any; its port."""
    server = ThreadingHTTPServer(("127.0.0.1", port), Forwarding)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store in a file."""
    new_file(tmp_path / "news.db")
    return Store(tmp_path / "news.db")


def test_a_proxy_that_dies_costs_no_article(store: Store, tmp_path: Path) -> None:
    with ExitStack() as opened:
        portal = opened.enter_context(news(tmp_path / "portal", ARTICLES, first_host=180, hosts=HOSTS, delay=0.05))
        proxy = ExitStack()
        port = proxy.enter_context(forwarding())
        store.more = {"http_proxy": f"http://127.0.0.1:{port}", "no_proxy": ""}
        arguments = ("education", "-a", f"sites={portal.sites}", *SETTINGS)
        (worker,) = opened.enter_context(workers(store, tmp_path, 1, *arguments))
        until(lambda: store.rows(SETTLED)[0][0] > ARTICLES // 2, PATIENCE_SECONDS, worker.log_end)
        proxy.close()
        assert worker.end(ENDS_SECONDS) == OUTAGE, worker.log_end()
        assert "the proxy cannot be reached" in worker.log_end().rstrip().rsplit("\n", 1)[1]
        assert store.rows(STORED)[0][0] < ARTICLES, "there is nothing left that needs the proxy"
        assert store.rows(GIVEN_UP) == []
        opened.enter_context(forwarding(port))
        worker.start()
        assert worker.end(ENDS_SECONDS) == 0, worker.log_end()
        assert_stored_once(store, portal)
