"""A cache in the writer's process: what it remembers of the store, so that it asks the tables less often; never more
than they say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from newsspider.store.engine.postgresql import turn
from newsspider.store.engine.statement import Statement

if TYPE_CHECKING:
    from newsspider.store.cache.fleet_keys import SharedKeys

RECENT_KEYS = 100_000  # about 10 MB
RECENT_HOSTS = 20_000
RECENT_LINKS = 20_000
_PLACE = "newsspider_memory"
_FORGETS = "SELECT COALESCE(max(total), 0) AS deletions FROM url_deletions"
_FORGOTTEN = Statement(_FORGETS)
_VERSION = Statement("PRAGMA data_version")
_TURN = {alone: Statement(f"SELECT {turn(alone=alone)}, ({_FORGETS}) AS deletions") for alone in (False, True)}


class RecentKeys:
    """A bounded exact set of keys (or names of hosts) that are in the ledger: at least the latest ``capacity / 2`` of
    them.

    Keys met in a transaction count only after its commit.
    """

    def __init__(self, capacity: int = RECENT_KEYS) -> None:
        self._half = max(1, capacity // 2)
        self._young: set[int | str] = set()
        self._old: set[int | str] = set()
        self._met: list[int | str] = []

    def __contains__(self, key: int | str) -> bool:
        return key in self._young or key in self._old

    def __len__(self) -> int:
        return len(self._young) + len(self._old - self._young)

    def meet(self, keys: Iterable[int | str]) -> None:
        """Note keys that are in the ledger, or will be if the transaction is committed."""
        self._met.extend(keys)

    def committed(self) -> None:
        """Believe what was met."""
        for key in self._met:
            self._young.add(key)
            if len(self._young) >= self._half:
                self._young, self._old = set(), self._young
        self._met.clear()

    def rolled_back(self) -> None:
        """Disbelieve what was met."""
        self._met.clear()

    def forget(self, keys: Collection[int | str]) -> None:
        """Forget these, whatever becomes of the transaction."""
        self._young.difference_update(keys)
        self._old.difference_update(keys)

    def clear(self) -> None:
        """Forget all: a URL may have left the ledger."""
        self._young.clear()
        self._old.clear()


class RecentNumbers:
    """The numbers of at least the latest ``capacity / 2`` different links, by their hashes; those met in a transaction
    count only after its commit."""

    def __init__(self, capacity: int = RECENT_LINKS) -> None:
        self._half = max(1, capacity // 2)
        self._young: dict[int, int] = {}
        self._old: dict[int, int] = {}
        self._met: dict[int, int] = {}

    def of(self, forms: Iterable[int]) -> dict[int, int]:
        """The numbers of those that are remembered."""
        young, old = self._young.get, self._old.get
        return {form: number for form in forms if (number := young(form) or old(form))}

    def meet(self, numbers: Mapping[int, int]) -> None:
        """Note numbers that are stored, or will be if the transaction is committed."""
        self._met.update(numbers)

    def committed(self) -> None:
        """Believe what was met."""
        self._young.update(self._met)
        self._met.clear()
        if len(self._young) >= self._half:
            self._young, self._old = {}, self._young

    def rolled_back(self) -> None:
        """Disbelieve what was met."""
        self._met.clear()

    def clear(self) -> None:
        """Forget all: a link may have left the store."""
        self._young.clear()
        self._old.clear()


class Memory:
    """The recent keys, attached to the connection of the one writer; of a fleet, the keys shared by all."""

    def __init__(self) -> None:
        self.recent = RecentKeys()  # memory: keys of URLs known to the ledger: RECENT_KEYS, 100 bytes each
        self.hosts = RecentKeys(RECENT_HOSTS)  # memory: hosts, which never leave the ledger: RECENT_HOSTS
        # memory healthy: patterns that one more good page does not change, while nobody else writes: RECENT_HOSTS
        self.healthy = RecentKeys(RECENT_HOSTS)
        self.links = RecentNumbers()  # memory: numbers of different links: RECENT_LINKS, 200 bytes each
        self.shared: SharedKeys | None = None
        self._version: object = None
        self._forgets = 0
        self._to_share: list[int] = []

    @staticmethod
    def of(conn: Connection) -> Memory | None:
        """The memory that belongs to a connection, if it is the writer's."""
        found = conn.info.get(_PLACE)
        return found if isinstance(found, Memory) else None

    def attach(self, conn: Connection) -> None:
        """Serve this connection from now on."""
        conn.info[_PLACE] = self
        self._version = None

    def detach(self, conn: Connection) -> None:
        """Serve it no longer: it goes back to the pool."""
        conn.info.pop(_PLACE, None)

    def begin(self, conn: Connection, *, alone: bool = False) -> str | None:
        """At the start of a transaction: take the turn as :func:`~newsspider.store.engine.postgresql.take_turn` does,
        and return its number; forget the keys if one of them may have left the ledger since the last transaction.

        A file of SQLite tells whether anybody else wrote. On a server others write all the time, but only a URL that is
        forgotten leaves the ledger, and a link that no page has any more the store; each such transaction counts itself
        in ``url_deletions``. A remembered key was seen
        by a statement of a transaction of ours that had read that number before. If its URL was forgotten after that
        statement, the number read was an earlier one than that of the forgetting; so once the forgetting is committed,
        the next transaction reads another number and believes nothing any more. What is committed while a transaction
        runs counts as if it came after it.
        """
        self._to_share.clear()
        number: str | None = None
        if conn.dialect.name == "postgresql":
            turn = _TURN[alone].run(conn, {}).one()
            number, version = turn.number, turn.deletions
            self._forgets = turn.deletions
            self.healthy.clear()
        else:
            version = _VERSION.run(conn, {}).scalar()
            if self.shared is not None:
                self._forgets = _FORGOTTEN.run(conn, {}).scalar()
        if version != self._version:
            self.recent.clear()
            self.healthy.clear()
            self.links.clear()
            self._version = version
        return number

    def told(self, keys: Collection[int]) -> set[int]:
        """Those of the keys that others saw in the ledger."""
        return self.shared.known(keys, self._forgets) if self.shared is not None else set()

    def distrust(self) -> None:
        """What others told was wrong, so it was told of another ledger."""
        if self.shared is not None:
            self.shared.wipe(self._forgets)

    def share(self, keys: Iterable[int]) -> None:
        """Have others know these keys, once the transaction is committed."""
        if self.shared is not None:
            self._to_share.extend(keys)

    def forget(self, keys: Collection[int]) -> None:
        """Know these keys no longer, though they stay in the ledger: what is offered under them may be wanted again."""
        self.recent.forget(keys)
        if self.shared is not None and keys:
            self.shared.remove(keys, self._forgets)

    def committed(self) -> None:
        """Believe and share what was met."""
        self.recent.committed()
        self.hosts.committed()
        self.healthy.committed()
        self.links.committed()
        if self.shared is not None and self._to_share:
            self.shared.add(self._to_share, self._forgets)
            self._to_share.clear()

    def rolled_back(self) -> None:
        """Disbelieve what was met."""
        self.recent.rolled_back()
        self.hosts.rolled_back()
        self.healthy.rolled_back()
        self.links.rolled_back()
        self._to_share.clear()
