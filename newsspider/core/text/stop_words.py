"""The words and characters that say nothing about the subject of a Chinese text."""

from __future__ import annotations

from newsspider.core.text.phrases import phrases

STOP_WORDS = frozenset(phrases("stop_words"))
# Besides those: characters that join no two words into one term.
STOP_CHARACTERS = frozenset(phrases("stop_characters"))
