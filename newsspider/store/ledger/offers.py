"""Offers of URLs: new ones are added to the ledger; known ones may become due again, join a channel or continue an
article.

Two URLs of one host may have the same key. The second is refused: it is never fetched, and a warning names both."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row

from newsspider.core.crawling.outcome import offered_again
from newsspider.core.crawling.visit import Offer
from newsspider.core.model import Reason, State
from newsspider.core.text.characters import has_enough_text
from newsspider.core.text.text_comparison import same_title
from newsspider.store.engine.statement import ROWS_AT_ONCE, Statement, batched, rows_among
from newsspider.store.engine.writer_caches import Memory, RecentKeys, mark_of
from newsspider.store.ledger import due_times, queues
from newsspider.store.ledger.due_times import Due

logger = logging.getLogger(__name__)

ORDER_STEP_SECONDS = 1e-6  # between `found_at` of two links of one page, which keeps their order

_ADD_HOST = Statement("INSERT INTO hosts (host) VALUES (:host) ON CONFLICT (host) DO NOTHING")
_OFFERED = (
    "key",
    "url",
    "host",
    "site",
    "channel",
    "kind",
    "depth",
    "hops",
    "parent",
    "anchor",
    "priority",
    "update_cycle",
    "strategy_state",
    "partial_article",
    "meta",
    "detail",
    "topic",
)
_PLACED = ("key", "priority", "depth", "strategy_state", "update_cycle")
_PLACE = Statement(
    """
    UPDATE urls SET priority = :priority, depth = :depth, strategy_state = :strategy_state, update_cycle = :update_cycle
    WHERE key = :key AND state = 'waiting'
    """
)

KNOWN_URLS = """
    SELECT key, url, state, reason, due_at, last_fetched_at, update_cycle, failures, last_status
    FROM urls WHERE key IN ({keys})
"""
LOCKED = f"{KNOWN_URLS} [ORDER BY key FOR UPDATE]"
_PARTS = """
    SELECT u.key, u.state, u.reason, u.partial_article, a.title
    FROM urls u LEFT JOIN article_urls a ON a.key = u.key WHERE u.key IN ({keys})
