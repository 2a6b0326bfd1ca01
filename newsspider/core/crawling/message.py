"""What a message on the list of start URLs says."""

from __future__ import annotations

import json

from newsspider.core.url import canonical

VERSION = 1
LONGEST_BYTES = 16_384
FIELDS = frozenset({"url", "version"})


class BadMessage(ValueError):  # noqa: N818 -- reads as what it says
    """The message asks for nothing that can be done; the text says why."""


def start_url(message: bytes) -> str:
    """The canonical URL of a message: JSON like ``{"url": "http://a.cn/1", "version": 1}``, or the URL alone.

    A message without a version is one of version 1. Raises :exc:`BadMessage` for anything else.

    >>> start_url(b'{"url": "HTTP://A.cn/1", "version": 1}'), start_url(b"http://a.cn/2")
    ('http://a.cn/1', 'http://a.cn/2')
    """
    if len(message) > LONGEST_BYTES:
        raise BadMessage(f"longer than {LONGEST_BYTES} bytes")
    try:
        text = message.decode("utf-8").strip()
        found = json.loads(text) if text.startswith(("{", "[", '"')) else {"url": text}
    except (ValueError, RecursionError):
        raise BadMessage("neither a URL nor JSON in UTF-8") from None
    if not isinstance(found, dict):
        raise BadMessage("JSON, but not an object with a url")
    version = found.get("version", VERSION)
    if isinstance(version, bool) or version != VERSION:
        raise BadMessage(f"version {version!r:.20} is not known")
    if more := sorted(set(found) - FIELDS):
        raise BadMessage(f"field {more[0]!r:.40} is not known")
    url = canonical(found["url"]) if isinstance(found.get("url"), str) else None
    if url is None:
        raise BadMessage("no http or https URL")
    return url
