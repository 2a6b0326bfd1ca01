"""Statistics of a graph of links: degrees and their power law, path lengths, and the bow tie of its components.

Sources: Broder and others, "Graph structure in the Web" (2000); Clauset, Shalizi and Newman, "Power-law distributions
in empirical data" (2009), whose maximum likelihood for discrete values is used.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.sparse.csgraph import breadth_first_order, connected_components
from scipy.special import zeta

from newsspider.features.explore.rules.link_analysis import Graph, Numbers

SAMPLED_PAGES = 200  # starts of the measured paths
LEAST_TAIL = 50  # values needed to estimate an exponent
MOST_STARTS = 50  # lower bounds of the power law that are tried
STEEPEST = 6.0  # exponent


class PowerLaw(NamedTuple):
    """Of the values from ``least`` on, the number of those equal to x is proportional to x to the power of minus
    ``exponent``; ``values`` is their total number."""

    exponent: float
    least: int
    values: int


class Degrees(NamedTuple):
    """How many links lead to pages, or from them. ``counts`` are pages with 0, 1, 2-3, 4-7, 8-15 ... links."""

    mean: float
    largest: int
    counts: tuple[int, ...]
    power_law: PowerLaw | None


class Paths(NamedTuple):
    """The shortest paths from ``sampled`` pages: how many have 1, 2, 3 ... links, and the share of pages reached."""

    sampled: int
    counts: tuple[int, ...]
    reached: float

    @property
    def mean(self) -> float:
        """Links of a path on average."""
        return sum(n * count for n, count in enumerate(self.counts, 1)) / max(1, sum(self.counts))

    @property
    def effective_diameter(self) -> int:
        """The number of links that 90 % of the paths do not exceed."""
        return int(np.searchsorted(np.cumsum(self.counts), 0.9 * sum(self.counts))) + 1 if self.counts else 0


class BowTie(NamedTuple):
    """How many pages are in the largest strongly connected component (``core``), lead to it, are reached from it, are
    connected to it otherwise, or are not connected to it at all; and the number of components."""

    core: int
    leads_in: int
    led_out: int
    tendrils: int
    disconnected: int
    components: int


def degrees(counted: Numbers) -> Degrees:
    """The distribution of these degrees, one a page."""
    if not len(counted):
        return Degrees(0.0, 0, (), None)
    bins = np.zeros(len(counted), np.int64)
    bins[counted > 0] = np.log2(counted[counted > 0]).astype(np.int64) + 1
    return Degrees(float(counted.mean()), int(counted.max()), tuple(np.bincount(bins).tolist()), power_law(counted))


def power_law(values: Numbers) -> PowerLaw | None:
    """The power law that fits the upper values best (Kolmogorov-Smirnov); ``None`` if they are too few or all equal."""
    ordered = np.sort(values[values > 0]).astype(np.int64)
    starts = np.unique(ordered[: len(ordered) - LEAST_TAIL + 1]) if len(ordered) >= LEAST_TAIL else ordered[:0]
    best, nearest = None, np.inf
    for least in starts[:MOST_STARTS].tolist():
        tail = ordered[np.searchsorted(ordered, least) :]
        if tail[0] == tail[-1]:
            break
        logarithms = float(np.log(tail).mean())
        fit = minimize_scalar(
            lambda power, least=least, logs=logarithms: np.log(zeta(power, least)) + power * logs,
            bounds=(1.01, STEEPEST),
            method="bounded",
        )
        distinct, counts = np.unique(tail, return_counts=True)
        expected = zeta(fit.x, distinct) / zeta(fit.x, least)
        survival = 1.0 - (np.cumsum(counts) - counts) / len(tail)
        if (distance := float(np.abs(survival - expected).max())) < nearest:
            best, nearest = PowerLaw(float(fit.x), least, len(tail)), distance
    return best


def paths(graph: Graph, sampled: int = SAMPLED_PAGES) -> Paths:
    """The shortest paths from a sample of the pages with links, evenly spread, to all pages that they reach."""
    linking = np.unique(graph.sources)
    if not len(linking):
        return Paths(0, (), 0.0)
    starts = linking[np.unique(np.linspace(0, len(linking) - 1, min(sampled, len(linking))).astype(np.int64))]
    links = graph.matrix()
    of_starts = [_path_counts(links, start) for start in starts.tolist()]
    counts = tuple(map(sum, zip_longest(*of_starts, fillvalue=0)))
    return Paths(len(starts), counts, sum(counts) / len(starts) / max(1, graph.pages - 1))


def _path_counts(links: Any, start: int) -> list[int]:
    """How many pages are 1, 2, 3 ... links away from a page."""
    counts, seen = [], np.zeros(links.shape[0], bool)
    seen[start] = True
    pages = np.array([start])
    while len(pages := _unseen(links[pages].indices, seen)):
        seen[pages] = True
        counts.append(len(pages))
    return counts


def _unseen(pages: Numbers, seen: Any) -> Numbers:
    return np.unique(pages[~seen[pages]])


def bow_tie(graph: Graph) -> BowTie:
    """The parts of the graph around its largest strongly connected component."""
    if not graph.pages:
        return BowTie(0, 0, 0, 0, 0, 0)
    links = graph.matrix()
    components, component = connected_components(links, connection="strong")
    members = np.flatnonzero(component == np.bincount(component).argmax())
    core, start = len(members), members[0]
    leads_in, led_out, joined = _reached(links.T, start), _reached(links, start), _reached(links + links.T, start)
    tendrils = joined - leads_in - led_out + core
    return BowTie(core, leads_in - core, led_out - core, tendrils, graph.pages - joined, components)


def _reached(links: Any, start: int) -> int:
    """How many pages can be reached from a page, itself among them."""
    return len(breadth_first_order(links, start, return_predecessors=False))
