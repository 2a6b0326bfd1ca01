"""The World Wide Web Worm: depth-limited recursion that keeps an archive of titles and anchors from run to run.

Source: McBryan, "GENVL and WWWW: Tools for taming the Web" (1994). Choose it to build a directory of a region: the
recursion reads each page once ever, a failed seed is retried by the next run, and a page is stored as its title with
the anchors that cite it. Markup faults are recorded, too (:mod:`newsspider.core.extraction.dom.markup_faults`).
"""

from __future__ import annotations

from dataclasses import dataclass

from newsspider.core.strategies.depth_first import DepthFirst
from newsspider.core.strategies.strategy import Mode


@dataclass(frozen=True, slots=True)
class Worm(DepthFirst):
    """Depth-limited recursion; the ledger is the archive, so only pages that were never read are fetched."""

    depth: int = 3

    @property
    def mode(self) -> Mode:
        return Mode(records_faults=True, retries_seeds=True)
