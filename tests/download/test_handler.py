"""The handler alone, in a process with a reactor of its own, against hosts that are silent, slow, quick, or odd."""

import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from tests.support.fetching import FIRST_BYTE_SECONDS, LARGEST, fetched, measured

CLOSED = "http://127.0.0.96:1"
PIECES, PIECE_SECONDS = 6, 1.0
PACKED = b"\x1f\x8b no real gzip"


# What is answered to a path, to the byte.
ANSWERS: dict[str, bytes] = {
    "/quick": b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nxxxx",
    "/moved": b"HTTP/1.1 302 Found\r\nLocation: /quick\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n",
    "/packed": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s" % (len(PACKED), PACKED),
    "/chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n",
    "/closing": b"HTTP/1.0 200 OK\r\n\r\nuntil it closes",
    "/no-reason": b"HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx",
    "/line-feeds": b"HTTP/1.1 200 OK\nContent-Length: 1\n\nx",
    "/chinese-header": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nX-Title: \xd6\xd0\xce\xc4\r\n\r\nx",
    "/long-header": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nX-Policy: %s\r\n\r\nx" % (b"p" * 20_000),
    "/cut": b"HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\nhalf of it",
    "/cut-chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\nhalf of it",
    "/announced": b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (LARGEST + 1),
    "/endless": b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * (2 * LARGEST),
    "/announced-error": b"HTTP/1.1 404 Not Found\r\nContent-Length: %d\r\n\r\n" % (LARGEST + 1),
    "/endless-error": b"HTTP/1.0 404 Not Found\r\n\r\n" + b"x" * (20 * LARGEST),
    "/cut-error": b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 60\r\nContent-Length: 40\r\n\r\nhalf of it",
    "/stopped": b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 4\r\n\r\nxxxx",
    "/nothing": b"",
    "/validator": b"HTTP/1.1 304 Not Modified\r\n\r\n",
}
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
# Answers that aiohttp refuses although their meaning is clear.
ODD = {
    "/two-framings": OK + b"Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nread\r\n0\r\n\r\n",
    "/length-twice": OK + b"Content-Length: 4\r\nContent-Length: 4\r\n\r\nread",
    "/length-list": OK + b"Content-Length: 4, 4\r\n\r\nread",
    "/no-colon": OK + b"X-First: 1\r\nwhat is this\r\nContent-Length: 4\r\n\r\nread",
    "/blank-in-name": OK + b"X First: 1\r\nContent-Length : 4\r\n\r\nread",
    "/nul": OK + b"X-First: a\0b\r\nContent-Length: 4\r\n\r\nread",
    "/more-than-its-length": OK + b"Content-Length: 4\r\n\r\nread and more",
    "/more-after-chunks": CHUNKED + b"4\r\nread\r\n0\r\n\r\nand more",
    "/identity": OK + b"Transfer-Encoding: identity\r\nContent-Length: 4\r\n\r\nread",
    "/many-headers": OK + b"X: 1\r\n" * 255 + b"Content-Length: 4\r\n\r\nread",
    "/short-version": b"HTTP/1 200 OK\r\nContent-Length: 4\r\n\r\nread",
    "/unknown-hints": b"HTTP/1.1 104 Upload Resumption\r\n\r\nHTTP/1.1 199 Later\r\n\r\n" + OK + b"Content-Length: 4\r\n\r\nread",
    "/early-hints": b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK + b"Content-Length: 4\r\n\r\nread",
}
# Answers that no client can read.
BAD = {
    "/two-lengths": (OK + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\nreads", "BadAnswerError"),
    "/garbage": (b"what is this\r\n\r\n", "BadAnswerError"),
    "/http-0.9": (b"<html><body>a page</body></html>", "BadAnswerError"),
    "/half-a-head": (OK + b"Content-Length: 4\r\n", "BadAnswerError"),
    "/other-protocol": (
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n",
        "BadAnswerError",
    ),
    "/http2-only": (b"\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80\0\x04\0\1\0\0\0\x05\0\xff\xff\xff", "BadAnswerError"),
    "/too-many-headers": (OK + b"X: 1\r\n" * 257 + b"\r\n", "BadAnswerError"),
    "/too-long-headers": (OK + (b"X: %s\r\n" % (b"x" * 1_000)) * 66 + b"\r\n", "BadAnswerError"),
    "/no-chunk": (CHUNKED + b"this is no size of a chunk", "ResponseDataLossError"),
    "/impossible-length": (OK + b"Content-Length: 99999999999999999999999\r\n\r\nread", "DownloadCancelledError"),
}
# What has no end: how it begins, and what is said again and again.
ENDLESS = {
    "/endless-headers": (OK, b"X-Header: %s\r\n" % (b"x" * 500)),
    "/endless-short-headers": (OK, b"X: 1\r\n"),
    "/endless-value": (OK + b"X: ", b"x" * 1_000),
    "/endless-status": (b"HTTP/1.1 200 ", b"x" * 1_000),
    "/endless-hints": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"),
    "/endless-blanks": (b"", b"\r\n" * 500),
    "/endless-garbage": (b"", b"x" * 1_000),
    "/endless-extension": (CHUNKED + b"4;x=", b"x" * 1_000),
    "/endless-extensions": (CHUNKED, b"1;x=%s\r\nx\r\n" % (b"x" * 100_000)),
    "/endless-trailers": (CHUNKED + b"4\r\nread\r\n0\r\n", b"X-Trailer: %s\r\n" % (b"x" * 500)),
}
MORE_WITHOUT_END = (OK + b"Content-Length: 4\r\n\r\nread", OK + b"Content-Length: 0\r\n\r\n")
# The server hangs up after most answers without saying so. A request that meets such a connection in the pool is sent
# again once, and must not meet a second one.
ONE_BY_ONE = {"CONCURRENT_REQUESTS": 1}
AGAIN: dict[str, Any] = {"RETRY_ENABLED": True, "RETRY_TIMES": 1}
WHOLE = ANSWERS | ODD | {path: answer for path, (answer, _) in BAD.items()}
STAYS_OPEN = {"/quick", "/moved", "/packed", "/chunked", "/validator"}
EXACT = "/%7ea/b?q=%e4%b8%ad+x&r=%2F"


class Handler(socketserver.StreamRequestHandler):
    """/silent says nothing, /slow sends its body piece by piece; the others are ``ANSWERS``."""

    def handle(self) -> None:
        while line := self.rfile.readline():
            self.server.heads.append(line + b"".join(iter(self.rfile.readline, b"\r\n")))  # type: ignore[attr-defined]
            path = line.split()[1].decode("latin-1")
            if path == "/silent":
                time.sleep(3 * FIRST_BYTE_SECONDS)
            elif path in ENDLESS or path == "/more-without-end":
                begins, goes_on = ENDLESS.get(path, MORE_WITHOUT_END)
                self.wfile.write(begins)
                with suppress(ConnectionError):
                    while True:
                        self.wfile.write(goes_on)
            elif path == "/slow":
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % PIECES)
                for _ in range(PIECES):
                    self.wfile.write(b"x")
                    time.sleep(PIECE_SECONDS)
            else:
                self.wfile.write(WHOLE.get(path, ANSWERS["/quick"]))
            if path not in STAYS_OPEN:
                return


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    heads: list[bytes]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(("127.0.0.95", 0), Handler) as server:
        server.heads = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def base_of(server: Server) -> str:
    return f"http://127.0.0.95:{server.server_address[1]}"


