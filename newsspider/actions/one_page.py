"""Reads one page as a crawl would, for people who look at what becomes of it."""

from __future__ import annotations

from typing import NamedTuple


class OnePage(NamedTuple):
    """The bytes of a page, its URL and its ``Content-Type``."""

    body: bytes
    url: str
    content_type: str | None
