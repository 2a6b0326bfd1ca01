"""Offers of known URLs: which become due again, which join a channel, and which continue an article."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Row

from newsspider.core.crawling.due import offered_again
from newsspider.core.crawling.visit import Offer
from newsspider.core.model import Reason, State
from newsspider.core.text.characters import has_enough_text
from newsspider.core.text.titles import same_title
from newsspider.store.engine.statement import Statement, rows_among
from newsspider.store.ledger import queues, schedule
from newsspider.store.ledger.schedule import Due

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


def offer(conn: Connection, offers: Iterable[tuple[Offer, Row[Any], float]]) -> set[int]:
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
            keys.update(schedule.set_waiting(conn, rows, offer.due_at or now))
    return keys


def _offer_again(conn: Connection, offers: Iterable[tuple[Offer, Row[Any], float]]) -> None:
    due_again = [(offer, now) for offer, row, now in offers if offered_again(offer, row, now)]
    with_state = [offer for offer, _ in due_again if offer.strategy_state]
    _KEEP_STATE.change_many(conn, [values_of(offer, ("key", "strategy_state")) for offer in with_state])
    schedule.postpone(conn, [Due(offer.key, offer.due_at or now) for offer, now in due_again])


def _continue(conn: Connection, parts: Mapping[int, Offer]) -> None:
    rows = [row for row in rows_among(conn, _PARTS, parts) if _continues(parts[row.key], row)]
    _CONTINUE.change_many(conn, [{"key": row.key, "partial_article": parts[row.key].partial_article} for row in rows])
    for row in rows:
        if row.state not in (State.WAITING, State.PROCESSING):
            schedule.set_waiting(conn, [row], parts[row.key].due_at)


def _continues(offer: Offer, row: Row[Any]) -> bool:
    """Whether a known URL is to be read as a further page. It is not if it is refused, is an article with another
    title, or was already read as the continuation of this very text."""
    if offer.refused:
        return False
    if row.title is not None:
        return same_title(str(row.title), offer.part_of)
    return bool(row.state != State.DONE or row.reason == Reason.JOINED or row.partial_article != offer.partial_article)
