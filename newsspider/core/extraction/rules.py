"""The rules of a site's article pages: apart from the reader, which takes a third of a second to import."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rules:
    """The XPaths of one site's articles; ``None`` leaves the field to the general reader."""

    title: str | None = None
    body: str | None = None
    date: str | None = None
    source: str | None = None
    author: str | None = None


NO_RULES = Rules()
