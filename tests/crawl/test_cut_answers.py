"""Answers that end before their announced end: a page that ends with its end tag is whole, and is read when it is tried again."""

import gzip
import socketserver
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.portal import rows, scrapy
from tests.support.serving import END_SECONDS, QUICK, article, listing, site

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n"
Cut = Callable[[bytes], bytes]


def too_long(body: bytes) -> bytes:
    return HEAD + b"Content-Length: %d\r\n\r\n" % (len(body) + 100) + body


def without_last_chunk(body: bytes) -> bytes:
    return HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(body), body)


def packed(body: bytes) -> bytes:
    content = gzip.compress(body)
    return HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % (len(content) + 9) + content


ENDS: dict[str, tuple[Cut, bool]] = {
    "/2024/0501/10001.html": (too_long, True),
    "/2024/0501/10002.html": (without_last_chunk, True),
    "/2024/0501/10003.html": (packed, True),
    "/2024/0501/10004.html": (lambda body: too_long(body + b"\n<!-- 0.02 s -->\n"), True),
    "/2024/0501/10005.html": (lambda body: too_long(body[:-20]), False),
    "/2024/0501/10006.html": (lambda body: without_last_chunk(body[: len(body) // 2]), False),
    "/2024/0501/10007.html": (lambda body: too_long(body + b"<p>more"), False),
}


@pytest.mark.parametrize("cut_list", [too_long, without_last_chunk])
def test_a_whole_page_is_read_at_the_second_try_and_a_cut_one_is_refused(tmp_path: Path, cut_list: Cut) -> None:
    requests: Counter[str] = Counter()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            path = self.rfile.readline().split()[1].decode()
            while self.rfile.readline().strip():
                pass
            requests[path] += 1
            if path == "/robots.txt":
                self.wfile.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            elif path == "/":
                self.wfile.write(cut_list(str(listing(*range(1, 8))[1]).encode()))
            else:
                self.wfile.write(ENDS[path][0](str(article(int(path[-9:-5]))[1]).encode()))

    with socketserver.ThreadingTCPServer(("127.0.0.86", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(END_SECONDS,), daemon=True).start()
        base = f"http://127.0.0.86:{server.server_address[1]}"
        scrapy(tmp_path / "n.db", "crawl", "education", "-a", f"sites={site(tmp_path, base, {'/': 9})}", "-a", "topic=any", *QUICK)
        server.shutdown()
    found = rows(tmp_path / "n.db", "SELECT url, reason FROM urls WHERE url LIKE '%.html'")
    assert {url.removeprefix(base): reason for url, reason in found} == {
        path: "stored" if whole else "truncated" for path, (_, whole) in ENDS.items()
    }
    assert requests["/"] == 2
    assert {path: requests[path] for path in ENDS} == {path: 2 if whole else 3 for path, (_, whole) in ENDS.items()}
