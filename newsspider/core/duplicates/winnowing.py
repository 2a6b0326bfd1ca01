"""Winnowing: chooses fingerprints of a text so that two texts with a long enough common run share at least one.

Source: Schleimer, Wilkerson and Aiken, "Winnowing" (SIGMOD 2003). Every k-gram is hashed, and the smallest hash of
each window of w consecutive hashes is kept. Two texts with a common run of ``w + k - 1`` letters share a window, and
therefore its smallest hash; runs shorter than k are never noticed. The expected density is 2 / (w + 1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, with well-mixed bits: 2^64 over the golden ratio
MIX = np.uint64(0xD6E8FEB86659FD93)  # the same, to mix a hash into its upper half
HALF = np.uint64(32)


def fingerprints(letters: str, k: int, w: int) -> tuple[int, ...]:
    """Return the fingerprints of a text: distinct signed 32-bit numbers, ascending, the same on every machine.

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
    changes = np.flatnonzero(least[1:] != least[:-1])  # the same k-gram is the minimum of many windows
    return tuple(sorted({int(least[-1]), *least[changes].tolist()}))


def _hashes(letters: str, k: int) -> NDArray[np.int32]:
    """A hash of every k-gram, in order."""
    codes = np.frombuffer(letters.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    count = max(len(codes) - k + 1, 0)
    hashes = codes[:count].copy()
    for place in range(1, k):  # a polynomial hash, modulo 2^64
        hashes *= BASE
        hashes += codes[place : place + count]
    hashes ^= hashes >> HALF
    hashes *= MIX
    return (hashes >> HALF).astype(np.uint32).view(np.int32)


def _least(hashes: NDArray[np.int32], w: int) -> NDArray[np.int32]:
    """The minimum of every ``w`` consecutive hashes, by doubling the window width."""
    least, width = hashes, 1
    while 2 * width <= w:
        least = np.minimum(least[:-width], least[width:])
        width *= 2
    rest = w - width
    return np.minimum(least[:-rest], least[rest:]) if rest else least
