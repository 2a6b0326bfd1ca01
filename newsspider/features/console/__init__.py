"""The console: what the crawl collected, as pages in a browser (``scrapy web``), as JSON and as feeds."""

from __future__ import annotations

from pathlib import Path

from newsspider.hooks import hookimpl


@hookimpl
def commands() -> Path:
    return Path(__file__).parent / "commands"