@pytest.fixture(scope="module")
def ended(server: Server) -> dict[str, list[dict[str, Any]]]:
    return fetched(base_of(server), [(path, {}) for path in (*ANSWERS, "/silent", "/slow", EXACT)], **ONE_BY_ONE)


def test_a_host_that_says_nothing_is_given_up_at_the_limit_of_the_first_byte(ended: dict[str, Any]) -> None:
    [silent] = ended["/silent"]
    assert silent["error"] == "DownloadTimeoutError"
    assert FIRST_BYTE_SECONDS * 0.9 <= silent["seconds"] < 2.5 * FIRST_BYTE_SECONDS


def test_a_host_that_began_to_answer_may_take_longer_than_that(ended: dict[str, Any]) -> None:
    [slow] = ended["/slow"]
    assert slow["body"] == "x" * PIECES
    assert slow["seconds"] > 1.2 * FIRST_BYTE_SECONDS
    assert slow["latency"] < PIECE_SECONDS * (PIECES - 1)  # to the headers, not to the end


@pytest.fixture(scope="module")
def special(server: Server) -> tuple[dict[str, list[dict[str, Any]]], list[bytes]]:
    """How requests with special options ended, by URL, and the requests that the server received meanwhile."""
    base, head_count = base_of(server), len(server.heads)
    proxy = {"proxy": base.replace("//", "//who:secret@")}
    requests: list[tuple[str, dict[str, Any]]] = [
        (f"{base}/slow", {"download_timeout": 0.8}), (f"{base}/cut", {"download_fail_on_dataloss": False}), (f"{CLOSED}/", {}),
        ("http://www.test/quick", proxy), ("https://www.test/", proxy),
    ]  # fmt: skip
    return fetched("", requests), server.heads[head_count:]


