"""Chooses fingerprints of a text such that no long enough run of letters can be shared without sharing one of them.

Winnowing (Schleimer, Wilkerson, Aiken: Winnowing, SIGMOD 2003): every k-gram is hashed, and of every window of w hashes
in a row the least is kept. Two texts with a common run of ``w + k - 1`` letters have a whole window in common, and so
its least hash; no run shorter than k is ever noticed. Of random hashes a share of 2 / (w + 1) is kept.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, and its bits are mixed: 2^64 over the golden ratio
MIX = np.uint64(0xD6E8FEB86659FD93)  # the same, to spread a hash over its upper half
HALF = np.uint64(32)


def fingerprints(letters: str, k: int, w: int) -> tuple[int, ...]:
    """Return the fingerprints of a text: distinct signed 32-bit numbers, rising, the same on every machine.

    A text of less than ``w + k - 1`` letters is one window; one of less than ``k`` letters has no fingerprint.

    >>> fingerprints("教育部公布高考招生政策", 4, 4) == fingerprints("教育部公布高考招生政策", 4, 4)
    True
    >>> fingerprints("高考", 4, 4)
    ()
    """
    hashes = _hashes(letters, k)
    if not len(hashes):
        return ()
    least = _least(hashes, min(w, len(hashes)))
    changes = np.flatnonzero(least[1:] != least[:-1])  # the same k-gram is the least of many windows
    return tuple(sorted({int(least[-1]), *least[changes].tolist()}))


def _hashes(letters: str, k: int) -> NDArray[np.int32]:
    """A hash of every run of k letters, in their order."""
    codes = np.frombuffer(letters.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    count = max(len(codes) - k + 1, 0)
    found = codes[:count].copy()
    for place in range(1, k):  # a polynomial of the letters, modulo 2^64
        found *= BASE
        found += codes[place : place + count]
    found ^= found >> HALF
    found *= MIX
    return (found >> HALF).astype(np.uint32).view(np.int32)


def _least(hashes: NDArray[np.int32], w: int) -> NDArray[np.int32]:
    """The least of every ``w`` hashes in a row, by windows that double."""
    least, width = hashes, 1
    while 2 * width <= w:
        least = np.minimum(least[:-width], least[width:])
        width *= 2
    rest = w - width
    return np.minimum(least[:-rest], least[rest:]) if rest else least
