"""The schedule starts jobs at their times, on scrapyd or as processes; it needs no other feature."""

from __future__ import annotations

from pathlib import Path

from newsspider.hooks import hookimpl


@hookimpl(specname="commands")
def _commands() -> Path:
    return Path(__file__).parent / "commands"
