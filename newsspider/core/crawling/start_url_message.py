"""Parses a message of the Redis list of start URLs: scrapy-redis's JSON, or a URL alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import isnan
from typing import Any

from newsspider.core.url import canonical

VERSION = 1
LONGEST_BYTES = 16_384
HIGHEST_PRIORITY = 100_000
# Scrapy's keys of `Request.meta` that change how a page is fetched; with some of them no address would be guarded.
FETCHING = frozenset(
    [
        "proxy",
        "_auth_proxy",
        "bindaddress",
        "verbatim_url",
        "download_slot",
        "download_timeout",
        "download_maxsize",
        "download_warnsize",
        "download_fail_on_dataloss",
    ]
)
# The keys under which the components of a crawl tell each other about a request: one from outside would be taken for
# theirs.
RESERVED = frozenset(
    [
        "asked",
        "download_paused",
        "lease",
        "page_result",
        "rendered",
        "rendered_for",
        "robots_hops",
        "robots_txt",
        "visit",
    ]
)


class MessageError(ValueError):
    """A message that cannot be carried out; the text says why."""


@dataclass(frozen=True, slots=True)
class StartUrl:
    """A URL that somebody asks to be fetched."""

    url: str  # canonical
    meta: str = ""  # a JSON object that the request has in its `meta`; empty: none
    priority: int = 0  # as Scrapy's: higher first, 0 by default
    again: bool = True  # though it was fetched before


def start_url(message: bytes, encoding: str = "utf-8", score: float = 0.0) -> StartUrl:
    """The URL of a message: JSON with ``url`` and, where given, ``meta``, ``priority``, ``dont_filter``, ``method``; or
    the URL alone.

    Other keys are kept in ``meta``. ``score`` is the priority of a message that names none. Raises :exc:`MessageError`
    for what cannot be done.

    >>> start_url(b'{"url": "HTTP://A.cn/1", "meta": {"job": 7}, "url_cookie_key": "x", "method": "get"}')
    StartUrl(url='http://a.cn/1', meta='{"url_cookie_key": "x", "job": 7}', priority=0, again=True)
    >>> start_url(b"http://a.cn/2", score=3.0).priority
    3
    """
    fields = _object(message, encoding)
    version = fields.pop("version", VERSION)
    if isinstance(version, bool) or version != VERSION:
        raise MessageError(f"version {version!r:.20} is not known")
    raw_url = fields.pop("url", None)
    url = canonical(raw_url) if isinstance(raw_url, str) else None
    if url is None:
        raise MessageError("no http or https URL")
    method = fields.pop("method", "GET")
    if not isinstance(method, str) or method.upper() != "GET":
        raise MessageError(f"method {method!r:.20}: pages are named by their URLs alone, so only GET is sent")
    priority, again = fields.pop("priority", score), fields.pop("dont_filter", True)
    if isinstance(priority, bool) or not isinstance(priority, int | float) or isnan(priority):
        raise MessageError(f"priority {priority!r:.20} is no number")
    if not isinstance(again, bool):
        raise MessageError(f"dont_filter {again!r:.20} is neither true nor false")
    return StartUrl(url, _meta(fields), int(max(-HIGHEST_PRIORITY, min(HIGHEST_PRIORITY, priority))), again)


def _object(message: bytes, encoding: str) -> dict[str, Any]:
    if len(message) > LONGEST_BYTES:
        raise MessageError(f"longer than {LONGEST_BYTES} bytes")
    try:
        text = message.decode(encoding).strip().removeprefix("\ufeff").lstrip()
        fields = json.loads(text) if text.startswith(("{", "[", '"')) else {"url": text}
    except (ValueError, RecursionError):
        raise MessageError(f"neither a URL nor JSON in {encoding.upper()}") from None
    if not isinstance(fields, dict):
        raise MessageError("JSON, but not an object with a url")
    return fields


def _meta(fields: dict[str, Any]) -> str:
    """The ``meta`` of a message together with all keys that have no meaning of their own."""
    meta = fields.pop("meta", None)
    if meta is not None and not isinstance(meta, dict):
        raise MessageError("meta is no object")
    result = {**fields, **(meta or {})}
    if refused := next((name for name in result if name in FETCHING), None):
        raise MessageError(f"meta {refused!r:.40} would change how pages are fetched")
    if reserved := next((name for name in result if name in RESERVED), None):
        raise MessageError(f"meta {reserved!r} is a key of newsspider's own")
    return json.dumps(result, ensure_ascii=False) if result else ""
