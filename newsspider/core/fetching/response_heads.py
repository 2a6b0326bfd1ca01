"""Parses the status line and headers of a response; heads that violate HTTP are repaired as browsers do."""

from __future__ import annotations

import re
from typing import NamedTuple

# of all headers; some hosts send cookies and policies beyond the usual limit of 8 KiB
MOST_HEAD_BYTES = 64 * 1024
MOST_HEADERS = 256
MOST_DIGITS = 18  # of a length; parsers use 64 bits

_STATUS_LINE = re.compile(rb"HTTP/(\d)(?:\.(\d))?[ \t]+(\d{3})(?!\d)[ \t]*(.*)", re.DOTALL | re.IGNORECASE)
_LINE_END = re.compile(rb"\r?\n")
_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Head(NamedTuple):
    """The head of a response; ``length`` is the Content-Length in bytes, if that determines the end of the body."""

    status: int
    text: bytes  # with the empty line at its end
    length: int | None


def read_head(head: bytes) -> Head:
    """Parse the head of a response, dropping lines that are no headers; :exc:`ValueError` says why it is invalid.

    Values are kept byte for byte, but NUL and bare CR become spaces. Folded lines are joined. Equal lengths count
    once; chunked coding overrides a length (RFC 9112, section 6.3); the coding ``identity`` is ignored.

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
    """The names and values of the header lines."""
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
    """The headers with at most one framing header, and the length if that frames the body."""
    lengths = {
        value.strip() for name, values in fields if name.lower() == b"content-length" for value in values.split(b",")
    } - {b""}
    listed = b",".join(value for name, value in fields if name.lower() == b"transfer-encoding").lower()
    codings = [
        coding for coding_name in listed.split(b",") if (coding := coding_name.strip()) not in (b"", b"identity")
    ]
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
