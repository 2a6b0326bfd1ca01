"""Link analysis: PageRank, hubs and authorities (HITS), by power iteration over sparse matrices.

Sources: Brin and Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine" (1998); Kleinberg, "Authoritative
Sources in a Hyperlinked Environment" (1999). To limit the votes of a site for itself, a vote within a site counts a
quarter (:func:`link_votes`), and all pages of a site share one vote for each target (:func:`link_shares`), as Bharat
and Henzinger propose in "Improved Algorithms for Topic Distillation" (1998).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Numbers = NDArray[np.int32]
Floats = NDArray[np.float64]

DAMPING = 0.85  # the share of readers who follow a link
INSIDE_SHARE = 0.25  # share of a vote within a site that counts; the rest is spread over all pages
JUMP_SHARE = 0.15  # of the hub and authority scores, spread evenly: without it all sites but one would have none
TOLERANCE = 1e-6  # the iteration ends when it moves less than this share of all scores
MOST_SWEEPS = 500
REPEATED_SHARE = 0.5  # a link on a larger share of a site's pages belongs to their frame
FEW_PAGES = 10  # a site needs this many pages with links to have a frame


@dataclass(frozen=True, slots=True)
class Graph:
    """A number of pages, numbered from 0, and the sources and targets of the links, each pair once."""

    pages: int
    sources: Numbers
    targets: Numbers

    @property
    def indegrees(self) -> Numbers:
        """How many pages link to each page."""
        return np.bincount(self.targets, minlength=self.pages).astype(np.int32)

    @property
    def outdegrees(self) -> Numbers:
        """How many pages each page links to."""
        return np.bincount(self.sources, minlength=self.pages).astype(np.int32)

    @property
    def fathers(self) -> Numbers:
        """The largest number of pages that link to one of those that link to each page; 0 where none do."""
        largest = np.zeros(self.pages, np.int32)
        np.maximum.at(largest, self.targets, self.indegrees[self.sources])
        return largest

    def matrix(self, weights: Floats | None = None) -> Any:
        """The weight of each link, else 1, in the row of its source and the column of its target."""
        values = np.ones(len(self.sources)) if weights is None else weights
        return sparse.csr_array((values, (self.sources, self.targets)), shape=(self.pages, self.pages))


class Ranks(NamedTuple):
    """The PageRank of each page, with a sum of 1, and the number of iterations."""

    scores: Floats
    sweeps: int


class Hubs(NamedTuple):
    """The hub and authority scores of the pages, each with a sum of 1, and the number of iterations."""

    hubs: Floats
    authorities: Floats
    sweeps: int


def pagerank(graph: Graph, votes: Floats | None = None, tolerance: float = TOLERANCE) -> Ranks:
    """The PageRank of each page: the probability that a random surfer is there.

    Each page divides its rank equally among its links; ``votes`` is the share of each link's part that arrives, else
    all. What does not arrive, as from pages without links, is spread evenly.
    """
    if not graph.pages:
        return Ranks(np.zeros(0), 0)
    arriving = _divided(graph.matrix(votes), graph.outdegrees).T

    def step(scores: Floats) -> Floats:
        followed = DAMPING * (arriving @ scores)
        spread: Floats = followed + (1.0 - followed.sum()) / graph.pages
        return spread

    return Ranks(*_iterated(step, np.full(graph.pages, 1.0 / graph.pages), tolerance))


def hits(graph: Graph, shares: Floats | None = None, jump: float = 0.0, tolerance: float = TOLERANCE) -> Hubs:
    """HITS: hubs link to good authorities, and good hubs link to authorities; ``shares`` weights each link, else 1.

    Without ``jump`` it is Kleinberg's rule, by which only the most densely linked component has non-zero scores. With
    it, as in the randomised HITS of Ng, Zheng and Jordan, "Stable Algorithms for Link Analysis" (2001), each page
    divides its score among its links, and that share of the total is spread evenly over all hubs, and over all
    authorities.
    """
    if not len(graph.sources):
        return Hubs(np.zeros(graph.pages), np.zeros(graph.pages), 0)
    linking, linked = (_normalised((degrees > 0).astype(float)) for degrees in (graph.outdegrees, graph.indegrees))
    to_hubs = graph.matrix(shares)
    to_authorities = to_hubs.T
    if jump:
        to_authorities, to_hubs = _divided(to_hubs, to_hubs.sum(axis=1)).T, _divided(to_hubs.T, to_hubs.sum(axis=0)).T

    def authorities(hubs: Floats) -> Floats:
        return (1.0 - jump) * _normalised(to_authorities @ hubs) + jump * linked

    def step(hubs: Floats) -> Floats:
        return (1.0 - jump) * _normalised(to_hubs @ authorities(hubs)) + jump * linking

    hubs, sweeps = _iterated(step, linking, tolerance)
    return Hubs(hubs, authorities(hubs), sweeps)


def link_votes(graph: Graph, sites: Numbers, inside: float = INSIDE_SHARE) -> Floats:
    """The share of each link's vote that counts: 1 between sites, ``inside`` within one; ``sites`` holds the number of
    each page's site. A site can raise its rank at most by the factor 1 / (1 - 0.85 * inside): 1.27 instead of 6.7."""
    return np.where(sites[graph.sources] == sites[graph.targets], inside, 1.0)


def link_shares(graph: Graph, sites: Numbers) -> Floats:
    """The weight of each link for hubs and authorities: links from one site to the same page count as one."""
    weights: Floats = 1.0 / _repetitions(graph, sites)
    return weights


def frame_links(graph: Graph, sites: Numbers) -> NDArray[np.bool_]:
    """Which links belong to the frame of a site, as most of its pages have them: menus, the home link, partners. A site
    with links on fewer than ten pages has no frame."""
    linking = np.bincount(sites[np.unique(graph.sources)], minlength=int(sites.max(initial=0)) + 1)
    of_site = linking[sites[graph.sources]]
    return (_repetitions(graph, sites) > REPEATED_SHARE * of_site) & (of_site >= FEW_PAGES)


def _repetitions(graph: Graph, sites: Numbers) -> NDArray[np.int64]:
    """For each link, how many pages of the source's site link to its target."""
    pairs = sites[graph.sources].astype(np.int64) * graph.pages + graph.targets
    _, which, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    return counts[which]


def _iterated(step: Callable[[Floats], Floats], scores: Floats, tolerance: float) -> tuple[Floats, int]:
    """The scores that a step no longer moves, and how many steps that took."""
    moved, sweeps = 1.0, 0
    while moved >= tolerance and sweeps < MOST_SWEEPS:
        scores, previous = step(scores), scores
        moved, sweeps = float(np.abs(scores - previous).sum()), sweeps + 1
    return scores, sweeps


def _normalised(scores: Floats) -> Floats:
    return scores / scores.sum()


def _divided(matrix: Any, divisors: NDArray[Any]) -> Any:
    """The matrix with each row divided by its number; rows of 0 are empty."""
    return sparse.diags_array(1.0 / np.where(divisors > 0, divisors, 1.0)) @ matrix
