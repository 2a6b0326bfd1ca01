"""The names of the shipped topics."""

from __future__ import annotations

from importlib.resources import files

EVERYTHING = "any"  # the built-in topic that keeps every article
SUFFIX = ".toml"


def topic_names() -> tuple[str, ...]:
    """The names of the built-in profiles, "any" among them."""
    entries = (entry.name for entry in files("newsspider.topics").iterdir())
    return tuple(sorted([EVERYTHING, *(name.removesuffix(SUFFIX) for name in entries if name.endswith(SUFFIX))]))
