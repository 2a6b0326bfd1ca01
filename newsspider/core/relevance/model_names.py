"""The names of the ways to score a document."""

from __future__ import annotations

from enum import StrEnum


class Model(StrEnum):
    """The ways to score a document; :mod:`newsspider.core.relevance.scoring` has their formulas."""

    BLEND = "blend"
    WORDS = "words"
    LEARNED = "learned"
    BOOLEAN = "boolean"
    TAGS = "tags"
    VECTOR = "vector"
    ANY = "any"  # keeps everything
