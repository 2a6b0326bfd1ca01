"""Parses untrusted numbers without an exception: ``int()`` refuses 5,000 digits and "²", a digit to ``str``."""

from __future__ import annotations

MOST_DIGITS = 9  # any number of a page, a header or a URL that means something; as an int it is quick, and fits 32 bits


def whole_number(text: str | None) -> int | None:
    """The number that the text is, if it consists of one to nine decimal digits, of any width and script; ``None``
    otherwise.

    >>> whole_number("2024"), whole_number("１２"), whole_number("²"), whole_number("9" * 5000)
    (2024, 12, None, None)
    >>> whole_number("-1"), whole_number(None)
    (None, None)
    """
    return int(text) if text and len(text) <= MOST_DIGITS and text.isdecimal() else None


def cursor_numbers(cursor: str, count: int) -> tuple[int, ...] | None:
    """The numbers of a cursor, which dots separate; ``None`` if these are not ``count`` numbers of at most 18 digits.

    >>> cursor_numbers("5.-1800000000", 2), cursor_numbers("5.x", 2), cursor_numbers("5", 2)
    ((5, -1800000000), None, None)
    """
    parts = cursor.split(".")
    digits = [part.removeprefix("-") for part in parts]
    if len(parts) != count or not all(part.isascii() and part.isdecimal() and len(part) < 19 for part in digits):
        return None
    return tuple(map(int, parts))
