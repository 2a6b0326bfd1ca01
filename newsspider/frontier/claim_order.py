"""In which order queues and their pages are claimed, and fair queueing (fairness of hosts and URLs): the best come
first, except for a share of turns that goes to those who waited longest."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from sqlalchemy import Connection, Row

from newsspider.store.engine.statement import Statement, rows_among, statement_among
from newsspider.store.ledger.queues import AGED

# Of the pages of a host that are longest overdue, the best priority goes first, except for one turn in some; among
# articles of equal priority the one that most lists show.
REVISITS_COMPARED = 32

# The queues that seem ready, best priority first, each with its host and the page whose turn it is. The plus keeps the
# planner on ix_urls_waiting, which has the rows in this order.
_READY = f"""
    SELECT q.host, q.site, q.queue, q.due_at, h.next_at, h.paused_until, h.busy_key, h.latency, h.failures,
           h.robots_status, h.robots_fetched_at, h.address, h.wrong_304_at,
           a.address AS shared, a.next_at AS address_next_at, a.busy_key AS address_busy,
           CASE WHEN q.queue = 0 THEN
               (SELECT key FROM urls u WHERE u.host = q.host AND u.site = q.site AND u.queue = 0 AND +u.due_at <= :now
                ORDER BY u.priority DESC, u.due_at, u.found_at LIMIT 1)
           ELSE
               (SELECT key FROM
                    (SELECT u.key, u.priority, u.due_at,
                            CASE WHEN u.queue = {AGED} THEN
                                (SELECT count(*) FROM list_links l WHERE l.dst = u.key AND NOT l.nofollow)
                            ELSE 0 END AS indegree
                     FROM urls u
                     WHERE u.host = q.host AND u.site = q.site AND u.queue = q.queue AND u.due_at <= :revisit_before
                     ORDER BY u.due_at LIMIT {REVISITS_COMPARED}) overdue
                ORDER BY CASE WHEN :oldest = 1 THEN 0 ELSE priority END DESC,
                         CASE WHEN :oldest = 1 THEN 0 ELSE indegree END DESC, due_at LIMIT 1)
           END AS best
    FROM (SELECT host, site, queue, top_priority, due_at FROM queues
          WHERE host_ready_at <= :now AND due_at <= CASE WHEN queue = 0 THEN :now ELSE :revisit_before END {{only}}
          ORDER BY {{order}} LIMIT :count) q
    JOIN hosts h ON h.host = q.host LEFT JOIN addresses a ON a.address = h.address
    ORDER BY q.top_priority DESC, q.due_at
"""
# On PostgreSQL a claim locks the rows of the hosts that it looks at and skips those that others hold. Nobody leases a
# page without the row of its host, so the pages that the next statement sees may be leased.
_LOCK_READY = """
    SELECT h.host FROM queues q JOIN hosts h ON h.host = q.host
    WHERE q.host_ready_at <= :now AND q.due_at <= CASE WHEN q.queue = 0 THEN :now ELSE :revisit_before END {only}
    ORDER BY {order} LIMIT :count [FOR UPDATE OF h SKIP LOCKED]
