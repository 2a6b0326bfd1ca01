"""Explains why an article matches the query of an alert."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unicodedata import normalize

from newsspider.core.query.highlights import highlights
from newsspider.core.query.matching import Document, matches
from newsspider.core.query.tree import Node, Value, parts, wanted_texts

MOST_WORDS = 8
PIECE, BEFORE = 80, 20  # characters of the text around the first word, and before it


def reasons(query: Node, title: str, text: str, document: Document) -> dict[str, Any]:
    """The words of the query in title and text, the text around the first of them, and the matching fields."""
    title_places, text_places = highlights(title, query), highlights(text, query)
    in_title, in_text = _words(title, title_places), _words(text, text_places)
    tokens = [part.token for part in parts(query) if isinstance(part, Value) and matches(part, document)]
    values = [normalize("NFKC", token).replace("=", ":", 1) for token in tokens]
    elsewhere = [part for part in wanted_texts(query) if part.field not in {"", "title", "body"}]
    values += [f"{part.field}:{' '.join(part.units)}" for part in elsewhere if matches(part, document)]
    return {"in_title": in_title, "in_text": in_text, "piece": _piece(text, text_places), "fields": values[:MOST_WORDS]}


def _words(text: str, places: Sequence[tuple[int, int]]) -> list[str]:
    return list(dict.fromkeys(text[begin:end] for begin, end in places))[:MOST_WORDS]


def _piece(text: str, places: Sequence[tuple[int, int]]) -> str:
    """The text around the first place, on one line; empty if there is none."""
    if not places:
        return ""
    start = max(places[0][0] - BEFORE, 0)
    end = start + PIECE
    inside = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{inside}{'…' if end < len(text) else ''}"
