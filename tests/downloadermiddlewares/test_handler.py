"""The handler alone, in a process with a reactor of its own, against hosts that are silent, slow, or quick."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIRST_BYTE_SECONDS = 1.0
PIECES, PIECE_SECONDS = 4, 0.5

FETCH = """
import json, sys, time
from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess

ended = {}

class Fetching(Spider):
    name = "fetching"
    async def start(self):
        for url in sys.argv[2:]:
            yield Request(url, self.parse, errback=self.failed, cb_kwargs={"began": time.time()})
    def parse(self, response, began):
        ended[response.url] = [str(len(response.body)), time.time() - began]
    def failed(self, failure):
        ended[failure.request.url] = [failure.type.__name__, time.time() - failure.request.cb_kwargs["began"]]

handler = "newsspider.downloadermiddlewares.handler.FirstByteHandler"
process = AsyncCrawlerProcess({
    "DOWNLOAD_HANDLERS": {"http": handler, "https": handler}, "DOWNLOAD_FIRST_BYTE_SECONDS": float(sys.argv[1]),
    "RETRY_ENABLED": False, "LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False,
})
process.crawl(Fetching)
process.start()
print(json.dumps(ended))
"""


class Handler(BaseHTTPRequestHandler):
    """/silent says nothing, /slow sends its body piece by piece, /quick all at once."""

    def do_GET(self) -> None:
        if self.path == "/silent":
            time.sleep(3 * FIRST_BYTE_SECONDS)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(PIECES))
        self.end_headers()
        for _ in range(PIECES):
            self.wfile.write(b"x")
            self.wfile.flush()
            time.sleep(PIECE_SECONDS if self.path == "/slow" else 0)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name is the library's
        pass


@pytest.fixture(scope="module")
def ended() -> Iterator[dict[str, tuple[str, float]]]:
    """How each fetch ended, and after how many seconds, by path."""
    with ThreadingHTTPServer(("127.0.0.95", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.95:{server.server_address[1]}"
        urls = [base + path for path in ("/silent", "/slow", "/quick")]
        done = subprocess.run(
            [sys.executable, "-c", FETCH, str(FIRST_BYTE_SECONDS), *urls],
            cwd=ROOT, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        yield {url.removeprefix(base): (how, seconds) for url, (how, seconds) in json.loads(done.stdout).items()}
        server.shutdown()


def test_a_host_that_says_nothing_is_given_up_at_the_limit_of_the_first_byte(ended: dict[str, tuple[str, float]]) -> None:
    how, seconds = ended["/silent"]
    assert how == "DownloadTimeoutError"
    assert FIRST_BYTE_SECONDS * 0.9 <= seconds < 2.5 * FIRST_BYTE_SECONDS


def test_a_host_that_began_to_answer_may_take_longer_than_that(ended: dict[str, tuple[str, float]]) -> None:
    how, seconds = ended["/slow"]
    assert how == str(PIECES)
    assert seconds > 1.2 * FIRST_BYTE_SECONDS


def test_a_quick_answer_is_what_it_is(ended: dict[str, tuple[str, float]]) -> None:
    assert ended["/quick"][0] == str(PIECES)
