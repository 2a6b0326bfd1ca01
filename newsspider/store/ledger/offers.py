"""The offers of URLs: what is new comes into the ledger, what is known may become due again
(:mod:`newsspider.store.ledger.known_urls`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row

from newsspider.core.crawling.visit import Offer
from newsspider.core.model import Reason, State
from newsspider.store.cache.recent import Memory, RecentKeys
from newsspider.store.engine.statement import ROWS_AT_ONCE, Statement, batched, rows_among
from newsspider.store.ledger import known_urls, queues, schedule
from newsspider.store.ledger.known_urls import KNOWN, LOCKED, changes_known, refused_by_anchor, unread, values_of

ORDER_STEP_SECONDS = 1e-6  # between the finding of two links of one page: the order on the page is kept

_ADD_HOST = Statement("INSERT INTO hosts (host) VALUES (:host) ON CONFLICT (host) DO NOTHING")
_OFFERED = (
    "key", "url", "host", "site", "channel", "kind", "depth", "hops", "parent", "anchor", "priority", "update_cycle",
    "strategy_state", "partial_article", "meta", "detail", "topic",
)  # fmt: skip
_PLACED = ("key", "priority", "depth", "strategy_state", "update_cycle")
_PLACE = Statement(
    """
    UPDATE urls SET priority = :priority, depth = :depth, strategy_state = :strategy_state, update_cycle = :update_cycle
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
        if any(map(changes_known, listed)):  # what it changes must stand before the next page is looked at
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
    wanted = _wanted(pages, memory.recent if memory else ())
    moments = {key: pages[page][1] for key, (_, page) in wanted.items()}
    shared = memory.told([key for key, (offer, _) in wanted.items() if not changes_known(offer)]) if memory else set()
    known = _known(conn, memory, wanted, shared)
    known |= {row.key: row for row in rows_among(conn, LOCKED, [key for key in known if changes_known(wanted[key][0])])}
    new = [key for key in wanted if key not in known and key not in shared]
    made = _insert(conn, memory, [(wanted[key][0], moments[key]) for key in new])
    # another writer was first with these
    known |= {row.key: row for row in rows_among(conn, KNOWN, [key for key in new if key not in made])}
    made |= known_urls.offer(conn, [(wanted[key][0], row, moments[key]) for key, row in sorted(known.items())])
    if memory:
        unread_keys = {key for key, row in known.items() if unread(row)} - made
        fetched_keys = {key for key, row in known.items() if row.last_fetched_at is not None}
        # any worker of a server may refuse a URL that waits for its words: the others are not told
        lasting = fetched_keys if conn.dialect.name == "postgresql" else set(wanted)
        _remember(memory, [offer for offer, _ in wanted.values() if offer.key not in unread_keys], lasting, shared)
    counts = Counter((wanted[key][1], wanted[key][0].refused is None) for key in made)
    return [New(counts[page, True], counts[page, False]) for page in range(len(pages))]


def _wanted(
    pages: Iterable[tuple[Sequence[Offer], float]], recent: RecentKeys | tuple[()]
) -> dict[int, tuple[Offer, int]]:
    """By key, the offers to look up and the number of their page: the first of each URL, or the first that is not
    refused for the words of its link."""
    wanted: dict[int, tuple[Offer, int]] = {}
    for page, (offers, _) in enumerate(pages):
        for offer in offers:
            taken = offer.key in wanted and not refused_by_anchor(wanted[offer.key][0])
            if not taken and (offer.key not in recent or changes_known(offer)):
                wanted[offer.key] = offer, page
    return wanted


def _remember(memory: Memory, offers: Iterable[Offer], lasting: Collection[int], shared: Collection[int]) -> None:
    """Note that these URLs are known, but for those refused for the words of a link: other words may say more. Only
    the ``lasting`` ones are remembered here, where no other worker can have them forgotten."""
    keys = [offer.key for offer in offers if not refused_by_anchor(offer)]
    memory.recent.meet(key for key in keys if key in lasting)
    memory.share(set(keys).difference(shared))


def _known(conn: Connection, memory: Memory | None, wanted: Iterable[int], shared: set[int]) -> dict[int, Row[Any]]:
    """The rows of these keys but for the ``shared`` ones, which other workers know; one of those is looked up to see
    whether they can be believed."""
    probe = next(iter(shared), None)
    known = {
        row.key: row for row in rows_among(conn, KNOWN, [key for key in wanted if key not in shared or key == probe])
    }
    if memory and probe is not None and probe not in known:
        memory.distrust()
        known |= {row.key: row for row in rows_among(conn, KNOWN, shared)}
        shared.clear()
    return known


def move(conn: Connection, offers: Iterable[Offer]) -> int:
    """Let URLs that wait stand where these offers say: their priority, depth, cycle and what they carry; returns how
    many do.

    When they were found and when they are due stays.
    """
    moved = sorted(offers, key=lambda offered: offered.key)
    done = _PLACE.change_many(conn, [values_of(offered, _PLACED) for offered in moved])
    if moved:
        queues.refresh(conn, [offered.host for offered in moved])
    return done


def _insert(conn: Connection, memory: Memory | None, new: Sequence[tuple[Offer, float]]) -> set[int]:
    """The keys of those that were new indeed; in the order of their keys, so that two writers seldom wait for each
    other."""
    placed = sorted(enumerate(new), key=lambda each: each[1][0].key)
    made: set[int] = set()
    for part in batched(placed, ROWS_AT_ONCE):
        made |= schedule.add(conn, [row_of(offered, now, place) for place, (offered, now) in part])
    _add_hosts(conn, memory, {offered.host for offered, _ in new})
    queues.note(
        conn, [(o.host, o.site, queues.WAITING, o.due_at or now, o.priority) for o, now in new if not o.refused]
    )
    return made


def row_of(offered: Offer, now: float, place: int = 0) -> dict[str, Any]:
    """The row of a new URL, by its place on its page."""
    return {
        **values_of(offered, _OFFERED),
        "found_at": now + place * ORDER_STEP_SECONDS,
        "state": State.DONE if offered.refused else State.WAITING,
        "reason": offered.refused or Reason.FOUND,
        "due_at": None if offered.refused else offered.due_at or now,
    }


def _add_hosts(conn: Connection, memory: Memory | None, hosts: set[str]) -> None:
    wanted = sorted(host for host in hosts if memory is None or host not in memory.hosts)
    _ADD_HOST.change_many(conn, [{"host": host} for host in wanted])
    if memory:
        memory.hosts.meet(wanted)
