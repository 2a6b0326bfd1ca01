"""Statistics of a graph of links: degrees and their power law, path lengths, and the bow tie of its components.

Sources: Broder and others, "Graph structure in the Web" (2000); Clauset, Shalizi and Newman, "Power-law distributions
in empirical data" (2009), whose maximum likelihood for discrete values is used; Tarjan, "Depth-first search and linear
graph algorithms" (1972).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from newsspider.core.strategies.ranks import Graph, Numbers

SAMPLED_PAGES = 200  # starts of the measured paths
LEAST_TAIL = 50  # values needed to estimate an exponent
MOST_STARTS = 50  # lower bounds of the power law that are tried
STEEPEST = 6.0  # exponent
SEARCH_STEPS = 40
EXACT_TERMS = 16  # of the zeta function; the rest by the Euler-Maclaurin formula

Values = NDArray[np.int64]


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
        exponent = _exponent(tail, least)
        distinct, counts = np.unique(tail, return_counts=True)
        expected = np.array([_zeta(exponent, int(value)) for value in distinct]) / _zeta(exponent, least)
        survival = 1.0 - (np.cumsum(counts) - counts) / len(tail)
        if (distance := float(np.abs(survival - expected).max())) < nearest:
            best, nearest = PowerLaw(exponent, least, len(tail)), distance
    return best


def _exponent(tail: Values, least: int) -> float:
    logarithms = float(np.log(tail).mean())

    def likelihood(exponent: float) -> float:
        return -float(np.log(_zeta(exponent, least))) - exponent * logarithms

    low, high = 1.01, STEEPEST
    for _ in range(SEARCH_STEPS):  # the likelihood has one maximum
        third = (high - low) / 3
        if likelihood(low + third) < likelihood(high - third):
            low += third
        else:
            high -= third
    return (low + high) / 2


def _zeta(exponent: float, least: int) -> float:
    """The sum of n to the power of minus ``exponent`` over all n from ``least`` on (Hurwitz)."""
    end = float(least + EXACT_TERMS)
    exact = float((np.arange(least, end) ** -exponent).sum())
    rest = end / (exponent - 1) + 0.5 + exponent / end / 12
    return exact + rest * float(end**-exponent)


def paths(graph: Graph, sampled: int = SAMPLED_PAGES) -> Paths:
    """The shortest paths from a sample of the pages with links, evenly spread, to all pages that they reach."""
    linking = np.unique(graph.sources)
    if not len(linking):
        return Paths(0, (), 0.0)
    starts = linking[np.unique(np.linspace(0, len(linking) - 1, min(sampled, len(linking))).astype(np.int64))]
    follow = _follower(graph.pages, graph.sources, graph.targets)
    counts: list[int] = []
    for start in starts:
        distances = _reached(graph.pages, np.array([start]), follow)
        lengths = np.bincount(distances[distances > 0])[1:]
        counts += [0] * (len(lengths) - len(counts))
        for length, count in enumerate(lengths.tolist()):
            counts[length] += count
    return Paths(len(starts), tuple(counts), sum(counts) / len(starts) / max(1, graph.pages - 1))


def bow_tie(graph: Graph) -> BowTie:
    """The parts of the graph around its largest strongly connected component."""
    if not graph.pages:
        return BowTie(0, 0, 0, 0, 0, 0)
    component = components(graph)
    sizes = np.bincount(component)
    core = np.flatnonzero(component == sizes.argmax())
    out = _reached(graph.pages, core, _follower(graph.pages, graph.sources, graph.targets)) >= 0
    into = _reached(graph.pages, core, _follower(graph.pages, graph.targets, graph.sources)) >= 0
    both = np.concatenate([graph.sources, graph.targets]), np.concatenate([graph.targets, graph.sources])
    joined = int((_reached(graph.pages, core, _follower(graph.pages, *both)) >= 0).sum())
    leads_in, led_out = int(into.sum()) - len(core), int(out.sum()) - len(core)
    return BowTie(
        len(core), leads_in, led_out, joined - len(core) - leads_in - led_out, graph.pages - joined, len(sizes)
    )


def components(graph: Graph) -> Numbers:
    """The number of the strongly connected component of each page, by Tarjan's algorithm without recursion."""
    order = np.argsort(graph.sources, kind="stable")
    targets = graph.targets[order].tolist()
    ends = np.cumsum(np.bincount(graph.sources, minlength=graph.pages)).tolist()
    at = [0, *ends[:-1]]  # of each page, its next link
    index, low, component = [-1] * graph.pages, [0] * graph.pages, [-1] * graph.pages
    stack: list[int] = []
    number = finished = 0
    for root in range(graph.pages):
        path = [root] if index[root] < 0 else []
        while path:
            page = path[-1]
            if index[page] < 0:
                index[page] = low[page] = number
                number += 1
                stack.append(page)
            while at[page] < ends[page]:
                target = targets[at[page]]
                if index[target] < 0:
                    path.append(target)
                    break
                if component[target] < 0:
                    low[page] = min(low[page], low[target])
                at[page] += 1
            else:
                path.pop()
                if low[page] == index[page]:
                    while component[page] < 0:
                        component[stack.pop()] = finished
                    finished += 1
    return np.array(component, np.int32)


def _follower(pages: int, sources: Numbers, targets: Numbers) -> Callable[[Values], Values]:
    """Return a function that gives the targets of all links of some pages."""
    ordered = targets[np.argsort(sources, kind="stable")].astype(np.int64)
    counts = np.bincount(sources, minlength=pages)
    begins = np.cumsum(counts) - counts

    def follow(some: Values) -> Values:
        of_each = counts[some]
        offsets = np.repeat(np.cumsum(of_each) - of_each, of_each)
        at: Values = np.arange(of_each.sum()) - offsets + np.repeat(begins[some], of_each)
        return ordered[at]

    return follow


def _reached(pages: int, starts: NDArray[np.integer], follow: Callable[[Values], Values]) -> Values:
    """How many links each page is away from the nearest start; -1 where it is not reached."""
    away = np.full(pages, -1, np.int64)
    some, length = starts.astype(np.int64), 0
    while len(some):
        away[some] = length
        targets = follow(some)
        some, length = np.unique(targets[away[targets] < 0]), length + 1
    return away
