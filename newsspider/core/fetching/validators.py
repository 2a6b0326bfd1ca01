"""When a page is asked for only if it changed (RFC 9110, section 13), and what the answers say of its host's honesty.

Some hosts answer 304 though the page has changed, others give every answer another ETag. So now and then a page is
asked for without conditions. If it is another than before, the next request names the old validators once more: a host
that says 304 to these lies.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from email.utils import parsedate_tz
from enum import StrEnum
from typing import NamedTuple

LONGEST = 500  # characters of a validator that is believed
# The first requests to a host that are made without conditions: for a page that was visited so often before, or one in
# so many to a host
# of many pages, whichever comes first. Later ones are one in so many; both are prime, so that it is another page each
# time.
FIRST_VISITS, FIRST_EVERY = (3, 8, 29), 29
EVERY = 83
USELESS = 8  # answers in full to an unchanged page, before the validators of a host count as useless
FEW = 8  # times as many 304 make up for that

_PRINTABLE = re.compile(r"[\x21\x23-\x7e\x80-\xff \"]+")


class Lie(StrEnum):
    """Why a host is no longer asked with conditions."""

    STALE = "stale"  # it says 304 though the page has changed
    USELESS = "useless"  # it answers in full though nothing has changed


class Trust(NamedTuple):
    """What is known of the validators of a host."""

    asked: int = 0  # conditional requests
    not_modified: int = 0  # that were answered 304
    useless: int = 0  # that were answered in full, with the same content as before
    checked: int = 0  # requests without conditions, to see what they bring
    lie: str = ""  # a :class:`Lie`


NO_TRUST = Trust()  # nothing is known


class Ask(StrEnum):
    """How a page is asked for."""

    PLAINLY = "plainly"
    IF_CHANGED = "if_changed"
    TO_CHECK = "to_check"  # plainly, though there are validators


class Known(NamedTuple):
    """What is remembered of the last full answer for a page: its validators, a hash of what was read there and one of
    what ``came``.

    ``proving``: the validators are those of an older content; it is to be seen whether the host says 304 to them.
    """

    etag: str | None = None
    last_modified: str | None = None
    content: str | None = None
    proving: bool = False
    came: str | None = None


@dataclass(frozen=True, slots=True)
class Learned:
    """What a visit adds to :class:`Trust`, and what to remember of the page."""

    known: Known
    told: Trust


def etag_of(value: str | None) -> str | None:
    """An ETag as it came, if it can be sent back."""
    bare = (value or "").strip()
    return bare if bare and len(bare) <= LONGEST and _PRINTABLE.fullmatch(bare) else None


def last_modified_of(value: str | None) -> str | None:
    """A Last-Modified as it came, if it is a date."""
    bare = (value or "").strip()
    return bare if bare and len(bare) <= LONGEST and bare.isascii() and parsedate_tz(bare) else None


def content_hash(body: bytes) -> str:
    """A hash of an answer as it came."""
    return hashlib.sha256(body).hexdigest()[:24]


def ask(known: Known, trust: Trust, visits: int) -> Ask:
    """How to ask for a page of a host that was visited so often before.

    >>> [ask(Known('"a"'), Trust(asked, asked), visits) for asked, visits in ((27, 1), (28, 1), (2, 2), (2, 3))]
    [<Ask.IF_CHANGED: 'if_changed'>, <Ask.TO_CHECK: 'to_check'>, <Ask.IF_CHANGED: 'if_changed'>, <Ask.TO_CHECK: 'to_check'>]
    """
    if trust.lie or not (known.etag or known.last_modified):
        return Ask.PLAINLY
    if known.proving:
        return Ask.IF_CHANGED
    first = trust.checked < len(FIRST_VISITS)
    turn = (trust.asked + trust.checked + 1) % (FIRST_EVERY if first else EVERY) == 0 or (
        first and visits >= FIRST_VISITS[trust.checked]
    )
    return Ask.TO_CHECK if turn and trust.not_modified else Ask.IF_CHANGED


def conditions(known: Known) -> dict[str, str]:
    """The headers of a request that asks only for what has changed."""
    headers = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
    return {name: value for name, value in headers.items() if value}


def learned(before: Known, now: Known, asked: Ask, status: int, trust: Trust) -> Learned:
    """What an answer says: ``before`` is what was remembered, ``now`` what came; of a 304, only validators, if any."""
    if status == 304:
        kept = Known(
            now.etag or before.etag, now.last_modified or before.last_modified, before.content, came=before.came
        )
        lie = Lie.STALE if before.proving else ""
        return Learned(kept, Trust(asked=1, not_modified=0 if lie else 1, lie=lie))
    if asked is Ask.PLAINLY or before.content is None or now.content is None:
        return Learned(now, Trust(asked=int(asked is Ask.IF_CHANGED)))
    # read otherwise, not another
    same = before.content == now.content or (before.came is not None and before.came == now.came)
    if asked is Ask.TO_CHECK:
        if same:
            return Learned(now, Trust(checked=1))
        if (before.etag, before.last_modified) == (now.etag, now.last_modified):
            return Learned(now, Trust(checked=1, lie=Lie.STALE))
        return Learned(
            Known(before.etag, before.last_modified, now.content, proving=True, came=now.came), Trust(checked=1)
        )
    useless = int(same and not before.proving)
    seen = trust.useless + useless
    lie = Lie.USELESS if useless and seen >= USELESS and trust.not_modified * FEW < seen else ""
    return Learned(now, Trust(asked=1, useless=useless, lie=lie))
