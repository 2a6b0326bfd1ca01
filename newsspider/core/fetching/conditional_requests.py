"""Conditional GET requests (ETag, If-Modified-Since; RFC 9110, section 13): when a page is requested only if it
changed.

Some hosts answer 304 although the page has changed. So now and then a list is requested without conditions. If it has
changed, the next request sends the old validators once more: a host that answers 304 to these is asked without
conditions for a month.
"""

from __future__ import annotations

import hashlib
import re
from email.utils import parsedate_tz
from enum import StrEnum
from typing import NamedTuple

LONGEST_VALIDATOR = 500  # characters of an acceptable validator
# A list is requested without conditions at its third visit, to find a wrong host early, and then at every 59th.
FIRST_CHECK, CHECKED_EVERY = 3, 59
DISTRUST_SECONDS = 30 * 86_400  # for which a host gets no conditional requests after a wrong 304

_PRINTABLE = re.compile(r"[\x21\x23-\x7e\x80-\xff \"]+")


class WrongNotModified(NamedTuple):
    """The host of a page answered 304, or would have, although the page has changed."""


class Ask(StrEnum):
    """How a page is requested."""

    PLAINLY = "plainly"
    IF_CHANGED = "if_changed"
    TO_CHECK = "to_check"  # unconditionally, although there are validators


class Known(NamedTuple):
    """The last full response for a page: its validators, a hash of the content that was read and of the raw body
    (``came``). ``proving``: the validators are older than the content; will the host answer 304 to them?"""

    etag: str | None = None
    last_modified: str | None = None
    content: str | None = None
    proving: bool = False
    came: str | None = None


def etag_of(value: str | None) -> str | None:
    """An ETag as received, if it can be sent back."""
    bare = (value or "").strip()
    return bare if bare and len(bare) <= LONGEST_VALIDATOR and _PRINTABLE.fullmatch(bare) else None


def last_modified_of(value: str | None) -> str | None:
    """A Last-Modified as received, if it is a date."""
    bare = (value or "").strip()
    return bare if bare and len(bare) <= LONGEST_VALIDATOR and bare.isascii() and parsedate_tz(bare) else None


def content_hash(body: bytes) -> str:
    """A hash of a response body as received."""
    return hashlib.sha256(body).hexdigest()[:24]


def how_to_ask(remembered: Known, visits: int, *, is_list: bool, distrusted: bool = False) -> Ask:
    """How to request a page that was visited ``visits`` times before.

    >>> [str(how_to_ask(Known('"a"'), visits, is_list=True)) for visits in (1, 3, 4, 59)]
    ['if_changed', 'to_check', 'if_changed', 'to_check']
    """
    if distrusted or not (remembered.etag or remembered.last_modified):
        return Ask.PLAINLY
    is_checked = is_list and (visits == FIRST_CHECK or (visits > 0 and visits % CHECKED_EVERY == 0))
    return Ask.TO_CHECK if is_checked and not remembered.proving else Ask.IF_CHANGED


def is_distrusted(wrong_at: float | None, now: float) -> bool:
    """Whether a host that sent a wrong 304 at this moment gets no conditional requests."""
    return wrong_at is not None and now < wrong_at + DISTRUST_SECONDS


def condition_headers(remembered: Known) -> dict[str, str]:
    """The headers of a conditional request."""
    headers = {"If-None-Match": remembered.etag, "If-Modified-Since": remembered.last_modified}
    return {name: value for name, value in headers.items() if value}


def learned_validators(remembered: Known, received: Known, mode: Ask, status: int) -> tuple[Known, bool]:
    """What to remember of a page after a response, and whether it proves that a 304 of the host is wrong; for a 304,
    ``received`` has only validators, if any."""
    if status == 304:
        etag, last_modified = received.etag or remembered.etag, received.last_modified or remembered.last_modified
        return Known(etag, last_modified, remembered.content, came=remembered.came), remembered.proving
    if mode is not Ask.TO_CHECK or remembered.content is None or received.content is None:
        return received, False
    # the raw body may be equal although it was read differently
    if remembered.content == received.content or (remembered.came is not None and remembered.came == received.came):
        return received, False
    if (remembered.etag, remembered.last_modified) == (received.etag, received.last_modified):
        return received, True
    return received._replace(etag=remembered.etag, last_modified=remembered.last_modified, proving=True), False
