"""What the generated pages share: the note on top, tables, docstrings as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

NOTE = "<!-- Written by `make docs` from the code. Edit the docstrings, not this page. -->\n"
ROLE = re.compile(r":(?:\w+:)+`~?([^`]+)`")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table in Markdown."""
    for row in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
    yield ""


def first_paragraph(text: str) -> str:
    return markdown(" ".join(text.split("\n\n", maxsplit=1)[0].split()))


def markdown(text: str) -> str:
    """A docstring as Markdown: without doctests, roles as code, double backticks as single ones."""
    text = text.split("\n>>> ", maxsplit=1)[0].rstrip()
    return ROLE.sub(lambda match: f"`{match[1].removeprefix('newsspider.')}`", text).replace("``", "`")
