"""A Bloom filter over the bodies that are stored: most bodies are new, and it says so without asking the table.

A "yes" is confirmed in the table, and a wrong "no" (a body that another process stored meanwhile) meets the table's
unique column: the filter saves look-ups and never decides. It lies beside the SQLite file and is built anew from the
table if it is missing, damaged, full, or does not know every body.
"""

from __future__ import annotations

import hashlib
import io
import logging
import math
from pathlib import Path
from typing import Any

from pybloom_live import pybloom
from sqlalchemy import Connection, Engine, text

from newsspider.sites.atomic_files import write_whole

logger = logging.getLogger(__name__)

BloomFilter: Any = pybloom.BloomFilter  # it has no types

ERROR_RATE = 0.001
LEAST_CAPACITY = 100_000
MAGIC = b"newsspider bodies 1\n"
SUFFIX = ".bodies.bloom"


def bits_and_hashes(capacity: int, error_rate: float) -> tuple[int, int]:
    """The size m = -n ln p / (ln 2)^2 of a filter in bits, and its number of hash functions k = (m / n) ln 2.

    >>> bits_and_hashes(100_000, 0.001)
    (1437759, 10)
    """
    bits = -capacity * math.log(error_rate) / math.log(2) ** 2
    return math.ceil(bits), round(bits / capacity * math.log(2))


class BodyFilter:
    """Knows the MD5 of every stored body; loaded at the first question."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.rebuilt = 0  # how often it was built from the table
        self._filter: Any = None

    @classmethod
    def beside(cls, engine: Engine) -> BodyFilter:
        """The filter of a store: beside the file of SQLite, in memory only for a server."""
        file = engine.url.database if engine.dialect.name == "sqlite" else None
        return cls(Path(file + SUFFIX) if file else None)

    def may_hold(self, conn: Connection, body_md5: str) -> bool:
        """``False``: this body is new, unless another process stored it after the filter was loaded."""
        return bool(body_md5 in self._loaded(conn))

    def add(self, conn: Connection, body_md5: str) -> None:
        """Remember a body that is being stored; one of a transaction that fails is a "yes" too many, no harm."""
        bodies = self._loaded(conn)
        if bodies.count >= bodies.capacity:
            bodies = self._filter = self._built(conn)
        bodies.add(body_md5)

    def save(self, conn: Connection) -> None:
        """Write the filter and the number of bodies in the table; a file that cannot be written is no trouble."""
        if self.path is None or self._filter is None:
            return
        body = io.BytesIO()
        self._filter.tofile(body)
        payload = b"%d\n" % _bodies(conn) + body.getvalue()
        try:
            write_whole(self.path, MAGIC + hashlib.sha256(payload).digest() + payload)
        except OSError as error:
            logger.warning("the filter %s cannot be written: %s", self.path, error)

    def _loaded(self, conn: Connection) -> Any:
        if self._filter is None:
            self._filter = self._read(conn) or self._built(conn)
        return self._filter

    def _read(self, conn: Connection) -> Any:
        try:
            data = self.path.read_bytes() if self.path else b""
        except OSError:
            return None
        head = len(MAGIC) + hashlib.sha256().digest_size
        payload = data[head:]
        if data[: len(MAGIC)] != MAGIC or data[len(MAGIC) : head] != hashlib.sha256(payload).digest():
            return None
        known, _, body = payload.partition(b"\n")
        return BloomFilter.fromfile(io.BytesIO(body)) if int(known) == _bodies(conn) else None

    def _built(self, conn: Connection) -> Any:
        self.rebuilt += 1
        bodies = BloomFilter(max(LEAST_CAPACITY, 2 * _bodies(conn)), ERROR_RATE)
        for row in conn.execute(text("SELECT body_md5 FROM articles WHERE body_md5 IS NOT NULL")):
            bodies.add(row.body_md5, skip_check=True)
        return bodies


def _bodies(conn: Connection) -> int:
    return int(conn.execute(text("SELECT count(body_md5) FROM articles")).scalar_one())