def test_the_whole_download_has_its_own_limit(server: Server, special: Any) -> None:
    [slow] = special[0][f"{base_of(server)}/slow"]
    assert slow["error"] == "DownloadTimeoutError"


def test_a_quick_answer_is_returned_unchanged(ended: dict[str, Any]) -> None:
    [quick] = ended["/quick"]
    assert (quick["status"], quick["body"], quick["flags"]) == (200, "xxxx", [])
    assert (quick["address"], quick["protocol"]) == ("127.0.0.95", "HTTP/1.1")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/chunked", "abcde"), ("/closing", "until it closes"), ("/no-reason", "x"), ("/line-feeds", "x"), ("/long-header", "x"),
        ("/packed", PACKED.decode("latin-1")),
    ],
)  # fmt: skip
def test_what_real_servers_send_is_read_to_the_byte(ended: dict[str, Any], path: str, body: str) -> None:
    assert [(end.get("status"), end["body"]) for end in ended[path]] == [(200, body)]


def test_a_redirect_is_not_followed_and_each_value_of_a_header_is_kept(ended: dict[str, Any]) -> None:
    [moved] = ended["/moved"]
    assert moved["status"] == 302
    assert moved["headers"]["Location"] == ["/quick"]
    assert moved["headers"]["Set-Cookie"] == ["a=1", "b=2"]


def test_a_header_that_is_no_utf_8_keeps_its_bytes(ended: dict[str, Any]) -> None:
    [page] = ended["/chinese-header"]
    assert page["headers"]["X-Title"] == [b"\xd6\xd0\xce\xc4".decode("latin-1")]


def test_a_validator_that_is_no_utf_8_does_no_harm(ended: dict[str, Any]) -> None:
    assert [end.get("status") for end in ended["/validator"]] == [304]


@pytest.mark.parametrize("path", ["/cut", "/cut-chunk"])
def test_a_truncated_answer_is_a_failure(ended: dict[str, Any], path: str) -> None:
    assert [end.get("error") for end in ended[path]] == ["ResponseDataLossError"]


def test_a_truncated_answer_is_flagged_if_its_request_allows_data_loss(server: Server, special: Any) -> None:
    [cut] = special[0][f"{base_of(server)}/cut"]
    assert (cut["status"], cut["flags"]) == (200, ["dataloss"])


@pytest.mark.parametrize("path", ["/announced", "/endless"])
def test_more_than_the_limit_is_not_downloaded(ended: dict[str, Any], path: str) -> None:
    assert [end.get("error") for end in ended[path]] == ["DownloadCancelledError"]


