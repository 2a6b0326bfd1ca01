"""Passwords: the rules that they have to meet, and their Argon2id hashes."""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST_PASSWORD, LONGEST_PASSWORD = 12, 256  # characters
FEWEST_DISTINCT = 5
# OWASP's lowest recommendation for Argon2id. With more memory, a few simultaneous log-ins would take that of the crawl.
TIME_COST, MEMORY_KIB, LANES = 2, 19_456, 1

_one_at_a_time = threading.Lock()


def objection_to(password: str, name: str = "") -> str | None:
    """The code of the reason why a password is refused; ``None`` if it is good enough.

    >>> objection_to("高考改革与我们的新生活一起来"), objection_to("short"), objection_to("aaaaaaaaaaaaaa")
    (None, 'shorter_than_12_characters', 'too_easy_to_guess')
    """
    if len(password) < SHORTEST_PASSWORD:
        return "shorter_than_12_characters"
    if len(password) > LONGEST_PASSWORD:
        return "longer_than_256_characters"
    rest = password.casefold().replace(name.casefold(), "") if name else password.casefold()
    steps = {ord(next_character) - ord(character) for character, next_character in pairwise(rest)}
    if len(set(rest)) < FEWEST_DISTINCT or len(steps) <= 2 or rest.isdecimal():
        return "too_easy_to_guess"
    return None


def hashed(password: str) -> str:
    """The hash to store."""
    return _hasher().hash(password.encode("utf-8", "surrogatepass"))


def is_right(password: str, stored: str | None) -> bool:
    """Whether this is the password of a stored hash; without a hash ``False``, after the same work.

    Passwords are checked one at a time, so that many log-ins at once take no more memory than one.
    """
    from argon2.exceptions import InvalidHashError, VerificationError

    with _one_at_a_time:
        if stored is None:
            hashed(password)
            return False
        try:
            return _hasher().verify(stored, password.encode("utf-8", "surrogatepass"))
        except (VerificationError, InvalidHashError):
            return False


def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher(time_cost=TIME_COST, memory_cost=MEMORY_KIB, parallelism=LANES)
