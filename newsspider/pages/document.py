"""Converts a stored article into the document that is scored against a topic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from newsspider.core.relevance.topic import Document


def document_of(record: Mapping[str, Any]) -> Document:
    """The fields of an article that determine its relevance."""
    return Document(
        title=record["title"] or "",
        text=record["text"],
        meta_title=record["meta_title"] or "",
        headings=record["headings"],
        meta_keywords=record["meta_keywords"],
        meta_description=record["meta_description"] or "",
        anchor=record["anchor"],
        url=record["url"],
        site=record["site"],
        channel=record["channel"],
        media=record["media_class"],
        authors=record["authors"],
    )