"""
# Articles that are visited again have what is left: they wait behind all lists and new articles, however long.
BEST, WAITED = (
    "{q}top_priority DESC, {q}due_at",
    f"CASE WHEN {{q}}queue = {AGED} THEN 1 ELSE 0 END, {{q}}due_at, {{q}}top_priority DESC",
)
_OWNED = "(SELECT 1 FROM assigned_hosts a WHERE a.scope = :scope AND a.host = {t}.host AND a.worker {of} :worker)"
# Of which hosts: all; those of a worker; not those of other workers, unless these left them waiting.
ALL, OWN, NOT_OTHERS = "all", "own", "not others"
_OF = {
    ALL: "",
    OWN: f" AND EXISTS {_OWNED.replace('{of}', '=')}",
    NOT_OTHERS: " AND (({t}.host_ready_at <= :overdue AND {t}.due_at <= :overdue)"
    f" OR NOT EXISTS {_OWNED.replace('{of}', '<>')})",
}
_SITES, _HOSTS = "AND {t}.site IN ({{keys}})", "AND host IN ({keys})"

WAITED_SHARE = 8  # one turn in eight goes to the one that waited longest, so that the lowest priority never starves


def _each(sql: str, more: str, t: str) -> dict[tuple[str, str], str]:
    """The query in each order and of each kind of hosts; ``t`` is the table of the queues."""
    return {
        (order, kind): sql.format(only=(more + only).format(t=t), order=order.format(q=f"{t}."))
        for order in (BEST, WAITED)
        for kind, only in _OF.items()
    }


_READY_OF_ALL = {case: Statement(sql) for case, sql in _each(_READY, "", "queues").items()}
_READY_OF_SITES = _each(_READY, _SITES, "queues")
_READY_OF_HOSTS = _READY.format(only=_HOSTS, order=BEST.format(q="queues."))
_LOCK_READY_OF_ALL = {case: Statement(sql) for case, sql in _each(_LOCK_READY, "", "q").items()}
_LOCK_READY_OF_SITES = _each(_LOCK_READY, _SITES, "q")
_OWN_HOSTS = "SELECT host FROM assigned_hosts WHERE scope = :scope AND worker = :worker AND host IN ({keys})"
_LOCK_HOSTS = "SELECT host FROM hosts WHERE host IN ({keys}) [FOR UPDATE SKIP LOCKED]"
# Of the hosts at one address, the one that was not asked for the longest time has its turn.
_NEIGHBOUR = Statement(
    """
    SELECT h.host FROM hosts h
    WHERE h.address = :address AND h.busy_key IS NULL AND h.next_at <= :now AND h.paused_until <= :now AND EXISTS
        (SELECT 1 FROM queues q WHERE q.host = h.host AND q.host_ready_at <= :now
         AND q.due_at <= CASE WHEN q.queue = 0 THEN :now ELSE :revisit_before END)
    ORDER BY COALESCE(h.last_visit_at, 0), h.host LIMIT 1
    """
)

_Statements = dict[tuple[str, str], Statement]
_Texts = dict[tuple[str, str], str]


class Whose(NamedTuple):
    """Which hosts a worker may claim from."""

    kind: str = ALL  # or OWN, or NOT_OTHERS
    worker: str = ""
    scope: str = ""  # as in the table assigned_hosts
    overdue: float = 0.0  # with NOT_OTHERS: a host that may be asked since this moment may be claimed from by anyone


class Ready:
    """The queues that are ready at one moment, of these sites and hosts if given. Each is drawn once.

    The front queues of Mercator (Heydon and Najork 1999), drawn by chance with a bias: where more hosts are ready than
    are wanted, one in :data:`~newsspider.frontier.claim_order.WAITED_SHARE` is the one that waited longest, the others
    are those of the best priority; and of several queues of one host, the one that waited longest has one turn in so
    many, as has the known page that is longest overdue among those of a queue.
    """

    __slots__ = ("hosts", "looked", "moments", "random_number", "sites", "whose")

    def __init__(
        self,
        now: float,
        revisit_before: float,
        random_number: float,
        sites: list[str] | None = None,
        hosts: Sequence[str] | None = None,
        whose: Whose = Whose(),  # noqa: B008 -- it cannot be changed
    ) -> None:
        # whether a turn among known pages goes to the one longest overdue: one in WAITED_SHARE, independent of the
        # hosts that `patient` draws with the same number
        is_oldest = random_number * WAITED_SHARE**2 % WAITED_SHARE >= WAITED_SHARE - 1
        self.moments = {"now": now, "revisit_before": revisit_before, "oldest": int(is_oldest)}
        self.random_number = random_number
        self.sites = sites
        self.hosts = hosts
        self.whose = whose
        self.looked: set[Any] = set()  # (host, site, queue)

    def may_have(self, conn: Connection, host: str) -> bool:
        """Whether a host is one of the worker's, if only these are wanted."""
        return self.whose.kind != OWN or bool(self._own(conn, [host]))

    def draw(self, conn: Connection, n: int, order: str) -> Sequence[Row[Any]]:
        """At most the next ``n`` queues, each with its host and its best page, those of shared addresses behind that of
        the neighbour whose turn it is; none after all were drawn."""
        rows = self._found(conn, n, order, self.hosts)
        fresh = [row for row in rows if tuple(row[:3]) not in self.looked]
        self.looked.update(tuple(row[:3]) for row in fresh)
        aged = [row for row in fresh if row.queue == AGED]
        others = patient([row for row in fresh if row.queue != AGED], self.random_number)
        ordered = [*others, *aged]
        for address in dict.fromkeys(row.shared for row in ordered if row.shared is not None):
            host = _NEIGHBOUR.run(conn, {"address": address, **self.moments}).scalar()
            if host is not None and all(row.host != host for row in ordered):
                ordered = [*self._found(conn, 1, BEST, [host]), *ordered]
            ordered.sort(key=lambda row: row.shared == address and row.host != host)
        return ordered[: len(fresh)]

    def _found(self, conn: Connection, count: int, order: str, hosts: Sequence[str] | None) -> Sequence[Row[Any]]:
        values = {**self.moments, **self.whose._asdict(), "count": count}
        if hosts is not None and self.whose.kind == OWN:
            hosts = self._own(conn, hosts)
        if conn.dialect.name == "postgresql":
            hosts = self._locked(conn, values, order, hosts)
        if hosts is not None:
            watched = None if self.sites is None else set(self.sites)
            values["count"] = 16 * len(hosts)
            rows = rows_among(conn, _READY_OF_HOSTS, hosts, values)
            return [row for row in rows if watched is None or row.site in watched]
        return self._of_sites(conn, _READY_OF_ALL, _READY_OF_SITES, order, values)

    def _locked(
        self, conn: Connection, values: dict[str, Any], order: str, hosts: Sequence[str] | None
    ) -> Sequence[str]:
        """The hosts of the queues that seem ready, or these hosts, without those that another claim has locked."""
        if hosts is not None:
            rows: Sequence[Row[Any]] = rows_among(conn, _LOCK_HOSTS, hosts)
        else:
            rows = self._of_sites(conn, _LOCK_READY_OF_ALL, _LOCK_READY_OF_SITES, order, values)
        return list(dict.fromkeys(row.host for row in rows))

    def _of_sites(
        self, conn: Connection, of_all: _Statements, of_sites: _Texts, order: str, values: dict[str, Any]
    ) -> Sequence[Row[Any]]:
        case = order, self.whose.kind
        if self.sites is None:
            return of_all[case].run(conn, values)
        if not self.sites:
            return []
        statement, names = statement_among(of_sites[case], self.sites)
        return statement.run(conn, values | names)

    def _own(self, conn: Connection, hosts: Sequence[str]) -> Sequence[str]:
        return [row.host for row in rows_among(conn, _OWN_HOSTS, hosts, self.whose._asdict())]


