"""When a URL is asked again that showed no article of its own: it led elsewhere, or showed what many URLs of its site show.

A guard, a notice or a maintenance page stands before a whole site for an hour; what was published meanwhile is read once it is gone.
"""

from __future__ import annotations

FIRST_SECONDS = 900.0  # doubled with each look
LOOKS = 8  # the last one more than a day and a half after the first
MOST_ALIKE = 2  # URLs that show, or lead to, one article; with more, that is a notice, or they are session ids
REMEMBERED_SECONDS = 7 * 86_400.0  # what was last asked before stays as it is when one that was like it shows something else


def second_look(now: float, looks: int) -> float | None:
    """When a URL is asked again that was looked at in vain so many times, ``None`` for never.

    >>> second_look(0.0, 1), second_look(0.0, 3), second_look(0.0, 9)
    (900.0, 3600.0, None)
    """
    return now + FIRST_SECONDS * 2.0 ** (looks - 1) if looks <= LOOKS else None
