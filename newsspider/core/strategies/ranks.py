"""Link analysis: PageRank, hubs and authorities (HITS), and the page weight of Tianwang.

Sources: Brin and Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine" (1998); Kleinberg, "Authoritative
Sources in a Hyperlinked Environment" (1999). To limit the votes of a site for itself, a vote within a site counts a
quarter (:func:`votes`), and all pages of a site share one vote for each target (:func:`shares`), as Bharat and
Henzinger propose in "Improved Algorithms for Topic Distillation" (1998). Both can start from earlier scores; after few
changes, few iterations are needed then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
Floats = NDArray[np.float64]
LinkWeights = NDArray[np.float32]  # one a link: there are a hundred links for each page

DAMPING = 0.85  # the share of readers who follow a link
INSIDE = 0.25  # share of a vote within a site that counts; the rest is spread over all pages
JUMP = 0.15  # share of the hub and authority scores that is spread evenly: without it all sites but one would have none
TOLERANCE = 1e-6  # the iteration ends when it moves less than this share of all scores
MOST_SWEEPS = 500
REPEATED = 0.5  # a link on a larger share of a site's pages belongs to their frame
LINKS_AT_ONCE = 50_000  # links processed together, to bound the memory besides the graph
TINY = float(np.finfo(np.float64).tiny)  # instead of 0, as the divisor of pages without links
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


class Ranks(NamedTuple):
    """The PageRank of each page, with a sum of 1, and the number of iterations."""

    scores: Floats
    sweeps: int


class Hubs(NamedTuple):
    """The hub and authority scores of the pages, each with a sum of 1, and the number of iterations."""

    hubs: Floats
    authorities: Floats
    sweeps: int


class Coefficients(NamedTuple):
    """The coefficients of the page weight."""

    indegree: float = 1.0
    father: float = 0.5
    mirrors: float = 0.5
    directory: float = 1.0


USUAL = Coefficients()


def pagerank(
    graph: Graph, votes: LinkWeights | None = None, start: Floats | None = None, tolerance: float = TOLERANCE
) -> Ranks:
    """The PageRank of each page: the probability that a random surfer is there. ``start`` holds earlier scores, NaN for
    a new page.

    Each page divides its rank equally among its links; ``votes`` is the share of each link's part that arrives, else
    all. What does not arrive, as from pages without links, is spread evenly.
    """
    if not graph.pages:
        return Ranks(np.zeros(0), 0)
    outdegrees = np.maximum(np.bincount(graph.sources, minlength=graph.pages), 1)
    scores = _start(np.full(graph.pages, 1.0 / graph.pages), start)
    moved, sweeps = 1.0, 0
    while moved >= tolerance and sweeps < MOST_SWEEPS:
        previous, scores = scores, _gathered(graph.sources, graph.targets, votes, scores / outdegrees)
        scores *= DAMPING
        scores += (1.0 - scores.sum()) / graph.pages
        moved, sweeps = np.abs(scores - previous).sum(), sweeps + 1
    return Ranks(scores, sweeps)


def hits(
    graph: Graph,
    shares: LinkWeights | None = None,
    start: Floats | None = None,
    jump: float = 0.0,
    tolerance: float = TOLERANCE,
) -> Hubs:
    """HITS: hubs link to good authorities, and good hubs link to authorities; ``shares`` weights each link, else 1.

    Without ``jump`` it is Kleinberg's rule, by which only the most densely linked component has non-zero scores. With
    it, as in the randomised HITS of Ng, Zheng and Jordan, "Stable Algorithms for Link Analysis" (2001), each page
    divides its score among its links, and that share of the total is spread evenly over all hubs, and over all
    authorities. ``start`` holds earlier hub scores, NaN for a new page.
    """
    if not len(graph.sources):
        return Hubs(np.zeros(graph.pages), np.zeros(graph.pages), 0)
    linking, linked = np.zeros(graph.pages), np.zeros(graph.pages)
    linking[graph.sources] = linked[graph.targets] = 1.0
    linking /= linking.sum()
    linked /= linked.sum()
    out_weights, in_weights = np.ones(graph.pages), np.ones(graph.pages)
    if jump:
        out_weights = np.maximum(_gathered(graph.targets, graph.sources, shares, out_weights), TINY)
        in_weights = np.maximum(_gathered(graph.sources, graph.targets, shares, in_weights), TINY)
    hubs = _start(linking, start)
    moved, sweeps = 1.0, 0
    while moved >= tolerance and sweeps < MOST_SWEEPS:
        gathered = _gathered(graph.sources, graph.targets, shares, hubs / out_weights)
        authorities = (1.0 - jump) * gathered / gathered.sum() + jump * linked
        gathered = _gathered(graph.targets, graph.sources, shares, authorities / in_weights)
        previous, hubs = hubs, (1.0 - jump) * gathered / gathered.sum() + jump * linking
        moved, sweeps = np.abs(hubs - previous).sum(), sweeps + 1
    return Hubs(hubs, authorities, sweeps)


def votes(graph: Graph, sites: Numbers, inside: float = INSIDE) -> LinkWeights:
    """The share of each link's vote that counts: 1 between sites, ``inside`` within one; ``sites`` holds the number of
    each page's site. A site can raise its rank at most by the factor 1 / (1 - 0.85 * inside): 1.27 instead of 6.7."""
    same_site = sites[graph.sources] == sites[graph.targets]
    return np.where(same_site, np.float32(inside), np.float32(1.0))