class _Queue(Protocol):
    """A queue of one host that has a page which may be fetched since ``due_at``."""

    @property
    def host(self) -> str:
        """The host; it may have several queues."""

    @property
    def due_at(self) -> float:
        """Since when its first page waits."""


Q = TypeVar("Q", bound=_Queue)


def waited_turns(n: int, random_number: float) -> int:
    """How many of ``n`` turns go to those who waited longest; ``random_number`` (0 to below 1) decides on the rest of
    the share.

    >>> waited_turns(16, 0.0), waited_turns(4, 0.4), waited_turns(4, 0.5)
    (2, 0, 1)
    """
    return int(n / WAITED_SHARE + random_number)


def patient(queues: Sequence[Q], random_number: float) -> Sequence[Q]:
    """The queues in their order, except that for one host in :data:`WAITED_SHARE` the queue that waited longest comes
    before its others. ``random_number`` (0 to below 1) and the host's name decide which hosts; over all numbers, each
    host has its share."""
    queues_of = Counter(queue.host for queue in queues)
    drawn = {host for host, count in queues_of.items() if count > 1 and _drawn(host, random_number)}
    if not drawn:
        return queues
    longest = {
        host: min((queue.due_at, n) for n, queue in enumerate(queues) if queue.host == host)[1] for host in drawn
    }
    return sorted(queues, key=lambda queue: queue.host in drawn and queue is not queues[longest[queue.host]])


def _drawn(host: str, random_number: float) -> bool:
    return (random_number + zlib.crc32(host.encode()) / 2**32) % 1 < 1 / WAITED_SHARE
