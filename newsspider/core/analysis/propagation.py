"""Tells which page of an event took its text from which, and in what way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from newsspider.core.duplicates.first_source import Copy, chain, is_from, moment_of


class Way(StrEnum):
    """How a page depends on another."""

    REPRINT = "reprint"  # it has the same text
    CREDIT = "credit"  # it has a text of its own, and names the other's site as its source


@dataclass(frozen=True, slots=True)
class Edge:
    """A page, by its URL, and the earlier one from which it took what it says."""

    source: str
    target: str
    way: Way


def edges(groups: Mapping[int, Sequence[Copy]]) -> list[Edge]:
    """The edges among the pages of an event, by the time of the page that took; each group is the copies of one text.

    Every page has at most one. A page without one reports by itself, or took from an outlet that the event lacks.
    """
    pages = {copy.url: copy for copies in groups.values() for copy in copies}
    edges = []
    for copies in groups.values():
        first, *rest = chain(copies)
        edges += [Edge(step.taken_from, step.copy.url, Way.REPRINT) for step in rest if step.taken_from]
        outlets = [copy for copy in pages.values() if copy not in copies and is_from(first.copy, copy)]
        earlier = [copy for copy in outlets if moment_of(copy) <= moment_of(first.copy)]
        if earlier:
            credited = min(earlier, key=lambda copy: (moment_of(copy), copy.url))
            edges.append(Edge(credited.url, first.copy.url, Way.CREDIT))
    return sorted(edges, key=lambda edge: (moment_of(pages[edge.target]), edge.target))
