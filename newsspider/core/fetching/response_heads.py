"""Which status line and headers an answer has: heads that break the rules of HTTP are rewritten to what browsers
take them for."""

from __future__ import annotations

import re
from typing import NamedTuple

# of all headers together; hosts send cookies and policies beyond the 8 KiB that most clients take
MOST_HEAD_BYTES = 64 * 1024
MOST_HEADERS = 256
MOST_DIGITS = 18  # of a length; parsers count with 64 bits

_STATUS_LINE = re.compile(rb"HTTP/(\d)(?:\.(\d))?[ \t]+(\d{3})(?!\d)[ \t]*(.*)", re.DOTALL | re.IGNORECASE)
_LINE_END = re.compile(rb"\r?\n")
_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Head(NamedTuple):
    """The head of one answer; ``length``: how many bytes its Content-Length announces, where that is what ends the
    body."""

    status: int
    text: bytes  # with the empty line at its end
    length: int | None


def read_head(head: bytes) -> Head:
    """The head of an answer, without the lines that are no headers; :exc:`ValueError` says why it cannot be read.

    Values are kept to the byte, but NUL and bare CR become blanks. Folded lines are joined. Equal lengths count once;
    chunked coding overrules a length (RFC 9112, section 6.3); the coding ``identity`` is ignored.

    >>> read_head(b"HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\nwhat is this\\r\\nContent-Length: 4\\r\\n\\r\\n")
    Head(status=200, text=b'HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\n\\r\\n', length=4)
    """
    first, *lines = _LINE_END.split(head.strip(b"\r\n"))
    status_line = _STATUS_LINE.fullmatch(first)
    if status_line is None:
        raise ValueError(f"no status line: {first[:60].decode('latin-1')!r}")
    if len(lines) > MOST_HEADERS:
        raise ValueError(f"{len(lines)} header lines, more than {MOST_HEADERS}")
    major, minor, status, reason = status_line.groups()
    version = b"1.0" if (major, minor or b"1") <= (b"1", b"0") else b"1.1"
    headers, length = _framed(_fields(lines))
    text = b"HTTP/%s %s %s\r\n" % (version, status, reason.replace(b"\r", b" "))
    return Head(int(status), text + b"".join(b"%s: %s\r\n" % header for header in headers) + b"\r\n", length)


def _fields(lines: list[bytes]) -> list[tuple[bytes, bytes]]:
    """Names and values of those lines that have both."""
    fields: list[tuple[bytes, bytes]] = []
    for raw in lines:
        line = raw.replace(b"\0", b" ").replace(b"\r", b" ")
        if line[:1] in b" \t":
            if fields:
                fields[-1] = fields[-1][0], (fields[-1][1] + b" " + line.strip()).strip()
            continue
        name, colon, value = line.partition(b":")
        if colon and _NAME.fullmatch(name := name.rstrip()):
            fields.append((name, value.strip(b" \t")))
    return fields


def _framed(fields: list[tuple[bytes, bytes]]) -> tuple[list[tuple[bytes, bytes]], int | None]:
    """The headers with one statement of where the body ends, if any; and the length, if that is it."""
    lengths = {
        value.strip() for name, values in fields if name.lower() == b"content-length" for value in values.split(b",")
    } - {b""}
    listed = b",".join(value for name, value in fields if name.lower() == b"transfer-encoding").lower()
    codings = [coding for each in listed.split(b",") if (coding := each.strip()) not in (b"", b"identity")]
    others = [(name, value) for name, value in fields if name.lower() not in (b"content-length", b"transfer-encoding")]
    if codings:
        return [*others, (b"Transfer-Encoding", b", ".join(dict.fromkeys(codings)))], None
    if not lengths:
        return others, None
    if len(lengths) > 1:
        raise ValueError(f"{len(lengths)} lengths that differ")
    [length] = lengths
    if not length.isdigit():
        raise ValueError(f"no length: {length[:60].decode('latin-1')!r}")
    length = length.lstrip(b"0") or b"0"
    length = length if len(length) <= MOST_DIGITS else b"9" * MOST_DIGITS
    return [*others, (b"Content-Length", length)], int(length)
