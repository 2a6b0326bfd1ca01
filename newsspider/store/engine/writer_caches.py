"""Caches of the writer's process: what it knows of the store, so that it queries the tables less often."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Generic, TypeVar

from sqlalchemy import Connection

from newsspider.store.engine.postgresql import turn_columns
from newsspider.store.engine.statement import Statement

if TYPE_CHECKING:
    from newsspider.core.crawling.visit import Lease, Offer

RECENT_KEYS = 100_000  # about 10 MB
RECENT_HOSTS = 20_000
RECENT_LINKS = 20_000
Key = TypeVar("Key")
Number = TypeVar("Number")
_INFO_KEY = "newsspider_memory"
_FORGETS = "SELECT COALESCE(max(total), 0) AS deletions FROM url_deletions"
_VERSION = Statement("PRAGMA data_version")
_TURN = {alone: Statement(f"SELECT {turn_columns(alone=alone)}, ({_FORGETS}) AS deletions") for alone in (False, True)}


def mark_of(page: Offer | Lease) -> int:
    """What stands for a URL among the recent keys; URLs that share a key differ in it."""
    return hash((page.key, page.url))


class RecentKeys(Generic[Key, Number]):
    """A bounded memory of keys (or marks of URLs, names of hosts, links) that are in the store, and of the number of
    each, if it has one: at least the latest ``capacity / 2``.

    What is added in a transaction counts only after its commit.
    """

    def __init__(self, capacity: int = RECENT_KEYS) -> None:
        self._half = max(1, capacity // 2)
        self._young: dict[Key, Number] = {}
        self._old: dict[Key, Number] = {}
        self._pending: dict[Key, Number] = {}

    def __contains__(self, key: Key) -> bool:
        return key in self._young or key in self._old

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())

    def of(self, keys: Iterable[Key]) -> dict[Key, Number]:
        """The known numbers of these keys."""
        young, old = self._young.get, self._old.get
        return {key: number for key in keys if (number := young(key) or old(key))}

    def add(self, numbers: Mapping[Key, Number]) -> None:
        """Add keys that are in the store, or will be if the transaction is committed."""
        self._pending.update(numbers)

    def committed(self) -> None:
        """Count what was added as known."""
        for key, number in self._pending.items():
            self._young[key] = number
            if len(self._young) >= self._half:
                self._young, self._old = {}, self._young
        self._pending.clear()

    def rolled_back(self) -> None:
        """Discard what was added."""
        self._pending.clear()

    def forget(self, keys: Iterable[Key]) -> None:
        """Forget these keys, even if the transaction is rolled back."""
        for key in keys:
            self._young.pop(key, None)
            self._old.pop(key, None)

    def clear(self) -> None:
        """Forget all keys: one may have left the store."""
        self._young.clear()
        self._old.clear()


class Memory:
    """The caches of the one writer, attached to its connection."""

    def __init__(self) -> None:
        self.recent = RecentKeys[int, None]()  # memory: marks of URLs known to the ledger: RECENT_KEYS, 100 bytes each
        self.hosts = RecentKeys[str, None](RECENT_HOSTS)  # memory: hosts, which never leave the ledger: RECENT_HOSTS
        # memory links: numbers of different links: RECENT_LINKS, 260 bytes each
        self.links = RecentKeys[tuple[int, int], int](RECENT_LINKS)
        self._version: object = None

    @staticmethod
    def of(conn: Connection) -> Memory | None:
        """The memory attached to a connection; ``None`` if it is not the writer's."""
        memory: Memory | None = conn.info.get(_INFO_KEY)
        return memory

    def attach(self, conn: Connection) -> None:
        """Attach the memory to this connection."""
        conn.info[_INFO_KEY] = self
        self._version = None

    def detach(self, conn: Connection) -> None:
        """Detach the memory from a connection that goes back to the pool."""
        conn.info.pop(_INFO_KEY, None)

    def begin(self, conn: Connection, *, alone: bool = False) -> str | None:
        """Begin a transaction as :func:`~newsspider.store.engine.postgresql.take_turn` does, and return its number.
        Clear the caches if a key may have left the ledger since the last transaction.

        SQLite tells whether anybody else wrote to the file. On a server others write all the time, but only a forgotten
        URL leaves the ledger, and only a pruned link the store; each such transaction counts itself in
        ``url_deletions``. A cached key was seen by a statement of a transaction of ours that had read that count
        before. If its URL is forgotten after that statement, the deletion has a higher count; so once the deletion is
        committed, the next transaction reads another count and clears the caches. What others commit while a
        transaction runs counts as if it came after it.
        """
        number: str | None = None
        if conn.dialect.name == "postgresql":
            turn = _TURN[alone].run(conn, {}).one()
            number, version = turn.number, turn.deletions
        else:
            version = _VERSION.run(conn, {}).scalar()
        if version != self._version:
            self.recent.clear()
            self.links.clear()
            self._version = version
        return number

    def forget(self, leases: Collection[Lease]) -> None:
        """Forget these URLs, though they stay in the ledger: a new offer may let them wait again."""
        self.recent.forget(list(map(mark_of, leases)))

    def committed(self) -> None:
        """Count what was added as known."""
        for cache in (self.recent, self.hosts, self.links):
            cache.committed()

    def rolled_back(self) -> None:
        """Discard what was added."""
        for cache in (self.recent, self.hosts, self.links):
            cache.rolled_back()
