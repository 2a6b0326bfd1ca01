"""Hashes the character n-grams of a text, and sums their weights from a table.

A character is read in its plain form (compatibility forms, case and traditional characters do not matter). A gram is
hashed by a linear form over its characters, modulo 2^32, into one of 2^bits buckets, its upper bits; a table has one
row of bytes a bucket. No gram is stored anywhere, so a table holds numbers only.

Speed: all grams of a text are hashed and summed at once, by some ten calls of numpy, whether they were met before or
not; of a headline these calls are what it costs, so each is the cheapest of its kind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from newsspider.core.text.characters import to_simplified

Buckets = NDArray[np.intp]
Hashes = NDArray[np.uint32]

EDGE = "\n"  # stands before and behind a headline: how it begins and ends says much
ZERO_BYTE = 128  # a byte of 128 is a weight of 0
# of the first, second and third character of a gram
KEYS = np.array([[0x9E3779B1], [0x85EBCA77], [0xC2B2AE3D]], np.uint32)
HASH_BITS = 32
SHIFTS = [np.uint32(HASH_BITS - bits) for bits in range(HASH_BITS)]  # of a hash, to its upper bits
CODE_UNITS = 1 << 16  # a character beyond the basic plane is two units of UTF-16, each read as a character
UNIT = np.dtype("<u2")
FEW_NUMBERS = 1 << 13  # that a product with ones sums faster than a reduction; of more, BLAS would start threads
SINGLE = np.dtype(np.float32)  # holds every sum of so few bytes exactly
ONES = np.ones(FEW_NUMBERS, SINGLE)
BEHIND_BUCKETS = np.uint32(0xFFFFFFFF)  # greater than every bucket
GAP = "\0"
FORMS = (range(1, 0x3400), range(0xF900, CODE_UNITS))  # where there are letters in two cases, and compatibility forms


def headline_buckets(text: str, bits: int) -> Buckets:
    """The buckets of the n-grams of 1 to 3 characters, blanks counted once, the edges included; each bucket once, the
    lowest first.

    >>> len(headline_buckets("高考 ", 16))  # the edge, 高 and 考; three pairs; two triples
    8
    """
    return _distinct(_headline_hashes(text), bits)


def buckets_in_order(text: str, bits: int) -> Buckets:
    """The same of all single characters, then of the pairs, then of the triples, each in the order of the text."""
    return (_headline_hashes(text)[:-1] >> SHIFTS[bits]).astype(np.intp)


def _headline_hashes(text: str) -> Hashes:
    """Those of all grams, and one place more."""
    parts = _parts().take(_units(f"{EDGE}{' '.join(text.split())}{EDGE}"), 1)
    first = parts[0]
    count = len(first)
    hashes = np.empty(3 * count - 2, np.uint32)
    hashes[:count] = first
    pairs = np.add(first[:-1], parts[1, 1:], hashes[count : 2 * count - 1])
    np.add(pairs[:-1], parts[2, 2:], hashes[2 * count - 1 : -1])
    return hashes


def body_buckets(text: str, bits: int) -> Buckets:
    """The buckets of the single characters and the pairs, blanks counted once; each bucket once, the lowest first.

    >>> len(body_buckets("高考高考", 16))  # 高, 考, 高考, 考高
    4
    """
    units = _units(" ".join(text.split()))
    count = len(units)
    if not count:
        return np.empty(0, np.intp)
    parts = _parts()[:2].take(units, axis=1)
    hashes = np.empty(2 * count, np.uint32)
    hashes[:count] = parts[0]
    np.add(parts[0, :-1], parts[1, 1:], hashes[count:-1])
    return _distinct(hashes, bits)


def _distinct(hashes: Hashes, bits: int) -> Buckets:
    """Each bucket once, the lowest first. Overwrites the hashes, whose last place is unused; there is at least one."""
    hashes >>= SHIFTS[bits]
    hashes[-1] = BEHIND_BUCKETS
    hashes.sort()
    all_of_them = hashes[:-1]
    results: Hashes = all_of_them[all_of_them != hashes[1:]]
    return results.astype(np.intp)


def _units(text: str) -> NDArray[np.uint16]:
    return np.frombuffer(text.encode("utf-16-le", "surrogatepass"), UNIT)


@cache
def _parts() -> Hashes:
    """What each unit adds to a hash as the first, second and third character of a gram."""
    return KEYS * _plain()


def _plain() -> NDArray[np.uint32]:
    """For every unit the character that is its plain form: itself, where that form is none or more than one."""
    plain = [chr(code) for code in range(CODE_UNITS)]
    odd = [unit for block in FORMS for unit in plain[block.start : block.stop]]
    # apart: none sees its neighbour
    for unit, form in zip(odd, normalize("NFKC", GAP.join(odd)).lower().split(GAP), strict=True):
        if len(form) == 1:
            plain[ord(unit)] = form
    return np.frombuffer(to_simplified("".join(plain)).encode("utf-32-le", "surrogatepass"), "<u4")


@dataclass(frozen=True, slots=True)
class Table:
    """2^bits rows of ``columns`` bytes."""

    rows: bytes = field(repr=False)
    columns: int
    bits: int
    _grid: NDArray[np.uint8] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.rows) != self.columns << self.bits:
            raise ValueError(f"{len(self.rows)} bytes are not {self.columns} columns of 2^{self.bits} rows")
        object.__setattr__(self, "_grid", np.frombuffer(self.rows, np.uint8).reshape(-1, self.columns))

    def cells(self, buckets: Buckets, column: int) -> NDArray[np.uint8]:
        """The byte of each bucket in one column."""
        cells: NDArray[np.uint8] = self._grid[buckets, column]
        return cells

    def sums(self, buckets: Buckets) -> list[float]:
        """The sum of each column over the buckets, exactly."""
        rows = self._grid.take(buckets, 0)
        if rows.size <= FEW_NUMBERS:
            sums: list[float] = ONES[: len(rows)].dot(rows.astype(SINGLE)).tolist()
        else:
            sums = np.add.reduce(rows, axis=0, dtype=np.float64).tolist()
        return sums