def shares(graph: Graph, sites: Numbers) -> LinkWeights:
    """The weight of each link for hubs and authorities: links from one site to the same page count as one."""
    shared = np.ones(len(graph.sources), np.float32)
    for links, counts in _repetitions(graph, sites):
        shared[links] = 1.0 / counts
    return shared


def framed(graph: Graph, sites: Numbers) -> NDArray[np.bool_]:
    """Which links belong to the frame of a site, as most of its pages have them: menus, the home link, partners. A site
    with links on fewer than ten pages has no frame."""
    linking = np.bincount(sites[np.unique(graph.sources)], minlength=int(sites.max(initial=0)) + 1)
    repeated = np.zeros(len(graph.sources), bool)
    for links, counts in _repetitions(graph, sites):
        of_site = linking[sites[graph.sources[links]]]
        repeated[links] = (counts > REPEATED * of_site) & (of_site >= FEW_PAGES)
    return repeated


def page_weight(indegree: Any, father: Any, mirrors: Any, directories: Any, by: Coefficients = USUAL) -> Any:
    """The weight of pages: it rises with indegree, the largest indegree of the linking pages and mirrors, and falls
    with the directory depth. The first inlink offsets one directory, two more the next; a father or mirror counts half.

    Source: Tianwang, as Li, Yan and Wang describe it in "Search Engine: Principle, Technology and Systems" (2005).

    >>> float(page_weight(3, 1, 0, 2))
    0.5
    """
    link_weight = (
        by.indegree * np.log2(1.0 + indegree) + by.father * np.log2(1.0 + father) + by.mirrors * np.log2(1.0 + mirrors)
    )
    return link_weight - by.directory * directories


def directory_depth(url: str) -> int:
    """The number of path segments of a URL.

    >>> [directory_depth(f"http://www.pku.edu.cn{path}") for path in ("", "/", "/cs", "/cs/", "/cs/a.html?b=/c/d")]
    [0, 0, 1, 1, 2]
    """
    path = url.partition("://")[2].partition("#")[0].partition("?")[0].partition("/")[2]
    return len([name for name in path.split("/") if name])


def _repetitions(graph: Graph, sites: Numbers) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the numbers of links, all in parts, and how many pages of the source's site link to each target."""
    parts = 1 + len(graph.sources) // LINKS_AT_ONCE
    for part in range(parts):
        links = np.flatnonzero(graph.targets % parts == part)
        pairs = sites[graph.sources[links]].astype(np.int64) * graph.pages + graph.targets[links]
        _, which, counts = np.unique(pairs, return_inverse=True, return_counts=True)
        yield links, counts[which]


def _start(otherwise: Floats, earlier: Floats | None) -> Floats:
    """The initial scores: earlier ones if there are any; a new page gets the lowest of them."""
    if earlier is None or not np.nansum(earlier) > 0.0:
        return otherwise
    scores: Floats = np.where(otherwise > 0.0, np.where(np.isnan(earlier), np.nanmin(earlier), earlier), 0.0)
    if not scores.sum() > 0.0:
        return otherwise
    scores /= scores.sum()
    return scores


def _gathered(sources: Numbers, targets: Numbers, weights: LinkWeights | None, scores: Floats) -> Floats:
    """Return what arrives at each page: over its links, the sum of the source's score times the link's weight."""
    pages = len(scores)
    gathered = np.zeros(pages)
    step = max(LINKS_AT_ONCE, pages)
    for start in range(0, len(sources), step):
        values = scores[sources[start : start + step]]
        if weights is not None:
            values *= weights[start : start + step]
        gathered += np.bincount(targets[start : start + step], weights=values, minlength=pages)
    return gathered
