"""The World Wide Web Worm: level-limited recursion that carries an archive of titles and anchors over from run to run.

Source: McBryan, "GENVL and WWWW: Tools for taming the Web" (1994). Choose it to build a directory of one region: the
recursion reads each page once in its life, a failed first page is tried again by the next run, and what is kept of a
page is its title with the anchors by which others cite it. Faults of the markup are recorded beside it
(:mod:`newsspider.core.extraction.dom.markup_faults`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from newsspider.core.strategies.depth_first import DepthFirst


@dataclass(frozen=True, slots=True)
class Worm(DepthFirst):
    """Recursion down to a level; the ledger is the archive, so only what it has never read is fetched."""

    depth: int = 3

    retries_seeds = True

    @property
    def records_faults(self) -> bool:
        return True


def cited_as(title: str, anchors: Iterable[str]) -> tuple[str, ...]:
    """The texts that a page is found by: its title, then the anchors of the pages that cite it, each once.

    >>> cited_as("北京大学", ["北大", " 北京大学 ", "", "北大", "PKU"])
    ('北京大学', '北大', 'PKU')
    """
    texts = (" ".join(text.split()) for text in (title, *anchors))
    return tuple(dict.fromkeys(text for text in texts if text))