@pytest.mark.parametrize(
    ("path", "status", "flag"),
    [("/announced-error", 404, "download_stopped"), ("/endless-error", 404, "download_stopped"), ("/cut-error", 503, "dataloss")],
)
def test_an_error_has_its_status_though_its_body_is_too_large_or_cut(
    ended: dict[str, Any], path: str, status: int, flag: str
) -> None:
    [error] = ended[path]
    assert (error["status"], error["flags"]) == (status, [flag])
    assert len(error["body"]) < 10 * LARGEST


def test_a_download_can_be_stopped_at_its_headers(ended: dict[str, Any]) -> None:
    [stopped] = ended["/stopped"]
    assert (stopped["error"], stopped["body"]) == ("StopDownload", "")


def test_a_host_that_says_nothing_and_hangs_up_is_a_failed_download(ended: dict[str, Any]) -> None:
    assert [end.get("error") for end in ended["/nothing"]] == ["DownloadFailedError"]


@pytest.fixture(scope="module")
def odd(server: Server) -> dict[str, list[dict[str, Any]]]:
    """How the downloads of odd and bad answers ended, each requested once."""
    return fetched(base_of(server), [(path, {}) for path in (*ODD, *BAD)], **ONE_BY_ONE)


@pytest.mark.parametrize("path", list(ODD))
def test_an_odd_answer_is_read_as_it_is_meant(odd: dict[str, Any], path: str) -> None:
    assert [(end.get("status"), end["body"], end.get("error")) for end in odd[path]] == [(200, "read", None)]


@pytest.mark.parametrize("path", list(BAD))
def test_an_unreadable_answer_is_reported_and_requested_once(server: Server, odd: dict[str, Any], path: str) -> None:
    assert [end.get("error") for end in odd[path]] == [BAD[path][1]]
    assert odd[path][0]["seconds"] < FIRST_BYTE_SECONDS * 0.9
    assert request_count(server, path) == 1


def test_an_answer_without_end_costs_neither_time_nor_memory(server: Server) -> None:
    _, base_mb = measured(base_of(server), [("/quick", {})])
    ends, peak_mb = measured(base_of(server), [(path, {}) for path in ENDLESS], **AGAIN)
    errors = {path: end["error"] for path, [end] in ends.items()}
    assert errors.pop("/endless-trailers") in ("BadAnswerError", "ResponseDataLossError")  # as its pieces arrive
    assert errors == dict.fromkeys(errors, "BadAnswerError")
    assert len(errors) == len(ENDLESS) - 1
    assert peak_mb < base_mb + 20


def test_what_comes_without_end_behind_an_answer_is_dropped(server: Server) -> None:
    [end] = fetched(base_of(server), [("/more-without-end", {})])["/more-without-end"]
    assert (end["status"], end["body"]) == (200, "read")


def request_count(server: Server, path: str) -> int:
    """How often this path was requested."""
    return sum(head.split()[1] == path.encode() for head in server.heads)


def test_a_url_is_asked_for_as_it_is_written(ended: dict[str, Any], server: Server) -> None:
    assert EXACT in ended
    assert any(head.startswith(b"GET %s HTTP/1.1\r\n" % EXACT.encode()) for head in server.heads)


def test_a_closed_port_is_a_refused_connection(special: Any) -> None:
    [refused] = special[0][f"{CLOSED}/"]
    assert refused["error"] == "DownloadConnectionRefusedError"


def test_an_address_that_may_not_be_asked_is_not_connected_to(server: Server) -> None:
    head_count = len(server.heads)
    [refused] = fetched(base_of(server), [("/quick", {})], ALLOWED_ADDRESSES=[])["/quick"]
    assert refused["error"] == "CannotResolveHostError"
    assert len(server.heads) == head_count


@pytest.mark.parametrize("request_line", [b"GET http://www.test/quick", b"CONNECT www.test:443"])
def test_a_proxy_is_told_its_password_and_nobody_else(special: Any, request_line: bytes) -> None:
    [head] = [head for head in special[1] if head.startswith(request_line)]
    assert b"Proxy-Authorization: Basic d2hvOnNlY3JldA==" in head
