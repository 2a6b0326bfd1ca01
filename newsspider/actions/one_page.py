"""A page that somebody has read alone."""

from __future__ import annotations

from typing import NamedTuple


class OnePage(NamedTuple):
    """The bytes of a page, its URL and its ``Content-Type``."""

    body: bytes
    url: str
    content_type: str | None
