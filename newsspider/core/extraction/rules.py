"""The rules of a site's article pages; a module of its own, because the reader takes a third of a second to import."""

from __future__ import annotations

from dataclasses import dataclass

FIELD_OF = {"title": "title", "body": "text", "date": "published_at", "source": "source", "author": "authors"}


@dataclass(frozen=True, slots=True)
class Rules:
    """The XPaths of one site's articles; ``None`` leaves the field to the general reader."""

    title: str | None = None
    body: str | None = None
    date: str | None = None
    source: str | None = None
    author: str | None = None

    @property
    def fields(self) -> frozenset[str]:
        """The fields of an article for which there is an XPath."""
        return frozenset(field for rule, field in FIELD_OF.items() if getattr(self, rule) is not None)


NO_RULES = Rules()
