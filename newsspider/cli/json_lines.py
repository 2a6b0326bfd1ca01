"""Reads JSON lines from users: every line becomes a record, a bad one with its error."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

TEXT_FIELDS = ("title", "text", "url", "site", "channel")


@dataclass(frozen=True, slots=True)
class Record:
    """One line: its texts (empty where missing), ``tags`` and authors; ``error`` says why a line is unusable."""

    id: Any = None
    title: str = ""
    text: str = ""
    url: str = ""
    site: str = ""
    channel: str = ""
    media: str = ""
    authors: tuple[str, ...] = ()
    tags: dict[str, Any] = field(default_factory=dict)
    error: str = ""


def read_records(lines: Iterable[bytes]) -> Iterator[Record]:
    """Yield one record per line, in order, as soon as the line arrives."""
    for number, line in enumerate(lines, 1):
        yield _record(number, line)


def decoded(line: bytes) -> str | None:
    """A line in UTF-8, else in GB18030; ``None`` for one in neither, or in UTF-8 with broken bytes."""
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError:
        readable = line.decode("utf-8", "replace")
    if sum("\u4e00" <= letter <= "\u9fff" for letter in readable) > readable.count("\ufffd"):
        return None
    try:
        return line.decode("gb18030")
    except UnicodeDecodeError:
        return None


def _record(number: int, line: bytes) -> Record:
    text = decoded(line)
    if text is None:
        return Record(error=f"line {number} is neither UTF-8 nor GB18030")
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Record(error=f"line {number} is not JSON: {error}")
    if not isinstance(row, dict):
        return Record(error=f"line {number} is not a JSON object")
    name = row.get("id")
    texts = {key: row.get(key) or "" for key in TEXT_FIELDS} | {
        "media": row.get("media") or row.get("media_class") or ""
    }
    for key, value in texts.items():
        if not isinstance(value, str):
            return Record(name, error=f"line {number}: {key} is not a text")
    tags = row.get("tags") or {}
    if not isinstance(tags, dict):
        return Record(
            name, error=f"line {number}: tags is not an object like {{title, headings, keywords, description}}"
        )
    return Record(name, **texts, authors=texts_of(row, "author"), tags=tags)


def text_of(tags: dict[str, Any], key: str) -> str:
    """The text of one tag; the entries of a list are joined."""
    return "\n".join(texts_of(tags, key))


def texts_of(tags: dict[str, Any], key: str) -> tuple[str, ...]:
    """The texts of one tag, given as one text or a list; empty for anything else."""
    value = tags.get(key)
    if isinstance(value, str):
        return (value,)
    return tuple(entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()
