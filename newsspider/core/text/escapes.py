"""Writes control characters and bidirectional overrides as escapes, so that no terminal obeys them."""

from __future__ import annotations

import re

# C0 but for tab and line feed, DEL, C1, line and paragraph separators, and overrides of direction.
_UNSAFE = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def escaped(text: str) -> str:
    r"""The text with each control or bidirectional formatting character as an escape of JSON and TOML; tabs and line
    feeds stay.

    >>> escaped("\x1b[31m开学\x9b\u202e\n")
    '\\u001b[31m开学\\u009b\\u202e\n'
    """
    return _UNSAFE.sub(_escape, text) if _UNSAFE.search(text) else text


def escaped_line(text: str) -> str:
    r"""The same for text that must stay one line: its line feeds are escaped, too.

    >>> escaped_line("开学\n")
    '开学\\n'
    """
    return escaped(text).replace("\n", "\\n")


def _escape(result: re.Match[str]) -> str:
    return f"\\u{ord(result[0]):04x}"
