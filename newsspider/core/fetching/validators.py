"""Conditional GET requests (ETag, If-Modified-Since; RFC 9110, section 13): when a page is requested only if it
changed, and whether a host can be trusted with it.

Some hosts answer 304 although the page has changed, others send a new ETag with every response. So now and then a
page is requested without conditions. If it has changed, the next request sends the old validators once more: a host
that answers 304 to these lies.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from email.utils import parsedate_tz
from enum import StrEnum
from typing import NamedTuple

LONGEST = 500  # characters of an acceptable validator
# The first unconditional checks of a host: at these visits of a page, or every 29th request, whichever comes first.
# Later every 83rd request; both are prime, so that a different page is checked each time.
FIRST_VISITS, FIRST_EVERY = (3, 8, 29), 29
EVERY = 83
USELESS = 8  # full responses with unchanged content before a host's validators count as useless
FEW = 8  # one 304 makes up for this many of them

_PRINTABLE = re.compile(r"[\x21\x23-\x7e\x80-\xff \"]+")


class Lie(StrEnum):
    """Why a host no longer gets conditional requests."""

    STALE = "stale"  # it sends 304 although the page has changed
    USELESS = "useless"  # it sends the full page although nothing has changed


class Trust(NamedTuple):
    """The experience with the validators of a host."""

    asked: int = 0  # conditional requests
    not_modified: int = 0  # those answered with 304
    useless: int = 0  # those answered with a full page of unchanged content
    checked: int = 0  # unconditional requests as a check
    lie: str = ""  # a :class:`Lie`


NO_TRUST = Trust()  # nothing is known


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


@dataclass(frozen=True, slots=True)
class Learned:
    """What to remember about a page after a visit, and what the visit adds to the trust in its host."""

    known: Known
    trust: Trust


def etag_of(value: str | None) -> str | None:
    """An ETag as received, if it can be sent back."""
    bare = (value or "").strip()
    return bare if bare and len(bare) <= LONGEST and _PRINTABLE.fullmatch(bare) else None


def last_modified_of(value: str | None) -> str | None:
    """A Last-Modified as received, if it is a date."""
    bare = (value or "").strip()
    return bare if bare and len(bare) <= LONGEST and bare.isascii() and parsedate_tz(bare) else None


def content_hash(body: bytes) -> str:
    """A hash of a response body as received."""
    return hashlib.sha256(body).hexdigest()[:24]


def ask(remembered: Known, trust: Trust, visits: int) -> Ask:
    """How to request a page that was visited ``visits`` times before.

    >>> [str(ask(Known('"a"'), Trust(asked, asked), visits)) for asked, visits in ((27, 1), (28, 1), (2, 2), (2, 3))]
    ['if_changed', 'to_check', 'if_changed', 'to_check']
    """
    if trust.lie or not (remembered.etag or remembered.last_modified):
        return Ask.PLAINLY
    if remembered.proving:
        return Ask.IF_CHANGED
    first = trust.checked < len(FIRST_VISITS)
    turn = (trust.asked + trust.checked + 1) % (FIRST_EVERY if first else EVERY) == 0 or (
        first and visits >= FIRST_VISITS[trust.checked]
    )
    return Ask.TO_CHECK if turn and trust.not_modified else Ask.IF_CHANGED


def conditions(remembered: Known) -> dict[str, str]:
    """The headers of a conditional request."""
    headers = {"If-None-Match": remembered.etag, "If-Modified-Since": remembered.last_modified}
    return {name: value for name, value in headers.items() if value}


def learned(remembered: Known, received: Known, mode: Ask, status: int, trust: Trust) -> Learned:
    """What a response proves; for a 304, ``received`` has only validators, if any."""
    if status == 304:
        updated = Known(
            received.etag or remembered.etag,
            received.last_modified or remembered.last_modified,
            remembered.content,
            came=remembered.came,
        )
        lie = Lie.STALE if remembered.proving else ""
        return Learned(updated, Trust(asked=1, not_modified=0 if lie else 1, lie=lie))
    if mode is Ask.PLAINLY or remembered.content is None or received.content is None:
        return Learned(received, Trust(asked=int(mode is Ask.IF_CHANGED)))
    # the raw body may be equal although it was read differently
    same = remembered.content == received.content or (remembered.came is not None and remembered.came == received.came)
    if mode is Ask.TO_CHECK:
        if same:
            return Learned(received, Trust(checked=1))
        if (remembered.etag, remembered.last_modified) == (received.etag, received.last_modified):
            return Learned(received, Trust(checked=1, lie=Lie.STALE))
        return Learned(
            Known(remembered.etag, remembered.last_modified, received.content, proving=True, came=received.came),
            Trust(checked=1),
        )
    useless = int(same and not remembered.proving)
    all_useless = trust.useless + useless
    lie = Lie.USELESS if useless and all_useless >= USELESS and trust.not_modified * FEW < all_useless else ""
    return Learned(received, Trust(asked=1, useless=useless, lie=lie))
