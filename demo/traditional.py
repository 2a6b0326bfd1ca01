"""Writes simplified characters as traditional ones, for the site whose pages are Big5."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from demo.articles import Story
from demo.grammar import PHRASES


def traditional(text: str) -> str:
    """The text in traditional characters, one for one: good enough to be read, and Big5 has them all."""
    return text.translate(_table())


def story_in_traditional(story: Story) -> Story:
    """The story as a newsroom that writes traditional characters prints it."""
    return replace(
        story,
        title=traditional(story.title),
        paragraphs=tuple(traditional(paragraph) for paragraph in story.paragraphs),
        author=traditional(story.author) if story.author else None,
        source=traditional(story.source),
        comments=tuple(traditional(comment) for comment in story.comments),
    )


@lru_cache
def _table() -> dict[int, str]:
    simple, full = (PHRASES / "traditional.txt").read_text("utf-8").splitlines()[1:]
    return {ord(character): other for character, other in zip(simple, full, strict=True)}