"""
_KEEP_STATE = Statement(
    "UPDATE urls SET strategy_state = :strategy_state WHERE key = :key AND state IN ('done', 'error')"
)
# Its validators and hashes are forgotten: the page is needed even if it has not changed.
_CONTINUE = Statement(
    """
    UPDATE urls SET partial_article = :partial_article, etag = NULL, last_modified = NULL, body_hash = NULL
    WHERE key = :key AND state <> 'processing'
    """
)
# A page that was refused for an anchor text is to be fetched after all.
_WANT = Statement(
    """
    UPDATE urls SET site = :site, channel = :channel, kind = :kind, parent = :parent, anchor = :anchor,
                    priority = :priority, hops = :hops
    WHERE key = :key AND state = 'done' AND reason = 'off_topic' AND last_fetched_at IS NULL RETURNING key, state
    """
)
_WANTED = ("key", "site", "channel", "kind", "parent", "anchor", "priority", "hops")
_ADOPTED = ("key", "site", "channel", "kind", "depth", "priority", "update_cycle")
_ADOPT = Statement(
    """
    UPDATE urls SET site = :site, channel = :channel, kind = :kind, depth = :depth, priority = :priority,
                    update_cycle = :update_cycle
    WHERE key = :key
    """
)


class New(NamedTuple):
    """How many URLs of a page were new: those to be fetched, and those that are refused."""

    wanted: int
    refused: int


def offer(conn: Connection, offers: Iterable[Offer], now: float) -> int:
    """Add the new URLs to the ledger; returns how many there were. A ``refused`` one is done from the start.

    A known URL stays as it is, with these exceptions:

    - With ``again_before`` it becomes due at the offer's ``due_at`` (0: now) if it was last fetched before that moment
      and is not due earlier anyway. A feed or sitemap that is gone
      (:mod:`newsspider.core.crawling.outcome`) does not.
    - With ``update_cycle`` (a channel) it takes site, channel, kind, depth, priority and cycle of the offer, and
      becomes due if it was no channel before.
    - A further page (``part_of``) takes over the article as read so far and waits, possibly for the second time, unless
      it is an article with another title.
    """
    return sum(offer_all(conn, [(offers, now)])[0])


def offer_all(conn: Connection, pages: Iterable[tuple[Iterable[Offer], float]]) -> list[New]:
    """The same for the offers of several pages, each with its moment, in their order."""
    added: list[New] = []
    plain: list[tuple[Sequence[Offer], float]] = []
    for offers, now in pages:
        listed = tuple(offers)
        if any(map(changes_known, listed)):  # its changes must be made before those of the next page
            added += _offer(conn, plain)
            plain = []
            added += _offer(conn, [(listed, now)])
        else:
            plain.append((listed, now))
    return added + _offer(conn, plain)


def _offer(conn: Connection, pages: Sequence[tuple[Sequence[Offer], float]]) -> list[New]:
    memory = Memory.of(conn)
    offered = _wanted(pages, memory.recent if memory else ())
    if not offered:
        return [New(0, 0)] * len(pages)
    moments = {key: pages[page][1] for key, (_, page) in offered.items()}
    known_rows = {row.key: row for row in rows_among(conn, KNOWN_URLS, offered)}
    changed = [key for key in known_rows if changes_known(offered[key][0])]
    known_rows |= {row.key: row for row in rows_among(conn, LOCKED, changed)}
    new = [key for key in offered if key not in known_rows]
    added = _insert(conn, memory, [(offered[key][0], moments[key]) for key in new])
    # another writer was first with these
    known_rows |= {row.key: row for row in rows_among(conn, KNOWN_URLS, [key for key in new if key not in added])}
    same = [(offered[key][0], row, moments[key]) for key, row in sorted(known_rows.items())]
    added |= offer_known(conn, [known for known in same if not _collides(known[0].url, known[1].url)])
    if memory:
        unread_keys = {key for key, row in known_rows.items() if unread(row)} - added
        fetched_keys = {key for key, row in known_rows.items() if row.last_fetched_at is not None}
        # any worker of a server may refuse a waiting URL for its anchor text, and the others are not notified
        lasting = fetched_keys if conn.dialect.name == "postgresql" else set(offered)
        _remember(memory, [offer for offer, _ in offered.values() if offer.key not in unread_keys], lasting)
    counts = Counter((offered[key][1], offered[key][0].refused is None) for key in added)
    return [New(counts[page, True], counts[page, False]) for page in range(len(pages))]


@lru_cache(1000)  # cache: URLs that were named in a warning: each is named once
def _warn(url: str, known_url: str) -> None:
    logger.warning("%s is not watched: it has the key of %s, which was found first", url, known_url)


def _collides(url: str, known_url: str) -> bool:
    if url != known_url:
        _warn(url, known_url)
    return url != known_url


def _wanted(
    pages: Iterable[tuple[Sequence[Offer], float]], recent: RecentKeys[int, None] | tuple[()]
) -> dict[int, tuple[Offer, int]]:
    """By key, the offer to look up and the number of its page: the first offer of each URL, or the first that is not
    refused for its anchor text."""
    offered: dict[int, tuple[Offer, int]] = {}
    for page, (offers, _) in enumerate(pages):
        for offer in offers:
            settled = offer.key in offered and not refused_by_anchor(offered[offer.key][0])
            if offer.key in offered and _collides(offer.url, offered[offer.key][0].url):
                continue
            if not settled and (mark_of(offer) not in recent or changes_known(offer)):
                offered[offer.key] = offer, page
    return offered


def _remember(memory: Memory, offers: Iterable[Offer], lasting: Collection[int]) -> None:
    """Cache the ``lasting`` URLs as known, which no worker can forget, except those refused for their anchor text:
    another anchor may say more."""
    kept = [offer for offer in offers if offer.key in lasting and not refused_by_anchor(offer)]
    memory.recent.add(dict.fromkeys(map(mark_of, kept)))


def move(conn: Connection, offers: Iterable[Offer]) -> int:
    """Give waiting URLs the priority, depth, cycle and strategy state of these offers; returns how many there are.

    ``found_at`` and ``due_at`` stay.
    """
    moved = sorted(offers, key=lambda offered: offered.key)
    count = _PLACE.change_many(conn, [values_of(offered, _PLACED) for offered in moved])
    if moved:
        queues.refresh(conn, [offered.host for offered in moved])
    return count


def _insert(conn: Connection, memory: Memory | None, new: Sequence[tuple[Offer, float]]) -> set[int]:
    """Insert the URLs, in the order of their keys, so that two writers seldom wait for each other; returns the keys of
    those that no other writer inserted first."""
    placed = sorted(enumerate(new), key=lambda numbered: numbered[1][0].key)
    inserted: set[int] = set()
    for part in batched(placed, ROWS_AT_ONCE):
        inserted |= due_times.add(conn, [row_of(offered, now, place) for place, (offered, now) in part])
    hosts = {offered.host for offered, _ in new}
    new_hosts = sorted(host for host in hosts if memory is None or host not in memory.hosts)
    _ADD_HOST.change_many(conn, [{"host": host} for host in new_hosts])
    if memory:
        memory.hosts.add(dict.fromkeys(new_hosts))
    waiting = [
        (offered.host, offered.site, queues.WAITING, offered.due_at or now, offered.priority)
        for offered, now in new
        if not offered.refused
    ]
    queues.note(conn, waiting)
    return inserted


def row_of(offered: Offer, now: float, place: int = 0) -> dict[str, Any]:
    """The row of a new URL with its ``place`` on the page."""
    return {
        **values_of(offered, _OFFERED),
        "found_at": now + place * ORDER_STEP_SECONDS,
        "state": State.DONE if offered.refused else State.WAITING,
        "reason": offered.refused or Reason.FOUND,
        "due_at": None if offered.refused else offered.due_at or now,
    }


def offer_known(conn: Connection, offers: Iterable[tuple[Offer, Row[Any], float]]) -> set[int]:
    """Apply offers to known URLs, each with the URL's row and its moment; returns the keys of those that were refused
    for an anchor text and wait now."""
    all_offers = list(offers)
    whole_pages = [offered for offered in all_offers if not offered[0].part_of]
    reopened = _want(conn, whole_pages)
    _offer_again(conn, whole_pages)
    adopted = [offer for offer, _, _ in whole_pages if offer.update_cycle is not None]
    _ADOPT.change_many(conn, [values_of(offer, _ADOPTED) for offer in adopted])
    queues.refresh(conn, [offer.host for offer in adopted], [offer.key for offer in adopted])
    _continue(conn, {offer.key: offer for offer, _, _ in all_offers if offer.part_of})
    return reopened


def values_of(offer: Offer, names: Iterable[str]) -> dict[str, Any]:
    """The fields of an offer with these names, as the values of a statement."""
    return {name: getattr(offer, name) for name in names}


def changes_known(offer: Offer) -> bool:
    """Whether an offer may change a URL that is known."""
    return offer.again_before is not None or offer.update_cycle is not None or bool(offer.part_of)


def refused_by_anchor(offer: Offer) -> bool:
    """Whether an offer is refused for its anchor text."""
    return offer.refused is Reason.OFF_TOPIC


def unread(row: Row[Any]) -> bool:
    """Whether a known URL was refused for its anchor text, unread."""
    return bool(row.state == State.DONE and row.reason == Reason.OFF_TOPIC and row.last_fetched_at is None)


def _want(conn: Connection, offers: Iterable[tuple[Offer, Row[Any], float]]) -> set[int]:
    keys: set[int] = set()
    for offer, row, now in offers:
        if not offer.refused and unread(row) and has_enough_text(offer.anchor):
            rows = _WANT.run(conn, values_of(offer, _WANTED))
            keys.update(due_times.set_waiting(conn, rows, offer.due_at or now))
    return keys


def _offer_again(conn: Connection, offers: Iterable[tuple[Offer, Row[Any], float]]) -> None:
    due_again = [(offer, now) for offer, row, now in offers if offered_again(offer, row, now)]
    with_state = [offer for offer, _ in due_again if offer.strategy_state]
    _KEEP_STATE.change_many(conn, [values_of(offer, ("key", "strategy_state")) for offer in with_state])
    due_times.postpone(conn, [Due(offer.key, offer.due_at or now) for offer, now in due_again])


def _continue(conn: Connection, parts: Mapping[int, Offer]) -> None:
    rows = [row for row in rows_among(conn, _PARTS, parts) if _continues(parts[row.key], row)]
    _CONTINUE.change_many(conn, [{"key": row.key, "partial_article": parts[row.key].partial_article} for row in rows])
    for row in rows:
        if row.state not in (State.WAITING, State.PROCESSING):
            due_times.set_waiting(conn, [row], parts[row.key].due_at)


def _continues(offer: Offer, row: Row[Any]) -> bool:
    """Whether a known URL is to be read as a further page. It is not if it is refused, is an article with another
    title, or was already read as the continuation of this very text."""
    if offer.refused:
        return False
    if row.title is not None:
        return same_title(str(row.title), offer.part_of)
    return bool(row.state != State.DONE or row.reason == Reason.JOINED or row.partial_article != offer.partial_article)
