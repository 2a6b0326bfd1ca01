"""The schedule starts jobs at their times, on scrapyd or as processes; it needs no other feature."""

from __future__ import annotations

from newsspider.hooks import hookimpl as hookimpl
