"""Which queues are ready to be claimed from, and in which order a claim looks at them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row

from newsspider.core.turns import patient, waited_turns
from newsspider.store.statement import Statement, among, rows_among

REVISITS_COMPARED = 32  # of the pages longest overdue on a host, the best priority goes first

# The queues that seem ready, best priority first, each with its host and the page whose turn it is. The plus keeps the
# planner on ix_urls_waiting, which has the rows in this order.
_READY = f"""
    SELECT q.host, q.site, q.queue, q.due_at, h.next_at, h.paused_until, h.busy_key, h.latency, h.failures, h.robots_status,
           h.robots_fetched_at, h.address, a.address AS shared, a.next_at AS address_next_at, a.busy_key AS address_busy,
           CASE WHEN q.queue = 0 THEN
               (SELECT key FROM urls u WHERE u.host = q.host AND u.site = q.site AND u.queue = 0 AND +u.due_at <= :now
                ORDER BY u.priority DESC, u.due_at, u.found_at LIMIT 1)
           ELSE
               (SELECT key FROM
                    (SELECT u.key, u.priority, u.due_at FROM urls u
                     WHERE u.host = q.host AND u.site = q.site AND u.queue = 1 AND u.due_at <= :revisit_before
                     ORDER BY u.due_at LIMIT {REVISITS_COMPARED}) overdue
                ORDER BY priority DESC, due_at LIMIT 1)
           END AS best
    FROM (SELECT host, site, queue, top, due_at FROM queues
          WHERE gate <= :now AND due_at <= CASE WHEN queue = 0 THEN :now ELSE :revisit_before END {{of_sites}}
          ORDER BY {{order}} LIMIT :count) q
    JOIN hosts h ON h.host = q.host LEFT JOIN addresses a ON a.address = h.address
    ORDER BY q.top DESC, q.due_at
"""
BEST, WAITED = "{q}top DESC, {q}due_at", "{q}due_at, {q}top DESC"
_READY_OF_ALL = {order: Statement(_READY.format(of_sites="", order=order.format(q=""))) for order in (BEST, WAITED)}
_READY_OF_SITES = {order: _READY.format(of_sites="AND site IN ({keys})", order=order.format(q="")) for order in (BEST, WAITED)}
_READY_OF_HOSTS = _READY.format(of_sites="AND host IN ({keys})", order=BEST.format(q=""))
# On PostgreSQL a claim locks the rows of the hosts that it looks at and passes over those that others hold. Nobody leases a
# page without the row of its host, so what the next statement sees of their pages is what may be leased.
_LOCK_READY = """
    SELECT h.host FROM queues q JOIN hosts h ON h.host = q.host
    WHERE q.gate <= :now AND q.due_at <= CASE WHEN q.queue = 0 THEN :now ELSE :revisit_before END {of_sites}
    ORDER BY {order} LIMIT :count [FOR UPDATE OF h SKIP LOCKED]
"""
_LOCK_READY_OF_ALL = {order: Statement(_LOCK_READY.format(of_sites="", order=order.format(q="q."))) for order in (BEST, WAITED)}
_LOCK_READY_OF_SITES = {
    order: _LOCK_READY.format(of_sites="AND q.site IN ({keys})", order=order.format(q="q.")) for order in (BEST, WAITED)
}
_LOCK_HOSTS = "SELECT host FROM hosts WHERE host IN ({keys}) [FOR UPDATE SKIP LOCKED]"
# Of the hosts at one address, the one that was not asked for the longest time has its turn.
_NEIGHBOUR = Statement(
    """
    SELECT h.host FROM hosts h
    WHERE h.address = :address AND h.busy_key IS NULL AND h.next_at <= :now AND h.paused_until <= :now AND EXISTS
        (SELECT 1 FROM queues q WHERE q.host = h.host AND q.gate <= :now
         AND q.due_at <= CASE WHEN q.queue = 0 THEN :now ELSE :revisit_before END)
    ORDER BY COALESCE(h.last_visit_at, 0), h.host LIMIT 1
    """
)


class Ready:
    """The queues that are ready at one moment, of these sites and hosts if given; each is drawn once.

    The front queues of Mercator (Heydon and Najork 1999), drawn by chance with a bias: where more hosts are ready than are
    wanted, one in :data:`~newsspider.core.turns.WAITED_SHARE` is the one that waited longest, the others are those of the best
    priority; and of several queues of one host, the one that waited longest has one turn in so many.
    """

    __slots__ = ("hosts", "looked", "luck", "moments", "sites")

    def __init__(
        self, now: float, revisit_before: float, luck: float, sites: list[str] | None = None, hosts: Sequence[str] | None = None
    ) -> None:
        self.moments = {"now": now, "revisit_before": revisit_before}
        self.luck = luck
        self.sites = sites
        self.hosts = hosts
        self.looked: set[Any] = set()  # (host, site, queue)

    def waited(self, n: int) -> int:
        """How many of ``n`` are to be drawn because they waited long; of given hosts none, for they were drawn before."""
        return waited_turns(n, self.luck) if self.hosts is None else 0

    def draw(self, conn: Connection, n: int, order: str) -> Sequence[Row[Any]]:
        """The next ``n`` queues at most, each with its host and its best page; none when all had their turn."""
        found = self._found(conn, n, order, self.hosts)
        fresh = [row for row in found if tuple(row[:3]) not in self.looked]
        self.looked.update(tuple(row[:3]) for row in fresh)
        return self._in_turn(conn, patient(fresh, self.luck))

    def _in_turn(self, conn: Connection, rows: Sequence[Row[Any]]) -> Sequence[Row[Any]]:
        """The rows, those of shared addresses behind the row of the neighbour whose turn it is."""
        found = list(rows)
        for address in dict.fromkeys(row.shared for row in rows if row.shared is not None):
            host = _NEIGHBOUR.run(conn, {"address": address, **self.moments}).scalar()
            if host is not None and all(row.host != host for row in found):
                found = [*self._found(conn, 1, BEST, [host]), *found]
            found.sort(key=lambda row: row.shared == address and row.host != host)
        return found[: len(rows)]

    def _found(self, conn: Connection, count: int, order: str, hosts: Sequence[str] | None) -> Sequence[Row[Any]]:
        values = {**self.moments, "count": count}
        if conn.dialect.name == "postgresql":
            hosts = self._locked(conn, values, order, hosts)
        if hosts is not None:
            watched = None if self.sites is None else set(self.sites)
            values["count"] = 16 * len(hosts)
            found = rows_among(conn, _READY_OF_HOSTS, hosts, values)
            return [row for row in found if watched is None or row.site in watched]
        if self.sites is None:
            return _READY_OF_ALL[order].run(conn, values).all()
        if not self.sites:
            return []
        statement, names = among(_READY_OF_SITES[order], self.sites)
        return statement.run(conn, values | names).all()

    def _locked(
        self, conn: Connection, values: dict[str, Any], order: str, hosts: Sequence[str] | None
    ) -> Sequence[str]:
        """The hosts of the queues that seem ready, or of these, which nobody else looks at now."""
        if hosts is not None:
            found = rows_among(conn, _LOCK_HOSTS, hosts)
        elif self.sites is None:
            found = _LOCK_READY_OF_ALL[order].run(conn, values)
        elif self.sites:
            statement, names = among(_LOCK_READY_OF_SITES[order], self.sites)
            found = statement.run(conn, values | names)
        else:
            found = []
        return list(dict.fromkeys(row.host for row in found))
