"""Decides which page of an event took its text from which, and in what way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from newsspider.core.duplicates.first_source import Copy, Credits, by_time, reprint_chain


class Way(StrEnum):
    """How a page depends on another."""

    REPRINT = "reprint"  # it has the same text
    CREDIT = "credit"  # it has a text of its own, and names the other's site as its source


@dataclass(frozen=True, slots=True)
class Edge:
    """A page (``target``) and the earlier one that it took its report from (``source``), by their URLs."""

    source: str
    target: str
    way: Way


def propagation_edges(groups: Mapping[int, Sequence[Copy]]) -> list[Edge]:
    """The edges among the pages of an event, by the time of the target; each group is the copies of one text.

    Every page has at most one. A page without one reports by itself, or took from an outlet that the event lacks.
    """
    pages = {copy.url: copy for copies in groups.values() for copy in copies}
    credits_of = Credits(pages.values())
    by_site: dict[str, list[Copy]] = {}  # the earliest of a site first
    for copy in sorted(pages.values(), key=by_time):
        by_site.setdefault(copy.site, []).append(copy)
    edges = []
    for copies in groups.values():
        first, *rest = reprint_chain(copies)
        edges += [Edge(step.taken_from, step.copy.url, Way.REPRINT) for step in rest if step.taken_from]
        own = {copy.url for copy in copies}
        others = ((copy for copy in by_site[site] if copy.url not in own) for site in credits_of.sites(first.copy))
        earliest = (copy for of_site in others for copy in islice(of_site, 1))
        earlier = [copy for copy in earliest if by_time(copy)[0] <= by_time(first.copy)[0]]
        if earlier:
            edges.append(Edge(min(earlier, key=by_time).url, first.copy.url, Way.CREDIT))
    return sorted(edges, key=lambda edge: by_time(pages[edge.target]))
