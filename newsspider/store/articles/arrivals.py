"""Tells which articles were stored since a position, in the order of their numbers.

On PostgreSQL a writer may commit an article after another one has committed a higher number. A position therefore names
the numbers below its last one that were not there yet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlalchemy import Connection, func, or_, select

from newsspider.store.tables import articles

MOST_GAPS = 100  # the highest ones: a writer takes 64 numbers at once; others are of transactions that were undone

_WRITTEN = re.compile(rf"\d{{1,18}}(?:-\d{{1,18}}){{0,{MOST_GAPS}}}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Position:
    """The highest number that was there, and lower ones that were not.

    >>> str(Position(9, (7,)).behind(12)), str(Position(9, (7,)).behind(7)), str(Position(9).behind(12, gaps=False))
    ('12-7-10-11', '9', '12')
    """

    last: int
    gaps: tuple[int, ...] = ()

    def behind(self, number: int, *, gaps: bool = True) -> Position:
        """The position behind one more article; numbers that it leaves out are ``gaps`` where they may still come."""
        if number <= self.last:
            return Position(self.last, tuple(gap for gap in self.gaps if gap != number))
        missing = range(max(self.last + 1, number - MOST_GAPS), number) if gaps else ()
        return Position(number, (*self.gaps, *missing)[-MOST_GAPS:])

    def __str__(self) -> str:
        return "-".join(map(str, (self.last, *self.gaps)))


def position_of(written: str) -> Position | None:
    """The position that was written so; ``None`` if none was.

    >>> position_of("12-7-10-11"), position_of("x")
    (Position(last=12, gaps=(7, 10, 11)), None)
    """
    if not _WRITTEN.fullmatch(written):
        return None
    last, *gaps = map(int, written.split("-"))
    return Position(last, tuple(gaps))


def latest(conn: Connection) -> Position:
    """The position behind every article that is there now."""
    last = conn.execute(select(func.coalesce(func.max(articles.c.id), 0))).scalar_one()
    if conn.dialect.name != "postgresql":
        return Position(last)
    first = max(last - MOST_GAPS, 1)
    there = set(conn.execute(select(articles.c.id).where(articles.c.id >= first)).scalars())
    return Position(last, tuple(number for number in range(first, last) if number not in there))


def arrived(conn: Connection, position: Position, count: int) -> list[int]:
    """The numbers of the next so many articles that are there behind the position."""
    new = or_(articles.c.id > position.last, articles.c.id.in_(position.gaps))
    return list(conn.execute(select(articles.c.id).where(new).order_by(articles.c.id).limit(count)).scalars())
