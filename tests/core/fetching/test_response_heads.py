"""Malformed response headers are read as browsers read them, and never in two ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsspider.download.http_protocol import MOST_HEADERS, read_head
from tests.support.tables import each


def lines(*fields: str) -> bytes:
    return "\r\n".join(("HTTP/1.1 200 OK", *fields, "", "")).encode("latin-1")


@each(
    ("fields", "read"),
    [
        (["X: 1", " and 2"], ["X: 1 and 2"]),
        ([" nothing before it", "X: 1"], ["X: 1"]),
        (["no colon", ": no name", "two words: 1", "\xd6\xd0: 1", "X : 1"], ["X: 1"]),
        (["X: a\0b\rc"], ["X: a b c"]),
        (["X: \xd6\xd0"], ["X: \xd6\xd0"]),
        (["Content-Length: 4", "CONTENT-LENGTH: 4, 4"], ["Content-Length: 4"]),
        (["Content-Length: 04"], ["Content-Length: 4"]),
        (["Content-Length:"], []),
        (["Content-Length: 4", "Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked"]),
        (["Transfer-Encoding: Chunked", "Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked"]),
        (["Transfer-Encoding:", "Content-Length: 4"], ["Content-Length: 4"]),
        (["Transfer-Encoding: identity, chunked"], ["Transfer-Encoding: chunked"]),
        (["Transfer-Encoding: identity", "Content-Length: 4"], ["Content-Length: 4"]),
        (["Content-Length: " + "9" * 5_000], ["Content-Length: " + "9" * 18]),
    ],
)
def test_headers_are_read_as_they_are_meant(fields: list[str], read: list[str]) -> None:
    assert read_head(lines(*fields)).text == lines(*read)


@each(
    ("line", "written"),
    [
        (b"HTTP/1.0 200 OK", b"HTTP/1.0 200 OK"), (b"HTTP/2 200", b"HTTP/1.1 200 "),
        (b"HTTP/1.1\t404   Not Found", b"HTTP/1.1 404 Not Found"),
        (b"http/1.1 200 \xd6\xd0", b"HTTP/1.1 200 \xd6\xd0"), (b"HTTP/0.9 200 OK", b"HTTP/1.0 200 OK"),
    ],
)  # fmt: skip
def test_a_status_line_is_of_a_version_that_the_parser_knows(line: bytes, written: bytes) -> None:
    assert read_head(line + b"\r\n\r\n").text == written + b"\r\n\r\n"


@each(
    "head",
    [
        b"ICY 200 OK\r\n\r\n", b"HTTP/1.1 2000 OK\r\n\r\n", b"HTTP/1.1\r\n\r\n", b"", lines("Content-Length: 4", "Content-Length: 5"),
        lines("Content-Length: -1"), lines("Content-Length: four"), lines(*["X: 1"] * (MOST_HEADERS + 1)),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(head: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_head(head)


@given(st.lists(st.text(st.characters(max_codepoint=255, exclude_characters="\n"), max_size=40), max_size=6))
def test_what_was_read_reads_the_same_again(fields: list[str]) -> None:
    try:
        once = read_head(lines(*fields))
    except ValueError:
        return
    assert read_head(once.text) == once
