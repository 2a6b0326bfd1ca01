"""Briefings (简报): what happened in a day or a week, for somebody else to read; every sentence is one of an article.

It builds on events, attention (the counting) and health (the sources that are silent). ``rules`` holds its decisions,
without I/O or clock; ``forms`` the Jinja templates of its formats, which people copy and change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsspider.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Table


@hookimpl(specname="tables")
def _tables() -> Sequence[Table]:
    from newsspider.features.briefing.tables import briefings

    return (briefings,)
