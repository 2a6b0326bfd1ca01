"""Reads a text as the set of its character n-grams, and sums what a table of small weights says of them.

A gram is read in its plain form (compatibility forms, case and traditional characters do not matter) and hashed into one
of 2^bits buckets; a table has one row of bytes a bucket. No gram is stored anywhere, so a table holds numbers only.

Speed: the rows of grams met before are kept as one integer each, its fields 32 bits apart, so that one ``sum`` in C adds all
columns of a text; a headline takes about 10 us, a body of 1,500 characters 150.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import add
from unicodedata import normalize
from zlib import crc32

from newsspider.core.script import simplified

Gram = str | int  # a piece of text, or a pair of UTF-16 units as one number

EDGE = "\n"  # stands before and behind a headline: how it begins and ends says much
MIDDLE = 128  # a byte of 128 is a weight of 0
FIELD_BYTES = 4  # of a sum: enough for 16 million grams
MOST_KNOWN = 100_000  # grams whose rows are kept at hand, about 20 MB


def headline_grams(text: str) -> set[str]:
    """The n-grams of 1 to 3 characters, blanks counted once, the edges included.

    >>> sorted(headline_grams("高考 "))
    ['\\n', '\\n高', '\\n高考', '考', '考\\n', '高', '高考', '高考\\n']
    """
    whole = f"{EDGE}{' '.join(text.split())}{EDGE}"
    pairs = list(map(add, whole, whole[1:]))
    return {*whole, *pairs, *map(add, pairs, whole[2:])}


def body_grams(text: str) -> set[int]:
    """The pairs of neighbouring characters as numbers, blanks counted once (the cheapest that Python can do for a long text).

    >>> sorted(letters(pair) for pair in body_grams("今年高考"))
    ['今年', '年高', '高考']
    """
    units = " ".join(text.split()).encode("utf-16-le", "surrogatepass")
    pairs = array("I", units[: len(units) & ~3])
    pairs.frombytes(units[2 : 2 + ((len(units) - 2) & ~3)])
    return set(pairs)


def letters(gram: Gram) -> str:
    """The characters of a gram."""
    return gram if isinstance(gram, str) else gram.to_bytes(4, "little").decode("utf-16-le", "replace")


def bucket(gram: Gram, bits: int) -> int:
    """The bucket, from 0 to 2^bits - 1, of a gram's plain form.

    >>> bucket("ＧＲＥ", 16) == bucket("gre", 16)
    True
    """
    plain = simplified(normalize("NFKC", letters(gram))).lower()
    return crc32(plain.encode("utf-8", "replace")) & ((1 << bits) - 1)


class _Known(dict[Gram, int]):
    """The rows met before, each as one integer."""

    def __init__(self, rows: bytes, columns: int, bits: int) -> None:
        super().__init__()
        self.rows, self.columns, self.bits = rows, columns, bits

    def __missing__(self, gram: Gram) -> int:
        if len(self) >= MOST_KNOWN:
            self.clear()
        at = bucket(gram, self.bits) * self.columns
        wide = bytearray(FIELD_BYTES * self.columns)
        wide[::FIELD_BYTES] = self.rows[at : at + self.columns]
        self[gram] = row = int.from_bytes(wide, "little")
        return row


@dataclass(frozen=True, slots=True)
class Table:
    """2^bits rows of ``columns`` bytes."""

    rows: bytes = field(repr=False)
    columns: int
    bits: int
    known: _Known = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.rows) != self.columns << self.bits:
            raise ValueError(f"{len(self.rows)} bytes are not {self.columns} columns of 2^{self.bits} rows")
        object.__setattr__(self, "known", _Known(self.rows, self.columns, self.bits))

    def cell(self, gram: Gram, column: int) -> int:
        """The byte of one gram in one column."""
        return self.known[gram] >> (8 * FIELD_BYTES * column) & 0xFF

    def sums(self, grams: Iterable[Gram]) -> list[int]:
        """The sum of each column over the grams."""
        total = sum(map(self.known.__getitem__, grams))
        return list(memoryview(total.to_bytes(FIELD_BYTES * self.columns, "little")).cast("I"))
