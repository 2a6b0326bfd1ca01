"""The offers of URLs: what is new comes into the ledger, what is known may become due again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row

from newsspider.core.crawling.visit import Offer
from newsspider.core.fetching.missing_feeds import gone
from newsspider.core.links.article_parts import same_title
from newsspider.core.model import Reason, State
from newsspider.core.relevance.anchor_text import has_enough_text
from newsspider.store.cache.recent import Memory, RecentKeys
from newsspider.store.engine.statement import ROWS_AT_ONCE, Inserts, Statement, batched, rows_among
from newsspider.store.ledger import queues
from newsspider.store.tables import ARTICLES, PUT_OFF, urls

ORDER_STEP_SECONDS = 1e-6  # between the finding of two links of one page: the order on the page is kept

_KNOWN = """
    SELECT key, state, reason, kind, due_at, last_fetched_at, update_cycle, failures, last_status FROM urls WHERE key IN ({keys})
"""
_KNOWN_FIRM = f"{_KNOWN} [ORDER BY key FOR UPDATE]"  # what they say holds until they are changed
_PARTS = "SELECT u.key, u.state, u.reason, u.carried, a.title FROM urls u LEFT JOIN article_urls a ON a.key = u.key WHERE u.key IN ({keys})"
_INSERT = Inserts(
    """
    INSERT INTO urls (key, url, host, site, channel, kind, state, reason, depth, hops, parent, anchor, priority,
                      found_at, due_at, update_cycle, carried, detail, topic)
    VALUES (:key, :url, :host, :site, :channel, :kind, :state, :reason, :depth, :hops, :parent, :anchor, :priority,
            :found_at, :due_at, :update_cycle, :carried, :detail, :topic)
    ON CONFLICT (key) DO NOTHING
    """,
    urls,
)
_ADD_HOST = Statement("INSERT INTO hosts (host) VALUES (:host) ON CONFLICT (host) DO NOTHING")
_AGAIN = Statement(
    """
    UPDATE urls SET due_at = :due_at, carried = CASE WHEN :carried = '' THEN carried ELSE :carried END
    WHERE key = :key AND state IN ('done', 'error')
    """
)
# What is known of its bytes is forgotten: they are needed though they be the same.
_GO_ON = Statement(
    """
    UPDATE urls SET carried = :carried, etag = NULL, last_modified = NULL, body_hash = NULL, state = 'waiting',
                    reason = CASE WHEN state = 'waiting' THEN reason ELSE 'found' END,
                    detail = CASE WHEN state = 'waiting' THEN detail ELSE '' END,
                    due_at = CASE WHEN state = 'waiting' THEN due_at ELSE :due_at END
    WHERE key = :key AND state <> 'processing'
    """
)
# A page that was refused for the words of a link is wanted after all.
_WANT = Statement(
    """
    UPDATE urls SET state = 'waiting', reason = 'found', detail = '', topic = NULL, due_at = :due_at, site = :site, channel = :channel,
                    kind = :kind, parent = :parent, anchor = :anchor, priority = :priority, hops = :hops, carried = :carried
    WHERE key = :key AND state = 'done' AND reason = 'off_topic' AND last_fetched_at IS NULL
    """
)
_ADOPT = Statement(
    """
    UPDATE urls SET site = :site, channel = :channel, kind = :kind, depth = :depth, priority = :priority,
                    update_cycle = :update_cycle
    WHERE key = :key
    """
)
_MOVE = Statement(
    """
    UPDATE urls SET priority = :priority, depth = :depth, carried = :carried, update_cycle = :update_cycle
    WHERE key = :key AND state = 'waiting'
    """
)


class New(NamedTuple):
    """How many URLs of a page were new: those that are to be fetched, and those that never are."""

    wanted: int
    refused: int


def offer(conn: Connection, offers: Iterable[Offer], now: float) -> int:
    """Put the URLs that are new into the ledger; returns how many were.

    A known URL stays as it is, but: with ``again_before`` it becomes due at the offer's ``due_at`` if it was last
    fetched before that moment and is not due earlier anyway; with ``update_cycle`` (a channel) site, channel, kind,
    depth, priority and cycle of the offer hold from now on, and it becomes due if it was no channel before. A
    ``due_at`` of 0 is now. One that is ``refused`` is done from the start. A further page (``part_of``) takes over what
    was read before it, and waits, be it for the second time, unless it is an article of another title. A feed or
    sitemap that is gone (:mod:`newsspider.core.fetching.missing_feeds`) stays as it is.
    """
    return sum(offer_all(conn, [(offers, now)])[0])


def offer_all(conn: Connection, pages: Iterable[tuple[Iterable[Offer], float]]) -> list[New]:
    """The same for the offers of several pages, each with its moment, in their order."""
    added: list[New] = []
    plain: list[tuple[Sequence[Offer], float]] = []
    for offers, now in pages:
        listed = tuple(offers)
        if any(map(_changing, listed)):  # what it changes must stand before the next page is looked at
            added += _offer(conn, plain)
            plain = []
            added += _offer(conn, [(listed, now)])
        else:
            plain.append((listed, now))
    return added + _offer(conn, plain)


def _offer(conn: Connection, pages: Sequence[tuple[Sequence[Offer], float]]) -> list[New]:
    if not pages:
        return []
    memory = Memory.of(conn)
    recent: RecentKeys | tuple[()] = memory.recent if memory else ()
    wanted: dict[int, tuple[Offer, int]] = {}
    for page, (offers, _) in enumerate(pages):
        for offered in offers:
            met = offered.key in wanted and not _by_its_words(wanted[offered.key][0])
            if not met and (offered.key not in recent or _changing(offered)):
                wanted[offered.key] = offered, page
    told = memory.told([key for key, (offered, _) in wanted.items() if not _changing(offered)]) if memory else set()
    known = _known(conn, memory, wanted, told)
    firm = [key for key in known if _changing(wanted[key][0])]
    known |= {row.key: row for row in rows_among(conn, _KNOWN_FIRM, firm)}
    new = [key for key in wanted if key not in known and key not in told]
    moments = [now for _, now in pages]
    made = _insert(conn, memory, [(wanted[key][0], moments[wanted[key][1]]) for key in new])
    others = [key for key in new if key not in made]
    if others:  # somebody was first with them
        known |= {row.key: row for row in rows_among(conn, _KNOWN, others)}
    if known:
        found = [(wanted[key][0], row, moments[wanted[key][1]]) for key, row in sorted(known.items())]
        made |= _offer_known(conn, [each for each in found if not each[0].part_of])
        _go_on(conn, {offered.key: offered for offered, _, _ in found if offered.part_of})
    if memory:
        unread = {key for key, row in known.items() if _unread(row)} - made
        known_by_now = [key for key, (offered, _) in wanted.items() if not _by_its_words(offered) and key not in unread]
        memory.recent.meet(known_by_now)
        memory.share(set(known_by_now) - told)
    counts = Counter((wanted[key][1], wanted[key][0].refused is None) for key in made)
    return [New(counts[page, True], counts[page, False]) for page in range(len(pages))]


def _known(conn: Connection, memory: Memory | None, wanted: Iterable[int], told: set[int]) -> dict[int, Row[Any]]:
    """The rows of these keys but for those we were ``told`` of, one of which is looked up to see whether they can be
    believed."""
    probe = next(iter(told), None)
    known = {
        row.key: row for row in rows_among(conn, _KNOWN, [key for key in wanted if key not in told or key == probe])
    }
    if memory and probe is not None and probe not in known:
        memory.distrust()
        known |= {row.key: row for row in rows_among(conn, _KNOWN, told)}
        told.clear()
    return known


def move(conn: Connection, offers: Iterable[Offer]) -> int:
    """Let URLs that wait stand where these offers say: their priority, depth, cycle and what they carry; returns how
    many do.

    When they were found and when they are due stays.
    """
    moved = sorted(offers, key=lambda offered: offered.key)
    rows = [
        {
            "key": offered.key, "priority": offered.priority, "depth": offered.depth, "carried": offered.carried,
            "update_cycle": offered.update_cycle,
        }
        for offered in moved
    ]  # fmt: skip
    done = _MOVE.change_many(conn, rows)
    if moved:
        queues.refresh(conn, [offered.host for offered in moved])
    return done


def _insert(conn: Connection, memory: Memory | None, new: Sequence[tuple[Offer, float]]) -> set[int]:
    """The keys of those that were new indeed; in the order of their keys, so that two writers seldom wait for each
    other."""
    placed = sorted(enumerate(new), key=lambda each: each[1][0].key)
    made: set[int] = set()
    for part in batched(placed, ROWS_AT_ONCE):
        made |= _INSERT.made(conn, [_row(offered, now, place) for place, (offered, now) in part])
    _add_hosts(conn, memory, {offered.host for offered, _ in new})
    queues.note(
        conn, [(o.host, o.site, queues.WAITING, o.due_at or now, o.priority) for o, now in new if not o.refused]
    )
    return made


def _row(offered: Offer, now: float, place: int) -> dict[str, Any]:
    return {
        "key": offered.key, "url": offered.url, "host": offered.host, "site": offered.site,
        "channel": offered.channel, "kind": offered.kind, "depth": offered.depth, "hops": offered.hops,
        "parent": offered.parent, "anchor": offered.anchor, "priority": offered.priority,
        "found_at": now + place * ORDER_STEP_SECONDS, "update_cycle": offered.update_cycle,
        "state": State.DONE if offered.refused else State.WAITING, "reason": offered.refused or Reason.FOUND,
        "due_at": None if offered.refused else offered.due_at or now, "carried": offered.carried,
        "detail": offered.detail, "topic": offered.topic,
    }  # fmt: skip


def _add_hosts(conn: Connection, memory: Memory | None, hosts: set[str]) -> None:
    wanted = sorted(host for host in hosts if memory is None or host not in memory.hosts)
    _ADD_HOST.change_many(conn, [{"host": host} for host in wanted])
    if memory:
        memory.hosts.meet(wanted)


def _offer_known(conn: Connection, found: Iterable[tuple[Offer, Row[Any], float]]) -> set[int]:
    """The keys of those that are wanted after all."""
    again, adopted, noted = [], [], []
    wanted: dict[int, dict[str, Any]] = {}
    for offered, row, now in found:
        due_at = offered.due_at or now
        if not offered.refused and _unread(row) and has_enough_text(offered.anchor):
            wanted[offered.key] = {
                "key": offered.key, "due_at": due_at, "site": offered.site, "channel": offered.channel, "kind": offered.kind,
                "parent": offered.parent, "anchor": offered.anchor, "priority": offered.priority, "hops": offered.hops,
                "carried": offered.carried,
            }  # fmt: skip
            noted.append((offered.host, offered.site, queues.WAITING, due_at, offered.priority))
        if _again(offered, row, due_at, now):
            again.append({"key": offered.key, "due_at": due_at, "carried": offered.carried})
        if offered.update_cycle is not None:
            adopted.append(
                {
                    "key": offered.key, "site": offered.site, "channel": offered.channel, "kind": offered.kind,
                    "depth": offered.depth, "priority": offered.priority, "update_cycle": offered.update_cycle,
                }
            )  # fmt: skip
        if _changing(offered):
            earliest = min(due_at, row.due_at if row.due_at is not None else due_at)
            noted.append((offered.host, offered.site, _queue(offered, row), earliest, offered.priority))
    _WANT.change_many(conn, list(wanted.values()))
    _AGAIN.change_many(conn, again)
    _ADOPT.change_many(conn, adopted)
    queues.note(conn, noted)
    return set(wanted)


def _queue(offered: Offer, row: Row[Any]) -> int:
    """The queue in which a known URL stands, once it is due."""
    if row.state == State.WAITING or row.reason in PUT_OFF:
        return queues.WAITING
    polled = offered.update_cycle is not None or row.update_cycle is not None
    return queues.AGED if row.state == State.DONE and not polled and row.kind in ARTICLES else queues.REVISIT


def _changing(offered: Offer) -> bool:
    """Whether it may change a URL that is known."""
    return offered.again_before is not None or offered.update_cycle is not None or bool(offered.part_of)


def _by_its_words(offered: Offer) -> bool:
    """Whether it is refused for the words of a link only: others may say more, so it is not remembered as known."""
    return offered.refused is Reason.OFF_TOPIC


def _unread(row: Row[Any]) -> bool:
    """Whether a known URL was refused for the words of a link."""
    return bool(row.state == State.DONE and row.reason == Reason.OFF_TOPIC and row.last_fetched_at is None)


def _go_on(conn: Connection, offers: Mapping[int, Offer]) -> None:
    parts = [offers[row.key] for row in rows_among(conn, _PARTS, offers) if _goes_on(offers[row.key], row)]
    _GO_ON.change_many(conn, [{"key": part.key, "carried": part.carried, "due_at": part.due_at} for part in parts])
    queues.refresh(conn, [part.host for part in parts], [part.key for part in parts])


def _goes_on(offered: Offer, row: Row[Any]) -> bool:
    """Whether a known URL is to be read as a further page, again or for the first time: not if it is refused, or an
    article of another title, or was judged behind this very text."""
    if offered.refused:
        return False
    if row.title is not None:
        return same_title(str(row.title), offered.part_of)
    return bool(row.state != State.DONE or row.reason == Reason.JOINED or row.carried != offered.carried)


def _again(offered: Offer, row: Row[Any], due_at: float, now: float) -> bool:
    if row.due_at is not None and row.due_at <= due_at:
        return False
    if offered.update_cycle is not None and row.update_cycle is None:
        return True
    if row.reason == Reason.TRAP:
        return False  # it waits again once pages like it bring something
    if (
        row.due_at is not None
        and row.failures
        and gone(offered.kind, Reason(row.reason), row.last_status, row.failures)
    ):
        return False
    if offered.again_before is None:
        return False
    at = row.last_fetched_at
    return at is None or at < offered.again_before or at > now  # a clock that was set back makes no page fresh
